"""Where things are on the site: page names and section ids, the same on every system and after every reordering."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import PurePath

from rankfold_loaders.registries import RegistryPage


def uri(path: PurePath | str) -> str:
    """A page's path with `/` only, whatever the system wrote."""
    return path.as_posix() if isinstance(path, PurePath) else path.replace("\\", "/")


def anchor(word: str, name: str) -> str:
    """The id of a record's section, made from its registered name alone.

    Lower-case letters, digits and underscores stay; any other character becomes its code in hexadecimal between
    hyphens. So two names never share an id, and an id never depends on what else is on the page.
    """
    return f"{word}-{_spelled(name, 'A-Za-z0-9_')}"


def _spelled(name: str, kept: str) -> str:
    return re.sub(f"[^{kept}]", lambda match: f"-{ord(match.group()):x}-", name)


def page_of(page: RegistryPage, name: str) -> str:
    """The page that shows the record."""
    if not page.each:
        return page.uri
    # As in ids, except that a hyphen stays; capitals do not, because some systems take `C` and `c` for one file.
    spelled = _spelled(name.lower(), "a-z0-9_-")
    # A page called `index` would be that of its folder; in a folder of its own it has the address of its like.
    return page.each.replace("{name}", f"{spelled}/index" if spelled in ("index", "readme") else spelled)


def href(here: str, page: RegistryPage, name: str) -> str:
    """Relative link from a page to a record's section, or to its own page."""
    target = page_of(page, name)
    fragment = "" if page.each else "#" + anchor(page.word, name)
    return fragment if target == here else relative(here, target) + fragment


@cache
def relative(here: str, target: str) -> str:
    """Relative link between two pages."""
    return posixpath.relpath(target, posixpath.dirname(here) or ".")

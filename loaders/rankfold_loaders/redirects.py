"""Old addresses lead to new ones: `docs/redirects.yml` becomes small pages at the old addresses, kept for good.

    reference/weights/: reference/arms/#weights
    reference/weights/#fts: reference/arms/fts/

An old address may name a section. Where its page is gone, the small page sends the reader on by the section asked for;
where its page is still there, the page itself has to keep an element of that id, and this says so if it does not.
"""

from __future__ import annotations

import html
import json
import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import yaml

from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.published import absolute, relative

FILE = "docs/redirects.yml"

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<meta name="description" content="The address of this page has changed; it is now at {absolute}.">
<meta name="robots" content="noindex">
<link rel="canonical" href="{absolute}">
<script>
const sections = {sections};
const asked = location.hash.slice(1);
location.replace(Object.hasOwn(sections, asked) ? sections[asked] : {bare} + (location.hash || {fragment}));
</script>
<noscript><meta http-equiv="refresh" content="0; url={link}"></noscript>
</head>
<body>
<main>
<h1>{title}</h1>
<p>This page is now at <a href="{link}">{absolute}</a>.</p>
{list}</main>
</body>
</html>
"""


def redirects(
    text: str, pages: Mapping[str, Collection[str]], site_url: str, *, language: str = "en"
) -> Mapping[str, bytes]:
    """The pages at the old addresses, by their path in the site.

    Args:
        text: `docs/redirects.yml`: a mapping of old addresses to new ones, both below the site's own.
        pages: every live page by its path in the site, `a/b/index.html`, with the ids on it.
        site_url: the site's published address.
        language: of the small pages, as a language tag.

    Raises:
        SiteError: the file is no such mapping, an old address is still a page, or a new one is none.
    """
    moved, faults = _read(text)
    faults += _faults(moved, pages)
    if faults:
        raise SiteError(faults)
    made: dict[str, bytes] = {}
    for file in sorted({file for file, _ in moved} - pages.keys()):
        sections = {section: new for (of, section), new in moved.items() if of == file and section}
        made[file] = _page(file, moved[file, ""], sections, site_url, language).encode()
    return made


Address = tuple[str, str]
"""A file of the site and the id of a section, which may be empty."""


def _read(text: str) -> tuple[dict[Address, Address], list[Fault]]:
    try:
        given = yaml.safe_load(text) or {}
    except yaml.YAMLError as problem:
        return {}, [Fault(FILE, f"is not YAML: {' '.join(str(problem).split())}")]
    if not isinstance(given, dict):
        return {}, [Fault(FILE, "is not a mapping of old addresses to new ones")]
    moved: dict[Address, Address] = {}
    faults = []
    for old, new in given.items():
        ends = [_address(end) for end in (old, new)]
        if None in ends:
            faults.append(Fault(FILE, f"{old!r} to {new!r}: an address is a path below the site's own, such as 'a/b/'"))
        elif ends[0] in moved:
            faults.append(Fault(FILE, f"{old!r} is named twice"))
        else:
            moved[ends[0]] = ends[1]  # type: ignore[index,assignment]
    return moved, faults


def _address(given: Any) -> Address | None:
    """The file that answers a request for an address, and the section; none for what is no address of the site."""
    if not isinstance(given, str):
        return None
    try:
        parts = urlsplit(given)
    except ValueError:
        return None
    path = unquote(parts.path)
    inside = posixpath.normpath(path or ".")
    if parts.scheme or parts.netloc or parts.query or path.startswith("/") or inside.startswith(".."):
        return None
    if not posixpath.splitext(path)[1] or path.endswith("/"):
        inside = posixpath.normpath(posixpath.join(inside, "index.html"))
    return inside, unquote(parts.fragment)


def _faults(moved: Mapping[Address, Address], pages: Mapping[str, Collection[str]]) -> Iterator[Fault]:
    for (old, section), (new, new_section) in moved.items():
        if old in pages and not section:
            yield Fault(FILE, f"{_shown(old)} is a page of the site; remove the line, or the page")
        elif old in pages and section not in pages[old]:
            yield Fault(FILE, f"{_shown(old)} is a page of the site, so it must keep an element of the id {section!r}")
        elif old not in pages and section and (old, "") not in moved:
            yield Fault(FILE, f"{_shown(old)} is gone, so it needs a line without a section too")
        if new not in pages:
            what = "is itself an old address; name its end" if (new, "") in moved else "is no page of the site"
            yield Fault(FILE, f"{_shown(old)} leads to {_shown(new)}, which {what}")
        elif new_section and new_section not in pages[new]:
            yield Fault(FILE, f"{_shown(old)} leads to {_shown(new)}#{new_section}, which is no section of that page")


def _shown(file: str) -> str:
    """The address that a file is published at."""
    return file.removesuffix("index.html") or "./"


def _page(old: str, new: Address, sections: Mapping[str, Address], site_url: str, language: str) -> str:
    folder = posixpath.dirname(old)

    def link(end: Address, with_section: bool = True) -> str:
        return relative(folder, _path(end), end[1] if with_section else "")

    def anchor(end: Address) -> str:
        return f'<a href="{html.escape(link(end))}">{html.escape(absolute(site_url, _path(end), end[1]))}</a>'

    items = "".join(f"<li>{html.escape(section)}: {anchor(end)}</li>\n" for section, end in sections.items())
    return _PAGE.format(
        language=html.escape(language),
        title="This page has moved",
        absolute=html.escape(absolute(site_url, _path(new), new[1])),
        link=html.escape(link(new)),
        # As it is written, and as a browser spells it.
        sections=_script({key: link(end) for section, end in sections.items() for key in (section, quote(section))}),
        bare=_script(link(new, with_section=False)),
        fragment=_script(f"#{new[1]}" if new[1] else ""),
        list=f"<ul>\n{items}</ul>\n" if items else "",
    )


def _path(end: Address) -> str:
    return end[0].removesuffix("index.html") if posixpath.basename(end[0]) == "index.html" else end[0]


def _script(value: object) -> str:
    """A value as JavaScript that cannot end its own element."""
    return json.dumps(value).replace("<", "\\u003c")

"""What a project's `mkdocs.yml` states, read without MkDocs, and what the generated pages need of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from rankfold_loaders.faults import error

EXTENSIONS: Mapping[str, Mapping[str, object]] = {
    "admonition": {},
    "attr_list": {},
    "def_list": {},
    "md_in_html": {},
    "tables": {},
    "pymdownx.details": {},
    "pymdownx.highlight": {"pygments_lang_class": True},
    "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True},
}
"""The extensions of Markdown that the generated pages are written in, each with its settings."""

STYLESHEET = "assets/rankfold-reference.css"
"""The style that they need of any theme, by its path in a site that the plugin makes."""


@dataclass(frozen=True)
class Tagged:
    """A value that only another program understands, such as `!ENV NAME`: kept as it is written."""

    node: yaml.Node


SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Reads plain YAML, ten times as fast where the parser in C is there."""


class _Loader(SafeLoader):  # type: ignore[misc]
    """Reads YAML with any tags."""


_Loader.add_multi_constructor("", lambda _loader, _tag, node: Tagged(node))


def find(place: Path) -> Path:
    """The configuration in a folder, whether it is there or not; a file is taken as it is."""
    candidates = [place, place / "mkdocs.yml", place / "mkdocs.yaml"]
    return next((file for file in candidates if file.is_file()), candidates[1])


def read(file: Path) -> dict[str, Any]:
    """What a configuration states, together with those that it inherits from.

    Raises:
        SiteError: a file is missing, or is no YAML.
    """
    try:
        stated = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise error(str(file), f"cannot be read: {problem}") from problem
    if not isinstance(stated, dict):
        raise error(str(file), "is no configuration of MkDocs: it states no keys")
    parent = stated.pop("INHERIT", None)
    return _merged(read(file.parent / parent), stated) if isinstance(parent, str) else stated


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    both = [key for key in below if isinstance(below[key], dict) and isinstance(above.get(key), dict)]
    return {**below, **above, **{key: _merged(below[key], above[key]) for key in both}}


def listed(items: object) -> dict[str, Any]:
    """What a list such as `plugins` names, each with its options; MkDocs takes a list and a mapping alike."""
    pairs = items.items() if isinstance(items, dict) else [_pair(item) for item in items or ()]  # type: ignore[attr-defined]
    return {str(name): options for name, options in pairs}


def _pair(item: object) -> tuple[object, object]:
    return next(iter(item.items())) if isinstance(item, dict) and item else (item, None)


def text(stated: Mapping[str, Any], key: str, default: str = "") -> str:
    """A value that is text; the default where there is none, or only another program knows it."""
    value = stated.get(key)
    return value if isinstance(value, str) else default


def whole_navigation(
    nav: Sequence[Any], pages: Sequence[str], title: str, generated: Sequence[object], folder: str
) -> list[Any]:
    """A navigation with each `Title: folder/` replaced by the pages in that folder; one without pages stays as it is.

    Args:
        nav: as `mkdocs.yml` states it.
        pages: every page of the site.
        title: heading of the generated part.
        generated: that part, which stands where its folder does, and last where no entry names that.
        folder: of the generated pages, with a slash at its end.
    """
    if folder not in _targets(nav):
        nav = [*nav, {title: folder}]
    return [made for item in nav for made in _expanded(item, pages, generated, folder)]


def _expanded(item: object, pages: Sequence[str], generated: Sequence[object], folder: str) -> list[object]:
    heading, target = _pair(item) if isinstance(item, dict) else (None, item)
    if isinstance(target, list):
        return [{heading: [made for one in target for made in _expanded(one, pages, generated, folder)]}]
    if not isinstance(target, str) or not target.endswith("/") or "://" in target:
        return [item]
    inside = generated if target == folder else in_order(uri for uri in pages if uri.startswith(target))
    if not inside:
        return [item]
    return [{heading: list(inside)}] if heading else list(inside)


def empty_folders(nav: object) -> list[str]:
    """The entries of a whole navigation that name a folder without pages."""
    return [target for target in _targets(nav) if isinstance(target, str) and re.fullmatch(r"[^/:][^:]*/", target)]


def _targets(nav: object) -> list[object]:
    if isinstance(nav, dict):
        return [target for value in nav.values() for target in _targets(value)]
    return [target for one in nav for target in _targets(one)] if isinstance(nav, list) else [nav]


def in_order(pages: Iterable[str]) -> list[str]:
    """Pages as MkDocs lists them: of each folder its own page first, then the others by name, then its folders."""

    def place(uri: str) -> list[tuple[int, str]]:
        *folders, name = PurePosixPath(uri).parts
        return [*((2, folder) for folder in folders), (0 if name in ("index.md", "README.md") else 1, name)]

    return sorted(pages, key=place)

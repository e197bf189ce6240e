"""Where a page is published: its own address, and that of its raw Markdown twin. Addresses are below the site's."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from urllib.parse import quote


def address(uri: str) -> str:
    """The folder that a page is published in, by its source path: `a/b.md` is at `a/b/`, the home page at ``."""
    path = PurePosixPath(uri)
    folder = path.parent if path.stem in ("index", "README") else path.with_suffix("")
    return "" if folder == PurePosixPath() else f"{folder}/"


def twin(uri: str) -> str:
    """The file of a page's twin, beside the page's folder: `a/b.md` for `a/b/`, `index.md` for the home page."""
    return (address(uri).rstrip("/") or "index") + ".md"


def absolute(site_url: str, path: str, fragment: str = "") -> str:
    """The whole address of a path of the site; without a `site_url`, the path from the site's root."""
    return site_url.rstrip("/") + "/" + quote(path) + _fragment(fragment)


def relative(folder: str, path: str, fragment: str = "") -> str:
    """A link from a page or file in a folder of the site to a path of the site."""
    link = posixpath.relpath(path or ".", folder or ".")
    return quote(link + "/" if path.endswith("/") or not path else link) + _fragment(fragment)


def _fragment(fragment: str) -> str:
    return f"#{quote(fragment, safe='-._~!$()*,;:@/?=+')}" if fragment else ""

"""What is wrong with a built site, read from the HTML that was written.

No log level, verbosity or option decides what this finds: it looks at the files that readers will get.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rankfold_loaders.faults import Fault
from rankfold_loaders.registries import DEMANDS, Demand

_REFERENCE = re.compile(r"\[[^\[\]]+\]\[[^\[\]]*\]")
_TEMPLATE = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.MULTILINE)
_RUNS = re.compile(r"[\s\0]*(?:javascript|vbscript|data)[\s\0]*:", re.IGNORECASE)
_NOT_LOADED = ("canonical", "next", "prev", "alternate")
_QUIET = {"script", "style", "code", "pre", "svg", "nav"}
"""Elements whose text is not prose; a `nav` repeats what stands elsewhere."""


@dataclass
class BuiltPage:
    """What matters of one page."""

    ids: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    """`href` and `src` of everything that a reader can follow or the browser loads."""
    loads: list[str] = field(default_factory=list)
    """What the browser loads by itself."""
    title: str = ""
    description: str = ""
    headings: int = 0
    prose: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        # What stands as an entity was made literal on purpose: it is neither a fact nor a link that was left over.
        super().__init__(convert_charrefs=False)
        self.page = BuiltPage()
        self._quiet: list[str] = []
        self._in_title = False

    def updatepos(self, i: int, j: int) -> int:  # noqa: ARG002
        """Keep no count of lines: nobody asks, and it is a sixth of the time."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.page.ids[given["id"]] += 1
        if tag == "a" and "name" in given:
            self.page.ids[given["name"]] += 0
        if tag == "h1":
            self.page.headings += 1
        elif tag == "meta" and given.get("name") == "description":
            self.page.description = given.get("content", "")
        elif tag == "title" and "svg" not in self._quiet:
            self._in_title = True
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        elif tag in ("img", "script", "source", "iframe") and "src" in given:
            self.page.loads.append(given["src"])
        elif tag == "link" and "href" in given and given.get("rel", "").strip() not in _NOT_LOADED:
            self.page.loads.append(given["href"])
        if tag in _QUIET:
            self._quiet.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in self._quiet:
            while self._quiet.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.page.title += data
        elif not self._quiet and data.strip():
            self.page.prose.append(data)


def read_page(html: str) -> BuiltPage:
    """Read one page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


def read_folder(folder: Path) -> dict[str, BuiltPage]:
    """Every page of a built site, by its path in it."""
    return {
        file.relative_to(folder).as_posix(): read_page(file.read_text(encoding="utf-8"))
        for file in sorted(folder.rglob("*.html"))
    }


def faults_of_folder(
    folder: Path,
    site_url: str = "",
    demands: Sequence[Demand] = DEMANDS,
    pages: Mapping[str, BuiltPage] | None = None,
) -> list[Fault]:
    """Every fault of a built site, page by page.

    Args:
        folder: where the site was written.
        site_url: its published address, whose path is what absolute links begin with.
        demands: what every page has to keep to beside.
        pages: its pages by their path in it, where they are read already.
    """
    pages = read_folder(folder) if pages is None else pages
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    if not pages:
        return [Fault(str(folder), "holds no page")]
    base = urlsplit(site_url).path.rstrip("/") + "/"
    found: list[Fault] = []
    for path, page in pages.items():
        found += (Fault(path, message) for message in _page_faults(path, page, demands))
        found += (Fault(path, message) for message in _link_faults(path, page, pages, files, base))
    return found


def _page_faults(path: str, page: BuiltPage, demands: Sequence[Demand]) -> Iterator[str]:
    if "own host" in demands:
        for link in page.loads:
            if urlsplit(link).netloc:
                yield f"it loads {link} from another host"
    for identity, count in page.ids.items():
        if count > 1:
            yield f"the id {identity!r} is used {count} times"
    for link in page.links:
        if _RUNS.match(link):
            yield f"the link {link[:60]!r} would run as a script in the reader's browser"
    for text in page.prose:
        left = _TEMPLATE.search(text)
        if left:
            yield f"a fact was left as it is: {left.group()[:60]!r}"
        reference = _REFERENCE.search(text)
        if reference:
            yield f"the link {reference.group()!r} has no target"
    if path == "404.html":  # shown in place of any page, so it describes none
        return
    if not page.title.strip():
        yield "there is no title"
    if "description" in demands and not page.description.strip():
        yield "there is no description; add `description:` to its front matter"
    if "one heading" in demands and page.headings != 1:
        yield f"there are {page.headings} headings of the first level, not one"


def _link_faults(
    path: str, page: BuiltPage, pages: Mapping[str, BuiltPage], files: set[str], base: str
) -> Iterator[str]:
    for link in dict.fromkeys([*page.links, *page.loads]):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = _target(path, unquote(parts.path), base)
        if target not in files:
            index = posixpath.join(target, "index.html") if target else "index.html"
            if index not in files:
                yield f"the link {link!r} leads nowhere"
                continue
            target = index
        fragment = unquote(parts.fragment)
        if fragment and target in pages and fragment not in pages[target].ids:
            yield f"the link {link!r} leads to no section of that page"


def _target(here: str, path: str, base: str) -> str:
    if not path:
        return here
    if path.startswith("/"):
        inside = path[len(base) :] if path.startswith(base) else path[1:]
        joined = posixpath.normpath(inside)
    else:
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
    return "" if joined == "." else joined

"""HTML pages: the text that a reader sees, without scripts, styles and menus."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning
from bs4.builder import HTMLTreeBuilder
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString, PageElement, Tag
from bs4.exceptions import ParserRejectedMarkup

from rankfold.fields import FIELDS, LANGUAGE, TITLE
from rankfold.indexing.field_values import read_fields
from rankfold.indexing.formats.decoding import decode
from rankfold.indexing.source_document import Block, Doubt, ParsedFile, SourceDocument

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# What Beautiful Soup leaves out and browsers put on lines of its own.
_FURTHER_BLOCKS: Final = frozenset(
    ("body", "caption", "center", "details", "dialog", "hgroup", "legend", "menu", "option", "search")
) | {"summary", "tbody", "thead", "tr"}
_BLOCKS: Final = frozenset(HTMLTreeBuilder.DEFAULT_BLOCK_ELEMENTS) | _FURTHER_BLOCKS
# Between two cells, and around a line break, a reader sees a gap.
_GAPS: Final = frozenset(("br", "td", "th"))
_UNSEEN: Final = frozenset(("head", "iframe", "nav", "noscript", "script", "style", "svg", "template", "title"))
_PAGE_FURNITURE: Final = frozenset(("header", "footer"))

# What pages call the facts that have a field here under another name.
_META_KEYS: Final = {
    "article:published_time": "created_at",
    "article:modified_time": "updated_at",
    "dcterms.created": "created_at",
    "dcterms.modified": "updated_at",
    "content-language": "language",
}
_FIELD_KEYS: Final = frozenset(key for field_ in FIELDS for key in (*field_.keys, field_.name)) | {"author"}

_START_TAG: Final = re.compile(r"""(?:=\s*(?:"[^"]*"|'[^']*')|[^>])*+>""")


def parse(data: bytes) -> ParsedFile:
    """One document; none where the bytes are no text or no HTML. Never raises.

    The text is that of `<main>`, or else of the articles, or else of the body without its header and footer,
    one block for each paragraph, heading, item or row, with its white space folded (not in `<pre>`). The
    title is `<title>`, or else the first `<h1>`, or else the first heading. `<meta>` gives the fields that
    have its name.
    """
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    decoded = decode(data, declared=declared)
    if decoded.text is None:
        return ParsedFile((), decoded.doubts)
    try:
        with warnings.catch_warnings():
            # It warns where a page looks like a path or like XML. Neither keeps it from being read.
            warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
            warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
            soup = BeautifulSoup(decoded.text, "html.parser")
    except ParserRejectedMarkup:
        return ParsedFile((), (*decoded.doubts, Doubt("cannot be read as HTML, not indexed")))
    fields, field_doubts = read_fields(_stated(soup))
    blocks = _Reader(decoded.text).read(_roots(soup))
    if TITLE.name not in fields and (title := _title(soup)):
        fields[TITLE.name] = title
    document = SourceDocument(key="", ordinal=0, blocks=tuple(blocks), fields=fields)
    return ParsedFile((document,), (*decoded.doubts, *field_doubts))


def _stated(soup: BeautifulSoup) -> dict[str, object]:
    """What the head of the page says about it, by keys that `read_fields` knows."""
    stated: dict[str, object] = {}
    for title in soup.find_all("title"):
        if title.find_parent("svg") is None and (text := _folded(title.get_text())):
            stated[TITLE.name] = text
            break
    for meta in soup.find_all("meta"):
        name = str(meta.get("name") or meta.get("property") or meta.get("http-equiv") or "").strip().lower()
        name = _META_KEYS.get(name, name)
        content = meta.get("content")
        if name in _FIELD_KEYS and isinstance(content, str) and content.strip():
            stated.setdefault(name, _folded(content))
    root = soup.find("html")
    if root is not None and (language := str(root.get("lang") or root.get("xml:lang") or "").strip()):
        stated.setdefault(LANGUAGE.name, language)
    return stated


def _title(soup: BeautifulSoup) -> str:
    for names in (("h1",), _HEADINGS):
        for heading in soup.find_all(names):
            if text := _folded(heading.get_text()):
                return text
    return ""


def _roots(soup: BeautifulSoup) -> list[Tag]:
    """The elements that hold the page's own text, outermost ones only."""
    for name in ("main", "article"):
        roots = [tag for tag in soup.find_all(name) if tag.find_parent(name) is None]
        if any(_folded(root.get_text()) for root in roots):
            return roots
    return [soup]


def _folded(text: str) -> str:
    return " ".join(text.split())


@dataclass
class _Paragraph:
    """The text since the last border between blocks."""

    parts: list[str] = field(default_factory=list)
    start_line: int = 0
    end_line: int = 0

    def add(self, text: str, line: int) -> None:
        """Take in a text that begins on a line of the file, which is counted from 1."""
        stripped = text.strip()
        if stripped:
            before = text[: text.index(stripped)].count("\n")
            self.start_line = self.start_line or line + before
            self.end_line = line + before + stripped.count("\n")
        self.parts.append(text)


class _Reader:
    """Takes the tree apart in the order of the page, and keeps count of the line it is on."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._line_starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
        self._line = 1
        self._paragraph = _Paragraph()
        self._open_headings = 0
        self._open_preformatted = 0

    def read(self, roots: list[Tag]) -> Iterator[Block]:
        """The blocks in the roots. Header and footer are the page's own where a root is the whole page."""
        for root in roots:
            unseen = _UNSEEN | _PAGE_FURNITURE if root.parent is None else _UNSEEN
            for element, opens in _walk(root, unseen):
                if not isinstance(element, Tag):
                    self._read_string(element)
                    continue
                if opens:
                    self._line = self._line_after(element)
                    if element.name in unseen:
                        self._line += sum(text.count("\n") for text in element.find_all(string=True))
                if element.name in _BLOCKS:
                    yield from self._end_block()
                    step = 1 if opens else -1
                    self._open_headings += step * (element.name in _HEADINGS)
                    self._open_preformatted += step * (element.name == "pre")
                elif element.name in _GAPS and opens:
                    self._paragraph.add(" ", self._line)
            yield from self._end_block()

    def _read_string(self, element: PageElement) -> None:
        # Comments and declarations are strings of other classes.
        if type(element) in (NavigableString, CData):
            self._paragraph.add(str(element), self._line)
        self._line += str(element).count("\n")

    def _end_block(self) -> Iterator[Block]:
        paragraph, self._paragraph = self._paragraph, _Paragraph()
        text = "".join(paragraph.parts)
        text = _without_blank_ends(text) if self._open_preformatted else _folded(text)
        if text:
            # Markup that is broken enough to be read in two ways must not point past the end of the file.
            last = len(self._line_starts) - 1
            start_line, end_line = min(paragraph.start_line, last), min(paragraph.end_line, last)
            yield Block(text, start_line, end_line, self._open_headings > 0)

    def _line_after(self, tag: Tag) -> int:
        """The line on which the start tag ends; it may be spread over several."""
        if tag.sourceline is None or tag.sourcepos is None:
            return self._line
        begin = self._line_starts[tag.sourceline - 1] + tag.sourcepos
        tag_source = _START_TAG.match(self._source, begin)
        return tag.sourceline + (tag_source[0].count("\n") if tag_source else 0)


def _walk(root: Tag, unseen: frozenset[str]) -> Iterator[tuple[PageElement, bool]]:
    """The strings and tags under a root: each tag when it opens and when it closes, an unseen one only as it
    opens.

    It is a loop, for pages may be nested deeper than Python recurses.
    """
    yield root, True
    stack: list[tuple[Tag, Iterator[PageElement]]] = [(root, iter(root.contents))]
    while stack:
        tag, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield tag, False
            continue
        yield child, True
        if isinstance(child, Tag) and child.name not in unseen:
            stack.append((child, iter(child.contents)))


def _without_blank_ends(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    return "\n".join(lines).rstrip()

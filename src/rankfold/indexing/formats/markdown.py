"""Markdown: CommonMark with tables, and front matter."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from itertools import pairwise
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.token import Token

from rankfold.fields import TITLE
from rankfold.indexing.field_values import read_fields
from rankfold.indexing.formats.decoding import decode, without_embedded_data
from rankfold.indexing.formats.front_matter import read_front_matter
from rankfold.indexing.source_document import Block, ParsedFile, SourceDocument

# Blocks alone give the structure; what stands inside a line is read only for the title.
_BLOCKS: Final = MarkdownIt("commonmark").enable("table").disable("inline")
_INLINE: Final = MarkdownIt("commonmark")

# Tags that may stand in a heading and show by their effect: markdown-it's list of blocks, and the usual
# others.
_ELEMENTS: Final = frozenset(block_names).union(
    ("a", "abbr", "b", "br", "code", "del", "em", "font", "i", "img", "input", "ins", "kbd", "mark"),
    ("picture", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "svg", "time", "tt", "u", "var"),
)


def parse(data: bytes) -> ParsedFile:
    """One document; none where the bytes are no text. Never raises.

    Each block is the raw text of the lines that it stands on, counted in the real file. Left out are the
    front matter, rules, comments that fill a block, and data written into the text as base64. The title is
    the one that the front matter states, or else the first heading of level 1, or else the first heading.
    """
    decoded = decode(data)
    if decoded.text is None:
        return ParsedFile((), decoded.doubts)
    front_matter = read_front_matter(decoded.text)
    fields, field_doubts = read_fields(front_matter.values, lines=front_matter.lines)
    # Blank lines in place of the front matter: every line keeps its number.
    blank = "\n" * decoded.text.count("\n", 0, front_matter.body_start)
    body = without_embedded_data(blank + decoded.text[front_matter.body_start :])
    references: dict[str, Any] = {}
    tokens = _BLOCKS.parse(body, references)
    if TITLE.name not in fields and (title := _title(tokens, references)):
        fields[TITLE.name] = title
    blocks = tuple(_blocks(tokens, body.split("\n")))
    document = SourceDocument(key="", ordinal=0, blocks=blocks, fields=fields)
    return ParsedFile((document,), (*decoded.doubts, *front_matter.doubts, *field_doubts))


def _blocks(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    done = 0
    for token in tokens:
        if token.level != 0 or token.nesting == -1 or token.map is None:
            continue
        start, end = token.map
        # Definitions of links leave no token behind. They are text too.
        yield from _lines(lines, done, start)
        if not _is_silent(token):
            yield from _lines(lines, start, end, is_heading=token.type == "heading_open")
        done = max(done, end)
    yield from _lines(lines, done, len(lines))


def _lines(lines: list[str], start: int, end: int, *, is_heading: bool = False) -> Iterator[Block]:
    """The block on lines `start` to `end` (0-based, without the last), less the blank lines around it."""
    while start < end and not lines[start].strip():
        start += 1
    while start < end and not lines[end - 1].strip():
        end -= 1
    if start < end:
        yield Block("\n".join(lines[start:end]).rstrip(), start + 1, end, is_heading)


def _is_silent(token: Token) -> bool:
    """Whether a reader of the page sees no text: a rule, or nothing but a comment."""
    if token.type != "html_block":
        return token.type == "hr"
    content = token.content.strip()
    return content.startswith("<!--") and content.endswith("-->") and content.count("-->") == 1


def _title(tokens: Sequence[Token], references: MutableMapping[str, Any]) -> str:
    headings = [
        (token.tag, content.content)
        for token, content in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    for _, source in sorted(headings, key=lambda heading: heading[0] != "h1"):
        if title := _plain(source, references):
            return title
    return ""


def _plain(source: str, references: MutableMapping[str, Any]) -> str:
    """A heading as its reader sees it, on one line."""
    parts: list[str] = []
    for inline in _INLINE.parseInline(source, references):
        for token in inline.children or ():
            if token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif token.type == "html_inline" and not _is_element(token.content):
                # `<fast>` is a word in brackets, which its author wants to be seen.
                parts.append(token.content)
            elif token.type in ("text", "code_inline", "image"):
                parts.append(token.content)
    return " ".join("".join(parts).split())


def _is_element(tag: str) -> bool:
    name = tag.strip("</>").split(maxsplit=1)[:1]
    return not name or name[0].rstrip("/").lower() in _ELEMENTS or tag.startswith("<!")

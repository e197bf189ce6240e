"""Plain text, and markup that reads well as plain text: paragraphs between blank lines."""

from __future__ import annotations

from itertools import pairwise

from rankfold.indexing.formats.decoding import decode, without_embedded_data
from rankfold.indexing.source_document import Block, ParsedFile, SourceDocument


def parse(data: bytes) -> ParsedFile:
    """One document without fields; none where the bytes are no text. Never raises."""
    decoded = decode(data)
    if decoded.text is None:
        return ParsedFile((), decoded.doubts)
    blocks = paragraphs(without_embedded_data(decoded.text))
    return ParsedFile((SourceDocument(key="", ordinal=0, blocks=blocks),), decoded.doubts)


def paragraphs(text: str) -> tuple[Block, ...]:
    """The runs of lines between blank lines, as written, with their lines in the text. LF ends a line."""
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if not line.strip()]
    found: list[Block] = []
    for before, end in pairwise((-1, *ends, len(lines))):
        start = before + 1
        if start < end:
            found.append(Block("\n".join(lines[start:end]).rstrip(), start + 1, end))
    return tuple(found)

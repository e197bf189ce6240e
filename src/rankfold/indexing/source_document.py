"""What a parser hands to the index: a document as its file states it, before anything is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Block:
    """A run of the document's own text that a chunk may begin or end with, such as a paragraph or a heading."""

    text: str
    """The text as it stands in the source, without markup that nobody reads as text (scripts, image data)."""
    start_line: int
    """1-based line of the file on which it begins."""
    end_line: int
    """1-based line of the file on which it ends."""
    is_heading: bool = False
    """Whether it begins a section."""


@dataclass(frozen=True)
class SourceDocument:
    """One document as read.

    `fields` holds the values of `rankfold.fields.FIELDS` by field name, already of their Python type: `str`,
    `list[str]`, `float` (a number, or seconds since 1970-01-01 UTC for a time), `bool`, or `dict[str, str]`.
    """

    key: str
    """Identifies the document within its file; empty where the file is the document."""
    ordinal: int
    """0-based position in the file."""
    blocks: tuple[Block, ...]
    """Its text in order."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """What it states about itself."""


@dataclass(frozen=True)
class Doubt:
    """Something about a file that its reader should know."""

    message: str
    """What, as a sentence without a full stop."""
    line: int | None = None
    """1-based line, where one can be named."""


@dataclass(frozen=True)
class ParsedFile:
    """Everything that one file gave."""

    documents: tuple[SourceDocument, ...]
    doubts: tuple[Doubt, ...] = ()

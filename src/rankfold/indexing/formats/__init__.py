"""The kinds of file that can be indexed: one record each, found by the file's suffix.

Every `parse` is total: whatever the bytes are, it gives documents and doubts and raises nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from rankfold.indexing.source_document import ParsedFile


@dataclass(frozen=True, kw_only=True)
class Format:
    """A kind of file."""

    name: str
    """Lower-case identifier."""
    title: str
    """A few words for headings and tables."""
    suffixes: tuple[str, ...]
    """How its files' names end, in lower case, with the dot."""
    options: tuple[str, ...] = ()
    """Keyword arguments of `parse`, each a text."""
    parse: Callable[..., ParsedFile]
    """From all the bytes of a file, and the options, to its documents."""
    doc: str
    """What becomes a document and what is left out. Markdown."""
    since: str
    """Version that introduced it."""


def _by(module: str) -> Callable[..., ParsedFile]:
    """The `parse` of a module here, imported with the first file that needs it: searching needs none of them."""

    def parse(content: bytes, **options: str) -> ParsedFile:
        parsed: ParsedFile = importlib.import_module(f"{__name__}.{module}").parse(content, **options)
        return parsed

    return parse


MARKDOWN = Format(
    name="markdown",
    title="Markdown",
    suffixes=(".md", ".markdown", ".mdown"),
    parse=_by("markdown"),
    doc="A file is a document. Front matter in YAML, TOML or JSON states its fields. Its text is kept as "
    "written, without front matter, comments, and pictures written into it as base64.",
    since="0.1",
)

HTML = Format(
    name="html",
    title="HTML",
    suffixes=(".html", ".htm", ".xhtml"),
    parse=_by("html"),
    doc="A file is a document. Its text is what a reader sees in `<main>`, else in the articles, else in the "
    "body without menus, header and footer. `<title>`, `<meta>` and `lang` state its fields.",
    since="0.1",
)

TEXT = Format(
    name="text",
    title="Plain text",
    suffixes=(".txt", ".text", ".rst", ".org", ".adoc"),
    parse=_by("text"),
    doc="A file is a document without fields.",
    since="0.1",
)

JSONL = Format(
    name="jsonl",
    title="JSON Lines",
    suffixes=(".jsonl", ".ndjson"),
    options=("id_field", "text_field", "title_field"),
    parse=_by("jsonl"),
    doc="A line is a document: a JSON object with a `text`, an `id` if it has one, fields, and attributes.",
    since="0.1",
)

FORMATS: tuple[Format, ...] = (MARKDOWN, HTML, TEXT, JSONL)


def format_for(name: str) -> Format | None:
    """The format of a file by its name or path, or nothing where its suffix is none that is read."""
    suffix = PurePath(name).suffix.lower()
    return next((format_ for format_ in FORMATS if suffix in format_.suffixes), None)

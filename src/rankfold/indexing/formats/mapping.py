"""One record, such as a line of JSONL or a dictionary in Python, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankfold.fields import TITLE
from rankfold.indexing.field_values import clean_text, read_fields
from rankfold.indexing.formats.decoding import without_embedded_data
from rankfold.indexing.formats.text import paragraphs
from rankfold.indexing.source_document import Block, Doubt, SourceDocument


def from_mapping(
    record: Mapping[str, object],
    ordinal: int,
    *,
    id_field: str = "id",
    text_field: str = "text",
    title_field: str = "title",
    line: int | None = None,
) -> tuple[SourceDocument | None, list[Doubt]]:
    """The document that a record states, and what could not be read of it. Never raises.

    Args:
        record: the text, and beside it any fields and attributes.
        ordinal: 0-based position among its fellows.
        id_field: key that identifies it, text or a number. Without one its 1-based position does.
        text_field: key of its text, which it must have.
        title_field: key of its title.
        line: 1-based line of the file on which it stands, which is then the line of each block. Without one
            the blocks are counted in the lines of the text itself.

    Returns:
        No document where the text is missing or is not text; then the doubt says so.
    """
    fallback = str(line if line is not None else ordinal + 1)
    text = record.get(text_field)
    if not isinstance(text, str):
        problem = "is missing" if text is None else "is not text"
        return None, [Doubt(f"{text_field} {problem}, record left out", line)]

    stated = {key: value for key, value in record.items() if key not in (id_field, text_field)}
    title = stated.pop(title_field, None)
    if title is not None:
        stated[TITLE.name] = title
    fields, doubts = read_fields(stated)
    doubts = [replace(doubt, line=line) for doubt in doubts]

    key = _key(record.get(id_field))
    if key is None:
        doubts.append(Doubt(f"{id_field} is neither text nor a number, {fallback} is used", line))
    blocks = paragraphs(without_embedded_data(clean_text(text)))
    if line is not None:
        blocks = tuple(Block(block.text, line, line) for block in blocks)
    return SourceDocument(key=key or fallback, ordinal=ordinal, blocks=blocks, fields=fields), doubts


def _key(value: object) -> str | None:
    """The text that identifies a record; empty where none is given, nothing where the value cannot
    identify."""
    if value is None:
        return ""
    if isinstance(value, str):
        return clean_text(value).strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # more digits than Python is willing to write
            return None
    return None

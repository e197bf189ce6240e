"""JSON Lines: one record a line, each a document."""

from __future__ import annotations

import json

from rankfold.indexing.formats.decoding import decode
from rankfold.indexing.formats.mapping import from_mapping
from rankfold.indexing.source_document import Doubt, ParsedFile, SourceDocument


def parse(data: bytes, *, id_field: str = "id", text_field: str = "text", title_field: str = "title") -> ParsedFile:
    """A document for every line that holds a JSON object with a text. Never raises.

    A line that does not, or whose id an earlier line has, is left out and doubted. Blank lines are passed
    over. What the fields mean is told by `from_mapping`; ordinals are the 0-based lines.
    """
    decoded = decode(data)
    if decoded.text is None:
        return ParsedFile((), decoded.doubts)
    doubts = list(decoded.doubts)
    documents: dict[str, SourceDocument] = {}
    for ordinal, source in enumerate(decoded.text.split("\n")):
        if not source.strip():
            continue
        line = ordinal + 1
        record = _object(source, line)
        if isinstance(record, Doubt):
            doubts.append(record)
            continue
        document, own_doubts = from_mapping(
            record, ordinal, id_field=id_field, text_field=text_field, title_field=title_field, line=line
        )
        doubts.extend(own_doubts)
        if document is None:
            continue
        if (first := documents.get(document.key)) is not None:
            problem = f"{id_field} {document.key!r} is already on line {first.ordinal + 1}, record left out"
            doubts.append(Doubt(problem, line))
            continue
        documents[document.key] = document
    return ParsedFile(tuple(documents.values()), tuple(doubts))


def _object(source: str, line: int) -> dict[str, object] | Doubt:
    try:
        value = json.loads(source)
    except json.JSONDecodeError as error:
        return Doubt(f"not valid JSON ({error.msg}), line left out", line)
    except (ValueError, RecursionError):  # a number of thousands of digits, or brackets thousands deep
        return Doubt("too large or too deeply nested to read, line left out", line)
    if not isinstance(value, dict):
        return Doubt("not a JSON object, line left out", line)
    return value

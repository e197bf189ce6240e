"""A document as rows: what is stored of it, and how it is replaced and removed.

Every function here runs inside the caller's transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import apsw

from rankfold.constants import CHUNK_WORDS
from rankfold.derivation import DERIVATION, derive
from rankfold.embedding.space import embedded_text
from rankfold.indexing.chunking import Chunk, chunk
from rankfold.indexing.source_document import SourceDocument
from rankfold.storage.connection import fetch

RECIPE = f"1 {DERIVATION} {CHUNK_WORDS.value}"
"""Version of everything that stands between a file and its rows; files are read again when it changes."""

_COLUMNS = (
    "type", "kind", "tier", "language", "pinned", "archived", "confidence", "created_at", "updated_at", "event_at",
    "valid_from", "valid_until", "expires_at",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A document ready to be stored."""

    path: str
    file: str
    document: SourceDocument
    record_hash: bytes
    """Over everything that is stored."""
    content_hash: bytes
    """Over title, summary and text: documents with the same one read the same."""

    @classmethod
    def of(cls, document: SourceDocument, *, path: str, file: str) -> Row:
        """The row of a document at its place."""
        text = "\n\n".join(block.text for block in document.blocks)
        content = _digest(document.fields.get("title"), document.fields.get("summary"), text)
        lines = [(block.start_line, block.end_line) for block in document.blocks]
        fields = sorted((name, repr(value)) for name, value in document.fields.items())
        record = _digest(content.hex(), path, file, document.ordinal, lines, fields)
        return cls(path, file, document, record, content)


def store(connection: apsw.Connection, row: Row, source_id: int, document_id: int | None) -> int:
    """Store a document, in place of what was stored of it before.

    Args:
        connection: in a write transaction.
        row: the document.
        source_id: the source it belongs to.
        document_id: its id if it is known already.

    Returns:
        How many chunks it has.
    """
    fields = row.document.fields
    values: list[object] = [row.path, row.file, row.document.ordinal, source_id, row.record_hash, row.content_hash]
    values += [_column(fields, name) for name in _COLUMNS]
    names = ("path", "file", "ordinal", "source_id", "record_hash", "content_hash", *_COLUMNS)
    if document_id is None:
        marks = ", ".join("?" * len(names))
        fetch(connection, f"INSERT INTO document ({', '.join(names)}) VALUES ({marks})", values)
        document_id = connection.last_insert_rowid()
    else:
        pairs = ", ".join(f"{name} = ?" for name in names)
        fetch(connection, f"UPDATE document SET {pairs} WHERE id = ?", [*values, document_id])
        for table in ("document_text", "full_text"):
            fetch(connection, f"DELETE FROM {table} WHERE id = ?", (document_id,))
        for table in ("document_tag", "document_entity", "document_attribute", "document_link", "chunk"):
            fetch(connection, f"DELETE FROM {table} WHERE document_id = ?", (document_id,))
    title, summary = _text(fields, "title"), _text(fields, "summary")
    fetch(connection, "INSERT INTO document_text VALUES (?, ?, ?)", (document_id, title, summary))
    body = "\n\n".join(filter(None, [summary, *(block.text for block in row.document.blocks)]))
    fetch(connection, "INSERT INTO full_text VALUES (?, ?, ?)", (document_id, derive(title or ""), derive(body)))
    _store_lists(connection, document_id, fields)
    chunks = chunk(row.document, words=int(CHUNK_WORDS.value))
    for piece in chunks:
        _store_chunk(connection, document_id, title, piece)
    return len(chunks)


def _store_chunk(connection: apsw.Connection, document_id: int, title: str | None, piece: Chunk) -> None:
    text_hash = hashlib.blake2b(embedded_text(title, piece.text).encode(), digest_size=16).digest()
    fetch(connection, "INSERT INTO vector (text_hash) VALUES (?) ON CONFLICT DO NOTHING", (text_hash,))
    fetch(
        connection,
        "INSERT INTO chunk (document_id, ordinal, start_line, end_line, vector_id)"
        " VALUES (?, ?, ?, ?, (SELECT id FROM vector WHERE text_hash = ?))",
        (document_id, piece.ordinal, piece.start_line, piece.end_line, text_hash),
    )
    is_plain = piece.lines == tuple(range(piece.start_line, piece.start_line + len(piece.lines)))
    lines = None if is_plain else json.dumps(piece.lines, separators=(",", ":"))
    fetch(connection, "INSERT INTO chunk_text VALUES (?, ?, ?)", (connection.last_insert_rowid(), piece.text, lines))


def _store_lists(connection: apsw.Connection, document_id: int, fields: Mapping[str, object]) -> None:
    run = connection.executemany
    run(
        "INSERT INTO document_tag VALUES (?, ?, ?)",
        [(document_id, place, tag) for place, tag in enumerate(_texts(fields, "tags"))],
    )
    entities = []
    for place, entity in enumerate(_texts(fields, "entities")):
        kind, colon, name = entity.partition(":")
        entities.append((document_id, place, kind.strip() if colon else "", (name if colon else entity).strip()))
    run("INSERT INTO document_entity VALUES (?, ?, ?, ?)", entities)
    attributes = fields.get("attributes")
    if isinstance(attributes, Mapping):
        run(
            "INSERT INTO document_attribute VALUES (?, ?, ?)",
            [(document_id, str(name), str(value)) for name, value in attributes.items()],
        )
    for relation in ("links", "supersedes"):
        run(
            "INSERT INTO document_link VALUES (?, ?, ?, ?)",
            [(document_id, place, relation, target) for place, target in enumerate(_texts(fields, relation))],
        )


def remove(connection: apsw.Connection, document_ids: Iterable[int]) -> None:
    """Remove documents and everything that hangs on them."""
    for document_id in document_ids:
        fetch(connection, "DELETE FROM document WHERE id = ?", (document_id,))


def forget_unused_vectors(connection: apsw.Connection) -> None:
    """Remove vectors that no chunk uses any more."""
    fetch(connection, "DELETE FROM vector WHERE id NOT IN (SELECT vector_id FROM chunk)")


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _column(fields: Mapping[str, object], name: str) -> object:
    value = fields.get(name)
    if name in ("pinned", "archived"):
        return int(bool(value))
    return value if isinstance(value, str | float | int) else None


def _text(fields: Mapping[str, object], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None


def _texts(fields: Mapping[str, object], name: str) -> list[str]:
    value = fields.get(name)
    return list(dict.fromkeys(str(item) for item in value)) if isinstance(value, list) else []

"""Vectors for the texts that have none yet: resumable, one transaction a batch, and one bad text harms no other."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Final

import apsw

from rankfold.constants import EMBED_BATCH
from rankfold.embedding.protocol import Embedder, ReportsCuts, defect, pack
from rankfold.embedding.space import embedded_text, space_identity, space_mismatch
from rankfold.errors import EmbedderError, EmbedderMismatchError
from rankfold.indexing.sync import IndexReport, Progress
from rankfold.storage.connection import fetch, transaction

_GIVE_UP = 3
"""Texts in a row that an embedder may fail on before it is taken to be broken."""

_FAILED: Final = object()
"""Stands where an embedder raised, because it may return anything at all."""


def require_space(connection: apsw.Connection, embedder: Embedder) -> None:
    """Refuse an embedder of another space than the collection's.

    Raises:
        EmbedderMismatchError: vectors of two spaces are never compared.
    """
    for identity, dimension in fetch(connection, "SELECT identity, dimension FROM space"):
        mismatch = space_mismatch(identity, dimension, embedder)
        if mismatch is not None:
            raise EmbedderMismatchError(f"{mismatch}; nothing was written", suggestions=["rankfold embed --all"])


def restart(connection: apsw.Connection) -> None:
    """Forget every vector and the space they were in."""
    with transaction(connection):
        fetch(connection, "UPDATE vector SET embedding = NULL, problem = NULL")
        fetch(connection, "DELETE FROM space")


def embed_pending(connection: apsw.Connection, embedder: Embedder, *, report: IndexReport, progress: Progress) -> None:
    """Embed every text that has no vector.

    A text that the embedder fails on stays pending and is counted; one whose vector cannot be used (zero, not a
    number, of another size) is marked and not asked for again.

    Args:
        connection: the writer.
        embedder: of the collection's space, which it founds if there is none.
        report: `embedded`, `failed`, `cut` and `warnings` are filled.
        progress: called with vectors made and to be made.

    Raises:
        EmbedderMismatchError: it is of another space.
    """
    require_space(connection, embedder)
    total = _pending(connection)
    last, done, failures = 0, 0, 0
    while True:
        batch: list[Any] = fetch(
            connection,
            "SELECT v.id, t.title, p.text, d.path FROM vector AS v"
            " JOIN chunk AS c ON c.id = (SELECT min(id) FROM chunk WHERE vector_id = v.id)"
            " JOIN chunk_text AS p ON p.id = c.id JOIN document AS d ON d.id = c.document_id"
            " JOIN document_text AS t ON t.id = d.id"
            " WHERE v.embedding IS NULL AND v.problem IS NULL AND v.id > ? ORDER BY v.id LIMIT ?",
            (last, int(EMBED_BATCH.value)),
        )
        if not batch:
            return
        last = int(batch[-1][0])
        texts = [embedded_text(title, text) for _, title, text, _ in batch]
        paths = [str(path) for *_, path in batch]
        vectors, failures = _embed(embedder, texts, paths, failures, report)
        with transaction(connection):
            for (vector_id, _, _, path), vector in zip(batch, vectors, strict=True):
                if vector is _FAILED:
                    continue
                problem = defect(vector, embedder.dimension)
                if problem is None:
                    report.embedded += 1
                    fetch(
                        connection,
                        "INSERT INTO space VALUES (1, ?, ?) ON CONFLICT DO NOTHING",
                        (space_identity(embedder), embedder.dimension),
                    )
                    fetch(connection, "UPDATE vector SET embedding = ? WHERE id = ?", (pack(vector), vector_id))
                else:
                    report.warnings.append(f"{path}: not embedded, since its vector {problem}")
                    fetch(connection, "UPDATE vector SET problem = ? WHERE id = ?", (problem, vector_id))
        if isinstance(embedder, ReportsCuts) and any(vector is not _FAILED for vector in vectors):
            with contextlib.suppress(Exception):  # it is only a count
                report.cut += sum(embedder.is_cut(texts))
        done += len(batch)
        progress("vectors", done, total)
        if failures >= _GIVE_UP:
            left = _pending(connection)
            report.failed = max(report.failed, left)
            report.warnings.append(f"embedding was given up after {failures} failures; {left} texts are left")
            return


def _pending(connection: apsw.Connection) -> int:
    found = fetch(
        connection,
        "SELECT count(*) FROM vector AS v WHERE v.embedding IS NULL AND v.problem IS NULL"
        " AND EXISTS (SELECT 1 FROM chunk AS c WHERE c.vector_id = v.id)",
    )
    return int(found[0][0])


def _embed(
    embedder: Embedder, texts: Sequence[str], paths: Sequence[str], failures: int, report: IndexReport
) -> tuple[list[Any], int]:
    """What the embedder gave for each text, `_FAILED` where it raised, and how many failures in a row there are now."""
    try:
        vectors = list(embedder.embed_documents(texts))
        if len(vectors) != len(texts):
            raise EmbedderError(f"it gave {len(vectors)} vectors for {len(texts)} texts")
        return list(vectors), 0
    except Exception:  # whatever an embedder raises, one bad text must not take the batch with it
        pass
    made: list[Any] = []
    for text, path in zip(texts, paths, strict=True):
        vector: Any = _FAILED
        if failures < _GIVE_UP:
            try:
                (vector,) = embedder.embed_documents([text])
                failures = 0
            except Exception as problem:
                failures += 1
                report.failed += 1
                report.warnings.append(f"{path}: not embedded, the embedder failed: {problem}")
        made.append(vector)
    return made, failures

"""Fused rows become hits: everything that is shown of a document is fetched once, for the documents that are shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from rankfold.models import Contribution, Hit
from rankfold.records import Arm
from rankfold.retrieval.passages import ChunkText, Highlighter, best_passage
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.statement import Statement
from rankfold.storage.connection import fetch

FusedRow = Sequence[Any]
"""Path, score, then rank, raw value and contribution of each arm in the statement."""


def hits_of(
    connection: apsw.Connection,
    rows: Sequence[FusedRow],
    statement: Statement,
    weights: dict[str, float],
    registries: Registries,
) -> list[Hit]:
    """Hits without passages, in the order of the rows."""
    about = {
        row[0]: row
        for row in fetch(
            connection,
            "SELECT d.path, d.file, t.title, d.created_at, d.updated_at, d.event_at, hex(d.content_hash),"
            " NOT EXISTS (SELECT 1 FROM chunk AS c JOIN vector AS v ON v.id = c.vector_id"
            "   WHERE c.document_id = d.id AND v.embedding IS NULL),"
            " (SELECT json_group_array(tag) FROM"
            "   (SELECT tag FROM document_tag WHERE document_id = d.id ORDER BY ordinal))"
            " FROM json_each(?) AS wanted CROSS JOIN document AS d ON d.path = wanted.value"
            " JOIN document_text AS t ON t.id = d.id",
            (json.dumps([row[0] for row in rows], ensure_ascii=False),),
        )
    }
    arms = [registries.arms[name] for name in statement.arms]
    return [_hit(row, about[row[0]], arms, weights) for row in rows]


def _hit(row: FusedRow, about: FusedRow, arms: Sequence[Arm], weights: dict[str, float]) -> Hit:
    contributions = []
    for index, arm in enumerate(arms):
        rank, raw, share = row[2 + 3 * index : 5 + 3 * index]
        if rank is not None:
            contributions.append(Contribution(arm.name, rank, weights[arm.name], share, raw))
    readers = {arm.name for arm in arms if arm.reads == "query"}
    path, file, title, created, updated, event, digest, embedded, tags = about
    return Hit(
        path=path,
        file=file,
        title=title,
        score=row[1],
        matched=any(item.arm in readers for item in contributions),
        contributions=tuple(contributions),
        passage=None,
        tags=tuple(json.loads(tags)),
        created_at=created,
        updated_at=updated,
        event_at=event,
        is_embedded=bool(embedded),
        content_hash=digest,
    )


def with_passages(
    connection: apsw.Connection,
    hits: Sequence[Hit],
    highlighter: Highlighter,
    *,
    query_vector: bytes | None,
    characters: int,
) -> list[Hit]:
    """The hits, each with its best passage."""
    distance = "vec_distance_cosine(v.embedding, ?2)" if query_vector is not None else "NULL"
    shown = []
    for hit in hits:
        values: tuple[object, ...] = (hit.path,) if query_vector is None else (hit.path, query_vector)
        found = fetch(
            connection,
            f"SELECT c.ordinal, p.text, p.lines, c.start_line,"
            f" CASE WHEN v.embedding IS NOT NULL THEN {distance} END"
            f" FROM document AS d JOIN chunk AS c ON c.document_id = d.id JOIN chunk_text AS p ON p.id = c.id"
            f" JOIN vector AS v ON v.id = c.vector_id WHERE d.path = ?1 ORDER BY c.ordinal",
            values,
        )
        chunks = [
            ChunkText(ordinal, text, _lines(text, lines, start), distance)
            for ordinal, text, lines, start, distance in found
        ]
        shown.append(replace(hit, passage=best_passage(chunks, highlighter, characters=characters)))
    return shown


def _lines(text: str, stored: str | None, start: int) -> Sequence[int]:
    if stored is not None:
        lines: list[int] = json.loads(stored)
        return lines
    return range(start, start + text.count("\n") + 1)

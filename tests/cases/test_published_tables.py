"""A published hybrid search over tmux's key bindings, reproduced to the last digit.

The bindings are other people's text and lie beside the checkout, with the tables in their README.
"""

from __future__ import annotations

import dataclasses
import os
import random
import re
from pathlib import Path

import pytest

import rankfold
from rankfold.indexing.formats import jsonl
from rankfold.indexing.source_document import ParsedFile

DATA = Path(os.environ.get("RANKFOLD_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data") / "tmux"

Row = tuple[str, int, int, str]
"""Score as printed, rank in full text, rank in nearness, key."""


def published() -> dict[str, list[Row]]:
    """The four tables, by query."""
    tables: dict[str, list[Row]] = {}
    query = ""
    for line in (DATA / "README.md").read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| (0\.\d+) \| (\d+) \| (\d+) \| `(.+)` \|", line)
        if row:
            tables.setdefault(query, []).append((row[1], int(row[2]), int(row[3]), row[4]))
        elif re.fullmatch(r"[a-z][a-z0-9 ]+", line):
            query = line
    return tables


def found(notes: rankfold.Collection, query: str) -> list[Row]:
    """The same table as our search gives it."""
    answer = notes.search(
        query,
        arms=["fts", "vector"],
        weights={"fts": 1.0, "vector": 1.0},
        rank_constant=60,
        window=20,
        limit=5,
        query_form="any",
    )
    assert not answer.degraded, "the embedded model was not used"
    rows = []
    for hit in answer:
        ranks = {item.arm: item.rank for item in hit.contributions}
        score = f"{hit.score:.10f}".rstrip("0")
        rows.append((score, ranks["fts"], ranks["vector"], hit.path.partition("#")[2]))
    return rows


@pytest.mark.parametrize("order", ["as in the file", "shuffled"])
def test_every_score_and_rank_of_the_published_tables_is_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    if not (DATA / "bindings.jsonl").exists():
        message = f"{DATA} is not there; set RANKFOLD_DATA to the folder that holds tmux/bindings.jsonl"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    if order == "shuffled":

        def shuffled(data: bytes, **options: str) -> ParsedFile:
            parsed = jsonl.parse(data, **options)
            documents = random.Random(7).sample(parsed.documents, len(parsed.documents))
            return dataclasses.replace(parsed, documents=tuple(documents))

        changed = dataclasses.replace(rankfold.indexing.formats.JSONL, parse=shuffled)
        monkeypatch.setattr("rankfold.indexing.sync.format_for", lambda _: changed)
    tables = published()
    assert [len(rows) for rows in tables.values()] == [5, 5, 5, 5]
    with rankfold.open(tmp_path / "keys.db") as notes:
        notes.index(DATA / "bindings.jsonl", id_field="key", text_field="description")
        for query, rows in tables.items():
            assert found(notes, query) == rows

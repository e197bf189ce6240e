"""An answer is its statement: the same input gives the same bytes, and every score is the sum of what is shown."""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
import sqlite_vec
from hypothesis import given, settings
from hypothesis import strategies as st

import rankfold
from rankfold.indexing import sync
from rankfold.indexing.formats import Format, format_for
from rankfold.indexing.source_document import ParsedFile
from rankfold.retrieval.fusion import fuse
from rankfold.storage.connection import open_state, state_path
from support import Open, TableEmbedder, as_json, paths, records, write

NOW = "2026-01-01"
WORDS = ("kettle", "kettles", "lid", "steam", "quay", "仓库", "é")
DATES = ("2024-05-01", "2025-05-01", "2030-01-01", None)
PROFILES = ("documents", "memory")
QUERIES = ("kettle", "lid steam", "kettle lid steam quay", "仓库", "nothing of it", "...")

DOCUMENTS = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(DATES), st.booleans()),
    min_size=1,
    max_size=12,
)


def made(documents: Sequence[tuple[list[str], str | None, bool]]) -> list[dict[str, object]]:
    """Records with many ties: few words, few dates, few texts."""
    return [
        {"id": f"f{number % 3}/{number}", "text": " ".join(text), "updated": date, "archived": archived and number > 5}
        for number, (text, date, archived) in enumerate(documents)
    ]


def use(database: Path) -> None:
    """A state plane with ties in it."""
    state = open_state(database)
    for path, count in (("f0/0", 3), ("f1/1", 3), ("f2/2", 0), ("gone", 9)):
        state.execute(
            "INSERT OR IGNORE INTO access (path, content_hash, access_count, last_accessed) VALUES (?, x'', ?, 1.7e9)",
            (path, count),
        ).fetchall()
    state.close()


@settings(max_examples=30, deadline=None)
@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_indexing_never_shows(
    documents: list[tuple[list[str], str | None, bool]], chance: random.Random
) -> None:
    items = made(documents)
    shuffled = chance.sample(items, len(items))
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "index.db"
        with (
            rankfold.open(database, embedder=TableEmbedder()) as one,
            rankfold.open(Path(folder) / "other.db", embedder=TableEmbedder()) as other,
        ):
            one.index(items)
            for start in range(0, len(shuffled), 3):  # in several runs, some of them twice
                other.index(shuffled[start : start + 3])
            other.index([{**shuffled[0], "text": "changed"}])
            other.index(shuffled[:1])
            for path in (database, Path(folder) / "other.db"):
                use(path)
            for profile in PROFILES:
                for query in QUERIES:
                    for window in (2, 40):
                        answers = [
                            collection.search(query, profile=profile, window=window, now=NOW)
                            for collection in (one, other)
                        ]
                        assert as_json(answers[0]) == as_json(answers[1]), (profile, query)


def check_sum(answer: rankfold.Answer) -> None:
    """Every score is the sum of the contributions to it, exactly, and equals the fusion in plain Python."""
    rankings: dict[str, dict[str, int]] = {used.arm: {} for used in answer.arms}
    for hit in answer:
        assert hit.score == math.fsum(item.contribution for item in hit.contributions)
        for item in hit.contributions:
            assert item.contribution == item.weight / (answer.rank_constant + item.rank)
            rankings[item.arm][hit.path] = item.rank
    fused = fuse(rankings, {used.arm: used.weight for used in answer.arms}, rank_constant=answer.rank_constant)
    assert [(item.path, item.score) for item in fused] == [(hit.path, hit.score) for hit in answer]


@settings(max_examples=30, deadline=None)
@given(
    DOCUMENTS,
    st.fixed_dictionaries(
        {arm: st.just(0.0) | st.floats(1e-6, 10) for arm in ("fts", "vector", "recency", "salience")}
    ),
    st.integers(0, 100),
)
def test_contributions_add_up_to_the_score_exactly(
    documents: list[tuple[list[str], str | None, bool]], weights: dict[str, float], rank_constant: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "index.db"
        with rankfold.open(database, embedder=TableEmbedder()) as notes:
            notes.index(made(documents))
            use(database)
            for query in QUERIES:
                answer = notes.search(
                    query, profile="memory", weights=weights, rank_constant=rank_constant, limit=100, now=NOW
                )
                check_sum(answer)
                assert {used.arm for used in answer.arms} <= {arm for arm, weight in weights.items() if weight > 0}


@pytest.fixture
def full(opened: Open, tmp_path: Path) -> rankfold.Collection:
    """A collection in which every arm fires."""
    notes = opened(embedder=TableEmbedder())
    chance = random.Random(3)
    notes.index(made([(chance.choices(WORDS, k=4), chance.choice(DATES), False) for _ in range(60)]))
    use(tmp_path / "index.db")
    return notes


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scope", [{}, {"path": ["f0", "f1/1"]}, {"since": "2024-05-01", "archived": True}])
def test_the_statement_of_the_answer_is_the_one_that_ran(
    full: rankfold.Collection, profile: str, scope: dict[str, object]
) -> None:
    """Traced from SQLite, byte for byte, with the values that are reported."""
    ran: list[tuple[str, object]] = []

    def trace(_: apsw.Cursor, sql: str, values: object) -> bool:
        ran.append((sql, values))
        return True

    full.search("kettle")  # so that a connection waits for the next search
    (reader,) = full._readers
    reader.connection.exec_trace = trace
    answer = full.search("kettle lid", profile=profile, now=NOW, **scope)
    assert [used.arm for used in answer.arms] == ["fts", "vector", "recency", "salience"]
    assert (answer.sql, answer.parameters) in ran
    assert sum("arm_fts" in sql for sql, _ in ran) == 1


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scope", [{}, {"path": "f1"}, {"type": "note"}, {"until": "2024-12-31"}])
def test_the_statement_gives_the_answer_in_any_sqlite_with_the_extension(
    full: rankfold.Collection, tmp_path: Path, profile: str, scope: dict[str, object]
) -> None:
    answer = full.search("kettle lid", profile=profile, limit=50, now=NOW, **scope)
    plain = apsw.Connection(str(tmp_path / "index.db"), flags=apsw.SQLITE_OPEN_READONLY)
    plain.enable_load_extension(True)
    plain.load_extension(sqlite_vec.loadable_path())
    plain.execute("ATTACH ? AS state", (str(state_path(tmp_path / "index.db")),)).fetchall()
    assert answer.sql is not None
    rows = plain.execute(answer.sql, answer.parameters).fetchall()
    plain.close()
    folded = {effect.path for effect in answer.effects}
    assert [(row[0], row[1]) for row in rows if row[0] not in folded][:50] == [(hit.path, hit.score) for hit in answer]
    for row in rows:
        for hit in answer:
            if hit.path == row[0]:
                shown = {item.arm: (item.rank, item.raw, item.contribution) for item in hit.contributions}
                for place, used in enumerate(answer.arms):
                    values = tuple(row[2 + 3 * place : 5 + 3 * place])
                    assert shown.get(used.arm, (None, None, None)) == values


def test_values_that_are_printed_are_the_values_that_count(full: rankfold.Collection) -> None:
    """A weight is written so that reading it gives it back, and an integer one never divides as an integer."""
    answer = full.search("kettle", arms=["fts"], weights={"fts": 1}, rank_constant=60)
    assert answer[0].score == 1 / 61
    assert answer.sql is not None
    assert "1.0 / (60 + rank)" in answer.sql
    odd = full.search("kettle", arms=["fts"], weights={"fts": 0.1 + 0.2})
    assert "0.30000000000000004 / (60 + rank)" in (odd.sql or "")
    assert odd[0].score == (0.1 + 0.2) / 61


def test_a_longer_list_begins_with_the_shorter_one(full: rankfold.Collection) -> None:
    for profile in PROFILES:
        whole = paths(full.search("kettle lid", profile=profile, limit=60, now=NOW))
        for limit in (1, 2, 5, 17):
            assert paths(full.search("kettle lid", profile=profile, limit=limit, now=NOW)) == whole[:limit]


def test_matched_means_that_an_arm_which_reads_the_query_ranked_it(full: rankfold.Collection) -> None:
    answer = full.search("kettle", profile="memory", limit=100, window=5, now=NOW)
    kinds = {hit.path: {item.arm for item in hit.contributions} for hit in answer}
    for hit in answer:
        assert hit.matched == bool(kinds[hit.path] & {"fts", "vector"})
    assert {hit.matched for hit in answer} == {True, False}
    assert all(hit.matched for hit in full.search("kettle", profile="documents", limit=100, window=5, now=NOW))


def test_an_answer_is_degraded_only_when_something_was_lost_that_can_be_mended(opened: Open) -> None:
    notes = opened(embedder=None)
    notes.index(records({"A": "kettle"}))
    lexical = notes.search("kettle")
    assert lexical.degraded
    assert {item.arm: item.precondition for item in lexical.dropped} == {
        "vector": "query_vector",
        "recency": "dated_documents",
        "salience": "state_plane",
    }
    assert not notes.search("kettle", weights={"vector": 0.0}).degraded, "an arm without a weight is not missed"
    assert not notes.search("...").degraded, "a query without a term has lost nothing"
    whole = opened("whole.db", embedder=TableEmbedder())
    whole.index(records({"A": "kettle"}))
    assert not whole.search("kettle").degraded


def test_a_query_that_cannot_be_embedded_is_answered_by_words(opened: Open) -> None:
    class Failing(TableEmbedder):
        def embed_query(self, text: str) -> Sequence[float]:
            raise RuntimeError(f"no vector for {text}")

    notes = opened(embedder=Failing())
    notes.index(records({"A": "kettle"}))
    answer = notes.search("kettle")
    assert paths(answer) == ["A"]
    assert answer.degraded
    assert any("the embedder failed: no vector for kettle" in item.reason for item in answer.dropped)


def test_the_order_of_the_documents_in_a_file_decides_ties_and_the_order_of_work_does_not(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.dumps({"id": f"r{9 - number}", "text": "the same kettle", "n": number}) for number in range(10)]
    write(tmp_path / "n", {"a.jsonl": "\n".join(lines)})
    plain = opened("plain.db", embedder=TableEmbedder())
    plain.index(tmp_path / "n")

    def shuffled(name: str) -> Format | None:
        found = format_for(name)
        if found is None:
            return None
        parse = found.parse

        def parse_in_any_order(data: bytes, **options: str) -> ParsedFile:
            parsed = parse(data, **options)
            documents = random.Random(1).sample(parsed.documents, len(parsed.documents))
            return ParsedFile(tuple(documents), parsed.doubts)

        return replace(found, parse=parse_in_any_order)

    monkeypatch.setattr(sync, "format_for", shuffled)
    other = opened("other.db", embedder=TableEmbedder())
    other.index(tmp_path / "n")
    answers = [notes.search("kettle", profile="memory", now=NOW, arms=["fts"]) for notes in (plain, other)]
    assert paths(answers[0]) == [f"n/a.jsonl#r{9 - number}" for number in range(10)], "by place, not by path"
    assert as_json(answers[0]) == as_json(answers[1])

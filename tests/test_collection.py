"""What holds for every answer, whatever the documents: arithmetic, order, explanation, threads."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankfold
from rankfold.errors import BadValueError, UnknownNameError
from rankfold.retrieval import search as search_module
from rankfold.retrieval.fusion import fuse
from rankfold.storage.connection import open_state
from support import Open, TableEmbedder, paths, records

WORDS = ("wal", "log", "reader", "writer", "page")
DOCUMENTS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
            "date": st.sampled_from(["2024-01-01", "2024-01-02", "2099-01-01", None]),
            "type": st.sampled_from(["note", "task"]),
        }
    ),
    min_size=1,
    max_size=12,
)


def numbered(documents: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{"id": f"n{number:02}", **document} for number, document in enumerate(documents)]


def collection(folder: Path, documents: list[dict[str, object]], name: str) -> rankfold.Collection:
    """A fresh collection with usage, whose rows went in in the given order."""
    database = folder / f"{name}.db"
    for file in folder.glob(f"{name}.*"):
        file.unlink()
    notes = rankfold.open(database, embedder=TableEmbedder())
    notes.index(documents, profile="memory")
    state = open_state(database)
    for count, path in enumerate(("n00", "n03", "gone"), start=1):
        state.execute(
            "INSERT INTO access (path, content_hash, access_count) VALUES (?, x'', ?)", (path, count)
        ).fetchall()
    state.close()
    return notes


def as_bytes(answer: rankfold.Answer) -> bytes:
    return json.dumps(dataclasses.asdict(answer), default=lambda value: value.hex()).encode()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=DOCUMENTS, profile=st.sampled_from(["memory", "documents"]), seed=st.integers(0, 100))
def test_every_answer_adds_up_equals_its_twin_and_forgets_the_order_of_indexing(
    tmp_path: Path, documents: list[dict[str, object]], profile: str, seed: int
) -> None:
    made = numbered(documents)
    shuffled = random.Random(seed).sample(made, len(made))
    with collection(tmp_path, made, "one") as one, collection(tmp_path, shuffled, "two") as two:
        for query in ("wal log", "reader", "page writer"):
            asked = {"profile": profile, "now": "2024-06-01", "limit": 100}
            answer = one.search(query, **asked)  # type: ignore[arg-type]
            for hit in answer:
                assert hit.score == math.fsum(item.contribution for item in hit.contributions)
            if profile == "memory":  # which folds nothing, so that every fused row is a hit
                rankings: dict[str, dict[str, int]] = {used.arm: {} for used in answer.arms}
                for hit in answer:
                    for item in hit.contributions:
                        rankings[item.arm][hit.path] = item.rank
                weights = {used.arm: used.weight for used in answer.arms}
                twin = fuse(rankings, weights, rank_constant=answer.rank_constant)
                assert [(item.path, item.score) for item in twin] == [(hit.path, hit.score) for hit in answer]
            else:
                assert all(hit.matched for hit in answer)
            assert as_bytes(answer) == as_bytes(two.search(query, **asked))  # type: ignore[arg-type]


def test_the_statement_that_runs_is_the_one_that_is_shown(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(records({"a": "wal text", "b": "log text"}))
    seen: list[str] = []
    answer_of = search_module.answer

    def traced(reader: object, *args: object, **named: object) -> rankfold.Answer:
        connection: apsw.Connection = reader.connection  # type: ignore[attr-defined]

        def note(_: object, sql: str, __: object) -> bool:
            seen.append(sql)
            return True

        connection.exec_trace = note
        try:
            return answer_of(reader, *args, **named)  # type: ignore[arg-type]
        finally:
            connection.exec_trace = None

    monkeypatch.setattr("rankfold.collection.answer", traced)
    answer = notes.search("wal text")
    assert answer.sql is not None
    fused = [sql for sql in seen if "arm_fts" in sql]
    assert fused == [answer.sql]


def test_the_shown_statement_gives_the_same_rows_in_a_connection_of_ones_own(opened: Open, tmp_path: Path) -> None:
    import sqlite_vec

    notes = opened(embedder=TableEmbedder())
    notes.index(records({name: f"wal text {name}" for name in "abcdef"}))
    answer = notes.search("wal text")
    connection = apsw.Connection(str(tmp_path / "index.db"))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    rows = connection.execute(answer.sql, answer.parameters).fetchall()  # type: ignore[arg-type]
    assert [row[:2] for row in rows] == [(hit.path, hit.score) for hit in answer]
    connection.close()


def test_the_documented_ten_lines_work(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "wal.md").write_text("# WAL\n\nOne writer, many readers.", encoding="utf-8")
    with opened("notes.db") as notes:
        notes.index(tmp_path / "notes")
        answer = notes.search("one writer many readers", limit=5)
        assert [(hit.path, hit.title) for hit in answer] == [("notes/wal.md", "WAL")]
        assert "many readers" in answer[0].snippet
        assert {item.arm for item in answer.dropped} == {"vector", "recency", "salience"}


@pytest.mark.parametrize("value", [-5, -1, 0, 10.5, True, 10**9, "ten", float("nan"), float("inf"), [], "1e9"])
def test_a_bad_limit_is_refused_before_the_index_is_opened(opened: Open, value: object) -> None:
    """FC-M04."""
    with pytest.raises(BadValueError, match="from 1 to 1000"):
        opened("nowhere.db").search("x", limit=value)


@pytest.mark.parametrize("value", [1, "1", 1.0, None])
def test_a_good_limit_may_be_written_as_people_write_it(opened: Open, value: object) -> None:
    """FC-M04."""
    notes = opened()
    notes.index(records({"a": "wal", "b": "wal too"}))
    assert len(notes.search("wal", limit=value)) == (2 if value is None else 1)


@pytest.mark.parametrize(
    "call",
    [
        {"weights": {"fts": -1.0}},
        {"weights": {"fts": float("nan")}},
        {"query_form": "some"},
        {"now": "yesterday"},
        {"since": "soon"},
        {"path": 7},
        {"archived": "yes"},
        {"window": 0},
        {"rank_constant": -1},
        {"offset": -1},
    ],
)
def test_a_value_of_the_wrong_form_is_a_clear_error(opened: Open, call: dict[str, object]) -> None:
    with pytest.raises(BadValueError):
        opened().search("x", **call)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", [{"arms": ["ftx"]}, {"profile": "mine"}, {"colour": "red"}])
def test_an_unknown_name_lists_the_known_ones(opened: Open, call: dict[str, object]) -> None:
    with pytest.raises(UnknownNameError, match="Known: "):
        opened().search("x", **call)  # type: ignore[arg-type]


def test_archived_documents_are_found_only_when_asked_for(opened: Open) -> None:
    notes = opened()
    notes.index([{"id": "a", "text": "wal"}, {"id": "b", "text": "wal", "archived": True}])
    assert paths(notes.search("wal")) == ["a"]
    assert paths(notes.search("wal", archived=True, profile="memory")) == ["a", "b"]
    notes.index([{"id": "a", "text": "wal", "archived": True}, {"id": "b", "text": "wal"}])
    assert paths(notes.search("wal")) == ["b"]


def test_an_empty_scope_is_told_from_an_empty_answer(opened: Open) -> None:
    notes = opened()
    notes.index([{"id": "a", "text": "wal", "type": "note"}])
    assert notes.search("wal", type="task").warnings == ("no document is in scope",)
    assert notes.search("log", type="note").warnings == ()


def test_the_all_terms_form_is_chosen_inside_the_scope(opened: Open) -> None:
    notes = opened()
    notes.index(records({"x/both": "wal log", "y/one": "wal only", "y/two": "log only"}))
    assert notes.search("wal log").query_form == "all"
    inside = notes.search("wal log", path="y")
    assert inside.query_form == "any"
    assert set(paths(inside)) == {"y/one", "y/two"}


def test_one_collection_serves_many_threads(opened: Open) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(records({f"n{number}": f"wal text {number}" for number in range(50)}))
    wanted = paths(notes.search("wal 7"))
    found: list[list[str]] = []

    def ask() -> None:
        for _ in range(10):
            found.append(paths(notes.search("wal 7")))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 80


def test_a_state_plane_that_appears_is_noticed(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index([{"id": "a", "text": "wal", "updated": "2024-01-01"}], profile="memory")
    assert "salience" in {item.arm for item in notes.search("wal").dropped}
    open_state(tmp_path / "index.db").close()
    assert "salience" in {used.arm for used in notes.search("wal").arms}


def test_an_index_that_was_deleted_and_made_again_is_read_anew(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"a": "wal"}))
    assert paths(notes.search("wal")) == ["a"]
    for file in tmp_path.glob("index.db*"):
        file.unlink()
    opened("index.db").index(records({"b": "wal"}))
    assert paths(notes.search("wal")) == ["b"]

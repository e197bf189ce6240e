"""A collection as a program uses it: opened, indexed, searched, from many threads, and from several places at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import rankfold
from rankfold.errors import BadValueError, UnknownNameError
from rankfold.records import Arm, RawValue
from rankfold.retrieval.profiles import PLAIN, PORTER
from rankfold.storage import connection
from rankfold.storage.connection import open_state, state_path
from support import Open, TableEmbedder, as_json, ask, paths, records, require_sound, write

NOW = "2026-01-01"


def test_nothing_is_written_before_the_first_index(tmp_path: Path) -> None:
    with rankfold.open(tmp_path / "deep" / "down" / "index.db", embedder=None) as notes:
        assert list(tmp_path.iterdir()) == []
        notes.index(records({"A": "kettle"}))
        assert paths(notes.search("kettle")) == ["A"]


def test_the_documented_ten_lines_work(opened: Open, folder: Path) -> None:
    write(folder, {"wal.md": "# WAL\n\nOne writer, many readers."})
    with opened("notes.db") as notes:
        notes.index(folder)
        answer = notes.search("one writer many readers", limit=5)
        assert [(hit.path, hit.title) for hit in answer] == [("notes/wal.md", "WAL")]
        assert "many readers" in answer[0].snippet
        assert {item.arm for item in answer.dropped} == {"vector", "recency", "salience"}


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


def test_an_answer_is_a_sequence_of_hits_with_everything_about_them(opened: Open, folder: Path) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(write(folder, {"a.md": "---\ntitle: Tea\ntags: [x, y]\ndate: 2024-05-01\n---\nkettle and lid\n"}))
    answer = notes.search("kettle", now=NOW)
    (hit,) = answer
    assert answer[0] is hit
    assert answer[:1] == (hit,)
    assert len(answer) == 1
    assert (hit.path, hit.file, hit.title, hit.tags, hit.matched) == (
        "notes/a.md",
        "notes/a.md",
        "Tea",
        ("x", "y"),
        True,
    )
    assert hit.snippet == "kettle and lid"
    assert hit.passage is not None
    assert [hit.snippet[start:end] for start, end in hit.passage.highlights] == ["kettle"]
    assert (hit.passage.start_line, hit.passage.line, hit.passage.end_line) == (6, 6, 6)
    assert {item.arm for item in hit.contributions} == {"fts", "vector", "recency"}
    assert (answer.query, answer.profile, answer.limit, answer.offset) == ("kettle", "documents", 10, 0)


def test_eight_threads_share_one_collection(opened: Open) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(records({f"n{number}": f"kettle {number % 7} lid {number % 5}" for number in range(100)}))
    queries = [f"kettle {number % 7} lid" for number in range(200)]
    expected = {query: as_json(notes.search(query, now=NOW)) for query in set(queries)}
    start = threading.Barrier(8)

    def work(part: int) -> list[bool]:
        start.wait()
        return [as_json(notes.search(query, now=NOW)) == expected[query] for query in queries[part::8]]

    with ThreadPoolExecutor(8) as pool:
        assert all(all(part) for part in pool.map(work, range(8)))
    assert 1 <= len(notes._readers) <= 8


def test_threads_search_while_one_of_them_indexes(opened: Open, tmp_path: Path) -> None:
    notes = opened(embedder=TableEmbedder())
    texts = {f"n{number}": f"kettle {number}" for number in range(300)}
    notes.index(records(texts))
    is_done = threading.Event()

    def search(_: int) -> int:
        done = 0
        while not is_done.is_set() or done < 5:
            answer = notes.search("kettle", limit=50, window=50)
            assert len(answer) == 50
            assert all(hit.snippet for hit in answer)
            done += 1
        return done

    with ThreadPoolExecutor(4) as pool:
        running = pool.map(search, range(4))
        for run in range(3):
            notes.index(records({name: f"{text} of run {run}" for name, text in texts.items()}))
        is_done.set()
        assert min(running) >= 5
    assert len(notes.search("run", limit=500, window=500)) == 300
    require_sound(tmp_path / "index.db")


def test_a_closed_collection_opens_again_when_it_is_used(opened: Open) -> None:
    notes = opened()
    notes.index(records({"A": "kettle"}))
    for _ in range(2):
        assert paths(notes.search("kettle")) == ["A"]
        notes.close()
        assert notes._readers == []


def test_what_another_collection_writes_is_seen_at_once(opened: Open) -> None:
    writer, reader = opened(embedder=TableEmbedder()), opened(embedder=TableEmbedder())
    writer.index(records({"A": "kettle"}))
    assert paths(reader.search("kettle")) == ["A"]
    assert reader.status().capabilities.documents == 1
    writer.index([{"id": "B", "text": "kettle", "date": "2024-05-01"}], embed=False)
    assert set(paths(reader.search("kettle", profile="memory"))) == {"A", "B"}
    report = reader.status().capabilities
    assert (report.documents, report.chunks, report.has_dates) == (2, 2, True)
    writer.index(records({"C": "lid"}), embed=False)
    assert reader.search("lid").degraded, "coverage has fallen, and that is known"
    writer.embed()
    assert not reader.search("lid").degraded


def test_a_file_that_was_deleted_and_made_again_is_read_anew(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"A": "kettle old"}))
    assert paths(notes.search("kettle")) == ["A"]
    for path in tmp_path.glob("index.db*"):
        path.unlink()
    rebuilt = opened()
    rebuilt.index(records({"B": "kettle new"}))
    assert paths(notes.search("kettle")) == ["B"]
    assert notes.search("kettle")[0].snippet == "kettle new"


def test_a_file_that_takes_the_place_of_another_is_read_instead(opened: Open, tmp_path: Path) -> None:
    notes, other = opened(), opened("other.db")
    notes.index(records({"A": "kettle old"}))
    notes.search("kettle")
    other.index(records({"B": "kettle new"}))
    other.close()
    for end in ("-wal", "-shm"):
        (tmp_path / f"index.db{end}").unlink(missing_ok=True)
    (tmp_path / "other.db").replace(tmp_path / "index.db")
    assert paths(notes.search("kettle")) == ["B"]


def test_a_state_plane_counts_from_the_moment_it_is_there(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"A": "kettle one", "B": "kettle two"}))
    assert "salience" in [item.arm for item in notes.search("kettle").dropped]
    state = open_state(tmp_path / "index.db")
    state.execute("INSERT INTO access (path, content_hash, access_count) VALUES ('B', x'00', 5)").fetchall()
    answer = notes.search("kettle", profile="memory", now=NOW)
    assert paths(answer)[0] == "B"
    assert "salience" in [item.arm for item in answer.arms]
    state.execute("UPDATE access SET path = 'A'").fetchall()
    state.close()
    assert paths(notes.search("kettle", profile="memory", now=NOW))[0] == "A"
    for path in tmp_path.glob(f"{state_path(tmp_path / 'index.db').name}*"):
        path.unlink()
    assert "salience" in [item.arm for item in notes.search("kettle").dropped]


def test_usage_follows_a_rename_and_never_a_stranger(opened: Open, folder: Path, tmp_path: Path) -> None:
    notes = opened()
    notes.index(write(folder, {"a.md": "kettle one", "b.md": "kettle two"}))
    (digest,) = ask(tmp_path / "index.db", "SELECT content_hash FROM document WHERE path = 'notes/b.md'")[0]
    state = open_state(tmp_path / "index.db")
    state.execute(
        "INSERT INTO access (path, content_hash, access_count) VALUES ('notes/b.md', ?, 5)", (digest,)
    ).fetchall()
    state.close()
    (folder / "b.md").rename(folder / "z.md")
    notes.index(folder)
    assert paths(notes.search("kettle", profile="memory", now=NOW))[0] == "notes/z.md"
    write(folder, {"z.md": "kettle, another text altogether"})
    notes.index(folder)
    answer = notes.search("kettle", profile="memory", now=NOW)
    assert not any(item.arm == "salience" for hit in answer for item in hit.contributions)


def test_a_collection_remembers_its_profile_and_keeps_its_tokenizer(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"A": "kettles"}), profile="memory")
    assert (notes.status().profile, notes.status().tokenizer) == ("memory", PLAIN)
    assert notes.search("kettles").profile == "memory"
    assert notes.search("kettles", profile="documents").profile == "documents"
    assert notes.index(records({"A": "kettles"})).warnings == []
    (warning,) = notes.index(records({"A": "kettles"}), profile="documents").warnings
    assert "keeps the tokenizer it was made with" in warning
    assert (notes.status().profile, notes.status().tokenizer) == ("documents", PLAIN)
    assert paths(notes.search("kettle")) == []
    stemmed = opened("stemmed.db")
    stemmed.index(records({"A": "kettles"}))
    assert stemmed.status().tokenizer == PORTER
    assert paths(stemmed.search("kettle")) == ["A"]
    with pytest.raises(UnknownNameError, match="Known: documents, memory"):
        opened("x.db").index(records({"A": "a"}), profile="docs")
    assert not (tmp_path / "x.db").exists()


def test_a_prefix_names_one_source(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="prefix names one source"):
        opened().index(records({"A": "a"}), records({"B": "b"}), prefix="p")
    assert list(tmp_path.iterdir()) == []


def test_progress_that_raises_ends_the_run_and_leaves_whole_batches(opened: Open, tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def progress(_: str, done: int, __: int) -> None:
        if done == 250:
            raise StopError

    notes = opened()
    texts = records({f"n{number}": f"kettle {number}" for number in range(300)})
    with pytest.raises(StopError):
        notes.index(texts, progress=progress)
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM document") == [(200,)]
    assert notes.index(texts).added == 100, "the lock is free again"
    require_sound(tmp_path / "index.db")


def test_a_failed_search_gives_its_connection_back(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = opened()
    notes.index(records({"A": "kettle"}))
    with monkeypatch.context() as patch:
        patch.setattr("rankfold.retrieval.search.hits_of", lambda *_: 1 / 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                notes.search("kettle")
    assert len(notes._readers) == 1
    assert not notes._readers[0].connection.in_transaction
    assert paths(notes.search("kettle")) == ["A"]


def test_the_status_names_what_stands_in_the_way_and_what_to_do(opened: Open, folder: Path, tmp_path: Path) -> None:
    notes = opened(embedder=TableEmbedder(name="one"))
    notes.index(write(folder, {"a.md": "kettle"}))
    whole = notes.status()
    assert whole.problems == ()
    assert whole.embedder == "one; dimension 8"
    assert (whole.database, whole.sources) == (str(tmp_path / "index.db"), (str(folder),))
    notes.index(records({"B": "lid"}), embed=False)
    assert notes.status().problems == ("1 of 2 chunks are not embedded yet. Fix: rankfold embed",)
    (_, pending) = opened(embedder=TableEmbedder(name="two")).status().problems
    assert "rankfold embed" in pending
    assert opened(embedder=None).status().embedder is None


def test_an_arm_of_ones_own_takes_part_like_any_other(opened: Open) -> None:
    brevity = Arm(
        name="brevity",
        title="Brevity",
        doc="Short documents first.",
        weight=3.0,
        reads="corpus",
        preconditions=("candidates",),
        raw=RawValue(name="length", unit="characters", better="lower"),
        sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, length(f.body) AS raw, d.file, d.ordinal
  FROM {scope} AS s CROSS JOIN document AS d ON d.id = s.document_id JOIN full_text AS f ON f.id = d.id
  ORDER BY raw, d.file, d.ordinal LIMIT ?2
)
""",
        example="kettle",
        since="1.0",
    )
    notes = opened(arms=[brevity])
    notes.index(records({"long": "kettle " * 5, "short": "kettle", "other": "x"}))
    answer = notes.search("kettle")
    assert paths(answer) == ["short", "long"]
    assert [item.arm for item in answer[0].contributions] == ["fts", "brevity"]
    assert answer[0].contributions[1].raw == len("kettle")


def test_a_statement_that_sqlite_refuses_is_an_error_and_no_empty_answer(opened: Open) -> None:
    broken = Arm(
        name="broken",
        title="Broken",
        doc="Names a column that does not exist.",
        weight=1.0,
        reads="corpus",
        preconditions=("candidates",),
        raw=RawValue(name="nothing", unit="none", better="lower"),
        sql="SELECT s.document_id, 1, d.absent FROM {scope} AS s JOIN document AS d ON d.id = s.document_id LIMIT ?2",
        example="kettle",
        since="1.0",
    )
    notes = opened(arms=[broken])
    notes.index(records({"A": "kettle"}))
    with pytest.raises(rankfold.RankfoldError, match=r"no such column: d\.absent"):
        notes.search("kettle")
    assert paths(notes.search("kettle", weights={"broken": 0.0})) == ["A"]


def test_a_first_search_and_a_later_one_use_one_connection(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    opens = []
    real = connection._open
    monkeypatch.setattr(connection, "_open", lambda *values: opens.append(values) or real(*values))
    notes = opened()
    notes.index(records({"A": "kettle"}))
    opens.clear()
    for _ in range(5):
        notes.search("kettle")
        notes.status()
    assert len(opens) == 1

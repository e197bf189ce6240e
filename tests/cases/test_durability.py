"""Field cases FC-D01 to FC-D03: other processes, processes that die, and places that cannot be written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import rankfold
from rankfold.errors import BusyError, IndexNotFoundError, ReadOnlyError
from rankfold.retrieval import search
from rankfold.storage import connection
from rankfold.storage.connection import open_state
from support import Open, as_json, as_nobody, ask, in_child, paths, records, require_sound, write

NOW = "2026-01-01"


def note(number: int, run: int) -> str:
    return f"# Note {number}\n\nkettle number {number} of run {run}\n" + "filler words " * 20


WRITER = """
import rankfold, sys
with rankfold.open(sys.argv[1], embedder=None) as notes:
    run = 0
    while not sys.stdin.closed:
        run += 1
        notes.index([{"id": f"n{i}", "text": f"kettle {i} of run {run} " + "filler " * 40} for i in range(400)])
        print(run, flush=True)
"""

READER = """
import rankfold, sys
from rankfold.errors import RankfoldError
with rankfold.open(sys.argv[1], embedder=None) as notes:
    runs = set()
    for number in range(25):
        answer = notes.search("kettle", limit=100, window=100)
        assert len(answer) == 100, len(answer)
        assert all(hit.snippet for hit in answer)
        runs.add(int(answer[0].snippet.split()[4]))
    print(min(runs))
"""


def test_searching_succeeds_while_another_process_indexes(opened: Open, tmp_path: Path) -> None:
    """FC-D01: 200 searches from 8 processes, each with a committed state from beginning to end."""
    database = tmp_path / "index.db"
    opened().index(records({f"n{i}": f"kettle {i} of run 0" for i in range(400)}))
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        readers = [
            subprocess.Popen([sys.executable, "-c", READER, str(database)], stdout=subprocess.PIPE, text=True)
            for _ in range(8)
        ]
        seen = [int(reader.communicate()[0] or "0") for reader in readers]
        assert [reader.returncode for reader in readers] == [0] * 8
        assert writer.poll() is None, "it was indexing all the time"
        assert min(seen) >= 1, "whatever was committed before a search is seen by it"
    finally:
        writer.kill()
        writer.communicate()
    require_sound(database)


def test_one_search_sees_one_state_whatever_is_written_in_the_middle_of_it(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FC-D01: a document that goes between the ranking and the reading of its text is still shown."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT", replace(connection.BUSY_TIMEOUT, value=50))
    notes = opened()
    notes.index(records({"A": "kettle", "B": "kettle too"}))
    hits_of = search.hits_of

    def meanwhile(*values: object, **named: object) -> object:
        monkeypatch.setattr(search, "hits_of", hits_of)
        writer = threading.Thread(target=lambda: notes.index(records({"C": "kettle three"}), prune=True))
        writer.start()
        writer.join()
        return hits_of(*values, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(search, "hits_of", meanwhile)
    answer = notes.search("kettle")
    assert paths(answer) == ["A", "B"]
    assert answer[0].snippet == "kettle"
    assert paths(notes.search("kettle")) == ["C"]


def test_searching_writes_nothing_to_the_file(opened: Open, tmp_path: Path) -> None:
    """FC-D01."""
    notes = opened()
    notes.index(records({"A": "kettle"}))
    database = tmp_path / "index.db"
    before, when = database.read_bytes(), database.stat().st_mtime_ns
    again = opened()
    again.search("kettle")
    again.status()
    again.close()
    assert (database.read_bytes(), database.stat().st_mtime_ns) == (before, when)
    log = tmp_path / "index.db-wal"
    assert not log.exists() or log.stat().st_size == 0


WAITING = """
import rankfold, sys
def wait(what, done, total):
    if done == 1:
        print("started", flush=True)
        sys.stdin.readline()
with rankfold.open(sys.argv[1], embedder=None) as notes:
    print(notes.index(sys.argv[2], progress=wait).added)
"""


@contextmanager
def waiting(database: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An index run in another process that has begun and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(database), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_second_index_run_is_told_which_process_holds_the_lock(opened: Open, tmp_path: Path) -> None:
    """FC-D02: the first one works on, and a killed one blocks nobody."""
    folder = write(tmp_path / "n", {f"{number}.md": note(number, 1) for number in range(5)})
    notes = opened()
    with waiting(tmp_path / "index.db", folder) as first:
        for attempt in (lambda: notes.index(folder), lambda: notes.index(records({"r": "text"}))):
            with pytest.raises(BusyError, match=rf"another index run is active on .*\(pid {first.pid}\)"):
                attempt()
        assert paths(notes.search("kettle")) == [], "searching is not blocked"
        assert first.communicate("\n")[0] == "5\n"
    write(folder, {"6.md": note(6, 1)})
    with waiting(tmp_path / "index.db", folder) as second:
        second.send_signal(signal.SIGKILL)
        second.wait()
    report = notes.index(folder)
    assert (report.added, report.unchanged) == (1, 5)
    assert len(notes.search("kettle")) == 6
    require_sound(tmp_path / "index.db")


def test_two_index_runs_of_one_process_do_not_meet_either(opened: Open) -> None:
    """FC-D02."""
    notes = opened()
    problems = []

    def progress(*_: object) -> None:
        try:
            notes.index(records({"B": "text"}))
        except BusyError as problem:
            problems.append(str(problem))

    notes.index(records({"A": "kettle"}), progress=progress)
    assert len(problems) == 1
    assert f"(pid {os.getpid()})" in problems[0]
    assert paths(notes.search("kettle")) == ["A"]


def test_a_run_that_is_killed_leaves_a_whole_batch_or_nothing_of_it(opened: Open, tmp_path: Path) -> None:
    """FC-D02: and the next run ends where an undisturbed one would have."""
    folder = write(tmp_path / "n", {f"{number:03}.md": note(number, 1) for number in range(450)})
    database = tmp_path / "index.db"

    def die(_: str, done: int, __: int) -> None:
        if done == 300:
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(lambda: rankfold.open(database, embedder=None).index(folder, progress=die)) == -signal.SIGKILL
    notes = opened()
    assert len(notes.search("kettle", limit=500, window=500)) == 200
    report = notes.index(folder)
    assert (report.added, report.unchanged) == (250, 200)
    undisturbed = opened("other.db")
    undisturbed.index(folder)
    for query in ("kettle 77", "filler words"):
        assert as_json(notes.search(query, now=NOW)) == as_json(undisturbed.search(query, now=NOW))
    require_sound(database)


def test_an_index_is_made_again_also_where_a_killed_run_left_its_log(opened: Open, tmp_path: Path) -> None:
    """FC-D02: the file may be deleted at any time, because it is made of other files."""
    database = tmp_path / "index.db"
    folder = write(tmp_path / "n", {"a.md": "kettle one"})
    notes = opened()
    notes.index(folder)

    def die(_: str, done: int, total: int) -> None:
        if done == total:
            os.kill(os.getpid(), signal.SIGKILL)

    write(folder, {f"{number}.md": note(number, 1) for number in range(250)})
    in_child(lambda: rankfold.open(database, embedder=None).index(folder, progress=die))
    assert (tmp_path / "index.db-wal").stat().st_size > 0
    database.unlink()
    with pytest.raises(IndexNotFoundError, match="there is no index"):
        notes.search("kettle")
    shutil.rmtree(folder)
    notes.index(write(folder, {"b.md": "kettle two"}))
    assert paths(notes.search("kettle")) == ["n/b.md"]
    require_sound(database)


def test_a_file_left_in_the_middle_of_a_change_is_mended_by_the_next_run(opened: Open, tmp_path: Path) -> None:
    """FC-D02: it is not read as it is, not even where reading is all that can be done."""
    database = tmp_path / "index.db"
    notes = opened()
    notes.index(records({"A": "kettle"}))
    notes.close()
    ask(database, "PRAGMA journal_mode = DELETE")

    def die() -> None:
        other = apsw.Connection(str(database))
        for sql in ("PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "UPDATE full_text SET body = randomblob(4000000)"):
            other.execute(sql).fetchall()
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(die) == -signal.SIGKILL
    assert (tmp_path / "index.db-journal").stat().st_size > 0
    with pytest.raises(ReadOnlyError, match="left in the middle of a change by a run that ended; index again"):
        notes.search("kettle")
    notes.index(records({"B": "kettle two"}))
    assert paths(notes.search("kettle")) == ["A", "B"]
    require_sound(database)


def close_to_all(folder: Path) -> None:
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


@pytest.mark.parametrize("searched_before", [False, True])
@pytest.mark.parametrize("with_state", [False, True])
def test_a_finished_index_is_searched_in_a_folder_that_cannot_be_written(
    nobodys: Path, with_state: bool, searched_before: bool
) -> None:
    """FC-D03: no new files, and indexing gives one clear error."""
    database = nobodys / "index.db"

    def work() -> tuple[list[str], list[str], list[str], str, str]:
        with rankfold.open(database, embedder=None) as notes:
            notes.index(records({"A": "kettle one", "B": "kettle two"}))
            if with_state:
                state = open_state(database)
                state.execute("INSERT INTO access (path, content_hash) VALUES ('B', x'00')").fetchall()
                state.close()
            if searched_before:
                notes.search("kettle")
        close_to_all(nobodys)
        before = sorted(path.name for path in nobodys.iterdir())
        with rankfold.open(database, embedder=None) as notes:
            answer = notes.search("kettle", now=NOW)
            opened_as = notes.status().capabilities.opened
            try:
                notes.index(records({"C": "kettle three"}))
                message = ""
            except ReadOnlyError as problem:
                message = str(problem)
        return paths(answer), before, sorted(path.name for path in nobodys.iterdir()), message, opened_as

    found, before, after, message, opened_as = as_nobody(work)
    assert sorted(found) == ["A", "B"]
    assert after == before
    assert "read-only" in message
    assert opened_as in ("immutable", "read-only")


def test_an_index_on_read_only_media_is_read_again_after_it_was_replaced(nobodys: Path) -> None:
    """FC-D03: a file opened as immutable is looked at before each search."""
    database = nobodys / "index.db"

    def work() -> tuple[list[str], list[str]]:
        with rankfold.open(database, embedder=None) as notes:
            notes.index(records({"A": "kettle one"}))
        close_to_all(nobodys)
        with rankfold.open(database, embedder=None) as notes:
            first = paths(notes.search("kettle"))
            nobodys.chmod(0o755)
            database.chmod(0o644)
            for path in nobodys.iterdir():
                path.chmod(0o644)
            with rankfold.open(database, embedder=None) as other:
                other.index(records({"B": "kettle two"}))
            return first, sorted(paths(notes.search("kettle")))

    assert as_nobody(work) == (["A"], ["A", "B"])


def test_a_database_locked_by_another_program_is_named_so(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input: a locked database."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT", replace(connection.BUSY_TIMEOUT, value=50))
    notes = opened()
    notes.index(records({"A": "kettle"}))
    other = apsw.Connection(str(tmp_path / "index.db"))
    other.execute("BEGIN IMMEDIATE").fetchall()
    with pytest.raises(BusyError, match="locked by another program"):
        notes.index(records({"B": "kettle"}))
    assert paths(notes.search("kettle")) == ["A"], "a writer never blocks a search"
    other.execute("ROLLBACK").fetchall()
    other.close()
    notes.index(records({"B": "kettle too"}))
    assert len(notes.search("kettle")) == 2
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM document") == [(2,)]

"""Field cases FC-I01 to FC-I09 and FC-I14, and databases that are none of ours."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import rankfold
from rankfold.errors import (
    BusyError,
    CorruptIndexError,
    IndexNotFoundError,
    NewerIndexError,
    NotAnIndexError,
    PathClashError,
    SourceError,
)
from rankfold.storage.lock import indexing_lock
from support import Open, TableEmbedder, paths, records

FILES = Path(__file__).parent / "files"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of fifty notes."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(50):
        (notes / f"{number:02}.md").write_text(f"note number{number}", encoding="utf-8")
    return notes


def test_a_mark_and_windows_line_ends_change_nothing(opened: Open) -> None:
    """FC-I01."""
    notes = opened()
    notes.index(FILES / "bom_crlf.md")
    (hit,) = notes.search("quayside", since="2024-03-05", until="2024-03-05")
    assert (hit.title, hit.tags) == ("Harbour checklist", ("boats", "winter"))
    assert hit.passage is not None
    assert hit.passage.line == 9
    assert "\ufeff" not in hit.snippet
    assert "\r" not in hit.snippet


def test_a_letterhead_is_text(opened: Open) -> None:
    """FC-I02."""
    notes = opened()
    notes.index(FILES / "letterhead.md")
    for query in ("hedge parcel", "heron surveyors"):
        assert paths(notes.search(query)) == ["letterhead.md"]


def test_broken_front_matter_costs_one_warning_and_no_file(opened: Open, folder: Path) -> None:
    """FC-I03."""
    target = folder / "bad_yaml_colon.md"
    shutil.copy(FILES / "bad_yaml_colon.md", target)
    notes = opened()
    report = notes.index(folder)
    assert report.added == 51
    (warning,) = report.warnings
    assert warning.startswith("notes/bad_yaml_colon.md:2:")
    assert paths(notes.search("impeller")) == ["notes/bad_yaml_colon.md"]
    assert notes.index(folder).warnings == [warning], "the doubt is there until the file is mended"
    target.write_text(
        target.read_text(encoding="utf-8").replace("manual: part", "manual part").replace("@", ""), encoding="utf-8"
    )
    notes.index(folder)
    assert notes.search("impeller")[0].title == "Pump manual part two"


def test_times_with_and_without_a_zone_live_together(opened: Open) -> None:
    """FC-I04."""
    notes = opened()
    notes.index(FILES / "dates")
    answer = notes.search("kettle descaling", since="2024-05-01", until="2024-05-01", query_form="any")
    assert set(paths(answer)) == {"dates/naive.md", "dates/aware.md", "dates/dateonly.md"}
    times = {hit.path: hit.event_at for hit in answer}
    assert times["dates/aware.md"] == times["dates/naive.md"] - 2 * 3600  # type: ignore[operator]


@pytest.mark.parametrize("environment", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_a_file_that_is_not_utf_8_is_read_with_a_warning(tmp_path: Path, environment: dict[str, str]) -> None:
    """FC-I05."""
    (tmp_path / "n").mkdir()
    shutil.copy(FILES / "latin1.md", tmp_path / "n")
    for number in range(9):
        (tmp_path / "n" / f"{number}.md").write_text("good", encoding="utf-8")
    code = (
        "import rankfold\n"
        "with rankfold.open('index.db', embedder=None) as notes:\n"
        "    report = notes.index('n')\n"
        "    print(report.added, report.warnings[0], [hit.path for hit in notes.search('yolks')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=True,
    )
    assert done.stdout.startswith("10 n/latin1.md:1: not UTF-8")
    assert "['n/latin1.md']" in done.stdout


def test_an_edit_that_keeps_size_and_time_is_seen(opened: Open, tmp_path: Path) -> None:
    """FC-I06."""
    note = tmp_path / "note.md"
    note.write_text("cat", encoding="utf-8")
    before = note.stat()
    notes = opened()
    notes.index(note)
    note.write_text("dog", encoding="utf-8")
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    notes.index(note)
    assert paths(notes.search("dog")) == ["note.md"]
    assert paths(notes.search("cat")) == []


def test_what_is_gone_or_renamed_leaves_no_trace(opened: Open, tmp_path: Path) -> None:
    """FC-I07."""
    root = tmp_path / "n"
    (root / "sub").mkdir(parents=True)
    for name in ("a", "b", "c"):
        (root / f"{name}.md").write_text(f"word{name}", encoding="utf-8")
    embedder = TableEmbedder()
    notes = opened(embedder=embedder)
    notes.index(root)
    (root / "a.md").unlink()
    (root / "b.md").rename(root / "d.md")
    (root / "c.md").rename(root / "sub" / "c.md")
    report = notes.index()
    assert (report.removed, report.renamed, report.embedded) == (1, 2, 0)
    assert paths(notes.search("worda", arms=["fts"])) == []
    assert paths(notes.search("wordb", arms=["fts"])) == ["n/d.md"]
    assert paths(notes.search("wordc", arms=["fts"])) == ["n/sub/c.md"]
    status = notes.status().capabilities
    assert (status.documents, status.chunks, status.embedded) == (2, 2, 2)


def test_a_folder_that_is_not_there_or_is_suddenly_empty_is_not_believed(opened: Open, folder: Path) -> None:
    """FC-I08."""
    notes = opened()
    notes.index(folder)
    away = folder.with_name("away")
    folder.rename(away)
    with pytest.raises(SourceError, match="does not exist; nothing was removed"):
        notes.index(folder)
    folder.mkdir()
    with pytest.raises(SourceError, match="50 of the 50 files") as caught:
        notes.index(folder)
    assert "--prune" in caught.value.suggestions[0]
    assert notes.status().capabilities.documents == 50
    folder.rmdir()
    away.rename(folder)
    for number in range(30):
        (folder / f"{number:02}.md").unlink()
    with pytest.raises(SourceError, match="30 of the 50 files"):
        notes.index(folder)
    assert notes.index(folder, prune=True).removed == 30


def test_a_folder_that_cannot_be_read_removes_nothing(
    opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FC-I08."""
    notes = opened()
    notes.index(folder)

    def refuse(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rankfold.indexing.walk.os.scandir", refuse)
    with pytest.raises(SourceError, match="cannot be read"):
        notes.index(folder)
    monkeypatch.undo()
    assert notes.status().capabilities.documents == 50


def test_links_are_not_followed(opened: Open, tmp_path: Path) -> None:
    """FC-I09."""
    root = tmp_path / "n"
    (root / "d").mkdir(parents=True)
    (root / "d" / "note.md").write_text("note", encoding="utf-8")
    (root / "d" / "loop").symlink_to("..")
    (root / "alias").symlink_to("d")
    (root / "dead").symlink_to("nowhere")
    notes = opened()
    report = notes.index(root)
    assert report.added == 1
    assert report.skipped["link"] == 3


def test_ignored_and_hidden_files_are_left_out_and_counted(opened: Open, tmp_path: Path) -> None:
    root = tmp_path / "n"
    (root / "build").mkdir(parents=True)
    (root / ".gitignore").write_text("build/\n*.txt\n!keep.txt\n", encoding="utf-8")
    for name in ("a.md", "b.txt", "keep.txt", "build/c.md", ".hidden.md", "picture.png"):
        (root / name).write_text("word", encoding="utf-8")
    notes = opened()
    report = notes.index(root)
    assert set(paths(notes.search("word", profile="memory"))) == {"n/a.md", "n/keep.txt"}
    assert report.skipped == {"hidden": 2, "ignored": 2, ".png": 1}


def test_line_numbers_count_from_the_top_of_the_file(opened: Open, tmp_path: Path) -> None:
    """FC-I14."""
    text = "---\ntitle: T\ntags: [a]\nkind: k\n---\n\nfirst\n\nsecond\n\nthird\nhere is the hit\nlast\n"
    notes = opened()
    for name, ending in (("lf.md", "\n"), ("crlf.md", "\r\n")):
        (tmp_path / name).write_bytes(text.replace("\n", ending).encode())
        notes.index(tmp_path / name)
        (hit,) = notes.search("hit", path=name)
        assert hit.passage is not None
        assert hit.passage.line == 12


def test_two_sources_with_one_path_are_named_and_a_prefix_mends_it(opened: Open, tmp_path: Path) -> None:
    for parent in ("x", "y"):
        (tmp_path / parent / "notes").mkdir(parents=True)
        (tmp_path / parent / "notes" / "a.md").write_text(parent, encoding="utf-8")
    notes = opened()
    notes.index(tmp_path / "x" / "notes")
    with pytest.raises(PathClashError) as caught:
        notes.index(tmp_path / "y" / "notes")
    assert str(tmp_path / "x" / "notes") in str(caught.value)
    assert str(tmp_path / "y" / "notes") in str(caught.value)
    notes.index(tmp_path / "y" / "notes", prefix="other")
    assert paths(notes.search("y")) == ["other/a.md"]


def test_searching_what_is_not_there_names_the_command_and_makes_nothing(opened: Open, tmp_path: Path) -> None:
    notes = opened("sub/none.db")
    with pytest.raises(IndexNotFoundError, match="there is no index at"):
        notes.search("x")
    with pytest.raises(SourceError, match="does not exist"):
        notes.index(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_index_is_refused_and_left_untouched(opened: Open, tmp_path: Path, folder: Path) -> None:
    foreign = tmp_path / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    text = tmp_path / "text.db"
    text.write_text("this is no database at all, only words " * 20, encoding="utf-8")
    for file in (foreign, text):
        before = file.read_bytes()
        for call in (lambda notes: notes.search("x"), lambda notes: notes.index(folder)):
            with pytest.raises(NotAnIndexError, match="left untouched"):
                call(opened(file.name))
        assert file.read_bytes() == before
        assert not list(tmp_path.glob(f"{file.name}-*"))


def test_a_newer_and_a_damaged_index_each_say_what_to_do(opened: Open, tmp_path: Path, folder: Path) -> None:
    opened("index.db").index(folder)
    data = (tmp_path / "index.db").read_bytes()
    newer = bytearray(data)
    newer[60:64] = (99).to_bytes(4, "big")
    (tmp_path / "newer.db").write_bytes(newer)
    with pytest.raises(NewerIndexError, match="newer version"):
        opened("newer.db").search("x")
    with pytest.raises(NewerIndexError):
        opened("newer.db").index(folder)
    (tmp_path / "half.db").write_bytes(data[: len(data) // 2])
    (tmp_path / "head.db").write_bytes(data[:50])
    for name in ("half.db", "head.db"):
        with pytest.raises(CorruptIndexError, match="index again"):
            opened(name).search("number1")


def test_a_second_index_run_is_told_who_works_and_a_search_is_not_blocked(
    opened: Open, tmp_path: Path, folder: Path
) -> None:
    """FC-D01 and FC-D02."""
    notes = opened()
    notes.index(folder)
    with indexing_lock(tmp_path / "index.db"):
        with pytest.raises(BusyError, match=rf"pid {os.getpid()}"):
            opened("index.db").index(folder)
        assert paths(notes.search("number7")) == ["notes/07.md"]
    writer = apsw.Connection(str(tmp_path / "index.db"))
    writer.execute("BEGIN IMMEDIATE; DELETE FROM setting").fetchall()
    assert paths(opened("index.db").search("number7")) == ["notes/07.md"]
    writer.execute("ROLLBACK").fetchall()
    writer.close()


def test_a_search_writes_nothing(opened: Open, tmp_path: Path, folder: Path) -> None:
    """FC-D01."""
    opened("index.db").index(folder)
    before = (tmp_path / "index.db").read_bytes()
    with rankfold.open(tmp_path / "index.db", embedder=None) as notes:
        notes.search("number7")
        notes.status()
    assert (tmp_path / "index.db").read_bytes() == before


def test_records_replace_by_id_and_others_stay(opened: Open) -> None:
    notes = opened()
    notes.index(records({"a": "one", "b": "two"}))
    report = notes.index(records({"a": "three"}))
    assert (report.updated, report.added) == (1, 0)
    assert paths(notes.search("two")) == ["b"]
    assert paths(notes.search("one")) == []
    assert notes.index(records({"a": "three"}), prune=True).removed == 1

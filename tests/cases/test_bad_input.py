"""Whatever is given, the answer is a clear message or a defined result, and nothing is lost."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import apsw
import pytest

import rankfold
from rankfold.errors import (
    BadValueError,
    CorruptIndexError,
    IndexNotFoundError,
    NewerIndexError,
    NotAnIndexError,
    PathClashError,
    RankfoldError,
    ReadOnlyError,
    SourceError,
)
from support import Open, TableEmbedder, as_json, as_nobody, ask, paths, records, require_sound, write


def test_searching_what_does_not_exist_names_the_command_that_makes_it(opened: Open, tmp_path: Path) -> None:
    notes = opened("nowhere.db")
    for attempt in (lambda: notes.search("kettle"), notes.status, notes.index, notes.embed):
        with pytest.raises(IndexNotFoundError, match=r"there is no index at .*nowhere\.db") as refused:
            attempt()
        assert refused.value.suggestions[0].startswith("rankfold index")
    assert list(tmp_path.iterdir()) == [], "nothing was made for nothing"


@pytest.mark.parametrize("content", [b"plain text, long enough to be read as a header " * 4, b"", b"SQLite format 3"])
def test_a_file_that_is_no_index_is_left_untouched(opened: Open, tmp_path: Path, content: bytes) -> None:
    database = write(tmp_path, {"other.db": content}) / "other.db"
    notes = opened("other.db")
    attempts = [lambda: notes.search("kettle"), notes.status]
    if content:
        attempts.append(lambda: notes.index(records({"A": "kettle"})))
    for attempt in attempts:
        with pytest.raises(NotAnIndexError, match=r"other\.db is not a rankfold index and was left untouched"):
            attempt()
    assert database.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


def test_an_empty_file_becomes_an_index_when_something_is_indexed(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, {"empty.db": b""})
    notes = opened("empty.db", embedder=TableEmbedder())
    with pytest.raises(NotAnIndexError):
        notes.embed()
    notes.index(records({"A": "kettle"}))
    assert paths(notes.search("kettle")) == ["A"]


def test_another_programs_database_is_left_untouched(opened: Open, tmp_path: Path) -> None:
    database = tmp_path / "contacts.db"
    ask(database, "CREATE TABLE setting (name, value)")
    before = database.read_bytes()
    notes = opened("contacts.db")
    for attempt in (lambda: notes.search("a"), lambda: notes.index(records({"A": "a"})), notes.status):
        with pytest.raises(NotAnIndexError, match="left untouched"):
            attempt()
    assert database.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["contacts.db"]


def test_an_index_of_a_newer_version_is_left_untouched(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"A": "kettle"}))
    notes.close()
    ask(tmp_path / "index.db", "PRAGMA user_version = 99")
    for attempt in (lambda: notes.search("a"), lambda: notes.index(records({"A": "a"})), notes.status):
        with pytest.raises(NewerIndexError, match="newer version of rankfold") as refused:
            attempt()
        assert refused.value.suggestions == ("pip install --upgrade rankfold",)
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM document") == [(1,)]


@pytest.mark.parametrize("kept", [50, 100, 4096, 8192, 20_000, 65_536, -1])
def test_a_truncated_index_says_that_it_can_be_made_again(opened: Open, tmp_path: Path, kept: int) -> None:
    database = tmp_path / "index.db"
    notes = opened()
    texts = records({f"n{number}": f"kettle {number} " + "filler " * 50 for number in range(300)})
    notes.index(texts)
    notes.close()
    whole = database.read_bytes()
    database.write_bytes(whole[:kept] if kept > 0 else whole[: len(whole) // 2])
    with pytest.raises(CorruptIndexError, match=r"damaged.* Delete the file and index again"):
        opened().search("kettle 299", limit=100)
    with pytest.raises(CorruptIndexError, match="damaged"):
        opened().index(records({"n299": "another text"}))
    for path in tmp_path.glob("index.db*"):
        path.unlink()
    notes.index(texts)
    assert paths(notes.search("kettle 299"))[0] == "n299"


def test_garbage_inside_an_index_is_never_an_empty_answer(opened: Open, tmp_path: Path) -> None:
    database = tmp_path / "index.db"
    notes = opened()
    notes.index(records({f"n{number}": f"kettle {number}" for number in range(300)}))
    notes.close()
    whole = bytearray(database.read_bytes())
    whole[8192:] = bytes(len(whole) - 8192)
    database.write_bytes(whole)
    with pytest.raises(RankfoldError):
        opened().search("kettle")


def test_a_folder_in_place_of_an_index_is_named_so(opened: Open, folder: Path) -> None:
    notes = opened("notes")
    for attempt in (lambda: notes.search("a"), lambda: notes.index(records({"A": "a"}))):
        with pytest.raises(NotAnIndexError, match="is a folder"):
            attempt()
    assert list(folder.iterdir()) == []


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path, opened: Open) -> None:
    write(tmp_path, {"file": "text"})
    with pytest.raises(ReadOnlyError, match="cannot be made"):
        opened("file/below/index.db").index(records({"A": "a"}))


def test_an_index_that_may_not_be_read_or_reached_is_named(nobodys: Path) -> None:
    database = nobodys / "sub" / "index.db"

    def work() -> list[str]:
        notes = rankfold.open(database, embedder=None)
        notes.index(records({"A": "kettle"}))
        said = []
        for path, mode in ((database, 0), (database.parent, 0)):
            path.chmod(mode)
            for attempt in (lambda: notes.search("kettle"), lambda: notes.index(records({"B": "kettle"}))):
                notes.close()
                try:
                    attempt()
                    said.append("nothing")
                except RankfoldError as problem:
                    said.append(f"{type(problem).__name__}: {problem}")
            path.chmod(0o700)
        return said

    unreadable, unwritable, unreachable, unmade = as_nobody(work)
    assert unreadable.startswith("ReadOnlyError")
    assert "may not be read" in unreadable
    assert unwritable.startswith("ReadOnlyError")
    assert unreachable.startswith("IndexNotFoundError")
    assert unmade.startswith("ReadOnlyError")


@pytest.mark.parametrize("name", ["a?b#c%41 &d.db", "ünïcode.db", "no_suffix", "x.y.z", os.fsdecode(b"caf\xe9.db")])
def test_any_name_of_a_file_is_the_name_of_an_index(opened: Open, tmp_path: Path, name: str) -> None:
    notes = opened(name)
    notes.index(records({"A": "kettle"}))
    assert paths(notes.search("kettle")) == ["A"]
    assert name in {path.name for path in tmp_path.iterdir()}


def test_a_file_whose_name_is_no_text_is_passed_over_with_a_warning(opened: Open, folder: Path) -> None:
    with open(os.fsencode(folder) + b"/caf\xe9.md", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("kettle")
    os.mkdir(os.fsencode(folder) + b"/d\xff")  # noqa: PTH102
    write(folder, {"good\ufffd.md": "kettle", "new\nline.md": "kettle too"})
    notes = opened()
    report = notes.index(folder)
    assert report.added == 2
    assert sorted(report.warnings) == [
        "notes/caf\ufffd.md: not indexed, its name is no text",
        "notes/d\ufffd: not indexed, its name is no text",
    ]
    assert set(paths(notes.search("kettle"))) == {"notes/good\ufffd.md", "notes/new\nline.md"}


@pytest.mark.parametrize("source", [None, 7, b"notes", {"id": "A", "text": "a"}, True])
def test_what_is_no_source_is_named_before_anything_is_made(opened: Open, tmp_path: Path, source: object) -> None:
    with pytest.raises(BadValueError, match="a source is a folder, a file or an iterable of dictionaries"):
        opened().index(source)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["nowhere", "nowhere.md", "a\0b"])
def test_a_source_that_does_not_exist_makes_no_index(opened: Open, tmp_path: Path, name: str) -> None:
    with pytest.raises((SourceError, BadValueError), match=r"does not exist|is no text"):
        opened().index(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_no_known_format_makes_no_index(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, {"picture.png": b"\x89PNG"})
    with pytest.raises(SourceError, match="no format that can be read"):
        opened().index(tmp_path / "picture.png")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]


@pytest.mark.parametrize("prefix", ["", "/", ".", "..", "a/../b", "a//b", "a\0b", "a\ud800"])
def test_a_prefix_that_is_no_relative_path_is_refused(opened: Open, folder: Path, prefix: str) -> None:
    with pytest.raises(BadValueError, match="is no relative path"):
        opened().index(folder, prefix=prefix)


def test_a_bad_record_costs_itself_and_is_mentioned(opened: Open, tmp_path: Path) -> None:
    items: list[object] = [
        {"id": "A", "text": "kettle one"},
        "no dictionary",
        {"id": "B"},
        {"id": "C", "text": 7},
        {"id": ["list"], "text": "kettle two"},
        {"id": "A", "text": "kettle again"},
        {"id": "D\0\ud800", "text": "kettle \0\0 three \ud83d\ude80 \udc00", "title": "\ud800"},
        {},
    ]
    notes = opened()
    report = notes.index(items)  # type: ignore[arg-type]
    assert report.added == 3
    assert len(report.warnings) == 6
    for part in (
        "record 2:",
        "record 3: text is missing",
        "record 4: text is not text",
        "A: two records have this id",
        "record 8",
    ):
        assert any(part in warning or warning.startswith(part) for warning in report.warnings), part
    answer = notes.search("kettle")
    assert len(answer) == 3
    assert b"\0" not in as_json(answer)
    require_sound(tmp_path / "index.db")


def test_an_iterable_that_fails_keeps_what_it_gave_before(opened: Open, tmp_path: Path) -> None:
    def failing() -> object:
        for number in range(450):
            yield {"id": f"n{number}", "text": f"kettle {number}"}
        raise OSError("the line is dead")

    notes = opened()
    with pytest.raises(OSError, match="the line is dead"):
        notes.index(failing())  # type: ignore[arg-type]
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM document") == [(400,)]
    assert paths(notes.search("kettle 7"))[0] == "n7"
    notes.index(records({"n450": "kettle 450"}))
    require_sound(tmp_path / "index.db")


def test_one_path_from_two_sources_is_an_error_that_names_both(opened: Open, tmp_path: Path) -> None:
    first = write(tmp_path / "one" / "notes", {"a.md": "kettle one", "same.md": "x"})
    second = write(tmp_path / "two" / "notes", {"b.md": "kettle two", "same.md": "y"})
    notes = opened()
    notes.index(first)
    with pytest.raises(PathClashError, match=r"notes/same\.md would come from both") as refused:
        notes.index(second)
    assert str(first) in str(refused.value)
    assert str(second) in str(refused.value)
    assert "--prefix" in refused.value.suggestions[0]
    assert paths(notes.search("kettle")) == ["notes/a.md"]
    notes.index(second, prefix="second")
    assert set(paths(notes.search("kettle"))) == {"notes/a.md", "second/b.md"}
    with pytest.raises(PathClashError):
        opened("both.db").index(first, second)


@pytest.mark.parametrize("record_first", [True, False])
def test_one_path_from_a_file_and_a_record_is_an_error(opened: Open, folder: Path, record_first: bool) -> None:
    write(folder, {"a.md": "kettle in a file"})
    notes = opened()
    sources = [folder, records({"notes/a.md": "kettle in a record"})]
    first, second = reversed(sources) if record_first else sources
    notes.index(first)
    with pytest.raises(PathClashError, match=r"notes/a\.md"):
        notes.index(second)
    assert [hit.snippet for hit in notes.search("kettle")] == [f"kettle in a {'record' if record_first else 'file'}"]


def test_a_record_and_a_file_with_one_path_in_one_folder_are_an_error(opened: Open, folder: Path) -> None:
    write(folder, {"a.jsonl": '{"id": "1.md", "text": "kettle"}\n', "a.jsonl#1.md": "kettle too"})
    with pytest.raises(PathClashError, match=r"notes/a\.jsonl#1\.md would come from both notes/a\.jsonl and"):
        opened().index(folder)


def test_no_term_in_the_query_is_told_from_nothing_found(opened: Open) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(records({"A": "kettle"}))
    for query in ("", "...", "\0", "\0\0 - \ud800", "🚀"):
        answer = notes.search(query)
        assert (len(answer), answer.sql, answer.degraded) == (0, None, False)
        assert answer.warnings == ("the query has no searchable term",)
    nothing = notes.search("zebra", arms=["fts"])
    assert (len(nothing), nothing.warnings) == (0, ())
    assert nothing.sql is not None


def test_a_zero_byte_in_a_query_separates_words_as_it_does_in_documents(opened: Open) -> None:
    notes = opened()
    notes.index(records({"A": "kettle\0lid"}))
    assert paths(notes.search("kettle\0lid")) == ["A"]
    assert notes.search("kettle\0lid").query_form == "all"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_scope_is_exact_in_everything_but_the_unicode_form(opened: Open, form: str) -> None:
    notes = opened()
    names = ["a_b/x", "aXb/x", "a%b/x", "a\\b", "Été/x", "ete/x", "été/x", "a b/x", "a/b/x", "a/bc"]
    notes.index(records({unicodedata.normalize(form, name): f"kettle {number}" for number, name in enumerate(names)}))
    expected = {
        "a_b": ["a_b/x"],
        "a_b/": ["a_b/x"],
        "./a_b/": ["a_b/x"],
        "a%b": ["a%b/x"],
        "a\\b": ["a/b/x"],
        "a": ["a/b/x", "a/bc"],
        "a/b": ["a/b/x"],
        "a*": [],
        "%": [],
        "a b": ["a b/x"],
        "été": ["été/x"],
        "e\u0301te\u0301": ["été/x"],
        "Été/x": ["Été/x"],
        "\ud800": [],
        "a\0b": [],
    }
    for scope, wanted in expected.items():
        found = [unicodedata.normalize("NFC", path) for path in paths(notes.search("kettle", path=scope))]
        assert sorted(found) == [unicodedata.normalize("NFC", path) for path in wanted], scope
    assert notes.search("kettle", path="nowhere").warnings == ("no document is in scope",)


def test_a_state_plane_that_is_something_else_is_named_and_left_untouched(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(records({"A": "kettle"}))
    ask(tmp_path / "index.state.db", "CREATE TABLE contacts (name)")
    with pytest.raises(NotAnIndexError, match=r"index\.state\.db is not a rankfold index and was left untouched"):
        notes.search("kettle")
    (tmp_path / "index.state.db").unlink()
    assert paths(notes.search("kettle")) == ["A"]


def test_a_full_disk_is_no_traceback_of_sqlite(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = opened()
    notes.index(records({"A": "kettle"}))
    from rankfold.storage import connection

    opens = connection._open

    def small(uri: str, flags: int = apsw.SQLITE_OPEN_READONLY) -> apsw.Connection:
        made = opens(uri, flags)
        if flags != apsw.SQLITE_OPEN_READONLY:
            made.execute("PRAGMA max_page_count = 1").fetchall()
        return made

    monkeypatch.setattr(connection, "_open", small)
    big = [{"id": f"n{number}", "text": "long text " * 2000} for number in range(100)]
    with pytest.raises(ReadOnlyError, match="is full"):
        notes.index(big)
    monkeypatch.setattr(connection, "_open", opens)
    assert paths(notes.search("kettle")) == ["A"]
    assert notes.index(big).added == 100

"""Readers that write nothing, one writer, transactions that are whole, and SQLite's errors in our words."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from rankfold.errors import (
    BusyError,
    CorruptIndexError,
    IndexNotFoundError,
    NotAnIndexError,
    RankfoldError,
    ReadOnlyError,
    SearchError,
)
from rankfold.retrieval.profiles import PLAIN, PORTER
from rankfold.storage.connection import (
    fetch,
    open_reader,
    open_state,
    open_writer,
    report,
    settings,
    snapshot,
    state_path,
    stemmer,
    transaction,
    translated,
)
from rankfold.storage.header import APPLICATION_ID, read_header
from rankfold.storage.migrations import migrate, migrations, newest
from support import ask


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "index.db"
    open_writer(path, tokenizer=PORTER).close()
    return path


def test_a_new_index_is_whole_as_soon_as_it_is_there(database: Path) -> None:
    """A run that ends right after making the file leaves one that can be searched and indexed into."""
    reader = open_reader(database)
    assert settings(reader.connection) == {"tokenizer": PORTER}
    assert reader.capabilities().documents == 0
    assert reader.capabilities().coverage == 1.0
    reader.connection.close()
    open_writer(database, tokenizer=PLAIN).close()
    assert ask(database, "SELECT value FROM setting WHERE name = 'tokenizer'") == [(PORTER,)], "it stays"


def test_opening_to_read_leaves_every_byte_and_the_journal_mode(database: Path) -> None:
    before = database.read_bytes()
    reader = open_reader(database)
    assert fetch(reader.connection, "PRAGMA journal_mode") == [("wal",)]
    with pytest.raises(apsw.ReadOnlyError):
        fetch(reader.connection, "INSERT INTO setting VALUES ('a', 'b')")
    reader.connection.close()
    assert database.read_bytes() == before


def test_a_statement_is_run_to_its_end(database: Path) -> None:
    connection = open_writer(database, tokenizer=PORTER)
    fetch(connection, "INSERT INTO setting VALUES ('a', '1'), ('b', '2') RETURNING name")
    assert settings(connection)["b"] == "2"
    connection.close()


def test_a_transaction_is_all_or_nothing(database: Path) -> None:
    connection = open_writer(database, tokenizer=PORTER)
    with pytest.raises(apsw.ConstraintError), transaction(connection):
        fetch(connection, "INSERT INTO setting VALUES ('a', '1'), ('a', '2')")
    assert not connection.in_transaction
    assert "a" not in settings(connection)
    with transaction(connection):
        fetch(connection, "INSERT INTO setting VALUES ('a', '1')")
    connection.close()
    assert ask(database, "SELECT value FROM setting WHERE name = 'a'") == [("1",)]


def test_an_error_that_ends_the_transaction_itself_is_the_one_that_is_seen(database: Path) -> None:
    connection = open_writer(database, tokenizer=PORTER)
    with pytest.raises(apsw.ConstraintError), transaction(connection):
        fetch(connection, "INSERT OR ROLLBACK INTO setting VALUES ('tokenizer', 'another')")
    assert not connection.in_transaction
    connection.close()


def test_a_snapshot_holds_still_while_others_write(database: Path) -> None:
    reader = open_reader(database)
    with snapshot(reader.connection):
        before = settings(reader.connection)
        ask(database, "INSERT INTO setting VALUES ('a', '1')")
        assert settings(reader.connection) == before
    assert settings(reader.connection)["a"] == "1"
    reader.connection.close()


def test_capabilities_are_counted_again_when_another_connection_has_written(database: Path) -> None:
    reader = open_reader(database)
    first = reader.capabilities()
    assert reader.capabilities() is first, "nothing has changed"
    writer = open_writer(database, tokenizer=PORTER)
    fetch(writer, "INSERT INTO source (root, label, kind) VALUES ('r', 'r', 'folder')")
    fetch(
        writer,
        "INSERT INTO document (path, file, ordinal, source_id, record_hash, content_hash, updated_at)"
        " VALUES ('a', 'a', 0, 1, x'', x'', 1.0)",
    )
    assert (reader.capabilities().documents, reader.capabilities().has_dates) == (1, True)
    assert report(writer).opened == "read-write"
    writer.close()
    reader.connection.close()


def test_a_reader_is_stale_when_its_file_or_its_state_plane_is_another_one(database: Path) -> None:
    reader = open_reader(database)
    assert not reader.is_stale
    assert reader.state is None
    open_state(database).close()
    assert reader.is_stale
    reader.connection.close()
    reader = open_reader(database)
    assert reader.state == str(state_path(database))
    assert not reader.is_stale
    state_path(database).unlink()
    assert reader.is_stale
    reader.connection.close()
    reader = open_reader(database)
    copy = database.read_bytes()
    database.unlink()
    assert reader.is_stale
    database.write_bytes(copy)
    assert reader.is_stale, "the same bytes in another file"
    reader.connection.close()


@pytest.mark.parametrize("name", ["notes.db", "notes", "notes.v2.db"])
def test_the_state_plane_lies_beside_its_index(tmp_path: Path, name: str) -> None:
    path = state_path(tmp_path / name)
    assert path.parent == tmp_path
    assert path.name != name
    assert ".state" in path.name


def test_a_missing_state_plane_and_an_empty_one_answer_alike(database: Path) -> None:
    readers = [open_reader(database)]
    open_state(database).close()
    readers.append(open_reader(database))
    for reader in readers:
        assert fetch(reader.connection, "SELECT * FROM state.access INDEXED BY access_popularity") == []
        reader.connection.close()
    state_path(database).write_bytes(b"")
    reader = open_reader(database)
    assert (reader.state, reader.is_stale) == (None, False)
    open_state(database).close()
    assert reader.is_stale, "it is the same file, but no longer empty"
    reader.connection.close()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("BUSY", BusyError),
        ("BUSY_SNAPSHOT", BusyError),
        ("LOCKED", BusyError),
        ("NOTADB", NotAnIndexError),
        ("CORRUPT", CorruptIndexError),
        ("CORRUPT_VTAB", CorruptIndexError),
        ("IOERR_SHORT_READ", CorruptIndexError),
        ("READONLY", ReadOnlyError),
        ("READONLY_DIRECTORY", ReadOnlyError),
        ("READONLY_ROLLBACK", ReadOnlyError),
        ("PERM", ReadOnlyError),
        ("CANTOPEN", IndexNotFoundError),
        ("FULL", ReadOnlyError),
        ("ERROR", SearchError),
        ("INTERRUPT", SearchError),
    ],
)
def test_every_error_of_sqlite_has_a_word_of_ours(tmp_path: Path, code: str, kind: type[RankfoldError]) -> None:
    problem = apsw.exception_for(getattr(apsw, f"SQLITE_{code}"))
    with pytest.raises(kind) as seen, translated(tmp_path / "index.db"):
        raise problem
    assert seen.value.__cause__ is problem
    assert str(tmp_path / "index.db") in str(seen.value) or kind is SearchError


@pytest.mark.parametrize(
    ("tokenizer", "text", "tokens"),
    [
        (PORTER, "Warehouses, résumé's", ["warehous", "resum", "s"]),
        (PLAIN, "Warehouses हिन्दी", ["warehouses", "हिन्दी"]),
    ],
)
def test_the_stemmer_is_the_tokenizer_of_the_collection(
    database: Path, tokenizer: str, text: str, tokens: list[str]
) -> None:
    connection = apsw.Connection(str(database))
    found = stemmer(connection, tokenizer)(text)
    connection.close()
    assert [token for _, _, token in found] == tokens
    data = text.encode()
    assert data[found[0][0] : found[0][1]].decode() == "Warehouses"


def test_every_way_to_the_migrations_gives_the_same_version(database: Path, tmp_path: Path) -> None:
    header = read_header(database)
    assert header is not None
    assert (header.application_id, header.user_version) == (APPLICATION_ID, newest("index"))
    assert ask(database, "SELECT number, name FROM migration") == [
        (step.number, step.name) for step in migrations("index")
    ]
    for plane in ("index", "state"):
        assert [step.number for step in migrations(plane)] == list(range(1, newest(plane) + 1))
        assert all(step.reason for step in migrations(plane))
    connection = open_writer(database, tokenizer=PORTER)
    assert migrate(connection, "index", application_id=APPLICATION_ID, holes={"tokenizer": PORTER}) == []
    connection.close()
    empty = apsw.Connection(str(tmp_path / "broken.db"))
    with pytest.raises(apsw.SQLError):
        migrate(empty, "index", application_id=APPLICATION_ID, holes={"tokenizer": "no_such_tokenizer"})
    assert empty.execute("SELECT count(*) FROM sqlite_schema").fetchall() == [(0,)], "all of it or nothing"
    empty.close()

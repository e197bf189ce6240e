"""Connections to a collection: readers that write nothing, one writer, and SQLite's errors in our words."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from rankfold.constants import BUSY_TIMEOUT, PAGE_SIZE
from rankfold.errors import (
    BusyError,
    CorruptIndexError,
    IndexNotFoundError,
    NotAnIndexError,
    RankfoldError,
    ReadOnlyError,
    SearchError,
)
from rankfold.storage.capabilities import Capabilities
from rankfold.storage.header import APPLICATION_ID, is_there, read_header, require_ours
from rankfold.storage.migrations import migrate, migrations, newest
from rankfold.storage.vec import load_vec

_MMAP = 1 << 40
"""Bytes of the file that may be mapped: all of it. Reading a vector then copies nothing."""

_CACHE_KIB = 65536

_READ_ONLY = "mode=ro"
_IMMUTABLE = "mode=ro&immutable=1"
"""How a file is opened, as the query of its URI. See https://sqlite.org/uri.html."""


def state_path(database: Path) -> Path:
    """The state plane's file beside an index: `notes.db` has `notes.state.db`."""
    return database.with_name(f"{database.stem}.state{database.suffix or '.db'}")


@contextlib.contextmanager
def translated(database: Path) -> Iterator[None]:
    """Turn SQLite's errors into the package's own, by their extended code.

    Raises:
        RankfoldError: the kind that says what to do about it.
    """
    try:
        yield
    except apsw.Error as problem:
        raise _translate(problem, database) from problem


def _translate(problem: apsw.Error, database: Path) -> RankfoldError:
    code = int(getattr(problem, "extendedresult", 0) or getattr(problem, "result", 0))
    primary = code & 0xFF
    if primary in (apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED):
        return BusyError(f"{database} is locked by another program that writes to it")
    if primary == apsw.SQLITE_NOTADB:
        return NotAnIndexError(f"{database} is not a rankfold index and was left untouched")
    if primary == apsw.SQLITE_CORRUPT or code == apsw.SQLITE_IOERR_SHORT_READ:
        return CorruptIndexError(f"{database} is damaged ({problem}). {CorruptIndexError.record.fix}")
    if code == apsw.SQLITE_READONLY_ROLLBACK:
        return ReadOnlyError(
            f"{database} was left in the middle of a change by a run that ended; index again to mend it"
        )
    if primary in (apsw.SQLITE_READONLY, apsw.SQLITE_PERM):
        return ReadOnlyError(f"{database} cannot be written ({problem})")
    if primary == apsw.SQLITE_CANTOPEN:
        return IndexNotFoundError(f"{database} cannot be opened ({problem})")
    if primary == apsw.SQLITE_FULL:
        return ReadOnlyError(f"the disk that holds {database} is full")
    return SearchError(f"SQLite says: {problem}")


@dataclass
class Reader:
    """A read-only connection with what it can do. Used by one thread at a time."""

    connection: apsw.Connection
    database: Path
    vec_version: str | None
    vec_problem: str
    opened: str
    state: str | None
    """The state plane's file, None where an empty one stands in for it."""
    files: tuple[object, ...] = ()
    """Which files were opened, as `_files` tells."""
    _seen: int | None = None
    _report: Capabilities | None = None

    def capabilities(self) -> Capabilities:
        """What the collection can do now; counted again only when another connection has written."""
        version = int(fetch(self.connection, "PRAGMA main.data_version")[0][0])
        if self._report is None or version != self._seen:
            self._report = replace(
                report(self.connection),
                vec_version=self.vec_version,
                vec_problem=self.vec_problem,
                state_path=self.state,
                opened=self.opened,
            )
            self._seen = version
        return self._report

    @property
    def is_stale(self) -> bool:
        """Whether a file came, went or was replaced since this connection was opened. A connection goes on reading
        the file that it opened, also when another one has taken its name."""
        return self.files != _files(self.database, self.opened)


def require_index(database: Path) -> None:
    """Refuse a file that cannot be searched, from its header alone.

    Raises:
        RankfoldError: there is no index, or the file is something else or newer.
    """
    require_ours(database, read_header(database), newest=newest("index"))


def require_writable(database: Path) -> None:
    """Refuse a file that cannot be indexed into, from its header and its permissions. An empty one can.

    Raises:
        RankfoldError: the file is something else, newer or read-only.
    """
    header = read_header(database)
    if header is not None:
        require_ours(database, header, newest=newest("index"))
    if not os.access(database, os.W_OK) or not os.access(database.parent, os.W_OK):
        raise ReadOnlyError(f"{database} is read-only. {ReadOnlyError.record.fix}")


def make_folder(folder: Path) -> None:
    """Make the folder that an index is to be in.

    Raises:
        ReadOnlyError: it cannot be made, or cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ReadOnlyError(f"{folder} cannot be made: {problem.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise ReadOnlyError(f"{folder} is read-only. {ReadOnlyError.record.fix}")


def open_reader(database: Path) -> Reader:
    """Open a collection for searching. Nothing is written, and no writer blocks it.

    Raises:
        RankfoldError: there is no index, or the file is something else.
    """
    require_index(database)
    with translated(database), contextlib.ExitStack() as on_failure:
        opened = "read-only"
        files = _files(database, opened)
        try:
            connection = _open_and_read(_uri(database, _READ_ONLY))
        except apsw.Error as problem:
            if not _is_unwritable_log(problem, database):
                raise
            opened = "immutable"
            files = _files(database, opened)
            connection = _open_and_read(_uri(database, _IMMUTABLE))
        on_failure.callback(connection.close)
        state = _attach_state(connection, database)
        vec_version, vec_problem = load_vec(connection)
        on_failure.pop_all()
    return Reader(connection, database, vec_version, vec_problem, opened, state, files)


def open_writer(database: Path, *, tokenizer: str) -> apsw.Connection:
    """Open a collection for indexing, and make or migrate it.

    Args:
        database: its file; missing folders above it are made.
        tokenizer: FTS5 tokenizer, used only when the collection is made.

    Raises:
        RankfoldError: the file is something else, newer, damaged or cannot be written.
    """
    if is_there(database):
        require_writable(database)
    else:
        make_folder(database.parent)
    with translated(database):
        connection = _open(_uri(database, "mode=rwc"), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        with contextlib.ExitStack() as on_failure:
            on_failure.callback(connection.close)
            fetch(connection, f"PRAGMA page_size = {PAGE_SIZE.value}")
            # The schema first, then the log: the header that tells whose file this is must be in the file itself.
            migrate(connection, "index", application_id=APPLICATION_ID, holes={"tokenizer": tokenizer})
            fetch(connection, "PRAGMA journal_mode = WAL")
            fetch(connection, "PRAGMA synchronous = NORMAL")
            fetch(connection, "PRAGMA foreign_keys = ON")
            on_failure.pop_all()
    return connection


def open_state(database: Path) -> apsw.Connection:
    """Open a collection's state plane as the main file of a writing connection, and make it if need be.

    Args:
        database: the index that it belongs to.
    """
    path = state_path(database)
    with translated(path):
        connection = _open(_uri(path, "mode=rwc"), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        migrate(connection, "state", application_id=APPLICATION_ID, holes={})
        fetch(connection, "PRAGMA journal_mode = WAL")
    return connection


def fetch(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run one statement to its end and give its rows. A statement that is not read to its end may not have run."""
    return connection.execute(sql, values).fetchall()


@contextlib.contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """One write transaction. It takes the lock at once: a transaction that reads first and then writes can fail
    with SQLITE_BUSY_SNAPSHOT whatever the timeout. See https://sqlite.org/isolation.html."""
    fetch(connection, "BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # some errors end it
            fetch(connection, "ROLLBACK")
        raise
    fetch(connection, "COMMIT")


@contextlib.contextmanager
def snapshot(connection: apsw.Connection) -> Iterator[None]:
    """Every statement inside sees the same committed state, whatever an index run writes meanwhile."""
    fetch(connection, "BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # some errors end it
            fetch(connection, "ROLLBACK")


def settings(connection: apsw.Connection) -> dict[str, str]:
    """What the collection remembers about itself: profile, tokenizer, derivation, embedded text."""
    return {str(name): str(value) for name, value in fetch(connection, "SELECT name, value FROM setting")}


def report(connection: apsw.Connection) -> Capabilities:
    """Count what is there."""

    def one(sql: str) -> int:
        return int(fetch(connection, sql)[0][0])

    space = fetch(connection, "SELECT identity, dimension FROM space")
    chunks = one("SELECT count(*) FROM chunk")
    refused = one("SELECT count(*) FROM chunk WHERE vector_id IN (SELECT id FROM vector WHERE problem IS NOT NULL)")
    pending = one(
        "SELECT count(*) FROM chunk WHERE vector_id IN"
        " (SELECT id FROM vector WHERE embedding IS NULL AND problem IS NULL)"
    )
    return Capabilities(
        sqlite_version=apsw.sqlite_lib_version(),
        vec_version=None,
        documents=one("SELECT count(*) FROM document"),
        chunks=chunks,
        embedded=chunks - refused - pending,
        refused=refused,
        space=str(space[0][0]) if space else None,
        dimension=int(space[0][1]) if space else None,
        has_dates=bool(one("SELECT EXISTS (SELECT 1 FROM document WHERE dated_at IS NOT NULL)")),
        opened="read-write",
    )


def stemmer(connection: apsw.Connection, tokenizer: str) -> Callable[[str], list[tuple[int, int, str]]]:
    """The collection's own tokenizer.

    Args:
        connection: any connection to it.
        tokenizer: the setting of that name.

    Returns:
        A function from a text to `(start, end, token)`, offsets in UTF-8 bytes.
    """
    name, *arguments = _tokenizer_words(tokenizer)
    tokenize = connection.fts5_tokenizer(name, arguments)

    def stems(text: str) -> list[tuple[int, int, str]]:
        found: Any = tokenize(text.encode("utf-8"), apsw.FTS5_TOKENIZE_DOCUMENT, None)
        return [(start, end, tokens[0]) for start, end, *tokens in found]

    return stems


def _tokenizer_words(tokenizer: str) -> list[str]:
    words: list[str] = []
    for index, part in enumerate(tokenizer.split("'")):
        words += [part] if index % 2 else part.split()
    return words


def _uri(path: Path, query: str) -> str:
    # As bytes: a name need not be text in any encoding.
    return f"file:{quote(os.fsencode(path.absolute()))}?{query}"


def _open(uri: str, flags: int = apsw.SQLITE_OPEN_READONLY) -> apsw.Connection:
    connection = apsw.Connection(uri, flags=flags | apsw.SQLITE_OPEN_URI)
    try:
        connection.set_busy_timeout(int(BUSY_TIMEOUT.value))
        fetch(connection, f"PRAGMA mmap_size = {_MMAP}")
        fetch(connection, f"PRAGMA cache_size = -{_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_and_read(uri: str) -> apsw.Connection:
    """Open for reading and read something, which is when SQLite first looks into the file."""
    connection = _open(uri)
    try:
        fetch(connection, "SELECT 1 FROM setting LIMIT 1")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_unwritable_log(problem: apsw.Error, database: Path) -> bool:
    """Whether a file could not be read because SQLite may not make the log beside it, and there is none to read: then
    the file is all there is. See https://sqlite.org/wal.html#read_only_databases."""
    logs = [database.with_name(database.name + end) for end in ("-wal", "-journal")]
    is_refused = isinstance(problem, apsw.ReadOnlyError | apsw.CantOpenError)
    return is_refused and not any(is_there(log) and log.stat().st_size for log in logs)


def _files(database: Path, opened: str) -> tuple[object, ...]:
    """What tells whether the index or its state plane is still the file that was opened."""

    def identity(path: Path) -> tuple[int, ...]:
        try:
            found = path.stat()
        except OSError:
            return ()
        changes = (found.st_size, found.st_mtime_ns) if opened == "immutable" else ()
        return (found.st_dev, found.st_ino, bool(found.st_size), *changes)

    return (identity(database), identity(state_path(database)))


def _attach_state(connection: apsw.Connection, database: Path) -> str | None:
    """Attach the state plane, or an empty one in memory, so that one statement serves both."""
    path = state_path(database)
    if is_there(path):
        header = read_header(path)
        if header is not None:
            require_ours(path, header, newest=newest("state"))
            try:
                fetch(connection, "ATTACH ? AS state", (_uri(path, _READ_ONLY),))
                fetch(connection, "SELECT 1 FROM state.access LIMIT 1")
            except apsw.Error as problem:
                if not _is_unwritable_log(problem, path):
                    raise
                with contextlib.suppress(apsw.SQLError):  # it may not have come so far
                    fetch(connection, "DETACH state")
                fetch(connection, "ATTACH ? AS state", (_uri(path, _IMMUTABLE),))
            return str(path)
    # A read-only connection makes what it attaches read-only, but not a shared memory database of its own.
    fetch(connection, "ATTACH 'file:state?mode=memory' AS state")
    for migration in migrations("state"):
        fetch(
            connection,
            migration.sql.replace("TABLE access", "TABLE state.access").replace("INDEX access_", "INDEX state.access_"),
        )
    return None

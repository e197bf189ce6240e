"""The schema as it grew: numbered SQL files, one folder per plane, each with its reason at the top.

A ledger in every file says which of them it has seen; `user_version` is their number, so a file's header tells its age.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from importlib import resources

import apsw

from rankfold.errors import CorruptIndexError

LEDGER = """
-- Which steps of the schema this file has seen.
CREATE TABLE IF NOT EXISTS migration (
  number INTEGER PRIMARY KEY, -- The step, from 1.
  name TEXT NOT NULL UNIQUE -- What it is called.
)
"""

_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql\Z")


@dataclass(frozen=True)
class Migration:
    """One step of a plane's schema."""

    plane: str
    """`index` or `state`."""
    number: int
    name: str
    reason: str
    """The comment at the top of the file."""
    sql: str


def migrations(plane: str) -> tuple[Migration, ...]:
    """Every migration of a plane, in order.

    Raises:
        CorruptIndexError: the installed package lacks some of its files.
    """
    found = []
    for file in resources.files(__name__).joinpath(plane).iterdir():
        named = _FILE.match(file.name)
        if named:
            text = file.read_text(encoding="utf-8")
            comment = itertools.takewhile(lambda line: line.startswith("--"), text.splitlines())
            reason = "\n".join(line.removeprefix("--").strip() for line in comment)
            found.append(Migration(plane, int(named.group(1)), named.group(2), reason, text))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)) or not found:
        raise CorruptIndexError(f"the installed rankfold lacks migrations of the {plane} plane; install it again")
    return tuple(found)


def newest(plane: str) -> int:
    """How many migrations the plane has."""
    return len(migrations(plane))


def migrate(connection: apsw.Connection, plane: str, *, application_id: int, holes: dict[str, str]) -> list[str]:
    """Bring a database to the newest schema, in one transaction.

    Args:
        connection: a writing connection whose main database is the plane's file.
        plane: `index` or `state`.
        application_id: written into the header beside the version.
        holes: values of the `{name}` holes in the SQL, such as the tokenizer. They become settings, because whoever
            reads the schema must know what it was made with.

    Returns:
        Names of the migrations applied now.
    """
    applied: list[str] = []
    connection.execute("BEGIN IMMEDIATE").fetchall()
    try:
        connection.execute(LEDGER).fetchall()
        seen = {number for (number,) in connection.execute("SELECT number FROM migration")}
        for migration in migrations(plane):
            if migration.number in seen:
                continue
            sql = migration.sql
            for hole, value in holes.items():
                sql = sql.replace("{" + hole + "}", value)
            connection.execute(sql).fetchall()
            connection.execute(
                "INSERT INTO migration (number, name) VALUES (?, ?)", (migration.number, migration.name)
            ).fetchall()
            applied.append(migration.name)
            for name, value in holes.items():
                connection.execute("INSERT OR IGNORE INTO setting VALUES (?, ?)", (name, value)).fetchall()
        if applied:
            connection.execute(f"PRAGMA application_id = {application_id}").fetchall()
            connection.execute(f"PRAGMA user_version = {newest(plane)}").fetchall()
        connection.execute("COMMIT").fetchall()
    except BaseException:
        connection.execute("ROLLBACK").fetchall()
        raise
    return applied

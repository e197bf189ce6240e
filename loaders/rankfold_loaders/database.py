"""The schema of the index, as SQLite itself tells it after the shipped migrations have run on empty databases.

This runs in the interpreter that holds the live registries (`live.py`), and gives plain values. Meanings are the
comments of the migrations: those above a table, and those at the end of a column's line. Who reads a column is asked of
SQLite, which names every table and column that a statement needs when it is prepared.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import apsw

from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import installed
from rankfold.retrieval.statement import DEFAULT_SCOPE, Statement, fill
from rankfold.storage import migrations as shipped
from rankfold.storage.header import APPLICATION_ID
from rankfold.storage.migrations import LEDGER, Migration, migrate
from rankfold.storage.vec import load_vec

Described = dict[str, Any]

PLANES = {"index": "main", "state": "state"}
"""Each plane with the name of its database in a statement."""

_CREATED = re.compile(r"^CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)", re.M)
_COMMENT = re.compile(r"(?:^--.*\n)+\Z", re.M)
_COLUMN_COMMENT = re.compile(r"^\s*(\w+)\b[^\n]*?--\s*(.+?)\s*$", re.M)
_CONTENT = re.compile(r"content\s*=\s*'(\w+)'")
_GENERATED = {2: "virtual", 3: "stored"}
_MADE_BY = {"c": "CREATE INDEX", "u": "UNIQUE", "pk": "PRIMARY KEY"}


def tables() -> list[Described]:
    """Every table of both planes, those of the index first, in the order in which they are made.

    A table of the state plane is called as statements call it, `state.access`.
    """
    connection = _both_planes()
    readers = _readers(connection)
    described = []
    for plane, schema in PLANES.items():
        for name, place, text in _written(plane):
            table = _table(connection, plane, name)
            table["doc"] = _above(text, name)
            table["source"] = place
            reading = [(kind, who, column) for kind, who, *where, column in readers if where == [schema, name]]
            table["arms"] = list(dict.fromkeys(who for kind, who, _ in reading if kind == "arms"))
            for column in table["columns"]:
                for by in ("arms", "scopes"):
                    column[by] = [who for kind, who, what in reading if (kind, what) == (by, column["name"])]
            described.append(table)
    connection.close()
    return described


def migrations() -> list[Described]:
    """Every migration of both planes, in order."""
    return [
        {
            "name": f"{step.plane}_{step.number:04}_{step.name}",
            "title": step.name.replace("_", " ").capitalize(),
            "plane": step.plane,
            "number": step.number,
            "doc": step.reason,
            "sql": step.sql,
            "source": {"file": str(_file(step)), "line": 1},
        }
        for plane in PLANES
        for step in shipped.migrations(plane)
    ]


def _both_planes() -> apsw.Connection:
    """A database in memory that the library's own code made, with the state plane attached as in a search."""
    tokenizer = installed().profiles[DEFAULT_PROFILE].tokenizer
    state = apsw.Connection(":memory:")
    migrate(state, "state", application_id=APPLICATION_ID, holes={})
    index = apsw.Connection(":memory:")
    migrate(index, "index", application_id=APPLICATION_ID, holes={"tokenizer": tokenizer})
    index.execute("ATTACH ':memory:' AS state").fetchall()
    index.deserialize("state", state.serialize("main"))
    state.close()
    return index


def _written(plane: str) -> Iterator[tuple[str, Described, str]]:
    """The tables that the plane's migrations make: name, where it is written, and the text that makes it."""
    texts = [(step.sql, Path(str(_file(step)))) for step in shipped.migrations(plane)]
    for text, file in [*texts, (LEDGER, Path(inspect.getfile(shipped)))]:
        for found in _CREATED.finditer(text):
            whole = file.read_text(encoding="utf-8")
            yield found[1], {"file": str(file), "line": whole.count("\n", 0, whole.index(found[0])) + 1}, text


def _file(step: Migration) -> Traversable:
    return resources.files(shipped) / step.plane / f"{step.number:04}_{step.name}.sql"


def _above(text: str, table: str) -> str:
    """The comment above a table."""
    at = next(found.start() for found in _CREATED.finditer(text) if found[1] == table)
    comment = _COMMENT.search(text, 0, at)
    return re.sub(r"^-- ?", "", comment.group().strip(), flags=re.M) if comment else ""


def _table(connection: apsw.Connection, plane: str, name: str) -> Described:
    schema = PLANES[plane]

    def ask(pragma: str, of: str = name) -> list[Described]:
        return _asked(connection, f"PRAGMA {schema}.{pragma}({of})")

    def kept(condition: str, value: str) -> list[Described]:
        return _asked(
            connection, f"SELECT name, sql FROM {schema}.sqlite_schema WHERE {condition} ORDER BY name", value
        )

    (about,) = ask("table_list")
    sql = kept("name = ?", name)[0]["sql"]
    content = _CONTENT.search(sql)
    # A full-text index has the columns of the table that it reads.
    commented = kept("name = ?", content[1])[0]["sql"] if content else sql
    meanings = dict(_COLUMN_COMMENT.findall(commented))
    return {
        "name": name if schema == "main" else f"{schema}.{name}",
        "plane": {
            "name": plane,
            "application_id": _one(connection, f"PRAGMA {schema}.application_id"),
            "user_version": _one(connection, f"PRAGMA {schema}.user_version"),
        },
        "sql": sql,
        "virtual": about["type"] == "virtual",
        "strict": bool(about["strict"]),
        "without_rowid": bool(about["wr"]),
        "columns": [
            {
                "name": column["name"],
                "type": column["type"],
                "not_null": bool(column["notnull"] or (about["wr"] and column["pk"])),
                "default": column["dflt_value"],
                "key": column["pk"],
                "generated": _GENERATED.get(column["hidden"], ""),
                "doc": meanings.get(column["name"], ""),
            }
            for column in ask("table_xinfo")
            if column["hidden"] != 1  # those of a virtual table that no one states
        ],
        "foreign_keys": [
            {"column": key["from"], "table": key["table"], "to": key["to"], "on_delete": key["on_delete"].lower()}
            for key in sorted(ask("foreign_key_list"), key=lambda key: (-int(key["id"]), int(key["seq"])))
        ],
        "indexes": [
            {
                "name": index["name"],
                "unique": bool(index["unique"]),
                "made_by": _MADE_BY[index["origin"]],
                "columns": [
                    (column["name"] or "expression") + (" DESC" if column["desc"] else "")
                    for column in ask("index_xinfo", index["name"])
                    if column["key"]
                ],
                "sql": kept("name = ?", index["name"])[0]["sql"] if index["origin"] == "c" else "",
            }
            for index in sorted(ask("index_list"), key=lambda index: str(index["name"]))
        ],
        "triggers": kept("type = 'trigger' AND tbl_name = ?", name),
        "shadows": [row["name"] for row in kept("type = 'table' AND name GLOB ? || '_*'", name)]
        if about["type"] == "virtual"
        else [],
    }


def _readers(connection: apsw.Connection) -> list[tuple[str, str, str, str, str]]:
    """Who reads what: kind and name of the reader, then database, table and column."""
    registries = installed()
    version, _ = load_vec(connection)
    if version is None:  # preparing a statement asks for the function's name alone
        connection.create_scalar_function("vec_distance_cosine", lambda *_: 0.0, 2)
    weights = registries.profiles[DEFAULT_PROFILE].column_weights
    holes = {constant.name: repr(constant.value) for constant in registries.constants} | {
        "scope": DEFAULT_SCOPE,
        "candidates": "(SELECT 0 AS document_id)",
        "column_weights": ", ".join(map(repr, weights)),
    }
    statements = [
        ("arms", arm.name, fill(sql, holes | {"exclusions": " AND ".join(arm.exclusions) or "true"}))
        for arm in registries.arms
        for sql in (arm.sql, arm.fast_sql)
        if sql
    ]
    statements += [
        ("scopes", axis.name, f"SELECT d.id FROM document AS d WHERE {sql}")
        for axis in registries.scopes
        for sql in (axis.sql, axis.default_sql)
        if sql
    ]
    found = [
        (kind, name, *read)
        for kind, name, sql in statements
        for read in _reads(connection, sql)
        if kind != "scopes" or read[2] != "id"  # that one the statement asks, not the axis
    ]
    return list(dict.fromkeys(found))


def _reads(connection: apsw.Connection, sql: str) -> list[tuple[str, str, str]]:
    """Database, table and column of everything that a statement reads."""
    found: list[tuple[str, str, str]] = []

    def note(operation: int, table: Any, column: Any, database: Any, _: Any) -> int:
        if operation == apsw.SQLITE_READ and database:
            found.append((database, table, column))
        return apsw.SQLITE_OK

    connection.authorizer = note
    try:
        connection.execute(f"EXPLAIN {sql}", Statement(sql, ()).bind({})).fetchall()
    finally:
        connection.authorizer = None
    return found


def _asked(connection: apsw.Connection, sql: str, *values: str) -> list[Described]:
    """The rows of a statement, each by the names of its columns."""
    cursor = connection.cursor()
    cursor.row_trace = lambda cursor, row: dict(zip((name for name, *_ in cursor.get_description()), row, strict=True))
    return list(cursor.execute(sql, values))


def _one(connection: apsw.Connection, sql: str) -> Any:
    """The one value that a statement gives."""
    return connection.execute(sql).fetchall()[0][0]

"""The description of the database is what a real index has, and every part of it says what it is."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import apsw
import pytest

import rankfold
from loaders.rendered_pages import cells, html, maker
from rankfold.fields import FIELDS
from rankfold.retrieval.registry import built_in
from rankfold.storage import migrations as shipped
from rankfold.storage.connection import open_state
from rankfold.storage.header import APPLICATION_ID
from rankfold_loaders.database import migrations, tables
from rankfold_loaders.database_pages import pages, undocumented
from rankfold_loaders.faults import SiteError
from rankfold_loaders.own_reference import OWN
from rankfold_loaders.registries import Column, RegistryPage

DESCRIBED = tables()
BY_NAME = {table["name"]: table for table in DESCRIBED}
ROWS = (
    OWN.row("tables"),
    *(
        RegistryPage(
            kind=kind,
            word=kind[:-1],
            title=kind,
            description="What is linked to.",
            records="nothing:here",
            uri=f"reference/{kind}.md",
            columns=(Column("Name", "name", "name"),),
        )
        for kind in ("arms", "scopes", "fields")
    ),
)
RECORDS = {
    "tables": DESCRIBED,
    "fields": [{"name": field.name, "column": field.column, "doc": field.doc} for field in FIELDS],
}


@pytest.fixture
def connection(tmp_path: Path) -> apsw.Connection:
    """An index that was really made, with its state plane attached."""
    with rankfold.open(tmp_path / "index.db", embedder=None) as notes:
        notes.index([{"id": "a", "text": "one writer", "tags": ["x"]}])
    open_state(tmp_path / "index.db").close()
    made = apsw.Connection(str(tmp_path / "index.db"))
    made.execute("ATTACH ? AS state", (str(tmp_path / "index.state.db"),)).fetchall()
    return made


def with_comment(name: str, column: int, doc: str) -> list[dict[str, Any]]:
    """The tables, one column of which says something else."""
    changed = copy.deepcopy(DESCRIBED)
    next(table for table in changed if table["name"] == name)["columns"][column]["doc"] = doc
    return changed


def test_the_tables_are_those_of_a_real_index(connection: apsw.Connection) -> None:
    found = connection.execute("SELECT schema, name, type, wr, strict FROM pragma_table_list").fetchall()
    real = {
        (name if schema == "main" else f"{schema}.{name}"): (kind == "virtual", bool(without), bool(strict))
        for schema, name, kind, without, strict in found
        if kind != "shadow" and not name.startswith("sqlite_")
    }
    described = {name: (table["virtual"], table["without_rowid"], table["strict"]) for name, table in BY_NAME.items()}
    assert described == real
    shadows = {name for _, name, kind, *_ in found if kind == "shadow"}
    assert {name for table in DESCRIBED for name in table["shadows"]} == shadows


def test_columns_indexes_triggers_and_keys_are_those_of_a_real_index(connection: apsw.Connection) -> None:
    for name, table in BY_NAME.items():
        schema, _, own = f"main.{name}".rpartition("main.")[2].rpartition(".")
        schema = schema or "main"
        rows = connection.execute(f"PRAGMA {schema}.table_xinfo({own})").fetchall()
        assert [(c["name"], c["type"], c["default"], c["key"]) for c in table["columns"]] == [
            (column, kind, default, key) for _, column, kind, _, default, key, hidden in rows if hidden != 1
        ], name
        kept = connection.execute(
            f"SELECT type, name, sql FROM {schema}.sqlite_schema WHERE tbl_name = ? AND type <> 'table' AND sql <> ''",
            (own,),
        ).fetchall()
        described = [("index", item["name"], item["sql"]) for item in table["indexes"] if item["sql"]]
        described += [("trigger", item["name"], item["sql"]) for item in table["triggers"]]
        assert sorted(described) == sorted(kept), name
        keys = connection.execute(f'SELECT "from", "table", "to" FROM pragma_foreign_key_list(\'{own}\', ?)', (schema,))
        assert {(key["column"], key["table"], key["to"]) for key in table["foreign_keys"]} == set(keys), name


def test_a_plane_states_whose_it_is_and_how_old(connection: apsw.Connection) -> None:
    for name, schema in (("document", "main"), ("state.access", "state")):
        plane = BY_NAME[name]["plane"]
        assert plane["application_id"] == APPLICATION_ID
        assert plane["user_version"] == connection.execute(f"PRAGMA {schema}.user_version").fetchall()[0][0]


def test_generated_columns_and_the_order_of_an_index_are_told() -> None:
    columns = {column["name"]: column for column in BY_NAME["document"]["columns"]}
    assert columns["dated_at"]["generated"] == "virtual"
    assert {c["name"]: c for c in BY_NAME["state.access"]["columns"]}["popularity"]["generated"] == "stored"
    index = next(item for item in BY_NAME["document"]["indexes"] if item["name"] == "document_dated")
    assert index["columns"] == ["dated_at DESC", "file", "ordinal"]


def test_every_column_that_a_field_is_kept_in_exists() -> None:
    columns = {f"{table['name']}.{column['name']}" for table in DESCRIBED for column in table["columns"]}
    assert {field.column for field in FIELDS} <= columns


def test_every_table_that_an_arm_names_is_one_that_it_reads() -> None:
    for arm in built_in().arms:
        named = set(re.findall(r"(?:FROM|JOIN)\s+((?:state\.)?\w+)", arm.sql + arm.fast_sql)) & BY_NAME.keys()
        reading = {name for name, table in BY_NAME.items() if arm.name in table["arms"]}
        assert named <= reading, arm.name
        assert reading - named <= {"live"}, arm.name  # which fills the hole of the scope
    reading = {(column["name"], by) for column in BY_NAME["document"]["columns"] for by in column["scopes"]}
    assert {("type", "type"), ("archived", "archived"), ("updated_at", "since")} <= reading
    assert ("title", "type") not in reading


def test_every_migration_is_shown_as_it_is_shipped() -> None:
    described = migrations()
    assert [(step["plane"], step["number"]) for step in described] == [
        (plane, step.number) for plane in ("index", "state") for step in shipped.migrations(plane)
    ]
    for step in described:
        assert Path(step["source"]["file"]).read_text(encoding="utf-8") == step["sql"]
        assert step["doc"]
        assert "CREATE" not in step["doc"]


def test_a_table_is_found_at_its_line() -> None:
    for name, table in BY_NAME.items():
        lines = Path(table["source"]["file"]).read_text(encoding="utf-8").splitlines()
        assert re.match(rf"CREATE .*\b{name.rpartition('.')[2]}\b", lines[table["source"]["line"] - 1]), name


def test_every_table_and_column_says_what_it_is() -> None:
    assert list(undocumented(maker("tables", ROWS, RECORDS).entries)) == []


def test_a_column_without_a_comment_stops_the_page() -> None:
    silent = maker("tables", ROWS, RECORDS | {"tables": with_comment("document", 1, "")})
    with pytest.raises(SiteError, match=r"document\.path has no comment"):
        pages(silent)
    nameless = copy.deepcopy(DESCRIBED)
    nameless[0]["doc"] = ""
    assert [fault.message for fault in undocumented(maker("tables", ROWS, {"tables": nameless}).entries)] == [
        f"the table {nameless[0]['name']} has no comment above it"
    ]


def test_the_page_has_a_section_for_each_table_with_its_columns_links_and_sql() -> None:
    (page,) = pages(maker("tables", ROWS, RECORDS))
    shown = html(page)
    for table in DESCRIBED:
        heading = shown.find(id=f"table-{table['name'].replace('.', '-2e-')}")
        assert heading is not None, table["name"]
        assert table["name"] in heading.get_text()
        names = [row[0] for row in cells(shown, f"columns-{table['name']}")]
        assert names == [column["name"] for column in table["columns"]]
        assert table["sql"] in shown.get_text()
    links = {link["href"] for link in shown.select('[data-registry="columns-document"] a')}
    assert {"fields.md#field-type", "arms.md#arm-salience", "scopes.md#scope-since"} <= links
    assert f"0x{APPLICATION_ID:08X} (RKFD)" in shown.get_text()
    assert "on delete cascade" in shown.get_text()


def test_a_hostile_comment_is_shown_literally() -> None:
    hostile = "a | b <script>alert(1)</script> {{ x }} `c` _d_ [e][f]"
    (page,) = pages(maker("tables", ROWS, RECORDS | {"tables": with_comment("live", 0, hostile)}))
    shown = html(page)
    assert shown.find("script") is None
    (row,) = cells(shown, "columns-live")
    assert hostile.replace("`", "") in row

"""The page of the database: both planes, every table with its columns, and who reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders.agreement import Entry
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.page_model import Page, Section, Table
from rankfold_loaders.pages import NO, NOTHING, YES, Maker


def pages(maker: Maker) -> list[Page]:
    """The page of all tables.

    Raises:
        SiteError: a table or a column says nothing about itself.
    """
    faults = list(undocumented(maker.entries))
    if faults:
        raise SiteError(faults)
    fields = _fields_by_column(maker)
    known = {entry.name for entry in maker.entries}
    listed = [_Listed(maker, entry, f"3.{n}", fields, known) for n, entry in enumerate(maker.entries, start=1)]
    return [maker.page(planes=_planes(maker), tables=[item.shown() for item in listed])]


def undocumented(entries: Iterable[Entry]) -> Iterator[Fault]:
    """Tables and columns without a comment in the migration that makes them."""
    for entry in entries:
        if not entry.value("doc"):
            yield Fault(entry.source.place, f"the table {entry.name} has no comment above it")
        for column in entry.value("columns"):
            if not column["doc"]:
                yield Fault(entry.source.place, f"the column {entry.name}.{column['name']} has no comment on its line")


def _planes(maker: Maker) -> Table:
    planes = {entry.value("plane.name"): entry for entry in reversed(maker.entries)}
    rows = []
    for name, entry in reversed(planes.items()):
        number = int(entry.value("plane.application_id"))
        spelled = number.to_bytes(4, "big").decode("latin-1")
        tables = sum(other.value("plane.name") == name for other in maker.entries)
        version = str(entry.value("plane.user_version"))
        rows.append((md.escape(name), str(tables), f"{md.code(f'0x{number:08X}')} ({md.code(spelled)})", version))
    headings = ("Plane", "Tables", "`application_id`", "`user_version`")
    return Table("Planes", "planes", headings, tuple(rows), frozenset({1, 3}))


def _fields_by_column(maker: Maker) -> dict[str, list[str]]:
    """Names of the document fields that each column holds."""
    found: dict[str, list[str]] = {}
    for entry in maker.joined.entries.get("fields", ()):
        found.setdefault(entry.value("column"), []).append(entry.name)
    return found


class _Listed:
    """One table's section."""

    def __init__(
        self, maker: Maker, entry: Entry, number: str, fields: Mapping[str, list[str]], known: set[str]
    ) -> None:
        self.maker = maker
        self.entry = entry
        self.number = number
        self.fields = fields
        self.known = known

    def shown(self) -> dict[str, Any]:
        """The section's values for the template."""
        section = self.maker.section(self.entry, self.number)
        described = Section(
            section.number, section.heading, section.anchor, section.doc, (*self._details(), *section.details)
        )
        return {"section": described, "columns": self._columns(), "indexes": self._indexes(), "sql": self._sql()}

    def _link(self, table: str) -> str:
        schema = self.entry.name.rpartition(".")[0]
        name = f"{schema}.{table}" if schema else table
        return self.maker.link(self.maker.row.kind, name) if name in self.known else md.code(name)

    def _details(self) -> Iterator[tuple[str, str]]:
        value = self.entry.value
        kinds = [
            word
            for word, holds in (
                ("virtual table", value("virtual")),
                ("`STRICT`", value("strict")),
                ("`WITHOUT ROWID`", value("without_rowid")),
            )
            if holds
        ]
        if kinds:
            yield "Kind", ", ".join(kinds)
        key = [column["name"] for column in sorted(value("columns"), key=lambda one: one["key"]) if column["key"]]
        if key:
            yield "Primary key", ", ".join(map(md.code, key))
        for foreign in value("foreign_keys"):
            target = f"{self._link(foreign['table'])}, column {md.code(foreign['to'] or 'rowid')}"
            after = "" if foreign["on_delete"] == "no action" else f"; on delete {md.code(foreign['on_delete'])}"
            yield f"{md.code(foreign['column'])} refers to", target + after
        pointing = [
            self.maker.link(self.maker.row.kind, other.name)
            for other in self.maker.entries
            for foreign in other.value("foreign_keys")
            if other.value("plane.name") == value("plane.name") and foreign["table"] == self.entry.name
        ]
        if pointing:
            yield "Referred to by", ", ".join(dict.fromkeys(pointing))
        if value("arms"):
            yield "Read by arms", ", ".join(self.maker.link("arms", name) for name in value("arms"))
        if value("shadows"):
            yield "Kept by SQLite in", ", ".join(map(md.code, value("shadows")))

    def _columns(self) -> Table:
        rows = []
        for column in self.entry.value("columns"):
            held = [
                self.maker.link("fields", name) for name in self.fields.get(f"{self.entry.name}.{column['name']}", ())
            ]
            means = self.maker.doc(column["doc"], column["name"])
            if column["generated"]:
                means += f" Computed, {column['generated']}."
            readers = [self.maker.link(kind, name) for kind in ("arms", "scopes") for name in column[kind]]
            rows.append(
                (
                    md.code(column["name"]),
                    md.code(column["type"]) if column["type"] else NOTHING,
                    YES if column["not_null"] else NO,
                    md.code(column["default"]) if column["default"] is not None else NOTHING,
                    means,
                    ", ".join(held) or NOTHING,
                    ", ".join(readers) or NOTHING,
                )
            )
        headings = ("Column", "Type", "Never null", "Default", "What it holds", "Field", "Read by")
        return _without_empty(
            Table(f"Columns of {self.entry.name}", f"columns-{self.entry.name}", headings, tuple(rows))
        )

    def _indexes(self) -> Table | None:
        rows = tuple(
            (
                md.code(index["name"]),
                ", ".join(map(md.code, index["columns"])),
                YES if index["unique"] else NO,
                md.code(index["made_by"]),
            )
            for index in self.entry.value("indexes")
        )
        headings = ("Index", "Columns", "Unique", "Made by")
        return Table(f"Indexes of {self.entry.name}", f"indexes-{self.entry.name}", headings, rows) if rows else None

    def _sql(self) -> str:
        made = [self.entry.value("sql")]
        made += [item["sql"] for item in (*self.entry.value("indexes"), *self.entry.value("triggers")) if item["sql"]]
        return ";\n".join(made) + ";"


def _without_empty(table: Table) -> Table:
    """A table without the columns that say nothing in any row."""
    kept = [n for n in range(len(table.headings)) if any(row[n] not in (NOTHING, NO) for row in table.rows)]
    return Table(
        table.label,
        table.registry,
        tuple(table.headings[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in table.rows),
    )

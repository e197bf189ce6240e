"""Records become page models: tables, sections and links, as values. Nothing here knows of templates or MkDocs.

Every cell and every paragraph of a model is Markdown that shows its text literally (`markdown_text`); every count is a
length; every link is made from registered names. What only the pages of one registry show is made elsewhere, by the
function that its row names.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from rankfold_loaders import markdown_text as md
from rankfold_loaders.addresses import anchor, href, page_of, relative
from rankfold_loaders.agreement import Entry, Joined
from rankfold_loaders.faults import Fault, SiteError, error
from rankfold_loaders.page_model import Origin, Page, Section, Table
from rankfold_loaders.registries import Column, RegistryPage

NOTHING = "—"
"""What an empty cell shows."""
YES, NO = "**yes**", "no"
OFF = "off"
"""What a weight of 0 shows."""


def pages(joined: Joined, field_docs: Mapping[str, Mapping[str, str]]) -> list[Page]:
    """Every generated page, in the order of the navigation.

    Args:
        joined: the registries.
        field_docs: per record class, what it says about each field.
    """
    made = [_overview(joined)]
    for row in joined.reference.registries:
        maker = Maker(joined, row, row.uri, field_docs.get(row.record, {}))
        found = _own_pages(row)(maker) if row.pages else maker.pages()
        made += [replace(page, kind=row.kind, repetitive=page.repetitive or row.repetitive) for page in found]
    counts = Counter(page.uri for page in made)
    faults = [
        Fault(uri, f"is the address of {count} pages; give records other names")
        for uri, count in counts.items()
        if count > 1
    ]
    if faults:
        raise SiteError(faults)
    return made


def _own_pages(row: RegistryPage) -> Callable[[Maker], list[Page]]:
    module, _, name = row.pages.partition(":")
    if not module.startswith("rankfold_loaders."):
        sys.modules.pop(module, None)  # a server shows it as it is now
    try:
        return cast("Callable[[Maker], list[Page]]", getattr(importlib.import_module(module), name))
    except (ImportError, AttributeError) as problem:
        said = f"rankfold.registries[{row.kind}].pages is {row.pages!r}: {problem}"
        raise error("mkdocs.yml", said) from problem


def _overview(joined: Joined) -> Page:
    here = joined.reference.overview
    rows = [
        (
            f"[{md.escape(row.title)}]({relative(here, row.uri)})",
            str(len(joined.entries[row.kind])),
            md.escape(row.description),
        )
        for row in joined.reference.registries
    ]
    headings = ("Registry", "Records", "What it holds")
    return Page(
        here,
        joined.reference.title,
        joined.reference.description,
        "overview.md.jinja",
        {
            "table": Table("Registries", "overview", headings, tuple(rows), frozenset({1})),
            "total": sum(len(entries) for entries in joined.entries.values()),
        },
    )


@dataclass(frozen=True)
class Maker:
    """Makes the pages of one registry."""

    joined: Joined
    row: RegistryPage
    here: str
    """The page that links are relative to."""
    field_docs: Mapping[str, str]

    @property
    def entries(self) -> Sequence[Entry]:
        """The records of this registry."""
        return self.joined.entries[self.row.kind]

    def at(self, here: str) -> Maker:
        """The same for another page."""
        return replace(self, here=here)

    def pages(self) -> list[Page]:
        """The registry's page, and a page for each record where the row asks for them."""
        return [self.page(), *(self.record_page(entry) for entry in self.entries if self.row.each)]

    def page(self, **more: Any) -> Page:
        """The registry's page.

        Args:
            more: what its template shows beyond the records.
        """
        sections = [self.section(entry, f"2.{n}") for n, entry in enumerate(self.entries, start=1)]
        context = {
            "count": len(self.entries),
            "lead": self.row.lead.replace("{count}", str(len(self.entries))),
            "word": self.row.word,
            "kind": self.row.kind,
            "title": self.row.title,
            "table": self.table(),
            "sections": [] if self.row.each else sections,
            "meanings": self.meanings(),
        }
        files = {entry.source.file for entry in self.entries if entry.source.file}
        return Page(
            self.here,
            self.row.title,
            self.row.description,
            self.row.template,
            context | more,
            self.origins(self.entries),
            edit=files.pop() if len(files) == 1 else "",
        )

    def record_page(self, entry: Entry, **more: Any) -> Page:
        """A record's own page.

        Args:
            entry: the record.
            more: what its template shows beyond the record.
        """
        own = self.at(page_of(self.row, entry.name))
        title = str(entry.values.get("title") or entry.name)
        return Page(
            own.here,
            title,
            _plain_sentence(entry.value("doc")) or f"The {self.row.word} {entry.name}.",
            self.row.each_template,
            {"section": own.section(entry), "word": self.row.word, "meanings": own.meanings(), **more},
            own.origins([entry]),
            edit=entry.source.file,
        )

    def origins(self, entries: Iterable[Entry]) -> tuple[Origin, ...]:
        """Where records come from, for the page's provenance."""
        return tuple(Origin(entry.name, entry.source, tuple(entry.expressions)) for entry in entries)

    def table(self) -> Table:
        """The registry's table, by the columns of its row."""
        return Table(
            self.row.title,
            self.row.kind,
            tuple(md.escape(column.heading) for column in self.row.columns),
            tuple(tuple(self.cell(entry, column) for column in self.row.columns) for entry in self.entries),
            frozenset(n for n, column in enumerate(self.row.columns) if column.show == "number"),
        )

    def cell(self, entry: Entry, column: Column) -> str:
        """What a column shows of a record.

        Raises:
            SiteError: the record has no such field.
        """
        if column.show == "name":
            return f"[{md.code(entry.name)}]({href(self.here, self.row, entry.name)})"
        try:
            value = entry.value(column.field)
        except (KeyError, TypeError) as problem:
            place = f"{self.row.kind}: the column {column.heading!r}"
            raise error("mkdocs.yml", f"{place} shows {column.field!r}, which {entry.name} does not have") from problem
        if column.show == "flag":
            return YES if value else NO
        if column.show == "link":
            names = value if isinstance(value, list) else [value] if value else []
            return ", ".join(self.link(column.to, name) for name in names) or "none"
        if value in ("", [], None):
            return NOTHING
        if column.show == "number":
            shown = ", ".join(repr(item) for item in value) if isinstance(value, list) else entry.text(column.field)
            return md.escape(shown)
        if column.show in ("code", "option"):
            return ", ".join(md.code(str(item)) for item in (value if isinstance(value, list) else [value]))
        if column.show == "prose":
            return re.sub(r"\s+", " ", self.doc(value, entry.name))
        return md.escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))

    def link(self, kind: str, name: str) -> str:
        """A record's name, linked to where it is explained; as it is where nothing of that kind is documented."""
        if not self.joined.reference.has(kind):
            return md.code(name)
        return f"[{md.code(name)}]({href(self.here, self.joined.reference.row(kind), name)})"

    @cached_property
    def _kind_of(self) -> Mapping[str, str]:
        """The kind of each record of a class whose name means only that one."""
        linked = {kind for kind in self.joined.entries if self.joined.reference.row(kind).record}
        kinds = [(entry.name, kind) for kind in linked for entry in self.joined.entries[kind]]
        names = Counter(name for name, _ in kinds)
        return {name: kind for name, kind in kinds if names[name] == 1}

    def doc(self, text: str, own: str = "") -> str:
        """A record's documentation, with the names of other records linked where a name means only one."""
        pieces = list(md.split_code(md.prose(text), indented=True))

        def shown(n: int, piece: str) -> str:
            name = piece.strip("`")
            # Code that is already the text of a link stays as it is.
            is_name = piece == f"`{name}`" and name in self._kind_of and name != own
            return self.link(self._kind_of[name], name) if is_name and not _follows_bracket(pieces, n) else piece

        return "".join(shown(n, piece) if is_code else piece for n, (piece, is_code) in enumerate(pieces))

    def section(self, entry: Entry, number: str = "") -> Section:
        """A record's own section."""
        title = str(entry.values.get("title") or "")
        heading = f"{md.escape(title)} {md.code(entry.name)}" if title else md.code(entry.name)
        shown = [column for column in self.row.details if column.show != "sql"]
        details = tuple((md.escape(column.heading), self.cell(entry, column)) for column in shown)
        if not entry.source.file:
            details = (*details, ("Added by", md.escape(entry.source.place)))
        sql = tuple(
            (column.heading, str(entry.value(column.field)).strip("\n"))
            for column in self.row.details
            if column.show == "sql" and entry.value(column.field)
        )
        return Section(
            number,
            heading,
            anchor(self.row.word, entry.name),
            self.doc(entry.value("doc"), entry.name),
            details,
            sql,
        )

    def meanings(self) -> tuple[tuple[str, str], ...]:
        """What each column means, as the record class says it."""
        seen: dict[str, str] = {}
        for column in (*self.row.columns, *self.row.details):
            said = self.field_docs.get(column.field.split(".")[0], "")
            if said and "." not in column.field and column.show != "name":
                seen.setdefault(md.escape(column.heading), re.sub(r"\s+", " ", md.prose(said)))
        return tuple(seen.items())


def _plain_sentence(markdown: str) -> str:
    """The first sentence of a documentation without its markup, for the page's description."""
    text = re.sub(r"\]\([^()\s]*\)", "", re.sub(r"\s+", " ", markdown.strip().split("\n\n", 1)[0]))
    sentence = re.match(r".+?[.!?:](?=\s|$)", text)
    plain = re.sub(r"[`*\[\]]", "", sentence.group() if sentence else text).rstrip(":")
    return plain if plain.endswith((".", "!", "?")) else plain and f"{plain}."


def _follows_bracket(pieces: Sequence[tuple[str, bool]], at: int) -> bool:
    before = pieces[at - 1][0] if at else ""
    after = pieces[at + 1][0] if at + 1 < len(pieces) else ""
    opened = before.rfind("[") > before.rfind("]")
    return opened and "](" in after


def undocumented(joined: Joined, needed: Iterable[str] = ("doc", "since")) -> list[tuple[Entry, str]]:
    """Records that lack their documentation, each with the field that is empty."""
    wanted = list(needed)
    return [
        (entry, name)
        for entries in joined.entries.values()
        for entry in entries
        for name in [*wanted, *(key for key in ("title", "example", "heading") if key in entry.values)]
        if name in entry.values and not str(entry.values[name] or "").strip()
    ]

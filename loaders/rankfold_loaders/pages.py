"""Records become page models: tables, sections and links, as values. Nothing here knows of templates or MkDocs.

Every cell and every paragraph of a model is Markdown that shows its text literally (`markdown_text`); every count is a
length; every link is made from registered names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders import registries
from rankfold_loaders.addresses import anchor, href, page_of, relative
from rankfold_loaders.agreement import Entry, Joined
from rankfold_loaders.page_model import Origin, Page, Section, Table
from rankfold_loaders.registries import OVERVIEW_URI, TABLE, Column, RegistryPage

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
    for row in TABLE:
        if not row.template:
            continue
        maker = Maker(joined, row, row.uri, field_docs.get(row.record, {}))
        made.append(maker.page())
        if row.each:
            made += [_command(joined, row, entry) for entry in joined.entries[row.kind]]
    return made


def _overview(joined: Joined) -> Page:
    rows = []
    for row in TABLE:
        title = md.escape(row.title)
        target = relative(OVERVIEW_URI, row.uri) + ("" if row.template else f"#{row.kind}")
        count = len(joined.entries[row.kind])
        rows.append((f"[{title}]({target})", str(count), md.escape(row.description)))
    table = Table("Registries", "overview", ("Registry", "Records", "What it holds"), tuple(rows), frozenset({1}))
    return Page(
        OVERVIEW_URI,
        "Reference",
        "What rankfold is made of, read from its registries: arms, preconditions, profiles, scopes, fields, commands.",
        "overview.md.jinja",
        {"table": table, "total": sum(len(entries) for entries in joined.entries.values())},
    )


@dataclass(frozen=True)
class Maker:
    """Makes the page of one registry."""

    joined: Joined
    row: RegistryPage
    here: str
    """The page that links are relative to."""
    field_docs: Mapping[str, str]

    def page(self) -> Page:
        """The registry's page."""
        entries = self.joined.entries[self.row.kind]
        context: dict[str, Any] = {
            "count": len(entries),
            "lead": self.row.lead.format(count=len(entries)),
            "word": self.row.word,
            "kind": self.row.kind,
            "title": self.row.title,
            "table": self.table(),
            "sections": [self.section(f"2.{n}", entry) for n, entry in enumerate(entries, start=1)],
            "meanings": self.meanings(),
        }
        shown = list(entries)
        if self.row.kind == "arms":
            context |= self._arms()
            shown += self.joined.entries["slots"]
        elif self.row.kind == "profiles":
            context |= {"weights": self.weights()}
        modules = [entry.source.file for entry in entries if entry.source.file]
        return Page(
            self.here,
            self.row.title,
            self.row.description,
            self.row.template,
            context,
            tuple(Origin(entry.name, entry.source, tuple(entry.expressions)) for entry in shown),
            edit=Counter(modules).most_common(1)[0][0] if len(set(modules)) == 1 else "",
        )

    def table(self, row: RegistryPage | None = None) -> Table:
        """The registry's table, by the columns of its row."""
        row = row or self.row
        return Table(
            row.title,
            row.kind,
            tuple(md.escape(column.heading) for column in row.columns),
            tuple(
                tuple(self.cell(entry, column, row) for column in row.columns)
                for entry in self.joined.entries[row.kind]
            ),
            frozenset(n for n, column in enumerate(row.columns) if column.show == "number"),
        )

    def cell(self, entry: Entry, column: Column, row: RegistryPage | None = None) -> str:
        """What a column shows of a record."""
        value = entry.value(column.field)
        if column.show == "name":
            return f"[{md.code(entry.name)}]({href(self.here, row or self.row, entry.name)})"
        if column.show == "flag":
            return YES if value else NO
        if column.show == "number":
            return entry.text(column.field) if not isinstance(value, list) else ", ".join(repr(item) for item in value)
        if column.show == "link":
            names = value if isinstance(value, list) else [value] if value else []
            return ", ".join(self.link(column.to, name) for name in names) or "none"
        if value in ("", [], None):
            return NOTHING
        if column.show in ("code", "option"):
            return ", ".join(md.code(str(item)) for item in value) if isinstance(value, list) else md.code(str(value))
        if column.show == "prose":
            return re.sub(r"\s+", " ", self.doc(value, entry.name))
        return md.escape(str(value))

    def link(self, kind: str, name: str) -> str:
        """A record's name, linked to where it is explained."""
        return f"[{md.code(name)}]({href(self.here, registries.row(kind), name)})"

    def doc(self, text: str, own: str = "") -> str:
        """A record's documentation, with the names of other records linked where a name means only one."""
        names = Counter(entry.name for entries in self.joined.entries.values() for entry in entries)
        kinds = {entry.name: kind for kind, entries in self.joined.entries.items() for entry in entries}

        def linked(piece: str) -> str:
            name = piece.strip("`")
            known = piece == f"`{name}`" and names[name] == 1 and name != own and kinds[name] != "commands"
            return self.link(kinds[name], name) if known else piece

        pieces = list(md.split_code(md.prose(text), indented=True))
        return "".join(
            # Code that is already the text of a link stays as it is.
            linked(piece) if is_code and not _follows_bracket(pieces, n) else piece
            for n, (piece, is_code) in enumerate(pieces)
        )

    def section(self, number: str, entry: Entry) -> Section:
        """A record's own section."""
        title = str(entry.values.get("title") or "")
        heading = f"{md.escape(title)} {md.code(entry.name)}" if title else md.code(entry.name)
        details = tuple((md.escape(column.heading), self.cell(entry, column)) for column in self.row.details)
        sql = []
        if self.row.kind == "scopes":
            for caption, key in (("Predicate", "sql"), ("While it is not given", "default_sql")):
                if entry.value(key):
                    sql.append((caption, entry.value(key)))
        if self.row.kind == "profiles":
            weights = " · ".join(
                f"{self.link('arms', arm.name)} {self.weight_cell(entry.name, arm.name)}"
                for arm in self.joined.entries["arms"]
            )
            details = (("Weights", weights), *details)
            sql.append(("The whole statement, every arm active", self.joined.live["statements"][entry.name]))
        if not entry.source.file:
            details = (*details, ("Added by", md.escape(entry.source.place)))
        return Section(
            number,
            heading,
            anchor(self.row.word, entry.name),
            self.doc(entry.value("doc"), entry.name),
            details,
            tuple(sql),
        )

    def meanings(self) -> tuple[tuple[str, str], ...]:
        """What each column means, as the record class says it."""
        seen: dict[str, str] = {}
        for column in (*self.row.columns, *self.row.details):
            said = self.field_docs.get(column.field.split(".")[0], "")
            if said and "." not in column.field and column.show != "name":
                seen.setdefault(md.escape(column.heading), re.sub(r"\s+", " ", md.prose(said)))
        return tuple(seen.items())

    def weight_cell(self, profile: str, arm: str) -> str:
        """An arm's weight in a profile, or that it is off."""
        value, text = self.joined.weight(profile, arm)
        return text if value else OFF

    def weights(self) -> Table:
        """The table of weights: a row per arm, a column per precondition and per profile."""
        preconditions = self.joined.entries["preconditions"]
        profiles = self.joined.entries["profiles"]
        headings = [
            "Arm",
            "Default weight",
            *(f"Profile {self.link('profiles', entry.name)}" for entry in profiles),
            *(
                f"[{md.escape(entry.value('heading'))}]({href(self.here, registries.row('preconditions'), entry.name)})"
                for entry in preconditions
            ),
        ]
        rows = []
        for arm in self.joined.entries["arms"]:
            needs = set(arm.value("preconditions"))
            rows.append(
                (
                    self.link("arms", arm.name),
                    arm.text("weight"),
                    *(self.weight_cell(profile.name, arm.name) for profile in profiles),
                    *(YES if precondition.name in needs else NO for precondition in preconditions),
                )
            )
        return Table(
            "Weights and preconditions of the arms",
            "weights",
            tuple(headings),
            tuple(rows),
            frozenset(range(1, 2 + len(profiles))),
        )

    def _arms(self) -> dict[str, Any]:
        arms = self.joined.entries["arms"]
        live = self.joined.live
        default = live["default_profile"]
        constant = int(self.joined.entry("profiles", default).value("rank_constant"))
        sections = []
        for n, arm in enumerate(arms, start=1):
            section = self.section(f"5.{n}", arm)
            filled = live["arm_sql"][arm.name]
            sql = [("As written", arm.value("sql").strip("\n"))]
            if arm.value("fast_sql"):
                sql.append(("Fast form, for the default scope", arm.value("fast_sql").strip("\n")))
            sql.append((f"As profile {filled['profile']} runs it", filled["filled"]))
            sections.append(replace(section, sql=tuple(sql)))
        statement = live["statements"][default]
        at = statement.rfind("\nranking(") + 1
        return {
            "sections": sections,
            "weights": self.weights(),
            "slots": self._slots(),
            "query_arms": [self.link("arms", arm.name) for arm in arms if arm.value("reads") == "query"],
            "other_arms": [self.link("arms", arm.name) for arm in arms if arm.value("reads") != "query"],
            "preconditions": len(self.joined.entries["preconditions"]),
            "profiles": len(self.joined.entries["profiles"]),
            "default_profile": self.link("profiles", default),
            "rank_constant": constant,
            "rank_constant_link": self.link("constants", "rank_constant"),
            "first": f"{1 / (constant + 1):.4f}",
            "second": f"{1 / (constant + 2):.4f}",
            "fold": statement[at:],
        }

    def _slots(self) -> Table:
        row = registries.row("slots")
        plain = self.table(row)
        arms = self.joined.entries["arms"]
        scopes = self.joined.entries["scopes"]
        rows = []
        for entry, cells in zip(self.joined.entries["slots"], plain.rows, strict=True):
            number = int(entry.value("number"))
            used = [self.link("arms", arm.name) for arm in arms if number in slots_of(arm.value("sql"))]
            used += [self.link("scopes", axis.name) for axis in scopes if number in slots_of(axis.value("sql"))]
            if entry.name == "limit":
                used.append("the fold")
            name = f'<code id="{anchor("slot", entry.name)}">{md.escape(entry.name)}</code>'
            rows.append((md.code(f"?{number}"), name, *cells[2:], ", ".join(used) or NOTHING))
        return Table("Slots of the statement", "slots", (*plain.headings, "Used by"), tuple(rows))


def slots_of(sql: str) -> set[int]:
    """The numbers of the slots that a text uses."""
    return {int(number) for number in re.findall(r"\?(\d+)", sql)}


def _follows_bracket(pieces: Sequence[tuple[str, bool]], at: int) -> bool:
    before = pieces[at - 1][0] if at else ""
    after = pieces[at + 1][0] if at + 1 < len(pieces) else ""
    opened = before.rfind("[") > before.rfind("]")
    return opened and "](" in after


def _command(joined: Joined, row: RegistryPage, entry: Entry) -> Page:
    here = page_of(row, entry.name)
    maker = Maker(joined, row, here, {})
    parameters = entry.value("parameters")
    arguments = [parameter for parameter in parameters if parameter["kind"] == "argument"]
    options = [parameter for parameter in parameters if parameter["kind"] == "option"]
    explained = _explained_flags(maker)
    return Page(
        here,
        entry.value("title"),
        re.sub(r"\s+", " ", entry.value("short_help")) or f"The command {entry.value('title')}.",
        row.each_template,
        {
            "title": md.escape(entry.value("title")),
            "usage": entry.value("usage"),
            "doc": maker.doc(entry.value("doc"), entry.name),
            "deprecated": entry.value("deprecated"),
            "arguments": Table(
                "Arguments",
                "arguments",
                ("Argument", "What it is", "Required", "Repeatable"),
                tuple(
                    (
                        ", ".join(md.code(name) for name in argument["names"]),
                        _type(argument),
                        YES if argument["required"] else NO,
                        YES if argument["repeatable"] else NO,
                    )
                    for argument in arguments
                ),
            ),
            "options": Table(
                "Options",
                "options",
                ("Option", "What it does", "Value", "Default", "Repeatable"),
                tuple(_option(option, explained) for option in options),
            ),
        },
        (Origin(entry.name, entry.source),),
        edit=entry.source.file,
    )


def _explained_flags(maker: Maker) -> dict[str, str]:
    found = {}
    for kind in ("constants", "scopes"):
        for entry in maker.joined.entries[kind]:
            if entry.value("flag"):
                found[entry.value("flag")] = maker.link(kind, entry.name)
    return found


def _option(option: Mapping[str, Any], explained: Mapping[str, str]) -> tuple[str, ...]:
    names = ", ".join(md.code(name) for name in option["names"])
    said = re.sub(r"\s+", " ", md.prose(option["help"])) or NOTHING
    see = next((explained[name] for name in option["names"] if name in explained), "")
    notes = [said, f"See {see}." if see else ""]
    if option["required"]:
        notes.insert(0, "Required.")
    if option["environment"]:
        notes.append(f"Environment: {md.code(option['environment'])}.")
    return (
        names,
        " ".join(filter(None, notes)),
        _type(option),
        md.code(option["default"]) if option["default"] else NOTHING,
        YES if option["repeatable"] else NO,
    )


def _type(parameter: Mapping[str, Any]) -> str:
    if parameter["choices"]:
        return ", ".join(md.code(choice) for choice in parameter["choices"])
    limits = [(word, parameter[key]) for word, key in (("from", "minimum"), ("to", "maximum"))]
    bounds = " ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    kind = str(parameter["type"]).removesuffix(" range")
    shown = md.escape(kind)
    if parameter["value"] and parameter["value"].lower() not in (kind, str(parameter["type"])):
        shown = md.code(parameter["value"])
    return f"{shown} {bounds}".strip()


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

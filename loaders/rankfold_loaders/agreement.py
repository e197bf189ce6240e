"""The two sides put together, and the one rule between them.

A literal in the source must equal the live value, else the site would show one and the database run the other. An
expression is shown by its live value. A record that has no assignment of its own in the source was registered at run
time, by another package or by code, and is shown as such.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankfold_loaders.addresses import page_of
from rankfold_loaders.faults import Fault
from rankfold_loaders.live import Live
from rankfold_loaders.project import Project
from rankfold_loaders.registries import Reference, RegistryPage
from rankfold_loaders.static import Authored, Reader, StaticRecord


@dataclass(frozen=True)
class Source:
    """Where a record is written."""

    file: str
    """Path in the project; empty for a record from elsewhere."""
    line: int
    url: str
    """Address in the published repository; empty without one."""
    origin: str = ""
    """For a record from elsewhere: the distribution, or `registered at run time`."""

    @property
    def place(self) -> str:
        """The file with its line, or the origin."""
        return f"{self.file}:{self.line}" if self.file else self.origin


@dataclass(frozen=True)
class Entry:
    """One record: its live values, and its authored texts where there are any."""

    kind: str
    name: str
    values: Mapping[str, Any]
    source: Source
    authored: Mapping[str, Authored] = field(default_factory=dict)

    def value(self, path: str) -> Any:
        """The live value of a field; `raw.unit` reaches into a record inside."""
        found: Any = self.values
        for part in path.split("."):
            found = found[part]
        return found

    def text(self, path: str) -> str:
        """A number as its author wrote it, where that is a literal; anything else as it is live."""
        written = self.authored.get(path)
        value = self.value(path)
        if written and written.literal and isinstance(value, (int, float)) and not isinstance(value, bool):
            return written.text
        return value if isinstance(value, str) else repr(value)

    @property
    def expressions(self) -> list[tuple[str, str]]:
        """Fields that the source computes, each with its expression; functions are not among them."""
        shown = []
        for path, written in self.authored.items():
            value = self.values.get(path)
            if not written.literal and isinstance(value, (int, float, str)):
                shown.append((path, written.text))
        return shown


@dataclass(frozen=True)
class Joined:
    """Every registry, in order."""

    entries: Mapping[str, Sequence[Entry]]
    live: Live
    reference: Reference

    def entry(self, kind: str, name: str) -> Entry:
        """The record of that kind and name.

        Raises:
            KeyError: there is none.
        """
        for entry in self.entries.get(kind, ()):
            if entry.name == name:
                return entry
        raise KeyError(f"{kind}.{name}")

    def weight(self, profile: str, arm: str) -> tuple[float, str]:
        """An arm's weight in a profile, and its text as authored by whoever decides it."""
        stated = self.entry("profiles", profile)
        if arm in stated.value("weights"):
            return float(stated.value(f"weights.{arm}")), stated.text(f"weights.{arm}")
        own = self.entry("arms", arm)
        return float(own.value("weight")), own.text("weight")


def join(project: Project, live: Live, reader: Reader | None = None) -> tuple[Joined, list[Fault]]:
    """Put the live registries and the source together.

    Args:
        project: whose source it is.
        live: the live registries.
        reader: of the project's source, where one is at hand.

    Returns:
        The registries, and every disagreement between the two sides.
    """
    faults = [Fault("", problem) for problem in live["problems"]]
    entries: dict[str, list[Entry]] = {}
    revision = project.revision
    reader = reader or Reader(project.source)
    for page in project.reference.registries:
        values = live["registries"].get(page.kind, [])
        if page.record:
            written = reader.records(page)
            entries[page.kind], found = _match(project, page, values, written, live["origins"], revision)
            faults += found
        else:
            entries[page.kind] = [_unwritten(project, page.kind, value, revision) for value in values]
    faults += _shared_pages(project.reference, entries)
    return Joined(entries, live, project.reference), faults


def _shared_pages(reference: Reference, entries: Mapping[str, Sequence[Entry]]) -> list[Fault]:
    """Pages that two records, or a record and a registry, would have in common."""
    pages = {reference.overview: "the list of registries"} | {row.uri: row.title for row in reference.registries}
    faults = []
    for row in reference.registries:
        for entry in entries[row.kind] if row.each else ():
            uri, own = page_of(row, entry.name), f"{row.word} {entry.name}"
            first = pages.setdefault(uri, own)
            if first != own:
                said = f"{row.kind}: the page {uri} of {own} is that of {first} already; change `each`"
                faults.append(Fault("mkdocs.yml", said))
    return faults


def _match(
    project: Project,
    page: RegistryPage,
    values: Sequence[Mapping[str, Any]],
    written: Sequence[StaticRecord],
    origins: Mapping[str, str],
    revision: str,
) -> tuple[list[Entry], list[Fault]]:
    faults: list[Fault] = []
    by_name: dict[str, StaticRecord] = {}
    for record in written:
        first = by_name.setdefault(record.name, record)
        if first is not record:
            place = _place(project, record.file, record.line)
            faults.append(Fault(place, f"{page.word} {record.name} is written twice, first in {first.symbol}"))
    entries = []
    for value in values:
        name = str(value["name"])
        origin = origins.get(f"{page.kind}.{name}", "")
        found = None if origin else by_name.pop(name, None)
        if found is None:
            entries.append(Entry(page.kind, name, value, Source("", 0, "", origin or "registered at run time")))
            continue
        if not value["doc"]:
            value = {**value, "doc": found.below}
        file = project.relative(found.file)
        url = project.link(file, found.line, revision) if file else ""
        source = Source(file or "", found.line, url, "" if file else found.symbol)
        entries.append(Entry(page.kind, name, value, source, found.fields))
        faults += _disagreements(project, page, found, value)
    for record in by_name.values():
        faults.append(
            Fault(
                _place(project, record.file, record.line),
                f"{page.word} {record.name} is written here but not registered; add {record.symbol} to the tuple of "
                f"its registry",
            )
        )
    return entries, faults


def _disagreements(project: Project, page: RegistryPage, record: StaticRecord, value: Mapping[str, Any]) -> list[Fault]:
    faults = []
    for path, written in record.fields.items():
        if not written.literal:
            continue
        live: Any = value
        for part in path.split("."):
            live = live.get(part) if isinstance(live, Mapping) else None
        stated = textwrap.dedent(written.value) if path == "doc" and isinstance(written.value, str) else written.value
        if live != stated:
            place = _place(project, record.file, written.line)
            faults.append(
                Fault(
                    place,
                    f"{page.word} {record.name}: the source says {path}={_short(written.value)}, the live registry "
                    f"has {_short(live)}",
                )
            )
    return faults


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _place(project: Project, file: Any, line: int) -> str:
    return f"{project.relative(file) or file}:{line}"


def _unwritten(project: Project, kind: str, value: Mapping[str, Any], revision: str) -> Entry:
    where = value.get("source")
    # A record may have a field of that name and mean something else by it.
    is_place = isinstance(where, Mapping) and isinstance(where.get("file"), str) and isinstance(where.get("line"), int)
    file = project.relative(Path(where["file"])) if where and is_place else None
    if where and file:
        source = Source(file, where["line"], project.link(file, where["line"], revision))
    else:
        source = Source("", 0, "", "registered at run time")
    return Entry(kind, str(value["name"]), value, source)

"""What a generated page is, as values: tables, sections and where they came from. Templates turn them into Markdown.

Every cell and every paragraph is Markdown already (`markdown_text` made it literal), so a template only lays it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankfold_loaders.agreement import Source


@dataclass(frozen=True)
class Filter:
    """Choices above a table that hide rows: a row stays if it says yes to everything that is chosen."""

    legend: str
    name: str
    """Of the group of controls; differs from that of any other table on the page."""
    choices: tuple[tuple[str, str], ...]
    """Per choice its value and its label; a cell that says yes carries the value (`Table.needs`)."""
    exclusive: bool = True
    """Whether one is chosen at a time; the first choice is then that of all rows."""


@dataclass(frozen=True)
class Table:
    """A table whose cells are Markdown."""

    label: str
    """What a screen reader calls it."""
    registry: str
    """Which table it is, for whoever reads it back from the page."""
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    """Columns of numbers, set to the right."""
    filter: Filter | None = None


@dataclass(frozen=True)
class Section:
    """One record's own section, or the whole of its own page."""

    number: str
    heading: str
    anchor: str
    doc: str
    details: tuple[tuple[str, str], ...] = ()
    """Terms and what they are."""
    sql: tuple[tuple[str, str], ...] = ()
    """Captions and SQL text."""
    table: Table | None = None


@dataclass(frozen=True)
class Origin:
    """One line of the provenance."""

    name: str
    source: Source
    expressions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Page:
    """One generated page."""

    uri: str
    title: str
    description: str
    template: str
    context: Mapping[str, Any]
    origins: tuple[Origin, ...] = ()
    edit: str = ""
    """The file to edit in order to change it, as a path in the project."""
    repetitive: bool = False
    """Whether the site's search leaves it out."""
    kind: str = ""
    """The registry that it belongs to; empty for the overview."""

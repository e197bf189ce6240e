"""What a site documents: a table with one row per registry, saying where its records are and which pages they become.

A new kind of record becomes a page by one row. A new member of a registry needs nothing here at all. rankfold's own
table is `own_reference.py`; any other package states its rows in its `mkdocs.yml`, under `plugins: - rankfold:`.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankfold_loaders.faults import error

Show = Literal["name", "text", "code", "prose", "number", "flag", "option", "link", "sql"]
"""How a column shows its field: `name` links to the record's own section, `link` to records of another registry, `sql`
is a block of its own below the others."""


@dataclass(frozen=True)
class Column:
    """One column of a registry's table, or one line of a record's own section."""

    heading: str
    field: str
    """The record's field; `raw.unit` reaches into a record inside a record."""
    show: Show = "text"
    to: str = ""
    """For `link`: the kind of the records that the field names."""


@dataclass(frozen=True, kw_only=True)
class RegistryPage:
    """One row: a registry and what becomes of it."""

    kind: str
    """The registry's name, in the names of facts too."""
    word: str
    """One record of it, in words; also begins the ids of its sections."""
    title: str
    """Heading of the page."""
    description: str
    """One sentence for search results and for the page's own beginning. No number in it that could be counted."""
    lead: str = ""
    """What to know before reading the table. Markdown; `{count}` is the number of records."""
    group: str = ""
    """Heading in the navigation that the page stands under; none by default."""
    records: str
    """Where the live records are: `module:name`, which may go on with attributes and calls, `module:made().arms`. It
    gives an iterable or a mapping of records, dataclasses or dictionaries, each with a `name`."""
    name: str = "name"
    """The field of a record that names it."""
    doc: str = "doc"
    """The field that documents it; a record without it is documented by the string below its assignment."""
    record: str = ""
    """The record class, as `module:Class`; empty where the records are made by something else."""
    modules: tuple[str, ...] = ()
    """Modules and packages whose assignments are these records."""
    uri: str
    """The page."""
    template: str = "registry.md.jinja"
    """File in `site-templates/pages`."""
    columns: tuple[Column, ...]
    """The table's columns, in order."""
    details: tuple[Column, ...] = ()
    """What a record's own section shows beside its documentation."""
    each: str = ""
    """A page of its own for every record, `{name}` being the record's; none by default."""
    each_template: str = "record.md.jinja"
    """Template of those pages."""
    pages: str = ""
    """What makes the pages where they show more than the records: `module:function`, called with the maker."""
    repetitive: bool = False
    """Whether the site's search leaves these pages out."""

    @property
    def record_class(self) -> str:
        """The name of the record class."""
        return self.record.rpartition(":")[2]


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Everything that a site's reference pages are made from."""

    registries: tuple[RegistryPage, ...]
    """The table."""
    title: str = "Reference"
    """Heading of the generated pages."""
    description: str = "What the package is made of, read from its registries."
    """One sentence for the page that lists the registries."""
    overview: str = "reference/index.md"
    """That page."""
    problems: str = ""
    """Records that could not join their registry, as `module:name`; each becomes a fault of the build."""
    origins: str = ""
    """Which distribution registered what from outside, as `module:name`: triples of kind, name and distribution."""
    derive: str = ""
    """Adds to the live records what follows from them, as `module:function`: called with their values by kind."""
    search: str = ""
    """The registries of a search, as `module:name`, where there are arms to fold and to observe."""
    sample: str = ""
    """The folder of a sample corpus, relative to `mkdocs.yml`, on which arms are observed; none by default."""

    def __post_init__(self) -> None:
        kinds = [row.kind for row in self.registries]
        for row in self.registries:
            if kinds.count(row.kind) > 1:
                raise error("mkdocs.yml", f"the registry {row.kind!r} has two rows")
            for column in (*row.columns, *row.details):
                if column.show == "link" and column.to not in kinds:
                    raise error("mkdocs.yml", f"{row.kind}: the column {column.heading!r} links to no registry")

    def row(self, kind: str) -> RegistryPage:
        """The row of that kind.

        Raises:
            KeyError: there is none.
        """
        for candidate in self.registries:
            if candidate.kind == kind:
                return candidate
        raise KeyError(kind)

    def has(self, kind: str) -> bool:
        """Whether there is a row of that kind."""
        return any(row.kind == kind for row in self.registries)


def read_reference(options: Mapping[str, Any], place: str = "mkdocs.yml") -> Reference:
    """What a site documents, from plain values as YAML or JSON give them.

    Args:
        options: the fields of `Reference`; rows and columns are mappings of their fields.
        place: the file that states them, for messages.

    Raises:
        SiteError: a key is unknown or missing, or a value has the wrong form; names the key.
    """
    return typing.cast("Reference", _read(Reference, options, place, "rankfold"))


def _read(cls: type, given: object, place: str, where: str) -> Any:
    if not isinstance(given, Mapping):
        raise error(place, f"{where} is {given!r}; it is a mapping")
    hints = typing.get_type_hints(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for key in given:
        if key not in fields:
            raise error(place, f"{where}: unknown key {key!r}; known: {', '.join(fields)}")
    values = {}
    for name, field in fields.items():
        if name in given:
            values[name] = _value(hints[name], given[name], place, f"{where}.{name}")
        elif field.default is dataclasses.MISSING:
            raise error(place, f"{where}: {name!r} is missing")
    return cls(**values)


def _value(hint: Any, given: object, place: str, where: str) -> Any:
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise error(place, f"{where} is {given!r}; it is a list")
        return tuple(_value(item, one, place, f"{where}[{n}]") for n, one in enumerate(given))
    if dataclasses.is_dataclass(hint):
        return _read(typing.cast("type", hint), given, place, where)
    if typing.get_origin(hint) is Literal:
        if given not in typing.get_args(hint):
            raise error(place, f"{where} is {given!r}; it is one of {', '.join(typing.get_args(hint))}")
        return given
    if not isinstance(given, hint):
        kind = hint if isinstance(hint, types.GenericAlias) else hint.__name__
        raise error(place, f"{where} is {given!r}; it is a {kind}")
    return given

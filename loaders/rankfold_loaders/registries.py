"""What a site documents: a table with one row per registry, saying where its records are and which pages they become.

A new kind of record becomes a page by one row. A new member of a registry needs nothing here at all. rankfold's own
table is `own_reference.py`; any other package states its rows in its `mkdocs.yml`, under `plugins: - rankfold:`.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rankfold_loaders.faults import Fault, SiteError

Show = Literal["name", "text", "code", "prose", "number", "flag", "option", "link", "sql"]
"""How a column shows its field."""

Demand = Literal["own host", "description", "one heading", "looked up"]
"""What a site may ask of all its pages."""

DEMANDS: tuple[Demand, ...] = typing.get_args(Demand)


@dataclass(frozen=True)
class Column:
    """One column of a registry's table, or one line of a record's own section."""

    heading: str
    """What stands above the column, or before the line."""
    field: str
    """The record's field; `raw.unit` reaches into a record inside a record."""
    show: Show = "text"
    """`name` links to the record's own section, `link` to records of another registry, `prose` reads the field as
    Markdown, `flag` is a yes or a no, `option` is an option of a command, and `sql` is a block of its own below the
    others. A number is shown as its author wrote it."""
    to: str = ""
    """For `link`: the kind of the records that the field names."""


@dataclass(frozen=True, kw_only=True)
class RegistryPage:
    """One row: a registry and what becomes of it."""

    kind: str
    """The registry's name, in the names of facts too."""
    word: str
    """What one record of it is called, one word; also begins the ids of its sections."""
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
    """The template of the page, one of rankfold's own or of the folder that `templates` names."""
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
    """A row for each registry; the pages stand in the order of the rows."""
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
    changelog: str = ""
    """A changelog that becomes a page too, relative to `mkdocs.yml`; none by default."""
    playground: bool = False
    """Whether there is a page on which readers run the statements themselves, on the sample and on this site."""
    search: str = ""
    """The registries of a search, as `module:name`, where there are arms to fold and to observe."""
    sample: str = ""
    """The folder of a sample corpus, relative to `mkdocs.yml`, on which arms are observed; none by default."""
    source: str = ""
    """The folder that the packages are imported from, relative to `mkdocs.yml`; `src` where there is one."""
    templates: str = ""
    """A folder of templates, relative to `mkdocs.yml`; one there hides rankfold's own of the same name."""
    demands: tuple[Demand, ...] = ()
    """What every page has to keep to beside having no dead link, no double id and no fact left over. `own host`: it
    loads nothing from another host; `description`: it describes itself to search engines; `one heading`: it has one
    heading of the first level; `looked up`: authored pages look up what a registry states, mark what they type
    themselves, and show what their code printed."""

    def __post_init__(self) -> None:
        faults = [Fault("mkdocs.yml", f"rankfold.{said}") for said in _contradictions(self)]
        if faults:
            raise SiteError(faults)

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


_PATH = re.compile(r"[A-Za-z_][\w.]*:\w+(\.\w+|\(\))*")
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WORD = re.compile(r"[^\W\d_][\w-]*")


def _contradictions(reference: Reference) -> Iterator[str]:
    """What no site could be made from, each with the key that states it."""
    kinds = [row.kind for row in reference.registries]
    pages = {reference.overview: "overview"}
    paths = [(name, getattr(reference, name)) for name in ("problems", "origins", "derive", "search")]
    for n, row in enumerate(reference.registries):
        where = f"registries[{row.kind}]"
        if row.kind in kinds[:n]:
            yield f"{where}: the registry has two rows"
        if not _KIND.fullmatch(row.kind):
            yield f"{where}.kind: {row.kind!r} cannot be part of a fact's name; use letters, digits, _ and -"
        if not _WORD.fullmatch(row.word):
            yield f"{where}.word is {row.word!r}; it is one word, since the ids of sections begin with it"
        for name, uri in (("uri", row.uri), ("each", row.each)):
            if uri and (not uri.endswith(".md") or uri.startswith("/") or ".." in uri or "\\" in uri):
                yield f"{where}.{name} is {uri!r}; it is the path of a page below the site, such as reference/teas.md"
            first = pages.setdefault(uri, f"{where}.{name}") if uri else f"{where}.{name}"
            if first != f"{where}.{name}":
                yield f"{where}.{name}: the page {uri} is that of {first} already"
        if row.each and "{name}" not in row.each:
            yield f"{where}.each is {row.each!r}; it names the record, as in reference/teas/{{name}}.md"
        if not row.pages and not any(column.show == "name" for column in row.columns):
            yield f"{where}.columns: none shows the record's name; add {row.name!r}"
        for column in (*row.columns, *row.details):
            if column.show == "link" and column.to not in kinds:
                said = f"links to no registry: there is no {column.to!r}{nearest(column.to, kinds)}"
                said = said if column.to else "is a link; say with `to` which registry its records are of"
                yield f"{where}: the column {column.heading!r} {said}"
        paths += [(f"{where}.{name}", getattr(row, name)) for name in ("records", "record", "pages")]
    for where, path in paths:
        if path and not _PATH.fullmatch(path):
            yield f"{where} is {path!r}; write it as module:name"


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that somebody may have meant, as the end of a message; empty where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def read_reference(options: Mapping[str, Any], place: str = "mkdocs.yml") -> Reference:
    """What a site documents, from plain values as YAML or JSON give them.

    A row that leaves them out gets its `word`, `title` and `uri` from its `kind`, and its `modules` from its `records`.
    A column may be the name of a field alone.

    Args:
        options: the fields of `Reference`; rows and columns are mappings of their fields.
        place: the file that states them, for messages.

    Raises:
        SiteError: keys that are unknown or missing, values that have the wrong form, rows that contradict each other;
            each with the key.
    """
    faults: list[Fault] = []
    if not options.get("registries"):
        example = "{kind: teas, description: Every tea., records: 'teahouse:TEAS', columns: [name, title]}"
        faults.append(Fault(place, f"rankfold.registries is missing or empty; the smallest row is `- {example}`"))
        options = {**options, "registries": []}
    read = _read(Reference, options, "rankfold", lambda said: faults.append(Fault(place, said)))
    if faults:
        raise SiteError(faults)
    return typing.cast("Reference", read)


Say = typing.Callable[[str], object]


def _read(cls: type, given: object, where: str, say: Say) -> Any:
    """A dataclass from a mapping of its fields; None where something was said against it."""
    if cls is Column:
        given = _filled_in_column(given)
    if not isinstance(given, Mapping):
        say(f"{where} is {given!r}; it is a mapping")
        return None
    if cls is RegistryPage:
        given = _filled_in_row(given)
    hints = typing.get_type_hints(cls)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    said: list[str] = []
    for key in given:
        if key not in fields:
            near = nearest(str(key), fields) or f"; known: {', '.join(fields)}"
            said.append(f"{where}: there is no key {key!r}{near}")
    values = {}
    for name, field in fields.items():
        if name in given:
            values[name] = _value(hints[name], given[name], f"{where}.{name}", said.append)
        elif field.default is dataclasses.MISSING:
            said.append(f"{where}: {name!r} is missing")
    for fault in said:
        say(fault)
    return None if said else cls(**values)


FILLED = {
    "registries.word": "the kind without its plural ending",
    "registries.title": "the kind in words",
    "registries.uri": "reference/KIND.md",
    "registries.modules": "the module of the records, where a record class is named",
    "registries.columns.heading": "the field in words",
}
"""What a key that is left out is taken from."""


def _filled_in_row(row: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(row.get("kind") or "")
    filled: dict[str, Any] = {}
    if kind:
        word = re.sub("ies$", "y", kind).removesuffix("s")
        filled = {"word": word, "title": _words(kind), "uri": f"reference/{kind}.md"}
    if row.get("record"):
        filled["modules"] = [str(row.get("records")).partition(":")[0]]
    filled |= row
    if isinstance(row.get("columns"), Sequence):
        # The field that names a record leads to its section, unless the column says otherwise.
        name = row.get("name") or "name"
        filled["columns"] = [{"field": one, "show": "name"} if one == name else one for one in row["columns"]]
    return filled


def _filled_in_column(column: object) -> object:
    column = {"field": column} if isinstance(column, str) else column
    if isinstance(column, Mapping) and isinstance(column.get("field"), str):
        return {"heading": _words(column["field"].rpartition(".")[2]), **column}
    return column


def _words(name: str) -> str:
    return re.sub(r"[_-]", " ", name)[:1].upper() + re.sub(r"[_-]", " ", name)[1:]


_FORMS = {str: "text", bool: "true or false"}


def _value(hint: Any, given: object, where: str, say: Say) -> Any:
    if typing.get_origin(hint) is tuple:
        item = typing.get_args(hint)[0]
        if isinstance(given, str) or not isinstance(given, Sequence):
            return say(f"{where} is {given!r}; it is a list")
        return tuple(_value(item, one, f"{where}[{_label(one, n)}]", say) for n, one in enumerate(given, start=1))
    if dataclasses.is_dataclass(hint):
        return _read(typing.cast("type", hint), given, where, say)
    if typing.get_origin(hint) is Literal:
        known = typing.get_args(hint)
        if given not in known:
            return say(f"{where} is {given!r}{nearest(str(given), known)}; it is one of {', '.join(known)}")
    elif not isinstance(given, hint):
        return say(f"{where} is {given!r}; it is {_FORMS.get(hint, hint.__name__)}")
    return given


def _label(item: object, number: int) -> str:
    """What an entry of a list is called in a message: as its author calls it, else by its number."""
    named = item.get("kind") or item.get("heading") or item.get("field") if isinstance(item, Mapping) else item
    return named if isinstance(named, str) else str(number)

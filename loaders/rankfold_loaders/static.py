"""The static side: what the source says, read without running it.

For each record that is assigned, alone or in a tuple, a list or a dictionary, and for each member of an enumeration it
gives the file, the line, and per keyword the text as its author wrote it (`1.0` stays `1.0`, which an imported value
could not tell). griffe finds the assignments; the text itself is cut out of the source by position, because griffe's
own expressions are normalised.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import griffe

from rankfold_loaders.api import describe
from rankfold_loaders.faults import error
from rankfold_loaders.registries import RegistryPage, nearest


@dataclass(frozen=True)
class Authored:
    """One keyword of a record, as written."""

    text: str
    """The source text of the value."""
    line: int
    literal: bool
    """Whether the text alone gives the value; otherwise it is an expression, and only the live value is known."""
    value: Any = None
    """The value of a literal, in the form that JSON gives it back."""


@dataclass(frozen=True)
class StaticRecord:
    """One assignment of a record."""

    name: str
    """The record's name, from its `name` keyword."""
    symbol: str
    """The module and the name it is assigned to."""
    file: Path
    line: int
    fields: dict[str, Authored] = field(default_factory=dict)
    """Arguments by name; those of a record inside it as `raw.name`, entries of a dictionary as `weights.recency`."""
    below: str = ""
    """The string that stands below the assignment."""


class Reader:
    """Reads the source of packages, each of them once."""

    def __init__(self, source: Path) -> None:
        """Read what is under `source`; installed packages are looked for as Python would."""
        self._search = [str(source), *filter(None, sys.path)]
        self._packages: dict[str, Any] = {}
        self._texts: dict[Path, _Text] = {}
        self._records: dict[str, list[StaticRecord]] = {}

    def records(self, row: RegistryPage) -> list[StaticRecord]:
        """The records of a registry that its modules assign, in the order of files and lines."""
        if not row.record:
            return []
        if row.kind in self._records:
            return self._records[row.kind]
        order = list(self._attributes(row.record))
        if self._is_enumeration(row.record):
            found = list(self._members_of(row))
        else:
            modules = (module for name in row.modules for module in _modules(self._named(name, row)))
            found = [record for module in modules for record in self._records_of(module, row, order)]
        return self._records.setdefault(row.kind, found)

    def public_names(self, package: str) -> list[dict[str, Any]]:
        """What a package makes public, as `api.describe` tells it."""
        return describe(self._module(package))

    def field_docs(self, record: str) -> dict[str, str]:
        """What a record class says about each of its fields, by name.

        Args:
            record: `module:Class`.
        """
        members = self._attributes(record)
        return {name: member.docstring.value for name, member in members.items() if member.docstring}

    def _attributes(self, record: str) -> dict[str, Any]:
        """The attributes of a record class, in order, those that it inherits first."""
        return {key: member for key, member in self._class(record).all_members.items() if member.is_attribute}

    def _class(self, record: str) -> Any:
        """A record class.

        Raises:
            SiteError: there is no such class.
        """
        module, _, name = record.partition(":")
        near = ""
        try:
            found = self._module(module)
            near = nearest(name, found.members)
            return found[name]
        except (KeyError, ImportError) as problem:
            raise error("mkdocs.yml", f"there is no record class {record!r}{near}") from problem

    def _is_enumeration(self, record: str) -> bool:
        return any(str(base).endswith(("Enum", "Flag")) for base in self._class(record).bases)

    def _module(self, name: str) -> Any:
        package, _, below = name.partition(".")
        if package not in self._packages:
            self._packages[package] = griffe.load(
                package, search_paths=self._search, allow_inspection=False, resolve_aliases=True
            )
        return self._packages[package][below] if below else self._packages[package]

    def _named(self, name: str, row: RegistryPage) -> Any:
        try:
            return self._module(name)
        except (KeyError, ImportError) as problem:
            stated = "records" if row.records.startswith(f"{name}:") else "modules"
            place = f"rankfold.registries[{row.kind}].{stated}"
            raise error("mkdocs.yml", f"{place}: there is no module {name!r}") from problem

    def _text(self, module: Any) -> _Text:
        file = Path(module.filepath)
        return self._texts.get(file) or self._texts.setdefault(file, _Text(file))

    def _records_of(self, module: Any, row: RegistryPage, order: Sequence[str]) -> Iterator[StaticRecord]:
        assigned = [
            member
            for member in module.members.values()
            if not member.is_alias and member.is_attribute and isinstance(member.value, _HOLDS_RECORDS)
        ]
        for member in sorted(assigned, key=lambda member: int(member.lineno)):
            # griffe gave the line; the calls themselves are found there again.
            text = self._text(module)
            for call, key in text.calls(member.lineno, row.record_class):
                fields = dict(text.arguments(call, order))
                name = fields.get(row.name, key)
                is_alone = isinstance(member.value, griffe.ExprCall)
                below = member.docstring.value if member.docstring and is_alone else ""
                if name is not None and name.literal:
                    symbol = f"{module.path}.{member.name}"
                    yield StaticRecord(str(name.value), symbol, Path(module.filepath), call.lineno, fields, below)

    def _members_of(self, row: RegistryPage) -> Iterator[StaticRecord]:
        """The members of an enumeration: each has a name and a value, and is documented by the string below it."""
        enumeration = self._class(row.record)
        text = self._text(enumeration)
        values: list[Authored] = []
        members = [member for member in enumeration.members.values() if member.is_attribute and member.value]
        for member in sorted(members, key=lambda member: int(member.lineno)):
            value = text.value(member.lineno)
            # A second name for the same value is no member of its own, and an annotation makes none.
            is_second = value is not None and value.literal and any(value.value == one.value for one in values)
            if member.name[0] == "_" or member.annotation or value is None or is_second:
                continue
            values.append(value)
            name = str(value.value) if row.name == "value" else member.name
            below = member.docstring.value if member.docstring else ""
            if row.name != "value" or value.literal:
                symbol = f"{enumeration.path}.{member.name}"
                yield StaticRecord(name, symbol, Path(enumeration.filepath), member.lineno, {"value": value}, below)


_HOLDS_RECORDS = (griffe.ExprCall, griffe.ExprTuple, griffe.ExprList, griffe.ExprSet, griffe.ExprDict)


class _Text:
    """The text of one file and the values that are assigned in it."""

    def __init__(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        self._lines = [line.encode() for line in text.split("\n")]
        self._values = {
            node.lineno: node.value
            for node in _statements(ast.parse(text))
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
        }

    def value(self, line: int) -> Authored | None:
        """What is assigned on that line."""
        return self._authored(self._values[line]) if line in self._values else None

    def calls(self, line: int, name: str) -> Iterator[tuple[ast.Call, Authored | None]]:
        """The calls of `name` that are assigned on a line, alone or in a collection, there with the key if any."""
        value = self._values.get(line)
        items: list[tuple[ast.expr | None, ast.expr | None]] = [(None, value)]
        if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
            items = [(None, item) for item in value.elts]
        elif isinstance(value, ast.Dict):
            items = list(zip(value.keys, value.values, strict=True))
        for key, item in items:
            if isinstance(item, ast.Call) and _called(item) == name:
                yield item, self._authored(key) if key else None

    def segment(self, node: ast.expr) -> str:
        """The text of an expression. `ast.get_source_segment` would split the whole file for each of them."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def arguments(self, call: ast.Call, order: Sequence[str] = (), prefix: str = "") -> Iterator[tuple[str, Authored]]:
        """The arguments of a call by name, those of calls and dictionaries inside it too.

        Args:
            call: the call.
            order: what its positional arguments are called.
            prefix: begins each name.
        """
        given = list(zip(order, call.args, strict=False))
        given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None]
        for argument, value in given:
            name = prefix + argument
            yield name, self._authored(value)
            if isinstance(value, ast.Call):
                yield from self.arguments(value, (), f"{name}.")
            elif isinstance(value, ast.Dict):
                for key, item in zip(value.keys, value.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield f"{name}.{key.value}", self._authored(item)

    def _authored(self, node: ast.expr) -> Authored:
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return Authored(self.segment(node), node.lineno, literal=False)
        return Authored(self.segment(node), node.lineno, literal=True, value=_as_json(value))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement, however deep; what is inside of expressions is not looked at."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, block, ()):
            yield child
            yield from _statements(child)


def _called(call: ast.Call) -> str:
    """The last part of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _modules(module: Any) -> Iterator[Any]:
    yield module
    for _, member in sorted(module.members.items()):
        if not member.is_alias and member.is_module:
            yield from _modules(member)


def _as_json(value: object) -> Any:
    if isinstance(value, (tuple, list, set)):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    return value

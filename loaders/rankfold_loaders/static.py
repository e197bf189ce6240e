"""The static side: what the source says, read without running it.

For each assignment of a record it gives the file, the line, and per keyword the text as its author wrote it (`1.0`
stays `1.0`, which an imported value could not tell). griffe finds the assignments; the text itself is cut out of the
source by position, because griffe's own expressions are normalised.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import griffe

from rankfold_loaders.faults import error
from rankfold_loaders.registries import RegistryPage


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
        order = list(self._record_class(row.record))
        return self._records.setdefault(
            row.kind,
            [
                found
                for name in row.modules
                for module in _modules(self._module(name))
                for found in self._records_of(module, row, order)
            ],
        )

    def field_docs(self, record: str) -> dict[str, str]:
        """What a record class says about each of its fields, by name.

        Args:
            record: `module:Class`.
        """
        members = self._record_class(record)
        return {name: member.docstring.value for name, member in members.items() if member.docstring}

    def _record_class(self, record: str) -> dict[str, Any]:
        """The attributes of a record class, in order.

        Raises:
            SiteError: there is no such class.
        """
        module, _, name = record.partition(":")
        try:
            members = self._module(module)[name].members
        except (KeyError, ImportError) as problem:
            raise error("", f"the record class {record} is not found") from problem
        return {key: member for key, member in members.items() if member.is_attribute}

    def _module(self, name: str) -> Any:
        package, _, below = name.partition(".")
        if package not in self._packages:
            self._packages[package] = griffe.load(package, search_paths=self._search, allow_inspection=False)
        return self._packages[package][below] if below else self._packages[package]

    def _records_of(self, module: Any, row: RegistryPage, order: Sequence[str]) -> Iterator[StaticRecord]:
        assigned = [
            member
            for member in module.members.values()
            if not member.is_alias
            and member.is_attribute
            and isinstance(member.value, griffe.ExprCall)
            and str(member.value.function).rsplit(".", 1)[-1] == row.record_class
        ]
        if not assigned:
            return
        file = Path(module.filepath)
        text = self._texts.get(file) or self._texts.setdefault(file, _Text(file))
        for member in sorted(assigned, key=lambda member: int(member.lineno)):
            # griffe gave the line; the call itself is found there again.
            call = text.calls.get(member.lineno)
            fields = dict(text.arguments(call, order)) if call else {}
            name = fields.get(row.name)
            below = member.docstring.value if member.docstring else ""
            if name is not None and name.literal:
                symbol = f"{module.path}.{member.name}"
                yield StaticRecord(str(name.value), symbol, file, member.lineno, fields, below)


class _Text:
    """The text of one file and the calls that are assigned in it."""

    def __init__(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        self._lines = [line.encode() for line in text.split("\n")]
        self.calls = {
            node.lineno: node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call)
        }

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

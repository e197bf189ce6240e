"""The static side: what the source says, read without running it.

For each assignment of a record it gives the file, the line, and per keyword the text as its author wrote it (`1.0`
stays `1.0`, which an imported value could not tell). griffe finds the assignments; the text itself is cut out of the
source by position, because griffe's own expressions are normalised.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import griffe


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
    """Keywords by name; those of a record inside it as `raw.name`, entries of a dictionary as `weights.recency`."""


class Reader:
    """Reads the source of packages, each of them once."""

    def __init__(self, source: Path) -> None:
        """Read what is under `source`; installed packages are looked for as Python would."""
        self._search = [str(source), *filter(None, sys.path)]
        self._packages: dict[str, Any] = {}
        self._texts: dict[Path, _Text] = {}

    def records(self, modules: Iterable[str], record: str) -> list[StaticRecord]:
        """The records of one class that modules assign, in the order of files and lines.

        Args:
            modules: dotted names of modules or packages; packages with everything below them.
            record: name of the record class.
        """
        return [
            found
            for name in modules
            for module in _modules(self._module(name))
            for found in self._records_of(module, record)
        ]

    def field_docs(self, module: str, record: str) -> dict[str, str]:
        """What a record class says about each of its fields, by name."""
        members = self._module(module)[record].members
        return {name: member.docstring.value for name, member in members.items() if member.docstring}

    def _module(self, name: str) -> Any:
        package, _, below = name.partition(".")
        if package not in self._packages:
            self._packages[package] = griffe.load(package, search_paths=self._search, allow_inspection=False)
        return self._packages[package][below] if below else self._packages[package]

    def _records_of(self, module: Any, record: str) -> Iterator[StaticRecord]:
        assigned = [
            member
            for member in module.members.values()
            if not member.is_alias
            and member.is_attribute
            and isinstance(member.value, griffe.ExprCall)
            and str(member.value.function).rsplit(".", 1)[-1] == record
        ]
        if not assigned:
            return
        file = Path(module.filepath)
        text = self._texts.get(file) or self._texts.setdefault(file, _Text(file))
        for member in sorted(assigned, key=lambda member: int(member.lineno)):
            # griffe gave the line; the call itself is found there again.
            call = text.calls.get(member.lineno)
            fields = dict(text.keywords(call)) if call else {}
            name = fields.get("name")
            if name is not None and name.literal:
                yield StaticRecord(str(name.value), f"{module.path}.{member.name}", file, member.lineno, fields)


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

    def keywords(self, call: ast.Call, prefix: str = "") -> Iterator[tuple[str, Authored]]:
        """The keywords of a call, those of calls and dictionaries inside it too."""
        for keyword in call.keywords:
            if keyword.arg is None:
                continue
            name = prefix + keyword.arg
            value = keyword.value
            yield name, self._authored(value)
            if isinstance(value, ast.Call):
                yield from self.keywords(value, f"{name}.")
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

"""The static side: what the source says, read without running it.

For each assignment of a record it gives the file, the line, and per keyword the text as its author wrote it (`1.0`
stays `1.0`, which an imported value could not tell). griffe finds the assignments; the text itself is cut out of the
source with `ast`, because griffe's own expressions are normalised.
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


def records(source: Path, modules: Iterable[str], record: str) -> list[StaticRecord]:
    """The records of one class that modules assign, in the order of files and lines.

    Args:
        source: the folder that the modules are under; installed packages are looked for as Python would.
        modules: dotted names of modules or packages; packages with everything below them.
        record: name of the record class.
    """
    found: list[StaticRecord] = []
    for name in modules:
        loaded = griffe.load(
            name, search_paths=[str(source), *filter(None, sys.path)], allow_inspection=False, submodules=True
        )
        for module in _modules(loaded):
            found += _records_of(module, record)
    return found


def field_docs(source: Path, module: str, record: str) -> dict[str, str]:
    """What a record class says about each of its fields, by name."""
    loaded = griffe.load(module, search_paths=[str(source)], allow_inspection=False)
    members = loaded[record].members
    return {name: member.docstring.value for name, member in members.items() if member.docstring}


def module_docs(source: Path, module: str) -> tuple[str, str]:
    """The docstring of a module and the path of its file."""
    loaded = griffe.load(module, search_paths=[str(source)], allow_inspection=False, submodules=False)
    return (loaded.docstring.value if loaded.docstring else ""), str(loaded.filepath)


def _modules(module: Any) -> Iterator[Any]:
    yield module
    for _, member in sorted(module.members.items()):
        if not member.is_alias and member.is_module:
            yield from _modules(member)


def _records_of(module: Any, record: str) -> Iterator[StaticRecord]:
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
    # One parse per file: the assignments are found again by their line, which griffe gave.
    text = file.read_text(encoding="utf-8")
    calls = {
        node.lineno: node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call)
    }
    for member in sorted(assigned, key=lambda member: member.lineno):
        call = calls.get(member.lineno)
        fields = dict(_keywords(call, text)) if call else {}
        name = fields.get("name")
        if name is not None and name.literal:
            yield StaticRecord(str(name.value), f"{module.path}.{member.name}", file, member.lineno, fields)


def _keywords(call: ast.Call, text: str, prefix: str = "") -> Iterator[tuple[str, Authored]]:
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        name = prefix + keyword.arg
        value = keyword.value
        yield name, _authored(value, text)
        if isinstance(value, ast.Call):
            yield from _keywords(value, text, f"{name}.")
        elif isinstance(value, ast.Dict):
            for key, item in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield f"{name}.{key.value}", _authored(item, text)


def _authored(node: ast.expr, text: str) -> Authored:
    segment = ast.get_source_segment(text, node) or ""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return Authored(segment, node.lineno, literal=False)
    return Authored(segment, node.lineno, literal=True, value=_as_json(value))


def _as_json(value: object) -> Any:
    if isinstance(value, (tuple, list, set)):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    return value

"""The options of the plugin as records, one per key: made from the types that read them, so that no key can be missing.

This runs in the interpreter that holds the live registries (`live.py`), and gives plain values.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any

from rankfold_loaders.record_schema import documentation, written
from rankfold_loaders.registries import FILLED, Column, Reference, RegistryPage

_FORMS: dict[object, str] = {
    str: "text",
    bool: "true or false",
    tuple[str, ...]: "list of texts",
    tuple[RegistryPage, ...]: "list of rows",
    tuple[Column, ...]: "list of columns, each a mapping or the name of a field",
}


def plugin_options() -> list[dict[str, Any]]:
    """Every key below `plugins: - rankfold:`, those of a row and of a column with where they stand."""
    levels = {"": Reference, "registries.": RegistryPage, "registries.columns.": Column}
    return [option for prefix, cls in levels.items() for option in _options(prefix, cls)]


def _options(prefix: str, cls: type) -> Iterator[dict[str, Any]]:
    docs, hints = documentation(cls), typing.get_type_hints(cls)
    lines = {
        node.target.id: node.lineno
        for node in written(cls).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for field in dataclasses.fields(cls):
        name = prefix + field.name
        hint = hints[field.name]
        yield {
            "name": name,
            "key": field.name,
            "form": _form(hint),
            # Words that pages may quote.
            "one_of": _words(hint),
            "left_out": FILLED.get(name) or _default(field.default),
            "doc": docs[field.name],
            "source": {"file": inspect.getfile(cls), "line": lines[field.name]},
        }


def _form(hint: Any) -> str:
    """What a key holds, in the words of somebody who writes YAML."""
    words = ", ".join(_words(hint))
    return f"{'list' if typing.get_origin(hint) is tuple else 'one'} of {words}" if words else _FORMS[hint]


def _words(hint: Any) -> list[str]:
    """The words that a key, or each entry of its list, may hold; none where it is any text."""
    if typing.get_origin(hint) is tuple:
        return _words(typing.get_args(hint)[0])
    return list(typing.get_args(hint)) if typing.get_origin(hint) is typing.Literal else []


def _default(default: object) -> str:
    """What counts where a key is left out."""
    if default is dataclasses.MISSING:
        return "it has to be stated"
    return str(default).lower() if isinstance(default, bool) else str(default or "nothing")

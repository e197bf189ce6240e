"""The JSON Schema of the envelope, made from the types that commands print: `PAYLOADS` and the two envelopes.

Descriptions are the docstrings under the fields, so they are read from the source of the types.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rankfold.cli.envelope import FailureEnvelope, SuccessEnvelope
from rankfold.cli.payloads import PAYLOADS
from rankfold.retrieval.registry import installed

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_PLAIN: dict[object, str] = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}

Schema = dict[str, Any]


def envelope_schema(payloads: Mapping[str, type] = PAYLOADS, codes: Iterable[str] | None = None) -> Schema:
    """The schema of everything that `--json` prints: one of the successes, or a failure. No other key is allowed.

    Args:
        payloads: the type of `data` by kind.
        codes: the codes that a failure may have; those of the installed errors if None.
    """
    definitions: Schema = {}
    success = _object(SuccessEnvelope, definitions)
    failure = _object(FailureEnvelope, definitions)
    failure["properties"]["code"]["enum"] = list(installed().errors.names if codes is None else codes)
    alternatives = []
    for kind, payload in payloads.items():
        properties = {
            **success["properties"],
            "type": {**success["properties"]["type"], "const": kind},
            "data": {**success["properties"]["data"], **_schema(payload, definitions)},
        }
        alternatives.append({**success, "title": kind, "properties": properties})
    return {
        "$schema": DIALECT,
        "title": "What rankfold prints with --json",
        "oneOf": [*alternatives, {**failure, "title": "failure"}],
        "$defs": dict(sorted(definitions.items())),
    }


def field_docs(type_: type) -> dict[str, str]:
    """What a type says about each of its fields, by name; where it is silent, what the type that it `shows` says."""
    found: dict[str, str] = {}
    for base in filter(is_dataclass, reversed(type_.__mro__)):
        if "shows" in vars(base):
            found |= field_docs(base.shows)  # type: ignore[attr-defined]
        found |= _own_docs(base)
    return found


@functools.cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module as they are written, by name; `inspect` would look for each in the whole file."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


@functools.cache
def _own_docs(type_: type) -> dict[str, str]:
    body = _classes(type_.__module__)[type_.__name__]
    docs = {}
    for node, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef):
            said = ast.get_docstring(node)
        else:
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            said = inspect.cleandoc(str(after.value.value)) if is_text else None  # type: ignore[union-attr]
        target = node.target if isinstance(node, ast.AnnAssign) else None
        name = target.id if isinstance(target, ast.Name) else getattr(node, "name", None)
        if name and said:
            docs[name] = " ".join(said.split())
    return docs


def _object(type_: type, definitions: Schema) -> Schema:
    hints = get_type_hints(type_)
    docs = field_docs(type_)
    names = [field.name for field in fields(type_)]
    return {
        "type": "object",
        "description": " ".join(inspect.cleandoc(type_.__doc__ or "").split()),
        "properties": {name: _described(_schema(hints[name], definitions), docs.get(name, "")) for name in names},
        "required": names,
        "additionalProperties": False,
    }


def _described(schema: Schema, said: str) -> Schema:
    # What is None in Python is null in JSON.
    return {"description": re.sub(r"\bNone\b", "null", said), **schema} if said else schema


def _schema(hint: Any, definitions: Schema) -> Schema:
    """The schema of a type that a payload may have.

    Raises:
        TypeError: JSON has no such thing, or nothing is known of it.
    """
    origin, inside = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint is object:
        return {}
    if is_dataclass(hint):
        name = hint.__name__  # type: ignore[union-attr]
        if name not in definitions:
            definitions[name] = {}  # so that a type may hold itself
            definitions[name] = _object(hint, definitions)  # type: ignore[arg-type]
        return {"$ref": f"#/$defs/{name}"}
    if origin is Literal:
        return {"const": inside[0]} if len(inside) == 1 else {"enum": list(inside)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(item, definitions) for item in inside]}
    if origin is tuple and len(inside) == 2 and inside[1] is Ellipsis:
        return {"type": "array", "items": _schema(inside[0], definitions)}
    if origin is tuple:
        items = [_schema(item, definitions) for item in inside]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if isinstance(origin, type) and issubclass(origin, Mapping) and inside[0] is str:
        return {"type": "object", "additionalProperties": _schema(inside[1], definitions)}
    raise TypeError(f"JSON has nothing for {hint}")

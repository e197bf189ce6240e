"""A record class as a JSON Schema: what its fields hold, in the form that `live.plain` gives them, and what they mean.

This runs in the interpreter that has imported the class (`live.py`). It is written out rather than left to a library of
models: record classes hold functions and name types that are imported for type checking alone, and both end there in an
error instead of a schema.
"""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import enum
import functools
import inspect
import itertools
import sys
import textwrap
import types
import typing
from typing import Any

Schema = dict[str, Any]

FUNCTION: Schema = {
    "type": "object",
    "description": "A function, by the place where it is written.",
    "properties": {"function": {"type": "string"}},
    "required": ["function"],
    "additionalProperties": False,
}


def record_schema(cls: type) -> Schema:
    """The schema of a dataclass, with `$defs` for the dataclasses inside it.

    A field whose type cannot be told takes any value.
    """
    definitions: dict[str, Schema] = {}
    schema = _record(cls, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def _record(cls: type, definitions: dict[str, Schema]) -> Schema:
    docs = documentation(cls)
    properties = {}
    for field in dataclasses.fields(cls):
        schema = _schema(_type(cls, field), definitions)
        properties[field.name] = {**schema, **({"description": docs[field.name]} if field.name in docs else {})}
    return {
        "title": cls.__name__,
        "description": inspect.cleandoc(cls.__doc__ or ""),
        "type": "object",
        "properties": properties,
        # A live record states every field, given or not.
        "required": [*properties],
        "additionalProperties": False,
    }


def _type(cls: type, field: dataclasses.Field[Any]) -> Any:
    """What a field is annotated with; `Any` where a name in it is known to type checkers alone."""
    if not isinstance(field.type, str):
        return field.type
    owner = next(base for base in cls.__mro__ if field.name in inspect.get_annotations(base))
    names = {**vars(typing), **vars(sys.modules[owner.__module__])}
    try:
        return eval(field.type, names, dict(vars(owner)))
    except Exception:
        # `Callable[[Unknown], None]` is still a function.
        return typing.Callable if field.type.partition("[")[0].endswith("Callable") else Any


def _schema(hint: Any, definitions: dict[str, Schema]) -> Schema:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    plain = {str: "string", bool: "boolean", int: "integer", float: "number", None: "null", types.NoneType: "null"}
    if isinstance(hint, collections.abc.Hashable) and hint in plain:
        return {"type": plain[hint]}
    if origin in (typing.Annotated, typing.Final, typing.ClassVar):
        return _schema(arguments[0], definitions)
    if origin is typing.Literal:
        return {"enum": [*arguments]}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(argument, definitions) for argument in arguments]}
    kind = origin or hint
    if kind in (typing.Callable, collections.abc.Callable):
        return FUNCTION
    if not isinstance(kind, type):
        return {}
    if dataclasses.is_dataclass(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # stands in for itself, where it holds its like
            definitions[kind.__name__] = _record(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if issubclass(kind, enum.Enum):
        return {"type": "string"}
    if issubclass(kind, collections.abc.Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions) if arguments else {}}
    if kind is tuple and arguments and arguments[-1] is not Ellipsis:
        items = [_schema(argument, definitions) for argument in arguments]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if issubclass(kind, (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Set)):
        return {"type": "array", "items": _schema(arguments[0], definitions) if arguments else {}}
    return {}


def documentation(cls: type) -> dict[str, str]:
    """What a class and its bases say about their fields, in the string below each."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        body = written(base).body
        for field, said in itertools.pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(said, ast.Expr)
                and isinstance(said.value, ast.Constant)
                and isinstance(said.value.value, str)
            ):
                docs[field.target.id] = " ".join(textwrap.dedent(said.value.value).split())
    return docs


def written(cls: type) -> ast.ClassDef:
    """A class as it stands in its source; one without a body where that is not at hand."""
    nothing = ast.ClassDef(cls.__name__, [], [], [], [])
    return _classes(cls.__module__).get(cls.__qualname__.rpartition(".")[2], nothing)


@functools.cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The classes of a module, by name; none where its source is not at hand."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError, KeyError):
        return {}
    return {node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)}

"""The JSON envelope as records, one per kind of answer, each with its part of the schema.

This runs in the interpreter that holds the live registries (`live.py`), and gives plain values.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from rankfold.cli.envelope import FailureEnvelope
from rankfold.cli.payloads import PAYLOADS
from rankfold.cli.schema import envelope_schema
from rankfold_loaders.record_schema import written

FAILURE = "failure"
"""What the failure is called among the kinds."""


def answers() -> list[dict[str, Any]]:
    """Every kind of answer, then the failure: its name, its meaning and the schema of it alone, as JSON."""
    whole = envelope_schema()
    types: dict[str, type] = {**PAYLOADS, FAILURE: FailureEnvelope}
    return [
        {
            "name": shape["title"],
            "doc": inspect.cleandoc(types[shape["title"]].__doc__ or ""),
            # As text, because no part of a schema is a fact that pages quote.
            "schema": json.dumps({**whole, "oneOf": [shape], "$defs": _reached(shape, whole["$defs"])}),
            "source": _place(types[shape["title"]]),
        }
        for shape in whole["oneOf"]
    ]


def _reached(schema: object, definitions: dict[str, Any]) -> dict[str, Any]:
    """The definitions that a schema refers to, directly or through others."""
    found: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
            name = str(item.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found[name] = definitions[name]
                waiting.append(found[name])
    return dict(sorted(found.items()))


def _place(type_: type) -> dict[str, Any]:
    return {"file": inspect.getfile(type_), "line": written(type_).lineno}

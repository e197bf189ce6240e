"""Every registry as JSON with its schema: what the pages show, for programs.

Each registry is a file by its kind, `arms.json` among them, and all of them together are `registries.json`. A record
holds its live values, what its author wrote where that says more, where it is written and which page shows it. The
schemas come from the record classes (`record_schema.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rankfold_loaders.addresses import anchor, page_of
from rankfold_loaders.agreement import Entry, Joined, Source
from rankfold_loaders.published import absolute, address
from rankfold_loaders.record_schema import Schema
from rankfold_loaders.registries import RegistryPage

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ALL = "registries"
"""The file that holds all registries."""


def machine_readable(joined: Joined, schemas: Mapping[str, Schema], site_url: str) -> Mapping[str, bytes]:
    """Every registry and its schema, by their path in the site.

    Args:
        joined: the registries.
        schemas: per kind, the schema of its record class; a kind without one takes any record that has a name.
        site_url: the site's published address, which every address in the files begins with.
    """
    made: dict[str, Any] = {}
    documents = {row.kind: _registry(joined, row, schemas, site_url) for row in joined.reference.registries}
    described = {row.kind: _registry_schema(row, schemas, site_url) for row in joined.reference.registries}
    for kind, document in documents.items():
        made[f"{kind}.json"] = {"$schema": _schema_url(kind, site_url), **document}
        made[f"{kind}.schema.json"] = described[kind]
    made[f"{ALL}.json"] = {"$schema": _schema_url(ALL, site_url), "registries": documents}
    made[f"{ALL}.schema.json"] = _object(
        {
            "$schema": {"type": "string"},
            "registries": _object({kind: {"$ref": schema["$id"]} for kind, schema in described.items()}),
        },
        {"$schema": DIALECT, "$id": _schema_url(ALL, site_url), "title": "Every registry, by its kind"},
        # Each schema keeps its own address, so that its references are its own.
        {"$defs": described},
    )
    return {path: _bytes(document) for path, document in made.items()}


def _bytes(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()


def _schema_url(kind: str, site_url: str) -> str:
    return absolute(site_url, f"{kind}.schema.json")


def _registry(joined: Joined, row: RegistryPage, schemas: Mapping[str, Schema], site_url: str) -> dict[str, Any]:
    entries = joined.entries[row.kind]
    return {
        "kind": row.kind,
        "title": row.title,
        "description": row.description,
        "page": absolute(site_url, address(row.uri)),
        "count": len(entries),
        "records": [_record(joined, row, entry, schemas, site_url) for entry in entries],
    }


def _record(
    joined: Joined, row: RegistryPage, entry: Entry, schemas: Mapping[str, Schema], site_url: str
) -> dict[str, Any]:
    # Beside a class, a record states nothing of its own; where it is written is said once, as the project has it.
    stated = schemas[row.kind]["properties"] if row.kind in schemas else entry.values.keys() - {"source"}
    numbers = {path: entry.text(path) for path, written in entry.authored.items() if _is_number(written.value)}
    return {
        "name": entry.name,
        "page": absolute(site_url, address(page_of(row, entry.name)), "" if row.each else anchor(row.word, entry.name)),
        "source": _source(entry.source),
        "values": {key: _without_places(value) for key, value in entry.values.items() if key in stated},
        "derived": {key: value for key, value in entry.values.items() if key not in {*stated, "source"}},
        "authored": numbers,
        "computed": dict(entry.expressions),
        **_search(joined, row.kind, entry.name),
    }


def _without_places(value: Any) -> Any:
    """A value without the places of this machine that may stand deep inside it."""
    if isinstance(value, dict):
        return {
            key: _without_places(item)
            for key, item in value.items()
            if not (isinstance(item, dict) and item.keys() == {"file", "line"})
        }
    return [_without_places(item) for item in value] if isinstance(value, list) else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _source(source: Source) -> dict[str, Any]:
    if not source.file:
        return {"origin": source.place}
    return {"file": source.file, "line": source.line, **({"url": source.url} if source.url else {})}


def _search(joined: Joined, kind: str, name: str) -> dict[str, Any]:
    """What follows for an arm or a profile from the others: weights and SQL; nothing where there is no search."""
    search = joined.live["search"]
    if search and kind == "arms":
        profiles = [entry.name for entry in joined.entries.get("profiles", ())]
        return {
            "weights": {profile: joined.weight(profile, name)[0] for profile in profiles},
            "runs": search["arm_sql"][name],
        }
    if search and kind == "profiles":
        return {"runs": {"profile": name, "sql": search["profiles"][name]["whole"]}}
    return {}


def _object(properties: Mapping[str, Schema], head: Schema | None = None, tail: Schema | None = None) -> Schema:
    """A schema of an object that holds just these, each of them."""
    closed = {"properties": {**properties}, "required": [*properties], "additionalProperties": False}
    return {**(head or {}), "type": "object", **closed, **(tail or {})}


def _registry_schema(row: RegistryPage, schemas: Mapping[str, Schema], site_url: str) -> Schema:
    values: Schema = dict(schemas.get(row.kind, _ANY_RECORD))
    definitions = values.pop("$defs", {})
    properties = {
        "name": {"type": "string", "description": "Its name, which no other record of the registry has."},
        "page": {"type": "string", "format": "uri-reference", "description": "The page and section that shows it."},
        "source": {"$ref": "#/$defs/source"},
        "values": {"$ref": "#/$defs/values"},
        "derived": {"type": "object", "description": "What follows from other records, such as who reads it."},
        "authored": _texts("Numbers as their author wrote them, by field; `raw.name` is a field inside a field."),
        "computed": _texts("Fields that the source computes, each with its expression."),
    }
    record = _object(properties)
    record["properties"] |= {
        "weights": {
            "type": "object",
            "description": "Of an arm: its weight in each profile; 0 leaves it out.",
            "additionalProperties": {"type": "number", "minimum": 0},
        },
        "runs": _object(
            {"profile": {"type": "string"}, "sql": {"type": "string"}},
            {"description": "Of an arm or a profile: its SQL as a profile runs it."},
        ),
    }
    schema = _object(
        {
            "kind": {"const": row.kind},
            "title": {"type": "string"},
            "description": {"type": "string"},
            "page": {"type": "string", "format": "uri-reference"},
            "count": {"type": "integer", "minimum": 0},
            "records": {"type": "array", "items": record},
        },
        {
            "$schema": DIALECT,
            "$id": _schema_url(row.kind, site_url),
            "title": row.title,
            "description": row.description,
        },
        {"$defs": {"source": _SOURCE, "values": values, **definitions}},
    )
    schema["properties"]["$schema"] = {"type": "string"}
    return schema


def _texts(description: str) -> Schema:
    return {"type": "object", "description": description, "additionalProperties": {"type": "string"}}


_ANY_RECORD: Schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

_SOURCE: Schema = {
    "description": "Where it is written, or for a record from elsewhere who registered it.",
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "file": {"type": "string"},
                "line": {"type": "integer", "minimum": 1},
                "url": {"type": "string", "format": "uri"},
            },
            "required": ["file", "line"],
            "additionalProperties": False,
        },
        _object({"origin": {"type": "string"}}),
    ],
}

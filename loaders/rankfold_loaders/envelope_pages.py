"""The page of the JSON envelope: every kind of answer with its fields, a real example of each, and the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders.addresses import anchor, relative
from rankfold_loaders.agreement import Entry
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.page_model import Page, Section, Table
from rankfold_loaders.pages import Maker

SCHEMA_FILE = "schemas/envelope.schema.json"
"""Where the site offers the whole schema."""

_PLURALS = {"string": "strings", "integer": "integers", "number": "numbers", "boolean": "yes or no"}
_WORDS = {"boolean": "`true` or `false`", "null": "`null`"}

Examples = Mapping[str, Mapping[str, Any]]
"""By kind, what was typed as `command`, and what it printed as `envelope`."""


def pages(maker: Maker, examples: Examples | None = None) -> list[Page]:
    """The page of all kinds of answers.

    Args:
        maker: makes the page.
        examples: a real answer of each kind; those among the live values of the search if None.

    Raises:
        SiteError: a field does not say what it means.
    """
    faults = list(undocumented(maker.entries))
    if faults:
        raise SiteError(faults)
    shown = examples if examples is not None else maker.joined.live.get("search", {}).get("envelopes", {})
    kinds = {payload: entry.name for entry in maker.entries if (payload := _payload(entry))}
    sections = [_section(maker, entry, f"3.{n}", kinds) for n, entry in enumerate(maker.entries, start=1)]
    printed = [_example(shown.get(entry.name)) for entry in maker.entries]
    return [
        maker.page(
            envelope=_envelope(maker.entries[0]),
            failure=anchor(maker.row.word, maker.entries[-1].name),
            answers=list(zip(sections, printed, strict=True)),
            schema_file=SCHEMA_FILE,
            schema_href=relative(maker.here, SCHEMA_FILE),
        )
    ]


def files(entries: Iterable[Entry]) -> dict[str, bytes]:
    """The whole schema, as a file of the site."""
    return {SCHEMA_FILE: (json.dumps(whole(entries), indent=2) + "\n").encode()}


def whole(entries: Iterable[Entry]) -> dict[str, Any]:
    """The schema of everything that may be printed, put together from those of each kind."""
    parts = [json.loads(entry.value("schema")) for entry in entries]
    definitions = {name: schema for part in parts for name, schema in part["$defs"].items()}
    shapes = [shape for part in parts for shape in part["oneOf"]]
    return {**parts[0], "oneOf": shapes, "$defs": dict(sorted(definitions.items()))}


def undocumented(entries: Iterable[Entry]) -> Iterator[Fault]:
    """Fields without a meaning, each once."""
    seen = set()
    for entry in entries:
        for owner, schema in json.loads(entry.value("schema"))["$defs"].items():
            for name, field in schema["properties"].items():
                if not field.get("description") and (owner, name) not in seen:
                    seen.add((owner, name))
                    yield Fault(entry.source.place, f"the field {name!r} of {owner} does not say what it means")


def _payload(entry: Entry) -> str:
    """The definition that `data` of a kind is; empty for the failure."""
    (shape,) = json.loads(entry.value("schema"))["oneOf"]
    return str(shape["properties"].get("data", {}).get("$ref", "")).rpartition("/")[2]


def _envelope(entry: Entry) -> Table:
    (shape,) = json.loads(entry.value("schema"))["oneOf"]
    told = {"type": "string, the name of a kind", "data": "object, as its kind has it"}
    rows = tuple(
        (md.code(key), told.get(key) or _type(field), _meaning(field)) for key, field in shape["properties"].items()
    )
    return Table("The envelope", "envelope", ("Key", "Type", "What it holds"), rows)


def _section(maker: Maker, entry: Entry, number: str, kinds: Mapping[str, str]) -> Section:
    schema = json.loads(entry.value("schema"))
    payload = _payload(entry)
    if payload:
        listed = _fields(schema["$defs"][payload], schema["$defs"], kinds, maker.row.word)
    else:
        listed = _fields(schema["oneOf"][0], {}, kinds, maker.row.word)
    rows = tuple((md.code(path), _codes(maker, path) or what, says) for path, what, says in listed)
    table = Table(f"Fields of {entry.name}", f"fields-{entry.name}", ("Field", "Type", "What it holds"), rows)
    said = maker.doc(entry.value("doc"), entry.name)
    return Section(number, md.code(entry.name), anchor(maker.row.word, entry.name), said, table=table)


def _codes(maker: Maker, path: str) -> str:
    """Of the field that holds a code, where the codes are documented."""
    reference = maker.joined.reference
    is_code = path == "code" and reference.has("errors")
    return f"one of the [codes]({relative(maker.here, reference.row('errors').uri)})" if is_code else ""


def _fields(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], kinds: Mapping[str, str], word: str, path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Every field below an object: its path, its type and its meaning."""
    for name, field in schema["properties"].items():
        here = f"{path}.{name}" if path else name
        inside, is_list = _inside(field)
        what = _type(field)
        if inside in kinds:
            target = f"[{md.code(kinds[inside])}](#{anchor(word, kinds[inside])})"
            yield (
                here,
                f"list of objects, each as in {target}" if is_list else f"object, as in {target}",
                _meaning(field),
            )
            continue
        yield here, what, _meaning(field)
        if inside:
            yield from _fields(definitions[inside], definitions, kinds, word, here + ("[]" if is_list else ""))


def _inside(field: Mapping[str, Any]) -> tuple[str, bool]:
    """The definition that a field holds, and whether it holds a list of them."""
    for option in field.get("anyOf", [field]):
        if "$ref" in option:
            return str(option["$ref"]).rpartition("/")[2], False
        if "$ref" in (option.get("items") or {}):
            return str(option["items"]["$ref"]).rpartition("/")[2], True
    return "", False


def _type(field: Mapping[str, Any]) -> str:
    """A schema in words."""
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"])
    values = [field["const"]] if "const" in field else field.get("enum", [])
    if values:
        *others, last = [md.code(str(value)) for value in values]
        return " or ".join(filter(None, (", ".join(others), last)))
    if "$ref" in field:
        return "object"
    if field.get("type") == "array":
        if "prefixItems" in field:
            return f"list of {len(field['prefixItems'])}: " + ", ".join(_type(item) for item in field["prefixItems"])
        return f"list of {_many(field['items'])}"
    if field.get("type") == "object":
        return f"object of {_many(field['additionalProperties'])} by name"
    kind = str(field.get("type", "any value"))
    return _WORDS.get(kind, kind)


def _many(items: Mapping[str, Any]) -> str:
    if "$ref" in items:
        return "objects"
    if items.get("type") == "array" or "anyOf" in items:
        return f"values, each a {_type(items)}"
    return _PLURALS[items["type"]]


def _meaning(field: Mapping[str, Any]) -> str:
    return md.prose(field.get("description", ""))


def _example(example: Mapping[str, Any] | None) -> dict[str, str]:
    if example is None:
        return {}
    text = json.dumps(example["envelope"], indent=2, ensure_ascii=False)
    return {"command": str(example["command"]), "text": text}

"""The page of the JSON envelope tells every field of every kind, and offers the schema that commands are held to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from loaders.rendered_pages import cells, html, maker
from rankfold.cli.payloads import PAYLOADS
from rankfold.cli.schema import envelope_schema
from rankfold_loaders.envelope import FAILURE, answers
from rankfold_loaders.envelope_pages import SCHEMA_FILE, files, pages, undocumented, whole
from rankfold_loaders.faults import SiteError
from rankfold_loaders.own_reference import OWN

ROWS = (OWN.row("answers"),)
RECORDS = answers()
EXAMPLE = {
    "api_version": "1",
    "type": "embed",
    "data": {"embedded": 1, "failed": 0, "cut": 0, "refused": 0, "pending": 0, "chunks": 1},
    "warnings": ["```<script>"],
}


def with_schema(kind: str, change: dict[str, Any]) -> list[dict[str, Any]]:
    """The records, one schema of which has a changed field `chunks`."""
    records = []
    for record in RECORDS:
        schema = json.loads(record["schema"])
        if record["name"] == kind:
            (definition,) = schema["$defs"].values()
            definition["properties"]["chunks"] = change
        records.append({**record, "schema": json.dumps(schema)})
    return records


def test_there_is_a_record_for_every_kind_and_the_failure() -> None:
    assert [record["name"] for record in RECORDS] == [*PAYLOADS, FAILURE]


def test_the_schema_of_each_kind_stands_alone_and_all_of_them_make_the_whole() -> None:
    for record in RECORDS:
        schema = json.loads(record["schema"])
        Draft202012Validator.check_schema(schema)
        assert Draft202012Validator(schema).is_valid(EXAMPLE) == (record["name"] == "embed"), record["name"]
    entries = maker("answers", ROWS, {"answers": RECORDS}).entries
    assert whole(entries) == envelope_schema()
    assert json.loads(files(entries)[SCHEMA_FILE]) == envelope_schema()


def test_a_field_that_says_nothing_stops_the_page() -> None:
    silent = maker("answers", ROWS, {"answers": with_schema("embed", {"type": "integer"})})
    assert [fault.message for fault in undocumented(silent.entries)] == [
        "the field 'chunks' of EmbedData does not say what it means"
    ]
    with pytest.raises(SiteError, match="'chunks' of EmbedData"):
        pages(silent)


def test_every_field_has_a_row_with_its_path_type_and_meaning() -> None:
    (page,) = pages(maker("answers", ROWS, {"answers": RECORDS}), {"embed": {"command": "x", "envelope": EXAMPLE}})
    shown = html(page)
    search = {row[0]: row[1:] for row in cells(shown, "fields-search")}
    assert search["query_form"][0] == "all or any or null"
    assert search["hits"] == ["list of objects", "The hits, best first."]
    assert search["hits[].passage"][0] == "object or null"
    assert search["hits[].contributions[].raw"][0] == "number or null"
    assert search["hits[].tags"][0] == "list of strings"
    arms = {row[0]: row[1] for row in cells(shown, "fields-arms")}
    assert arms == {"profile": "string", "database": "string or null", "arms": "list of objects, each as in arm"}
    assert {row[0]: row[1] for row in cells(shown, "fields-index")}["skipped"] == "object of integers by name"
    assert {row[0] for row in cells(shown, f"fields-{FAILURE}")} == {"api_version", "error", "code", "suggestions"}
    for record in RECORDS:
        assert shown.find(id=f"answer-{record['name']}") is not None
    assert shown.find("a", href=f"../{SCHEMA_FILE}") is not None


def test_an_example_is_shown_as_it_was_printed() -> None:
    examples = {"embed": {"command": 'rankfold embed "<b>" --json', "envelope": EXAMPLE}}
    (page,) = pages(maker("answers", ROWS, {"answers": RECORDS}), examples)
    shown = html(page)
    (block,) = shown.select("details.example")
    assert block.summary.get_text() == 'rankfold embed "<b>" --json'
    assert json.loads(block.code.get_text()) == EXAMPLE
    assert shown.find("script") is None
    assert "details" not in str(html(pages(maker("answers", ROWS, {"answers": RECORDS}))[0]))

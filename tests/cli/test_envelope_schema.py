"""The published schema of the envelope: everything that is really printed fits it, and nothing that differs does."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from rankfold.cli import main
from rankfold.cli.payloads import PAYLOADS
from rankfold.cli.schema import envelope_schema, field_docs
from support import TableEmbedder

from .running import envelope_of, run

SCHEMA = envelope_schema()
VALIDATOR = Draft202012Validator(SCHEMA)

SUCCESSES = [
    ("index", "notes", "--no-embed", "--db", "another.db"),
    ("index",),
    ("index", "empty"),
    ("search", "readers"),
    ("search", "readers", "--profile", "memory"),
    ("search", "nothing holds these words"),
    ("search", "!"),
    ("search", "readers", "--path", "notes/", "--since", "2023-01-01", "--arms", "fts"),
    ("sql", "readers"),
    ("sql", "!"),
    ("sql",),
    ("sql", "--weight", "fts=0", "--weight", "vector=0", "--weight", "recency=0", "--weight", "salience=0"),
    ("arms",),
    ("arms", "--db", "there is none.db"),
    ("arms", "vector"),
    ("profiles",),
    ("profiles", "memory"),
    ("embed",),
    ("embed", "--all"),
    ("status",),
    ("status", "--check"),
]
FAILURES = [
    (),
    ("search",),
    ("search", "x", "--limit", "0"),
    ("search", "x", "--db", "there is none.db"),
    ("search", "x", "--db", "notes/wal.md"),
    ("arms", "ftss"),
    ("index", "nowhere"),
    ("status", "--db", "notes"),
]


@pytest.fixture
def place(folder: Path, embedder: TableEmbedder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: notes indexed with vectors, one of them twice, and an empty folder."""
    monkeypatch.setattr("rankfold.collection.default_embedder", lambda: embedder)
    (folder / "empty").mkdir()
    (folder / "notes" / "twin.md").write_bytes((folder / "notes" / "wal.md").read_bytes())
    assert run("index").exit_code == 0
    return folder


def printed(*words: str) -> dict[str, Any]:
    return envelope_of(run(*words, "--json").stdout)


def objects(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where the objects with fixed keys are in an envelope."""
    if isinstance(value, Mapping):
        if not path or path[-1] not in ("weights", "skipped"):
            yield path
        for key, item in value.items():
            yield from objects(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from objects(item, (*path, number))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema({**SCHEMA, "oneOf": {}})


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", SUCCESSES, ids=" ".join)
def test_every_success_fits(words: tuple[str, ...]) -> None:
    envelope = printed(*words)
    assert "data" in envelope, envelope
    assert [error.message for error in VALIDATOR.iter_errors(envelope)] == []


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", FAILURES, ids=" ".join)
def test_every_failure_fits(words: tuple[str, ...]) -> None:
    envelope = printed(*words)
    assert "error" in envelope, envelope
    assert [error.message for error in VALIDATOR.iter_errors(envelope)] == []


@pytest.mark.usefixtures("place")
def test_every_command_and_every_kind_is_among_them() -> None:
    assert {words[0] for words in SUCCESSES} == set(main.commands)
    assert {printed(*words)["type"] for words in SUCCESSES} == set(PAYLOADS)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("words", [("search", "readers"), ("arms",), ("profiles",), ("status",), ("sql", "readers")])
def test_a_key_too_many_too_few_or_of_another_type_does_not_fit(words: tuple[str, ...]) -> None:
    envelope = printed(*words)
    assert VALIDATOR.is_valid(envelope)
    tried = 0
    for path in objects(envelope):
        more = copy.deepcopy(envelope)
        at(more, path)["surplus"] = None
        assert not VALIDATOR.is_valid(more), path
        for key in at(envelope, path):
            for change in (lambda item, key: item.pop(key), lambda item, key: item.update({key: {"odd": [{}]}})):
                changed = copy.deepcopy(envelope)
                change(at(changed, path), key)
                assert not VALIDATOR.is_valid(changed), (*path, key)
                tried += 1
    assert tried > 20


@pytest.mark.usefixtures("place")
def test_a_kind_with_the_data_of_another_and_an_unknown_code_do_not_fit() -> None:
    assert not VALIDATOR.is_valid({**printed("status"), "type": "search"})
    failure = printed("search")
    assert VALIDATOR.is_valid(failure)
    assert not VALIDATOR.is_valid({**failure, "code": "made_up"})


def test_every_field_says_what_it_means() -> None:
    silent = [
        f"{name}.{field}"
        for name, schema in SCHEMA["$defs"].items()
        for field, told in schema["properties"].items()
        if not told.get("description")
    ]
    assert silent == []


@dataclass(frozen=True)
class Shown:
    """A value."""

    size: int
    """How large it is, None if unknown."""
    colour: str


@dataclass(frozen=True)
class Payload:
    """What is printed of it."""

    shows: ClassVar[type] = Shown

    size: int | None
    colour: Literal["red", "blue"]
    """Its colour."""
    at: tuple[int, int]


def test_a_field_that_is_silent_means_what_it_does_in_the_value_that_is_shown() -> None:
    assert field_docs(Payload) == {"size": "How large it is, None if unknown.", "colour": "Its colour."}
    schema = envelope_schema({"payload": Payload}, codes=["broken"])
    properties = schema["$defs"]["Payload"]["properties"]
    assert properties["size"]["description"] == "How large it is, null if unknown."
    assert "description" not in properties["at"]
    envelope = {
        "api_version": "1",
        "type": "payload",
        "data": {"size": None, "colour": "red", "at": [1, 2]},
        "warnings": [],
    }
    validator = Draft202012Validator(schema)
    assert validator.is_valid(envelope)
    for change in ({"colour": "green"}, {"at": [1]}, {"at": [1, 2, 3]}, {"size": 1.5}):
        assert not validator.is_valid({**envelope, "data": {**envelope["data"], **change}}), change


def test_a_type_that_json_does_not_have_is_refused() -> None:
    @dataclass(frozen=True)
    class Odd:
        """A value."""

        path: Path

    with pytest.raises(TypeError, match="JSON has nothing for"):
        envelope_schema({"odd": Odd})

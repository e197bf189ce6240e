"""The registries as JSON: what is live, under schemas from the record classes that refuse what is wrong."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from jsonschema import Draft202012Validator

from rankfold_loaders import live
from rankfold_loaders.agreement import Entry, Joined, Source, join
from rankfold_loaders.machine_readable import machine_readable
from rankfold_loaders.project import Project
from rankfold_loaders.record_schema import Schema, record_schema
from rankfold_loaders.registries import Column, Reference, RegistryPage

if TYPE_CHECKING:
    from nowhere import Unknown

SITE = "https://example.org/project/"


class Colour(enum.Enum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    """A part of a thing."""

    size: int
    """How large,
    in steps."""
    inside: Part | None = None


@dataclass(frozen=True)
class Named:
    name: str
    """What it is called."""


@dataclass(frozen=True)
class Thing(Named):
    """A record that has nothing to do with search."""

    kind: Literal["small", "large"] = "small"
    parts: tuple[Part, ...] = ()
    pair: tuple[int, str] = (1, "a")
    weights: Mapping[str, float] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    colour: Colour = Colour.RED
    make: Callable[[Unknown], None] = print
    unknown: Unknown = None
    lines: Sequence[str] | None = None
    on: bool = False


def load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


@pytest.fixture(scope="module")
def joined(tree: Path) -> Joined:
    project = Project.at(tree)
    found, faults = join(project, live.read(project))
    assert not faults
    return found


@pytest.fixture(scope="module")
def schemas(joined: Joined) -> dict[str, Schema]:
    return {row.kind: record_schema(load(row.record)) for row in joined.reference.registries if row.record}


@pytest.fixture(scope="module")
def files(joined: Joined, schemas: dict[str, Schema]) -> dict[str, Any]:
    return {path: json.loads(content) for path, content in machine_readable(joined, schemas, SITE).items()}


def faults(files: Mapping[str, Any], kind: str) -> list[str]:
    Draft202012Validator.check_schema(files[f"{kind}.schema.json"])
    return [
        error.message for error in Draft202012Validator(files[f"{kind}.schema.json"]).iter_errors(files[f"{kind}.json"])
    ]


def test_every_registry_validates_and_so_do_all_of_them_together(joined: Joined, files: dict[str, Any]) -> None:
    kinds = [row.kind for row in joined.reference.registries]
    assert {"arms", "errors", "commands"} <= set(kinds)
    assert {kind: faults(files, kind) for kind in [*kinds, "registries"]} == {
        kind: [] for kind in [*kinds, "registries"]
    }
    assert list(files["registries.json"]["registries"]) == kinds


def test_an_arm_states_what_is_live_authored_and_published(joined: Joined, files: dict[str, Any]) -> None:
    document = files["arms.json"]
    assert document["$schema"] == files["arms.schema.json"]["$id"] == SITE + "arms.schema.json"
    assert document["count"] == len(document["records"]) == len(joined.entries["arms"])
    for record, entry in zip(document["records"], joined.entries["arms"], strict=True):
        assert record["values"]["weight"] == entry.value("weight")
        assert record["values"]["sql"] == entry.value("sql")
        assert record["values"]["preconditions"] == entry.value("preconditions")
        assert record["authored"]["weight"] == entry.text("weight")
        assert record["source"]["file"].endswith(f"{entry.name}.py")
        assert record["page"] == f"{SITE}reference/arms/{entry.name}/"
        assert list(record["weights"]) == [profile.name for profile in joined.entries["profiles"]]
        assert all(record["weights"][name] == joined.weight(name, entry.name)[0] for name in record["weights"])
        assert "row_number()" in record["runs"]["sql"]


@pytest.mark.parametrize(
    ("kind", "where", "wrong"),
    [
        ("arms", ("values", "weight"), "1.0"),
        ("arms", ("values", "reads"), "minds"),
        ("arms", ("values", "raw", "better"), "sideways"),
        ("arms", ("values", "invented"), 1),
        ("arms", ("source",), {"file": "x.py"}),
        ("arms", ("weights", "documents"), -1),
        ("preconditions", ("values", "holds"), "a text"),
        ("profiles", ("values", "window"), 1.5),
        ("errors", ("values", "exit_code"), 3),
        ("commands", ("values", "name"), None),
    ],
)
def test_a_wrong_value_is_refused(files: dict[str, Any], kind: str, where: tuple[str, ...], wrong: object) -> None:
    changed = json.loads(json.dumps(files))
    for document in (changed[f"{kind}.json"], changed["registries.json"]["registries"][kind]):
        inner = document["records"][0]
        for key in where[:-1]:
            inner = inner[key]
        inner[where[-1]] = wrong
    assert faults(changed, kind)
    assert faults(changed, "registries")


@pytest.mark.parametrize("missing", ["weight", "doc", "preconditions"])
def test_a_missing_field_is_refused(files: dict[str, Any], missing: str) -> None:
    changed = json.loads(json.dumps(files))
    del changed["arms.json"]["records"][0]["values"][missing]
    assert faults(changed, "arms")


def test_the_schema_says_what_the_record_class_says(files: dict[str, Any]) -> None:
    weight = files["arms.schema.json"]["$defs"]["values"]["properties"]["weight"]
    assert weight["type"] == "number"
    assert weight["description"].startswith("Default weight in the fusion")


def other_registry(*things: Thing) -> tuple[Joined, dict[str, Any]]:
    row = RegistryPage(
        kind="things",
        word="thing",
        title="Things",
        description="All of them.",
        records="x:THINGS",
        uri="things.md",
        columns=(Column("Thing", "name", "name"),),
    )
    entries = [Entry("things", thing.name, live.plain(thing), Source("", 0, "", "elsewhere 1.0")) for thing in things]
    joined = Joined({"things": entries}, {"search": {}}, Reference(registries=(row,)))
    made = machine_readable(joined, {"things": record_schema(Thing)}, SITE)
    return joined, {path: json.loads(content) for path, content in made.items()}


def test_a_registry_that_has_nothing_to_do_with_search_has_a_schema_too() -> None:
    _, files = other_registry(
        Thing("first"),
        Thing("second", parts=(Part(1, Part(2)),), weights={"a": 0.5}, tags=frozenset("ba"), lines=["x"]),
    )
    assert faults(files, "things") == faults(files, "registries") == []
    values = files["things.schema.json"]["$defs"]["values"]["properties"]
    assert values["name"]["description"] == "What it is called."
    assert values["kind"] == {"enum": ["small", "large"]}
    assert values["parts"]["items"] == {"$ref": "#/$defs/Part"}
    assert values["unknown"] == {}
    assert files["things.schema.json"]["$defs"]["Part"]["properties"]["size"]["description"] == "How large, in steps."
    assert files["things.json"]["records"][0]["page"] == SITE + "things/#thing-first"
    assert files["things.json"]["records"][0]["source"] == {"origin": "elsewhere 1.0"}


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("kind", "huge"),
        ("parts", [{"size": 1}]),
        ("parts", [{"size": "1", "inside": None}]),
        ("parts", [{"size": 1, "inside": {"size": "1", "inside": None}}]),
        ("pair", [1]),
        ("pair", [1, "a", 2]),
        ("weights", {"a": "b"}),
        ("tags", "text"),
        ("make", "print"),
        ("lines", [1]),
        ("on", "no"),
    ],
)
def test_a_wrong_value_of_a_foreign_record_is_refused(field: str, wrong: object) -> None:
    _, files = other_registry(Thing("first"))
    files["things.json"]["records"][0]["values"][field] = wrong
    assert faults(files, "things")


def test_hostile_text_comes_back_as_it_was() -> None:
    text = 'a|b <script>`{{ x }}` \u202e "quoted" \\ שלום\u2028end ' + "w" * 300
    _, files = other_registry(dataclasses.replace(Thing(text), lines=[text]))
    assert files["things.json"]["records"][0]["values"]["lines"] == [text]
    assert files["things.json"]["records"][0]["name"] == text
    assert faults(files, "things") == []


def test_nothing_in_the_files_names_this_machine(joined: Joined, schemas: dict[str, Schema], tree: Path) -> None:
    for content in machine_readable(joined, schemas, SITE).values():
        assert str(tree.parent).encode() not in content


def test_the_site_publishes_what_validates(built: Path) -> None:
    names = [file.name.removesuffix(".schema.json") for file in built.glob("*.schema.json")]
    assert {"arms", "registries"} <= set(names)
    published = {file.name: json.loads(file.read_bytes()) for file in built.glob("*.json")}
    assert {name: faults(published, name) for name in names} == {name: [] for name in names}

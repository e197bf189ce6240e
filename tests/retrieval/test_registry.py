"""The registries are ordered, open, and refuse what would break them by name."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

import rankfold
from rankfold.errors import RegistryError, UnknownNameError
from rankfold.records import Arm, Precondition, Profile, Slot
from rankfold.retrieval import registry
from rankfold.retrieval.arms import ARMS
from rankfold.retrieval.registry import KINDS, built_in, installed

PACKAGE = Path(__file__).parents[1] / "cases" / "arm_package"


def test_the_built_in_arms_are_the_four_in_their_order() -> None:
    assert built_in().arms.names == ("fts", "vector", "recency", "salience")
    assert [arm.weight for arm in built_in().arms] == [1.0, 1.0, 0.5, 0.4]


@pytest.mark.parametrize(("kind", "record_type"), KINDS, ids=[kind for kind, _ in KINDS])
def test_every_record_and_every_field_of_a_record_is_documented(kind: str, record_type: type) -> None:
    registries = built_in()
    assert len(getattr(registries, kind)), f"there are no {kind}"
    for record in getattr(registries, kind):
        assert record.doc.strip(), record.name
        assert record.since, record.name
    # A field's documentation is the string after it, which only the source still has.
    source = Path(sys.modules["rankfold.records"].__file__ or "").read_text(encoding="utf-8")
    body = source.partition(f"class {record_type.__name__}:")[2].partition("\nclass ")[0]
    for field in fields(record_type):
        assert f"    {field.name}:" in body
        after = body.partition(f"    {field.name}:")[2].partition("\n")[2]
        assert after.lstrip().startswith('"""'), f"{record_type.__name__}.{field.name} is not documented"


def test_an_unknown_name_is_an_error_that_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown arm 'vektor'; did you mean 'vector'\? Known: fts, vector, "):
        built_in().arms["vektor"]


BROKEN: list[tuple[str, dict[str, object]]] = [
    ("the name is taken", {"name": "fts"}),
    ("lower-case letters", {"name": "Votes"}),
    ("not documented", {"doc": " "}),
    ("a weight is 0, or finite", {"weight": float("nan")}),
    ("a weight is 0, or finite", {"weight": -1.0}),
    ("a weight is 0, or finite", {"weight": 1e-120}),
    ("unknown precondition 'coffee'", {"preconditions": ("coffee",)}),
    ("declares the precondition 'candidates'", {"reads": "corpus", "preconditions": ()}),
    (r"unknown hole \{moon\}", {"sql": "SELECT {moon} FROM {scope}"}),
    ("does not obey the scope", {"sql": "SELECT 1, 1, 1"}),
    ("without a semicolon", {"sql": "SELECT 1, 1, 1 FROM {scope};"}),
    ("without a slot's number", {"sql": "SELECT ? FROM {scope}"}),
    ("cannot read 'minds'", {"reads": "minds", "preconditions": ("candidates",)}),
    ("raw value is not told", {"raw": None}),
    ("no hole for its exclusions", {"exclusions": ("d.type = 'a'",)}),
    (r"unknown slot \?77", {"sql": "SELECT ?77 FROM {scope}"}),
    ("reads the candidates of 'votes'", {"candidates_of": ("votes",)}),
]


@pytest.mark.parametrize(("message", "change"), BROKEN, ids=[message for message, _ in BROKEN])
def test_a_broken_arm_is_refused_by_name(message: str, change: dict[str, object]) -> None:
    arm = replace(ARMS[0], name="mine")
    built_in().plus("arms", arm)  # as it stands it may join
    with pytest.raises(RegistryError, match=message):
        built_in().plus("arms", replace(arm, **change))  # type: ignore[arg-type]


def test_slots_and_profiles_that_clash_are_refused() -> None:
    registries = built_in()
    slot = Slot(number=1, name="mine", type="TEXT", unit="none", supplied_by="me", doc="Mine.", since="1")
    with pytest.raises(RegistryError, match=r"slot \?1 is taken"):
        registries.plus("slots", slot)
    profile = replace(registries.profiles["memory"], name="mine", weights={"ftx": 1.0})
    with pytest.raises(RegistryError, match="unknown arm 'ftx'"):
        registries.plus("profiles", profile)
    assert isinstance(profile, Profile)


def test_another_packages_records_join_by_entry_point_and_a_broken_one_leaves_the_rest_standing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGE))
    installed.cache_clear()
    try:
        registries = installed()
    finally:
        installed.cache_clear()
    assert registries.arms.names == ("fts", "vector", "recency", "salience", "length")
    assert "full_moon" in registries.preconditions
    problems = {problem.name: problem for problem in registries.problems}
    assert set(problems) == {"clash", "votes"}
    assert "the name is taken" in problems["clash"].reason
    assert "NOT_THERE" in problems["votes"].reason
    assert str(problems["votes"]).startswith("arms: votes from arm-package was left out")
    assert ("arms", "length", "arm-package") in registries.origins


def test_an_arm_of_another_package_takes_part_in_a_search_and_in_its_explanation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(PACKAGE))
    installed.cache_clear()
    try:
        with rankfold.open(tmp_path / "index.db", embedder=None) as notes:
            notes.index([{"id": "long", "text": "wal " * 9}, {"id": "short", "text": "wal"}], embed=False)
            answer = notes.search("wal")
    finally:
        installed.cache_clear()
    assert [used.arm for used in answer.arms] == ["fts", "length"]
    ranks = {hit.path: {item.arm: item.rank for item in hit.contributions} for hit in answer}
    assert ranks["short"]["length"] == 1
    assert any("votes" in warning for warning in answer.warnings)


def test_nothing_but_the_registry_lists_the_arms() -> None:
    """An arm's name occurs in the engine only where the arm itself, a profile or a comment says it."""
    source = Path(registry.__file__).parents[1]
    allowed = {"arms", "profiles.py", "fields.py", "preconditions.py"}
    for file in source.rglob("*.py"):
        if allowed & set(file.relative_to(source).parts):
            continue
        text = file.read_text(encoding="utf-8")
        for name in ("fts", "vector", "recency", "salience"):
            assert f'"{name}"' not in text, f"{file} names the arm {name}"


def test_the_library_is_imported_without_the_extras_and_without_the_site() -> None:
    code = (
        "import sys; import rankfold, rankfold.cli; "
        "print([m for m in ('numpy','onnxruntime','tokenizers','mkdocs','griffe','jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_records_are_plain_frozen_values() -> None:
    with pytest.raises(AttributeError):
        ARMS[0].weight = 2.0  # type: ignore[misc]
    assert {type(arm) for arm in ARMS} == {Arm}
    assert all(isinstance(item, Precondition) for item in built_in().preconditions)

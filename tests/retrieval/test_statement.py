"""The fold: golden files hold the statement for every set of arms that can be active."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from rankfold.records import Profile
from rankfold.retrieval.activation import activate, weights_of
from rankfold.retrieval.query import forms
from rankfold.retrieval.registry import built_in
from rankfold.retrieval.request import read_scope
from rankfold.retrieval.situation import QueryVector, Situation
from rankfold.retrieval.statement import ActiveArm, Statement, fold
from rankfold.storage.capabilities import Capabilities
from rankfold.storage.connection import open_reader, open_writer

GOLDEN = Path(__file__).parents[1] / "golden"
REGISTRIES = built_in()
SCOPES: dict[str, object] = {
    "path": ["notes/"],
    "type": ["task", "note"],
    "since": "2024-01-01",
    "until": "2024-12-31",
    "archived": True,
}


def situation(profile: Profile, held: dict[str, bool]) -> Situation:
    """A situation in which just the preconditions of those names hold."""
    return Situation(
        forms=forms("word" if held["query_terms"] else "..."),
        vector=QueryVector(packed=b"1234" if held["query_vector"] else None, reason="none"),
        capabilities=Capabilities(
            sqlite_version="3",
            vec_version="v0",
            chunks=10,
            embedded=10 if held["embedded_documents"] else 1,
            has_dates=held["dated_documents"],
            state_path="state.db" if held["state_plane"] else None,
        ),
        profile=profile,
    )


def every_statement() -> dict[str, Statement]:
    """Each different statement of every combination of preconditions and profiles, and of each scope axis."""
    found: dict[str, Statement] = {}
    names = [name for name in REGISTRIES.preconditions.names if name != "candidates"]
    for profile in REGISTRIES.profiles:
        weights = weights_of(REGISTRIES, profile)
        for values in itertools.product((True, False), repeat=len(names)):
            active, _ = activate(REGISTRIES, weights, situation(profile, dict(zip(names, values, strict=True))))
            statement = fold(active, registries=REGISTRIES, profile=profile, rank_constant=profile.rank_constant)
            if statement is not None:
                found[f"{profile.name}/{'+'.join(statement.arms)}"] = statement
        everything, _ = activate(REGISTRIES, weights, situation(profile, dict.fromkeys(names, True)))
        for axis, value in SCOPES.items():
            statement = fold(
                everything,
                registries=REGISTRIES,
                profile=profile,
                rank_constant=profile.rank_constant,
                scope=read_scope(REGISTRIES, {axis: value}),
            )
            assert statement is not None
            found[f"{profile.name}/scope-{axis}"] = statement
    return found


STATEMENTS = every_statement()


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_is_the_one_in_its_golden_file(name: str) -> None:
    file = GOLDEN / f"{name}.sql"
    if os.environ.get("RANKFOLD_WRITE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(STATEMENTS[name].text + "\n", encoding="utf-8")
    assert file.exists(), f"{file} is missing; write it with RANKFOLD_WRITE_GOLDEN=1 and read the difference"
    assert STATEMENTS[name].text + "\n" == file.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    files = {str(file.relative_to(GOLDEN).with_suffix("")): file for file in GOLDEN.rglob("*.sql")}
    if os.environ.get("RANKFOLD_WRITE_GOLDEN"):
        for name in files.keys() - STATEMENTS.keys():
            files.pop(name).unlink()
    assert files.keys() <= STATEMENTS.keys()


def test_every_set_of_arms_that_can_be_active_has_a_statement() -> None:
    memory = {name.partition("/")[2] for name in STATEMENTS if name.startswith("memory/") and "scope-" not in name}
    arms = REGISTRIES.arms.names
    subsets = {"+".join(part) for size in range(1, len(arms) + 1) for part in itertools.combinations(arms, size)}
    assert memory == subsets


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> apsw.Connection:
    database = tmp_path_factory.mktemp("empty") / "index.db"
    open_writer(database, tokenizer=REGISTRIES.profiles["documents"].tokenizer).close()
    return open_reader(database).connection


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_runs_on_the_shipped_schema_and_takes_exactly_its_slots(
    name: str, connection: apsw.Connection
) -> None:
    statement = STATEMENTS[name]
    values = {1: '"word"', 2: 40, 3: 10, 4: b"\0\0\x80?", 5: 0.0, 6: "[]", 7: "[]", 8: "[]", 9: 0.0, 10: 0.0}
    bound = statement.bind(values)
    assert connection.execute(statement.text, bound).fetchall() == []
    highest = max(int(number) for number in re.findall(r"\?(\d+)", statement.text))
    assert len(bound) == highest
    for wrong in (bound[:-1], (*bound, None)):
        with pytest.raises(apsw.BindingsError):
            connection.execute(statement.text, wrong).fetchall()


def test_the_statement_is_portable() -> None:
    for name, statement in STATEMENTS.items():
        assert "carray" not in statement.text, name
        assert '"' not in statement.text, name
        assert "vec0" not in statement.text, name


def test_dropping_an_arm_never_renumbers_a_slot() -> None:
    for name, statement in STATEMENTS.items():
        assert ("?4" in statement.text) == ("vector" in statement.arms), name
        assert ("?1" in statement.text) == ("fts" in statement.arms), name


def test_a_slot_below_the_highest_that_the_text_skips_is_bound_to_nothing() -> None:
    assert Statement("SELECT ?1, ?4", ()).bind({1: "a", 2: 9, 4: "b", 5: "c"}) == ("a", None, None, "b")


def test_weights_are_printed_as_the_shortest_text_that_reads_back() -> None:
    arm = REGISTRIES.arms["fts"]
    for weight, text in ((1.0, "1.0 /"), (1, "1.0 /"), (0.1 + 0.2, "0.30000000000000004 /"), (1e-06, "1e-06 /")):
        statement = fold(
            [ActiveArm(arm, weight)], registries=REGISTRIES, profile=REGISTRIES.profiles["memory"], rank_constant=60
        )
        assert statement is not None
        assert text in statement.text


def test_without_an_active_arm_there_is_no_statement() -> None:
    assert fold([], registries=REGISTRIES, profile=REGISTRIES.profiles["memory"], rank_constant=60) is None


def test_removing_a_precondition_from_a_record_alone_changes_what_fires() -> None:
    profile = REGISTRIES.profiles["memory"]
    held = dict.fromkeys(REGISTRIES.preconditions.names, True) | {"state_plane": False}
    active, dropped = activate(REGISTRIES, weights_of(REGISTRIES, profile), situation(profile, held))
    assert [item.arm for item in dropped] == ["salience"]
    salience = REGISTRIES.arms["salience"]
    free = replace(salience, preconditions=tuple(n for n in salience.preconditions if n != "state_plane"))
    arms = replace(REGISTRIES.arms, records=tuple(free if arm is salience else arm for arm in REGISTRIES.arms))
    changed = replace(REGISTRIES, arms=arms)
    active, dropped = activate(changed, weights_of(changed, profile), situation(profile, held))
    assert not dropped
    assert [item.arm.name for item in active] == ["fts", "vector", "recency", "salience"]


def test_an_arm_that_reads_candidates_is_given_those_of_the_arms_it_names(connection: apsw.Connection) -> None:
    arm = replace(
        REGISTRIES.arms["recency"],
        name="echo",
        reads="candidates",
        candidates_of=("fts",),
        sql="SELECT document_id, 1 AS rank, 1.0 AS raw FROM {candidates} WHERE document_id IN (SELECT * FROM {scope})",
        fast_sql="",
    )
    registries = REGISTRIES.plus_arms([arm])
    profile = registries.profiles["memory"]
    active = [ActiveArm(item, 1.0) for item in registries.arms]
    statement = fold(active, registries=registries, profile=profile, rank_constant=60)
    assert statement is not None
    made = statement.text.partition("candidates_echo(document_id) AS MATERIALIZED (")[2].partition(")")[0]
    assert "arm_fts" in made
    assert "arm_vector" not in made
    values = {1: '"word"', 2: 40, 3: 10, 4: b"\0\0\x80?", 5: 0.0}
    assert connection.execute(statement.text, statement.bind(values)).fetchall() == []

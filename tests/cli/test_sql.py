"""`rankfold sql`: what is printed is what a search executes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rankfold
from rankfold.cli.sql import with_values
from rankfold.embedding import Unavailable, default_embedder
from rankfold.retrieval.registry import installed
from rankfold.storage.connection import open_reader

from .running import asked_json, run

NOW = ("--now", "2024-06-01")
needs_model = pytest.mark.skipif(isinstance(default_embedder(), Unavailable), reason="the model is not installed")


def rows(folder: Path, statement: str) -> list[tuple[str, float]]:
    reader = open_reader(folder / ".rankfold" / "index.db")
    try:
        return [(str(row[0]), float(str(row[1]))) for row in reader.connection.execute(statement).fetchall()]
    finally:
        reader.connection.close()


def hits(*words: str) -> list[tuple[str, float]]:
    return [(hit["path"], hit["score"]) for hit in asked_json("search", *words)["data"]["hits"]]


@pytest.mark.parametrize(
    "words",
    [("readers",), ("many readers", "--limit", "2"), ("readers", "--path", "notes/", "--since", "2023-01-01")],
)
def test_the_printed_statement_is_the_one_that_was_executed(words: tuple[str, ...], folder: Path) -> None:
    printed = run("sql", *words, *NOW).stdout
    comments = re.match(r"(?:--[^\n]*\n)*", printed)
    assert comments is not None
    data = asked_json("sql", *words, *NOW)["data"]
    assert printed[comments.end() :] == data["sql"] + "\n"
    values = [value for value in data["parameters"] if value is not None]
    assert comments.group().count("\n") == len(values)
    assert "-- ?1 match_text = '\"" in comments.group()
    with rankfold.open(folder / ".rankfold" / "index.db") as notes:
        scope: dict[str, Any] = {"path": ["notes/"], "since": "2023-01-01"} if "--path" in words else {}
        answer = notes.search(words[0], limit=2 if "--limit" in words else None, now="2024-06-01", **scope)
    assert (data["sql"], data["parameters"]) == (answer.sql, list(answer.parameters))


def test_an_expanded_statement_runs_as_printed_and_gives_the_same_rows(folder: Path) -> None:
    for words in (("readers",), ("it's", "readers", "--path", "it's/", "--path", "notes/")):
        assert rows(folder, run("sql", *words, *NOW, "--expanded").stdout) == hits(*words, *NOW)
        assert hits(*words, *NOW)


def test_only_slots_are_replaced_by_values() -> None:
    text = "SELECT ?1, ?10, '?1 it''s', \"?1\" WHERE ?2"
    values = ["it's", None, *([0] * 7), b"\x01\xff"]
    assert with_values(text, values) == "SELECT 'it''s', X'01ff', '?1 it''s', \"?1\" WHERE NULL"
    assert with_values("SELECT ?1", ["\x1b[2J"]) == "SELECT CAST(X'1b5b324a' AS TEXT)"


@pytest.mark.usefixtures("empty")
def test_without_a_query_every_arm_of_the_profile_is_in_the_statement() -> None:
    for profile in installed().profiles.names:
        envelope = asked_json("sql", "--profile", profile)
        names = [item["arm"] for item in envelope["data"]["arms"]]
        assert names == list(installed().arms.names)
        assert all(f"arm_{name}(" in envelope["data"]["sql"] for name in names)
        assert envelope["data"]["parameters"] == []
        assert run("sql", "--profile", profile).stdout == envelope["data"]["sql"] + "\n"
    narrowed = run("sql", "--arms", "fts", "--rank-constant", "7", "--since", "2024-01-01").stdout
    assert "arm_vector" not in narrowed
    assert "/ (7 + rank)" in narrowed
    assert "?9" in narrowed
    assert run("sql", "--limit", "0").exit_code == 2


@needs_model
def test_with_the_real_model_the_vector_is_shown_short_and_runs_in_full(folder: Path) -> None:
    indexed = run("index")
    assert indexed.exit_code == 0
    assert "3 new vectors" in indexed.stdout
    data = asked_json("search", "readers", *NOW)["data"]
    assert {item["arm"] for item in data["hits"][0]["contributions"]} >= {"fts", "vector"}
    assert data["degraded"] is False
    assert "?4 query_vector = <384 float32 values>" in run("sql", "readers", *NOW).stdout
    blob = asked_json("sql", "readers", *NOW)["data"]["parameters"][3]
    assert len(bytes.fromhex(blob)) == 4 * 384
    expanded = run("sql", "readers", *NOW, "--expanded").stdout
    assert f"X'{blob}'" in expanded
    assert rows(folder, expanded) == hits("readers", *NOW)

"""`rankfold search`: limits, weights, scores, and the three forms of an answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rankfold.constants import LIMIT, OFFSET, RANK_CONSTANT, WINDOW
from rankfold.records import Constant

from .running import asked_json, run


def paths(*words: str) -> list[str]:
    return [hit["path"] for hit in asked_json("search", *words)["data"]["hits"]]


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    ("constant", "value"),
    [
        (constant, value)
        for constant in (LIMIT, OFFSET, WINDOW, RANK_CONSTANT)
        for value in ("-5", "-1", "0", "10.5", "true", "null", "1e9", "1000000000", "ten", "", "nan")
        if value != "0" or constant.minimum > 0
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_bad_number_is_refused_with_its_range_before_the_index_is_opened(constant: Constant, value: str) -> None:
    done = run("search", "x", constant.flag, value, "--db", "nowhere.db", "--json")
    envelope = json.loads(done.stdout)
    assert (done.exit_code, envelope["code"]) == (2, "bad_value")
    assert f"{constant.minimum} to {constant.maximum}" in envelope["error"]


@pytest.mark.usefixtures("folder")
def test_good_numbers_are_taken_as_they_are_typed() -> None:
    assert len(paths("readers", "--limit", "1")) == 1
    assert len(paths("readers", "--limit", "10")) == 2
    assert paths("readers", "--limit", "1", "--offset", "1") == paths("readers")[1:]
    assert asked_json("search", "readers", "--window", "7", "--rank-constant", "0")["data"]["window"] == 7


@pytest.mark.usefixtures("folder")
def test_words_of_the_command_line_are_one_query() -> None:
    assert asked_json("search", "many", "readers")["data"]["query"] == "many readers"
    assert paths("many", "readers") == paths("many readers") == ["notes/wal.md"]


def test_every_weight_counts_and_none_is_ignored(empty: Path) -> None:
    (empty / "d").mkdir()
    (empty / "d" / "often.md").write_text("---\ndate: 2020-01-01\n---\nwal wal wal\n", encoding="utf-8")
    (empty / "d" / "new.md").write_text("---\ndate: 2024-01-01\n---\nwal among many other words\n", encoding="utf-8")
    run("index", "d", "--no-embed", "--profile", "memory")

    def order(fts: float, recency: float) -> list[str]:
        return paths("wal", "--arms", "fts,recency", "--weight", f"fts={fts}", "--weight", f"recency={recency}")

    words_first, date_first = ["d/often.md", "d/new.md"], ["d/new.md", "d/often.md"]
    assert order(1, 1) == order(2, 2)
    assert order(1, 0) == paths("wal", "--arms", "fts") == words_first
    assert order(0, 1) == paths("wal", "--arms", "recency") == date_first
    assert order(10, 1) == words_first
    assert order(1, 10) == date_first
    assert paths("wal", "--arms", "fts", "--arms", "recency") == paths("wal", "--arms", "fts,recency")


@pytest.mark.parametrize("rank_constant", ["60", "0", "10000"])
def test_printed_scores_tell_ranks_apart(rank_constant: str, empty: Path) -> None:
    (empty / "d").mkdir()
    for number in range(10):
        (empty / "d" / f"{number}.md").write_text("common " + "other " * number * 3, encoding="utf-8")
    run("index", "d", "--no-embed")
    data = asked_json("search", "common", "--rank-constant", rank_constant)["data"]
    assert len(data["hits"]) == 10
    shown = re.findall(r"rank score (\S+)", run("search", "common", "--rank-constant", rank_constant).stdout)
    assert len(shown) == 10
    assert len(set(shown)) == len({hit["score"] for hit in data["hits"]})
    assert all(float(score) > 0 for score in shown)
    listed = run("search", "common", "--rank-constant", rank_constant, "--tsv").stdout.splitlines()
    assert [row.split("\t")[0] for row in listed[1:]] == [f"{hit['score']:.10g}" for hit in data["hits"]]


@pytest.mark.usefixtures("folder")
def test_ranks_stand_in_the_same_columns_under_every_hit() -> None:
    shown = run("search", "readers", "writer", "mode", "--weight", "recency=1").stdout
    lines = [line for line in shown.splitlines() if "ranks:" in line]
    assert len(lines) == 2
    assert len({tuple(place for place, _ in enumerate(line) if line[place:].startswith("  ")) for line in lines}) == 1
    assert "notes/wal.md:4" in shown
    assert "WAL mode" in shown
    assert re.search(r"arms: fts 1, recency 1\b", shown)
    assert "not asked: vector, since no document is embedded yet. Fix: rankfold embed" in shown


@pytest.mark.usefixtures("folder")
def test_nothing_found_is_said_and_is_a_success() -> None:
    nothing = run("search", "zeppelin")
    assert nothing.exit_code == 0
    assert "nothing found" in nothing.stdout
    assert "error" not in nothing.stdout + nothing.stderr
    no_term = run("search", "...")
    assert no_term.exit_code == 0
    assert "nothing found" in no_term.stdout
    assert "no searchable term" in no_term.stderr
    assert asked_json("search", "")["warnings"] == ["the query has no searchable term"]
    assert "no document is in scope" in run("search", "readers", "--path", "elsewhere").stderr


def test_tab_separated_values_hold_no_stray_tab_or_line_break(empty: Path) -> None:
    records = [
        {"id": "a  b\\c\tand\nd", "title": "two\ttabs\nand \\ a break", "text": "steam kettle"},
        {"id": "plain", "text": "steam"},
    ]
    (empty / "r.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    run("index", "r.jsonl", "--no-embed")
    rows = [line.split("\t") for line in run("search", "steam", "--tsv").stdout.split("\n")]
    heads = ["score", "fts", "path", "line", "title"]
    arms = [used["arm"] for used in asked_json("search", "steam")["data"]["arms"]]
    assert rows[0] == [heads[0], *arms, *heads[2:]]
    assert rows[-1] == [""]
    assert {len(row) for row in rows[:-1]} == {len(rows[0])}
    assert any("a  b\\c and d" in row[-3] and row[-1] == "two tabs and \\ a break" for row in rows)


@pytest.mark.usefixtures("folder")
def test_scope_axes_narrow_the_search() -> None:
    assert paths("readers", "--until", "2024-01-01") == ["notes/locks.md"]
    assert paths("readers", "--since", "2024-01-01") == ["notes/wal.md"]
    assert paths("readers", "--path", "notes/wal.md", "--path", "notes/backup.md") == ["notes/wal.md"]
    assert len(paths("readers", "--archived")) == 2

"""Field case FC-M04 through the library: numbers outside their range are named before the index is opened."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import rankfold
from rankfold.errors import BadValueError, UnknownNameError
from support import Open, paths, records


@pytest.mark.parametrize("value", [1, "1", 1.0, " 1 ", np.int64(1)])
def test_a_whole_number_in_any_form_is_a_limit(opened: Open, value: object) -> None:
    """FC-M04."""
    notes = opened()
    notes.index(records({"A": "kettle", "B": "kettle"}))
    assert len(notes.search("kettle", limit=value)) == 1
    assert paths(notes.search("kettle", offset=value)) == paths(notes.search("kettle"))[1:]


def test_no_limit_is_the_default(opened: Open) -> None:
    """FC-M04."""
    notes = opened()
    notes.index(records({f"n{number}": f"kettle {number}" for number in range(12)}))
    assert len(notes.search("kettle", limit=None)) == 10
    assert notes.search("kettle", offset=None).offset == 0


BAD = [-5, -1, 10.5, True, 1e9, "ten", "", "1e3", math.nan, math.inf, -math.inf, [], b"1", 10**30, "9" * 5000]


@pytest.mark.parametrize("name", ["limit", "offset", "window", "rank_constant"])
@pytest.mark.parametrize("value", BAD, ids=lambda value: repr(value)[:12])
def test_anything_else_is_refused_with_the_range_before_the_index_is_opened(
    tmp_path: Path, name: str, value: object
) -> None:
    """FC-M04."""
    notes = rankfold.open(tmp_path / "nothing.db", embedder=None)
    with pytest.raises(BadValueError, match=rf"{name} is .* whole number from \d+ to \d+"):
        notes.search("kettle", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["limit", "window"])
def test_zero_is_no_limit_and_no_window(tmp_path: Path, name: str) -> None:
    """FC-M04."""
    with pytest.raises(BadValueError, match=f"{name} is 0"):
        rankfold.open(tmp_path / "nothing.db").search("kettle", **{name: 0})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"query_form": "some"}, "query form 'some'"),
        ({"weights": {"fts": -1.0}}, "weight of fts is -1.0"),
        ({"weights": {"fts": math.nan}}, "weight of fts is nan"),
        ({"weights": {"fts": "1"}}, "weight of fts is '1'"),
        ({"weights": [1]}, "weights is a dictionary"),
        ({"arms": "fts"}, "arms is a list of names, not 'fts'"),
        ({"arms": 1}, "arms is a list of names"),
        ({"now": "yesterday"}, "now is 'yesterday'"),
        ({"since": "soon"}, "since is 'soon'"),
        ({"until": True}, "until is True"),
        ({"path": 7}, "path is text"),
        ({"path": ""}, "path is empty"),
        ({"path": ["/"]}, "path is empty"),
        ({"type": [1]}, "type is text"),
        ({"archived": "yes"}, "archived is true or false"),
    ],
)
def test_every_other_value_is_checked_the_same_way(tmp_path: Path, named: dict[str, object], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        rankfold.open(tmp_path / "nothing.db").search("kettle", **named)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "named",
    [
        {"profile": "docs"},
        {"profile": 3},
        {"arms": ["ftx"]},
        {"arms": [1]},
        {"weights": {"ftx": 1.0}},
        {"weights": {1: 1.0}},
        {"author": "me"},
    ],
)
def test_a_name_that_is_not_registered_lists_the_known_ones(tmp_path: Path, named: dict[str, object]) -> None:
    with pytest.raises(UnknownNameError, match="Known: "):
        rankfold.open(tmp_path / "nothing.db").search("kettle", **named)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", [None, 7, b"kettle", ["kettle"]])
def test_a_query_is_text(tmp_path: Path, query: object) -> None:
    with pytest.raises(BadValueError, match="a query is text"):
        rankfold.open(tmp_path / "nothing.db").search(query)  # type: ignore[arg-type]

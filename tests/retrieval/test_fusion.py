"""The arithmetic of the fusion, whatever the rankings."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from rankfold.retrieval.fusion import contribution, fuse

PATHS = st.sampled_from("abcdefgh")
RANKINGS = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.lists(PATHS, unique=True).map(lambda paths: {path: rank for rank, path in enumerate(paths, start=1)}),
)
WEIGHTS = st.fixed_dictionaries(
    {name: st.floats(min_value=0, max_value=10, allow_nan=False) for name in ("one", "two", "three")}
)


def test_two_arms_that_agree_outrank_the_best_of_either() -> None:
    """FC-R02: a document missing from an arm gets exactly nothing from it."""
    fused = fuse(
        {"one": {"P": 1, "q": 2, "R": 3}, "two": {"s": 1, "t": 2, "R": 3}},
        {"one": 1.0, "two": 1.0},
        rank_constant=60,
    )
    assert [item.path for item in fused] == ["R", "P", "s", "q", "t"]
    assert fused[0].score == 2 / 63
    assert fused[1].contributions == {"one": 1 / 61}


@given(RANKINGS, WEIGHTS, st.integers(min_value=0, max_value=100))
def test_contributions_add_up_and_the_order_is_total(
    rankings: dict[str, dict[str, int]], weights: dict[str, float], rank_constant: int
) -> None:
    fused = fuse(rankings, weights, rank_constant=rank_constant)
    for item in fused:
        assert item.score == math.fsum(item.contributions.values())
        for arm, share in item.contributions.items():
            assert share == contribution(weights[arm], rank_constant, rankings[arm][item.path])
    keys = [(-item.score, item.path) for item in fused]
    assert keys == sorted(keys)
    assert len({item.path for item in fused}) == len(fused)


@given(RANKINGS, WEIGHTS)
def test_the_order_in_which_arms_are_given_never_matters(
    rankings: dict[str, dict[str, int]], weights: dict[str, float]
) -> None:
    turned = dict(reversed(rankings.items()))
    first = fuse(rankings, weights, rank_constant=60)
    second = fuse(turned, weights, rank_constant=60)
    assert [(item.path, item.score) for item in first] == [(item.path, item.score) for item in second]


@given(RANKINGS)
def test_an_arm_without_a_weight_takes_no_part(rankings: dict[str, dict[str, int]]) -> None:
    assert fuse(rankings, {"one": 0.0}, rank_constant=60) == []

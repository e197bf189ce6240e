"""Weighted reciprocal rank fusion in Python: the same arithmetic as the statement, and its oracle in the tests.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
SIGIR 2009, with a weight per ranking. A document that an arm did not rank gets exactly nothing from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Fused:
    """One document's place in the fused order."""

    path: str
    score: float
    """Sum of the contributions; comparable only within one answer."""
    contributions: Mapping[str, float]
    """Each arm's share, by arm name."""


def contribution(weight: float, rank_constant: int, rank: int) -> float:
    """What one arm adds to the score of the document that it ranked `rank` (1-based)."""
    return weight / (rank_constant + rank)


def fuse(rankings: Mapping[str, Mapping[str, int]], weights: Mapping[str, float], *, rank_constant: int) -> list[Fused]:
    """Fuse rankings.

    Args:
        rankings: for each arm, the 1-based rank of each document, by path.
        weights: finite, not negative; an arm without a weight, or of weight 0, takes no part.
        rank_constant: 0 or more.

    Returns:
        All documents that some arm ranked, best first; equal scores by path.
    """
    shares: dict[str, dict[str, float]] = {}
    for arm, ranks in rankings.items():
        weight = weights.get(arm, 0.0)
        if weight <= 0:
            continue
        for path, rank in ranks.items():
            shares.setdefault(path, {})[arm] = contribution(weight, rank_constant, rank)
    # SQLite's sum() is compensated, which for these magnitudes is math.fsum bit for bit.
    fused = [Fused(path, math.fsum(by_arm.values()), by_arm) for path, by_arm in shares.items()]
    return sorted(fused, key=lambda item: (-item.score, item.path))

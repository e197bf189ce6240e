"""The fold: the arms that can fire become one SQL statement.

Each active arm is one materialised CTE that gives `(document_id, rank, raw)`. Their rows, each with its contribution
`weight / (rank_constant + rank)`, are joined by UNION ALL, summed per document and put in a total order: fused score,
then path. A row carries every arm's rank, raw value and contribution, so whoever explains a score reads it from the
row that was ranked. Text in, text out: nothing here touches a database.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankfold.records import Arm, Profile
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.scopes import Scope

_HOLE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_SLOT = re.compile(r"\?(\d+)")

DEFAULT_SCOPE = "live"
"""The table of unarchived documents: the default scope, materialised once at indexing instead of in every search."""


@dataclass(frozen=True)
class ActiveArm:
    """An arm that takes part, with its weight in this search."""

    arm: Arm
    weight: float


@dataclass(frozen=True)
class Statement:
    """One statement and how to read its rows."""

    text: str
    arms: tuple[str, ...]
    """Names of the arms in it; a row is path, score, then rank, raw and contribution of each."""

    def bind(self, values: Mapping[int, object]) -> tuple[Any, ...]:
        """The parameter tuple: values in slot order, cut to the highest slot that the text names.

        SQLite takes exactly as many values as that slot's number; a slot that the text skips is NULL.
        """
        named = {int(number) for number in _SLOT.findall(self.text)}
        return tuple(values.get(number) if number in named else None for number in range(1, max(named, default=0) + 1))


def fold(
    active: Sequence[ActiveArm],
    *,
    registries: Registries,
    profile: Profile,
    rank_constant: int,
    scope: Scope | None = None,
) -> Statement | None:
    """Fold arms into one statement.

    Args:
        active: the arms that take part, in registry order; each weight finite and above 0.
        registries: for the scope axes and the constants that arms' SQL names.
        profile: for its column weights, and for whether only matched documents are ranked.
        rank_constant: 0 or more.
        scope: the axes that narrow the search; none means the defaults.

    Returns:
        The statement, or None without an active arm.
    """
    if not active:
        return None
    scope = scope or Scope()
    is_default = not scope.axes
    scope_name = DEFAULT_SCOPE if is_default else "scope"
    query_arms = [item.arm.name for item in active if item.arm.reads == "query"]
    constants = {constant.name: repr(constant.value) for constant in registries.constants}

    ctes: list[str] = []
    if not is_default:
        predicate = scope.predicate(registries.scopes.records)
        ctes.append(_cte("scope(document_id)", f"SELECT d.id FROM document AS d\nWHERE {predicate}"))
    has_candidates = False
    for item in active:
        arm = item.arm
        ranks_candidates = profile.matched_only and arm.reads == "corpus"
        if ranks_candidates and not has_candidates:
            ctes.append(_candidates("candidates", query_arms))
            has_candidates = True
        own_candidates = f"candidates_{arm.name}"
        if arm.reads == "candidates":
            named = [name for name in query_arms if not arm.candidates_of or name in arm.candidates_of]
            ctes.append(_candidates(own_candidates, named))
        holes = {
            **constants,
            "scope": "candidates" if ranks_candidates else scope_name,
            "candidates": own_candidates,
            "exclusions": "\n    AND ".join(arm.exclusions) or "true",
            "column_weights": ", ".join(repr(weight) for weight in profile.column_weights),
        }
        is_fast = arm.fast_sql and holes["scope"] == DEFAULT_SCOPE
        ctes.append(_cte(f"arm_{arm.name}(document_id, rank, raw)", fill(arm.fast_sql if is_fast else arm.sql, holes)))
    ctes.append(_ranking(active, rank_constant))

    columns = ["d.path", "sum(r.contribution) AS score"]
    for item in active:
        name = item.arm.name
        columns += [
            f"max(r.{column}) FILTER (WHERE r.arm = '{name}') AS {name}_{column}"
            for column in ("rank", "raw", "contribution")
        ]
    text = (
        "WITH\n"
        + ",\n".join(ctes)
        + "\nSELECT\n  "
        + ",\n  ".join(columns)
        + "\nFROM ranking AS r JOIN document AS d ON d.id = r.document_id"
        + "\nGROUP BY r.document_id\nORDER BY score DESC, d.path\nLIMIT ?3"
    )
    return Statement(text, tuple(item.arm.name for item in active))


def fill(sql: str, holes: Mapping[str, str]) -> str:
    """An arm's SQL with its holes filled and its indentation taken off."""
    return _HOLE.sub(lambda hole: holes[hole.group(1)], inspect.cleandoc(sql))


def probe(scope: Scope, registries: Registries) -> Statement:
    """The statement that tells whether some document in scope matches `?1`: one row, or none."""
    head = ""
    name = DEFAULT_SCOPE
    if scope.axes:
        name = "scope"
        predicate = scope.predicate(registries.scopes.records)
        head = "WITH\n" + _cte("scope(document_id)", f"SELECT d.id FROM document AS d\nWHERE {predicate}") + "\n"
    return Statement(
        f"{head}SELECT 1 FROM document_fts\n"
        f"WHERE document_fts MATCH ?1 AND +rowid IN (SELECT document_id FROM {name})\nLIMIT 1",
        (),
    )


def _cte(head: str, body: str) -> str:
    return f"{head} AS MATERIALIZED (\n{textwrap.indent(body, '  ')}\n)"


def _candidates(name: str, arms: Sequence[str]) -> str:
    union = "\nUNION\n".join(f"SELECT document_id FROM arm_{arm}" for arm in arms)
    return _cte(f"{name}(document_id)", union or "SELECT NULL WHERE false")


def _ranking(active: Sequence[ActiveArm], rank_constant: int) -> str:
    rows = "\nUNION ALL\n".join(
        f"SELECT document_id, '{item.arm.name}', rank, raw, {float(item.weight)!r} / ({rank_constant} + rank)"
        f"\nFROM arm_{item.arm.name}"
        for item in active
    )
    return f"ranking(document_id, arm, rank, raw, contribution) AS (\n{textwrap.indent(rows, '  ')}\n)"

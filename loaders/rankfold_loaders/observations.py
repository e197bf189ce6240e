"""What is observed on a sample corpus: every arm, profile and adjustment at work, as plain values.

Numbers are given twice: as they are, and as text of few digits (`…_shown`), which is the same on every machine. A
distance differs in its last digits from one processor to another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import apsw

from rankfold import Answer
from rankfold.embedding import Unavailable
from rankfold.records import Adjustment, Arm, Profile, Record
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.statement import ActiveArm, Statement, fold
from rankfold.storage.connection import fetch
from rankfold.times import iso
from rankfold_loaders.sample import Sample

R = TypeVar("R", bound=Record)

Observed = dict[str, Any]
"""Values that JSON can carry."""

_TIME = "seconds since 1970-01-01 UTC"
"""The unit of raw values that are shown as dates."""

_SUBQUERY = re.compile(r"(?<=\(subquery-)\d+|(?<=SUBQUERY )\d+")
"""SQLite counts the subqueries of the whole statement, so that one arm's number would depend on the others."""

_OTHERS = re.compile(r"MATERIALIZE (arm_\w+|candidates\w*)")
"""The head of what another CTE does, in the plan of an arm."""


def observe(registries: Registries, sample: Sample) -> Observed:
    """Run the examples of every record on the sample.

    Args:
        registries: whose arms, profiles and adjustments are shown.
        sample: the corpus.

    Returns:
        `sample`, and by the records' names `arms`, `profiles` and `adjustments`.

    Raises:
        RankfoldError: an example cannot be run; a note on it names the record.
    """
    here = sample.under(registries)
    try:
        return {
            "sample": _facts(here),
            "arms": _each(registries.arms, lambda arm: _arm(here, arm)),
            "profiles": _each(registries.profiles, lambda profile: _profile(here, profile)),
            "adjustments": _each(
                (adjustment for adjustment in registries.adjustments if adjustment.example),
                lambda adjustment: _adjustment(here, adjustment),
            ),
        }
    finally:
        here.close()


def shown(value: float | None, unit: str = "") -> str:
    """A number as text: a moment as its date and time, any other with 4 significant digits; empty for none."""
    if value is None:
        return ""
    if unit == _TIME:
        return (iso(value) or "").removesuffix("T00:00:00Z")
    return f"{value:#.4g}"


def _each(records: Iterable[R], look: Callable[[R], Observed]) -> dict[str, Observed]:
    observed = {}
    for record in records:
        try:
            observed[record.name] = look(record)
        except Exception as problem:
            problem.add_note(f"while {record.name} was run on the sample corpus")
            raise
    return observed


def _facts(here: Sample) -> Observed:
    collection = here.collection()
    report = collection.status().capabilities
    embedder = collection.embedder
    reason = embedder.reason if isinstance(embedder, Unavailable) else report.vec_problem
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "share": report.coverage,
        "embedder": None if isinstance(embedder, Unavailable) or embedder is None else embedder.identity,
        "dimension": report.dimension,
        "without_vectors": reason,
        "has_use": report.state_path is not None,
        "now": here.now,
        "now_shown": shown(here.now, _TIME),
    }


def _arm(here: Sample, arm: Arm) -> Observed:
    """The arm's example under the first profile that uses it, the default before the others."""
    using = [profile for profile in _in_order(here) if weights_of(here.registries, profile)[arm.name] > 0]
    profile = using[0] if using else here.registries.profiles[DEFAULT_PROFILE]
    weights = {} if using else {arm.name: arm.weight or 1.0}
    answer = here.search(arm.example, profile=profile.name, weights=weights)
    without = here.search(arm.example, profile=profile.name, weights={**weights, arm.name: 0.0})
    places, places_without = _places(answer), _places(without)
    connection = here.connection(profile.name)
    ranked: list[Observed] = []
    plan = ""
    fires = any(used.arm == arm.name for used in answer.arms)
    if fires and answer.sql is not None:
        ranked = _ranked(connection, answer, arm, places)
        plan = _plan(connection, _alone(answer.sql, arm), arm)
    return {
        **_about(answer),
        "weight": weights_of(here.registries, profile, stated=weights)[arm.name],
        "fires": fires,
        "ranked": ranked,
        "hits": [{**hit, "place_without": places_without.get(hit["path"])} for hit in _hits(here.registries, answer)],
        "plan": plan,
        "plans": dict(_both_plans(connection, here, profile, arm)),
    }


def _profile(here: Sample, profile: Profile) -> Observed:
    """What the profile makes of the example of its first arm that reads the query."""
    weights = weights_of(here.registries, profile)
    weighted = [arm for arm in here.registries.arms if weights[arm.name] > 0]
    examples = [arm.example for arm in sorted(weighted, key=lambda arm: arm.reads != "query")]
    answer = here.search(next(iter(examples), ""), profile=profile.name)
    plan = _plan(here.connection(profile.name), answer.sql) if answer.sql is not None else ""
    return {**_about(answer), "hits": _hits(here.registries, answer), "plan": plan}


def _adjustment(here: Sample, adjustment: Adjustment) -> Observed:
    """The adjustment's example with it and without it, under the first profile that has it on, else the default."""
    using = [profile for profile in _in_order(here) if adjustment.name in profile.adjustments]
    base = using[0] if using else here.registries.profiles[DEFAULT_PROFILE]
    others = tuple(name for name in base.adjustments if name != adjustment.name)
    before = replace(base, name=f"{base.name}_without_{adjustment.name}", adjustments=others)
    after = replace(base, name=f"{base.name}_with_{adjustment.name}", adjustments=(*others, adjustment.name))
    both = here.under(here.registries.plus("profiles", before).plus("profiles", after))
    try:
        plain, adjusted = (both.search(adjustment.example, profile=profile.name) for profile in (before, after))
    finally:
        both.close()
    return {
        **_about(adjusted),
        "profile": base.name,
        "before": _hits(here.registries, plain),
        "after": _hits(here.registries, adjusted),
        "effects": [asdict(effect) for effect in adjusted.effects if effect.adjustment == adjustment.name],
    }


def _in_order(here: Sample) -> Sequence[Profile]:
    """The profiles, the default first."""
    return sorted(here.registries.profiles, key=lambda profile: profile.name != DEFAULT_PROFILE)


def _about(answer: Answer) -> Observed:
    return {
        "query": answer.query,
        "profile": answer.profile,
        "query_form": answer.query_form,
        "rank_constant": answer.rank_constant,
        "arms": [asdict(used) for used in answer.arms],
        "dropped": [asdict(dropped) for dropped in answer.dropped],
        "warnings": list(answer.warnings),
    }


def _hits(registries: Registries, answer: Answer) -> list[Observed]:
    return [
        {
            "place": place,
            "path": hit.path,
            "title": hit.title,
            "matched": hit.matched,
            "twins": list(hit.twins),
            "score": hit.score,
            "score_shown": shown(hit.score),
            "contributions": [
                {
                    "arm": share.arm,
                    "weight": share.weight,
                    **_numbers(registries.arms[share.arm], share.rank, share.raw, share.contribution),
                }
                for share in hit.contributions
            ],
        }
        for place, hit in enumerate(answer, start=1)
    ]


def _numbers(arm: Arm, rank: int, raw: float | None, contribution: float) -> Observed:
    return {
        "rank": rank,
        "raw": raw,
        "raw_shown": shown(raw, arm.raw.unit),
        "contribution": contribution,
        "contribution_shown": shown(contribution),
    }


def _places(answer: Answer) -> dict[str, int]:
    """Where each document is in the answer; one that was folded is where its twin is."""
    return {path: place for place, hit in enumerate(answer, start=1) for path in (hit.path, *hit.twins)}


def _ranked(connection: apsw.Connection, answer: Answer, arm: Arm, places: Mapping[str, int]) -> list[Observed]:
    """The arm's own list, from the very rows that were fused; a place is that in the answer, none for one too low."""
    titles = dict(fetch(connection, "SELECT d.path, t.title FROM document AS d JOIN document_text AS t USING (id)"))
    column = 2 + 3 * [used.arm for used in answer.arms].index(arm.name)
    without_limit = (*answer.parameters[:2], -1, *answer.parameters[3:])
    rows = fetch(connection, answer.sql or "", without_limit)
    ranked = sorted((row for row in rows if row[column] is not None), key=lambda row: (row[column], row[0]))
    return [
        {
            "path": row[0],
            "title": titles[row[0]],
            "place": places.get(row[0]),
            **_numbers(arm, *row[column : column + 3]),
        }
        for row in ranked
    ]


def _alone(sql: str, arm: Arm) -> str:
    """A whole statement, cut down to what the arm gives."""
    ctes, _, _ = sql.rpartition("\n)\nSELECT\n")
    return f"{ctes}\n)\nSELECT document_id, rank, raw FROM arm_{arm.name}"


def _both_plans(connection: apsw.Connection, here: Sample, profile: Profile, arm: Arm) -> Iterator[tuple[str, str]]:
    """Over the default scope, the plan of the arm's fast form and that of its own SQL; none without a fast form."""
    everything = replace(profile, matched_only=False)
    for form, record in (("fast", arm), ("plain", replace(arm, fast_sql=""))):
        statement = fold(
            [ActiveArm(record, 1.0)],
            registries=here.registries,
            profile=everything,
            rank_constant=profile.rank_constant,
        )
        if arm.fast_sql and statement is not None:
            yield form, _plan(connection, _alone(statement.text, arm), arm)


def _plan(connection: apsw.Connection, sql: str, arm: Arm | None = None) -> str:
    """How SQLite runs a statement, as its shell draws it; of a statement with an arm alone, only what the arm does."""
    top = 0
    below: dict[int, list[tuple[int, str]]] = {}
    nothing = Statement(sql, ()).bind({})
    for number, parent, _, detail in fetch(connection, f"EXPLAIN QUERY PLAN {sql}", nothing):
        if arm is not None and detail.endswith(f" arm_{arm.name}") and not detail.startswith("SCAN"):
            top = number
        below.setdefault(parent, []).append((number, detail))
    counted: dict[str, str] = {}
    return _SUBQUERY.sub(
        lambda number: counted.setdefault(number.group(), str(len(counted) + 1)),
        "\n".join(["QUERY PLAN", *_branches(below, top, is_own=arm is not None)]),
    )


def _branches(below: Mapping[int, Sequence[tuple[int, str]]], node: int, *, is_own: bool) -> Iterator[str]:
    children = below.get(node, ())
    for place, (number, detail) in enumerate(children, start=1):
        is_last = place == len(children)
        yield ("`--" if is_last else "|--") + detail
        if not (is_own and _OTHERS.fullmatch(detail)):
            margin = "   " if is_last else "|  "
            yield from (margin + line for line in _branches(below, number, is_own=is_own))

"""What follows from the registries of a search: the SQL that they fold into, who reads what, what a sample shows.

This runs in the interpreter that holds the live registries (`live.py`), and gives plain values.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from rankfold import errors
from rankfold.records import Arm, Profile
from rankfold.retrieval.preconditions import CANDIDATES, QUERY_TERMS, QUERY_VECTOR
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.statement import ActiveArm, fold
from rankfold.times import iso

if TYPE_CHECKING:
    from rankfold_loaders.sample import Sample

_SLOT = re.compile(r"\?(\d+)")
_HOLE = re.compile(r"\{(\w+)\}")


def derive(values: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Add to each record who reads it: what a reader wants to know and no record states about itself."""
    arms = values["arms"]
    for slot in values["slots"]:
        number = str(slot["number"])
        slot["parameter"] = f"?{number}"
        slot["read_by_arms"] = [arm["name"] for arm in arms if number in _SLOT.findall(arm["sql"] + arm["fast_sql"])]
        slot["read_by_scopes"] = [axis["name"] for axis in values["scopes"] if number in _SLOT.findall(axis["sql"])]
    for precondition in values["preconditions"]:
        precondition["needed_by"] = [arm["name"] for arm in arms if precondition["name"] in arm["preconditions"]]
    for constant in values["constants"]:
        name = constant["name"]
        constant["read_by_arms"] = [arm["name"] for arm in arms if name in _HOLE.findall(arm["sql"] + arm["fast_sql"])]
        constant["read_by_adjustments"] = [
            adjustment["name"] for adjustment in values["adjustments"] if name in adjustment["parameters"]
        ]
    raised: dict[str, list[str]] = {}
    for _, exception in inspect.getmembers(errors, inspect.isclass):
        # The root carries a record only as a fallback; what is raised is one of its children.
        if issubclass(exception, errors.RankfoldError) and exception is not errors.RankfoldError:
            raised.setdefault(exception.record.name, []).append(exception.__name__)
    for error in values["errors"]:
        error["raised_as"] = raised.get(error["name"], [])


def describe(registries: Registries, sample: Path | None, cache: Path) -> dict[str, Any]:
    """Every statement that the registries fold into, and what is observed on a sample corpus.

    Args:
        registries: of the search.
        sample: folder of a sample corpus; none leaves the observations out.
        cache: where vectors of the sample are kept.
    """
    profiles = {profile.name: _statements(registries, profile) for profile in registries.profiles}
    described: dict[str, Any] = {
        "default_profile": DEFAULT_PROFILE,
        "profiles": profiles,
        "arm_sql": {arm.name: _as_run(registries, arm) for arm in registries.arms},
    }
    if sample is not None and sample.is_dir():
        from rankfold_loaders.observations import observe
        from rankfold_loaders.sample import build

        with tempfile.TemporaryDirectory(prefix="rankfold-sample-") as folder:
            built = build(sample, Path(folder), registries=registries, cache=cache)
            described["observed"] = observe(registries, built)
            described["envelopes"] = dict(_envelopes(built))
    return described


_COMMANDS = {
    "index": ("index", "notes/", "--no-embed", "--prefix", "notes"),
    "search": ("search", "write-ahead log", "--arms", "fts", "--limit", "1"),
    "sql": ("sql", "write-ahead log", "--arms", "fts"),
    "status": ("status",),
    "failure": ("search", "write-ahead log", "--limit", "0"),
}
"""What is typed for an example of a kind of answer. None needs the embedded model, and none repeats a registry."""


def _envelopes(sample: Sample) -> Iterator[tuple[str, dict[str, Any]]]:
    """A real answer of the command line per kind, on the sample corpus."""
    from rankfold.cli import main

    sample.close()
    with contextlib.chdir(sample.notes.parent), tempfile.TemporaryDirectory() as folder:
        database = shutil.copy2(sample.database(DEFAULT_PROFILE), Path(folder, "notes.db"))
        sample.close()
        for kind, words in _COMMANDS.items():
            now = ("--now", iso(sample.now) or "") if words[0] in ("search", "sql") else ()
            printed = CliRunner().invoke(main, ["--db", str(database), *words, *now, "--json"], catch_exceptions=False)
            text = printed.stdout
            for place in (folder, str(sample.notes.parent)):  # of this machine
                text = text.replace(json.dumps(place + os.sep)[1:-1], "")
            envelope = json.loads(text)
            yield kind, {"command": shlex.join(["rankfold", *words, *now, "--json"]), "envelope": envelope}


def weight_in(profile: Profile, arm: Arm) -> float:
    """What the arm weighs there."""
    return profile.weights.get(arm.name, arm.weight)


def _statement(registries: Registries, profile: Profile, names: Sequence[str]) -> str:
    active = [
        ActiveArm(arm, weight_in(profile, arm) or arm.weight or 1.0) for arm in registries.arms if arm.name in names
    ]
    built = fold(active, registries=registries, profile=profile, rank_constant=profile.rank_constant)
    return built.text if built else ""


def _statements(registries: Registries, profile: Profile) -> dict[str, Any]:
    """The statement of a profile for every combination of preconditions: few statements, many combinations."""
    statements: dict[str, str] = {}
    combinations = []
    for holding in _combinations(registries):
        active = _active(registries, profile, holding)
        key = "-".join(active)
        if active:
            statements.setdefault(key, _statement(registries, profile, active))
        combinations.append({"holding": sorted(holding), "active": active, "statement": key})
    everything = [arm.name for arm in registries.arms if weight_in(profile, arm) > 0]
    return {
        "whole": _statement(registries, profile, everything),
        "statements": [{"arms": key.split("-"), "key": key, "sql": sql} for key, sql in statements.items()],
        "combinations": combinations,
    }


def _combinations(registries: Registries) -> Iterator[frozenset[str]]:
    """Every set of preconditions that can hold together, the fullest first."""
    free = [name for name in registries.preconditions.names if name != CANDIDATES.name]
    for chosen in itertools.product((True, False), repeat=len(free)):
        holding = frozenset(name for name, holds in zip(free, chosen, strict=True) if holds)
        # Text without a searchable term is not embedded.
        if QUERY_VECTOR.name not in holding or QUERY_TERMS.name in holding:
            yield holding


def _active(registries: Registries, profile: Profile, holding: frozenset[str]) -> list[str]:
    """The arms that fire where just these preconditions hold, as `activation` decides it."""
    if QUERY_TERMS.name not in holding and profile.without_terms == "nothing":
        return []
    weighted = [arm for arm in registries.arms if weight_in(profile, arm) > 0]
    reading = [arm.name for arm in weighted if arm.reads == "query" and set(arm.preconditions) <= holding]
    if reading or not profile.matched_only:
        holding |= {CANDIDATES.name}
    return [arm.name for arm in weighted if set(arm.preconditions) <= holding]


def _as_run(registries: Registries, arm: Arm) -> dict[str, str]:
    """The arm's SELECT as the first profile that uses it runs it; of one that none uses, as the default would."""
    default = registries.profiles[DEFAULT_PROFILE]
    others = [profile for profile in registries.profiles if profile is not default]
    using = [profile for profile in (default, *others) if weight_in(profile, arm) > 0]
    profile = using[0] if using else default
    statement = _statement(registries, profile, registries.arms.names)
    return {"profile": profile.name, "sql": arm_in_statement(statement, arm.name)}


def arm_in_statement(statement: str, arm: str) -> str:
    """The SELECT of one arm, cut out of a whole statement; empty where the arm is not in it."""
    found = re.search(rf"^arm_{re.escape(arm)}\([^)]*\) AS MATERIALIZED \(\n(.*?)^\)", statement, re.S | re.M)
    if not found:
        return ""
    return "\n".join(line.removeprefix("  ") for line in found.group(1).splitlines())

"""`rankfold arms`: the arms, what each needs, and whether it has it here."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

import click
from rich.text import Text

from rankfold.cli.at_hand import profile_at_hand, status_at_hand
from rankfold.cli.envelope import write_json
from rankfold.cli.names import completing, named
from rankfold.cli.payloads import ArmData, ArmsData, Need, shown
from rankfold.cli.place import common_options, runnable, wants_json
from rankfold.cli.terminal import indented, printable, say, say_raw, say_table, warn
from rankfold.collection import Status
from rankfold.records import Arm, Profile, Unmet
from rankfold.retrieval.activation import activate, weights_of
from rankfold.retrieval.query import forms
from rankfold.retrieval.registry import Registries, installed
from rankfold.retrieval.situation import QueryVector, Situation


@dataclass(frozen=True)
class _Here:
    """What the preconditions say of the index at hand, for a query that has terms."""

    database: str
    unmet: Mapping[str, Unmet | None]
    """By precondition; None where it holds."""


@click.command(
    epilog="\b\nrankfold arms\nrankfold arms salience\nrankfold arms --profile memory\n\n"
    "Without an index nothing is said about what an arm lacks."
)
@click.argument("name", required=False, shell_complete=completing("arms"))
@click.option(
    "--profile",
    metavar="NAME",
    help="Show the weights of this profile. Default: the collection's own.",
    shell_complete=completing("profiles"),
)
@common_options
def arms(name: str | None, profile: str | None) -> None:
    """List the arms, or show one with its documentation and SQL.

    An arm is one ranking signal. It takes part in a search if its weight is above 0 and everything it needs is there.
    """
    registries = installed()
    status = status_at_hand()
    chosen = profile_at_hand(registries, profile, status)
    weights = weights_of(registries, chosen)
    here = _here(registries, chosen, status) if status else None
    problems = [str(problem) for problem in registries.problems]
    if name is not None:
        arm = named(registries.arms, name)
        if wants_json():
            write_json(_data(registries, arm, weights[arm.name], here), problems)
        else:
            _show(registries, arm, chosen, weights[arm.name], here)
            warn(problems)
        return
    if wants_json():
        shown_arms = tuple(_data(registries, arm, weights[arm.name], here) for arm in registries.arms)
        database = here.database if here else None
        write_json(ArmsData(profile=chosen.name, database=database, arms=shown_arms), problems)
        return
    _list(registries, chosen, weights, here)
    warn(problems)


def _here(registries: Registries, profile: Profile, status: Status) -> _Here:
    report = status.capabilities
    lacking = None
    if report.vec_version is None:
        lacking = report.vec_problem
    elif status.embedder is None:
        lacking = "; ".join(status.problems) or "there is no embedder"
    elif report.space is None:
        lacking = "no document is embedded yet"
    situation = Situation(
        forms=forms("word"),
        # Any bytes do: no precondition looks into the vector.
        vector=QueryVector(packed=None if lacking else b"", reason=lacking or "", fix="rankfold embed"),
        capabilities=report,
        profile=profile,
    )
    active, _ = activate(registries, weights_of(registries, profile), situation)
    query_arms = tuple(item.arm.name for item in active if item.arm.reads == "query")
    situation = Situation(
        forms=situation.forms,
        vector=situation.vector,
        capabilities=report,
        profile=profile,
        query_arms=query_arms,
    )
    return _Here(status.database, {item.name: item.holds(situation) for item in registries.preconditions})


def _data(registries: Registries, arm: Arm, weight: float, here: _Here | None) -> ArmData:
    return shown(
        ArmData,
        arm,
        doc=inspect.cleandoc(arm.doc),
        sql=inspect.cleandoc(arm.sql),
        fast_sql=inspect.cleandoc(arm.fast_sql),
        default_weight=arm.weight,
        weight=weight,
        preconditions=tuple(_need(registries, name, here) for name in arm.preconditions),
    )


def _need(registries: Registries, name: str, here: _Here | None) -> Need:
    unmet = here.unmet[name] if here else None
    return Need(
        name=name,
        title=registries.preconditions[name].title,
        met=None if here is None else unmet is None,
        reason=unmet.reason if unmet else None,
        fix=runnable(unmet.fix) if unmet and unmet.fix else None,
    )


def _needs(arm: Arm, here: _Here | None) -> Text:
    lines = [
        Text.assemble(name, ("  lacking", "yellow")) if here and here.unmet[name] else Text(name)
        for name in arm.preconditions
    ]
    return Text("\n").join(lines)


def _list(registries: Registries, profile: Profile, weights: Mapping[str, float], here: _Here | None) -> None:
    rows: list[list[str | Text]] = []
    for arm in registries.arms:
        weight = weights[arm.name]
        rows.append(
            [arm.name, f"{weight:g}" if weight else "off", arm.reads, _needs(arm, here), printable(arm.title)],
        )
    say_table(("arm", "weight", "reads", "needs", "what it ranks by"), rows, rights=("weight",))
    say()
    say(Text(f"weights of the profile {profile.name}", "dim"))
    if here is None:
        return
    say(Text(f"needs as they are in {printable(here.database)}", "dim"))
    needed = {name for arm in registries.arms for name in arm.preconditions}
    for name, unmet in here.unmet.items():
        if unmet and name in needed:
            say(indented(_lack(name, unmet), "    ", "yellow"))


def _lack(name: str, unmet: Unmet) -> str:
    fix = f". Fix: {runnable(unmet.fix)}" if unmet.fix else ""
    return f"lacking {name}: {unmet.reason}{fix}"


def _show(registries: Registries, arm: Arm, profile: Profile, weight: float, here: _Here | None) -> None:
    say(Text.assemble((arm.name, "bold cyan"), (f"  {printable(arm.title)}", "bold")))
    say()
    say(f"weight    {weight:g} in the profile {profile.name}, {arm.weight:g} of its own")
    say(f"reads     the {arm.reads}")
    unit = "" if arm.raw.unit == "none" else f" ({arm.raw.unit})"
    say(printable(f"orders by {arm.raw.name}{unit}, {arm.raw.better} is better"))
    if not arm.preconditions:
        say("needs     nothing")
    for number, name in enumerate(arm.preconditions):
        head = "          " if number else "needs     "
        unmet = here.unmet[name] if here else None
        text = _lack(name, unmet) if unmet else f"{name}: {registries.preconditions[name].title}"
        say(Text(head) + indented(text, " " * len(head), "yellow" if unmet else ""))
    say()
    for paragraph in inspect.cleandoc(arm.doc).split("\n\n"):
        is_code = paragraph.startswith("    ")
        say("\n".join(map(printable, paragraph.splitlines())) if is_code else indented(paragraph, ""))
        say()
    for title, text in (("SQL", arm.sql), ("SQL over the default scope, the same rows through an index", arm.fast_sql)):
        if text:
            say(Text(f"-- {title}", "bold"))
            say_raw("\n".join(map(printable, inspect.cleandoc(text).splitlines())) + "\n\n")

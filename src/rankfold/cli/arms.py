"""`rankfold arms`: the arms, what each needs, and whether it has it here."""

from __future__ import annotations

import inspect
from typing import Any

import click
from rich.console import Console
from rich.table import Table

import rankfold
from rankfold.cli.frame import common_options, place, plain, wants_json, write_json, write_warnings
from rankfold.errors import RankfoldError
from rankfold.records import Arm
from rankfold.retrieval.activation import activate, weights_of
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.query import forms
from rankfold.retrieval.registry import Registries, installed
from rankfold.retrieval.situation import QueryVector, Situation


@click.command(epilog="\b\nrankfold arms\nrankfold arms salience\nrankfold arms --profile memory")
@click.argument("name", required=False)
@click.option("--profile", metavar="NAME", help="Show the weights of this profile.")
@common_options
def arms(name: str | None, profile: str | None) -> None:
    """List the arms, or show one with its documentation and SQL. Works without an index."""
    registries = installed()
    chosen = registries.profiles[profile or DEFAULT_PROFILE]
    weights = weights_of(registries, chosen)
    lacking = _lacking(registries, chosen.name)
    if name is not None:
        arm = registries.arms[name]
        if wants_json():
            write_json("arm", _arm_data(arm, weights[name], lacking))
        else:
            _show(arm)
        return
    problems = [str(problem) for problem in registries.problems]
    if wants_json():
        write_json("arms", [_arm_data(arm, weights[arm.name], lacking) for arm in registries.arms], problems)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("arm", f"weight in {chosen.name}", "reads", "needs", "here", "what it is"):
        table.add_column(heading)
    for arm in registries.arms:
        weight = weights[arm.name]
        here = "" if lacking is None else lacking.get(arm.name, "ready")
        table.add_row(
            arm.name, f"{weight:g}" if weight else "off", arm.reads, ", ".join(arm.preconditions), here, arm.title
        )
    Console(highlight=False).print(table)
    write_warnings(problems)


def _lacking(registries: Registries, profile: str) -> dict[str, str] | None:
    """What each arm lacks in the collection at hand, by arm; None where there is no collection."""
    try:
        with rankfold.open(place()) as collection:
            status = collection.status()
    except RankfoldError:
        return None
    report = status.capabilities
    is_ready = report.vec_version is not None and status.embedder is not None and report.space is not None
    situation = Situation(
        forms=forms("word"),
        vector=QueryVector(packed=b"" if is_ready else None, reason="; ".join(status.problems) or "no vectors"),
        capabilities=report,
        profile=registries.profiles[profile],
    )
    _, dropped = activate(registries, weights_of(registries, situation.profile), situation)
    return {item.arm: f"lacks {item.precondition}" for item in dropped}


def _arm_data(arm: Arm, weight: float, lacking: dict[str, str] | None) -> dict[str, Any]:
    data: dict[str, Any] = plain(arm)
    for text in ("doc", "sql", "fast_sql"):
        data[text] = inspect.cleandoc(data[text])
    data["default_weight"] = arm.weight
    data["weight"] = weight
    data["lacks"] = None if lacking is None else lacking.get(arm.name, "").removeprefix("lacks ") or None
    return data


def _show(arm: Arm) -> None:
    click.secho(f"{arm.name}: {arm.title}", bold=True)
    click.echo(f"weight {arm.weight}, reads the {arm.reads}, needs {', '.join(arm.preconditions) or 'nothing'}")
    click.echo(f"orders by {arm.raw.name} ({arm.raw.unit}), {arm.raw.better} is better\n")
    click.echo(inspect.cleandoc(arm.doc) + "\n")
    click.echo(inspect.cleandoc(arm.sql))
    if arm.fast_sql:
        click.echo("\n-- over the default scope, the same rows through an index:")
        click.echo(inspect.cleandoc(arm.fast_sql))

"""`rankfold sql`: the statement that a search executes, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

import rankfold
from rankfold.cli.answers import dropped_data
from rankfold.cli.asking import asked, joined, search_options
from rankfold.cli.at_hand import profile_at_hand, status_at_hand
from rankfold.cli.envelope import write_json
from rankfold.cli.payloads import SqlData, StatementArm, shown
from rankfold.cli.place import common_options, place, runnable, wants_json
from rankfold.cli.terminal import printable, say_raw, warn
from rankfold.models import Answer
from rankfold.retrieval.registry import installed
from rankfold.retrieval.request import read_request
from rankfold.retrieval.statement import ActiveArm, fold

_SLOT_OR_TEXT = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\?(\d+)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@click.command(
    epilog="\b\nrankfold sql one writer many readers\n"
    "rankfold sql one writer --expanded     with the values written in\n"
    "rankfold sql --profile memory          with every arm, for no query in particular\n\n"
    "The statement runs wherever sqlite-vec is loaded and the state plane is attached as `state`, which may be empty. "
    "Without a query it needs no index."
)
@click.argument("query", nargs=-1)
@search_options
@click.option("--expanded", is_flag=True, help="Write the values into the statement, so that it runs as printed.")
@common_options
def sql(query: tuple[str, ...], expanded: bool, **options: Any) -> None:
    """Print the SQL statement that gives an answer.

    It is the statement that `rankfold search` executes with the same words and options, byte for byte. Its parameters
    stand above it as comments.
    """
    call = asked(options)
    if query:
        with rankfold.open(place()) as collection:
            answer = collection.search(joined(query), **call)
        _write(answer, expanded=expanded)
        return
    if expanded:
        raise click.UsageError("--expanded needs a query, whose values are written into the statement.")
    _write_without_query(call)


def _write(answer: Answer, *, expanded: bool) -> None:
    if wants_json():
        arms = tuple(shown(StatementArm, used) for used in answer.arms)
        write_json(shown(SqlData, answer, arms=arms, dropped=dropped_data(answer.dropped)), answer.warnings)
        return
    if answer.sql is None:
        say_raw("-- no arm can run, so there is no statement\n")
    elif expanded:
        say_raw(with_values(answer.sql, answer.parameters) + ";\n")
    else:
        say_raw(_comments(answer.parameters) + answer.sql + "\n")
    for item in answer.dropped:
        fix = f". Fix: {runnable(item.fix)}" if item.fix else ""
        warn([f"{item.arm} is left out, since {item.reason}{fix}"])
    warn(answer.warnings)


def _write_without_query(call: dict[str, Any]) -> None:
    registries = installed()
    asked_profile = call.pop("profile")
    profile = profile_at_hand(registries, asked_profile, None if asked_profile else status_at_hand())
    scope = {axis.name: call.pop(axis.name) for axis in registries.scopes}
    request = read_request(registries, "", profile=profile.name, scope=scope, **call)
    active = [ActiveArm(arm, request.weights[arm.name]) for arm in registries.arms if request.weights[arm.name] > 0]
    statement = fold(
        active, registries=registries, profile=profile, rank_constant=request.rank_constant, scope=request.scope
    )
    text = statement.text if statement else None
    if wants_json():
        arms = tuple(StatementArm(arm=item.arm.name, weight=item.weight, candidates=None) for item in active)
        write_json(SqlData(sql=text, parameters=(), arms=arms, dropped=()))
    else:
        say_raw((text or "-- no arm has a weight, so there is no statement") + "\n")


def _comments(parameters: Sequence[object]) -> str:
    """The parameters that the statement names, one comment line each."""
    names = {slot.number: slot.name for slot in installed().slots}
    lines = []
    for number, value in enumerate(parameters, start=1):
        if value is not None:
            shown = f"<{len(value) // 4} float32 values>" if isinstance(value, bytes) else _literal(value)
            lines.append(f"-- ?{number} {names.get(number, 'unnamed')} = {printable(shown)}\n")
    return "".join(lines)


def with_values(statement: str, parameters: Sequence[object]) -> str:
    """A statement with literals in place of its slots. What looks like a slot inside a string or a name is none."""

    def value(match: re.Match[str]) -> str:
        return match.group() if match.group(1) is None else _literal(parameters[int(match.group(1)) - 1])

    return _SLOT_OR_TEXT.sub(value, statement)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        if _CONTROL.search(value):  # a terminal would act on it, and SQL text ends at a zero byte
            return f"CAST(X'{value.encode().hex()}' AS TEXT)"
        return "'" + value.replace("'", "''") + "'"
    return repr(value)

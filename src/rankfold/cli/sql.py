"""`rankfold sql`: the statement that a search executes, byte for byte."""

from __future__ import annotations

from typing import Any

import click

import rankfold
from rankfold.cli.asking import asked, joined, search_options
from rankfold.cli.frame import common_options, place, plain, printable, wants_json, write_json, write_warnings
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import installed
from rankfold.retrieval.statement import ActiveArm, fold


@click.command(
    epilog="\b\nrankfold sql one writer many readers\nrankfold sql one writer --expanded\n"
    "rankfold sql --profile memory      with every arm, without an index\n\n"
    "It runs wherever sqlite-vec is loaded and the state plane is attached as `state`."
)
@click.argument("query", nargs=-1)
@search_options
@click.option("--expanded", is_flag=True, help="Write the values into the statement.")
@common_options
def sql(query: tuple[str, ...], expanded: bool, **options: Any) -> None:
    """Print the SQL statement that gives an answer, and its parameters."""
    call = asked(options)
    if not query:
        if expanded:
            raise click.UsageError("--expanded needs a query, whose values are written into the statement.")
        text = _of_profile(call)
        if wants_json():
            write_json("sql", {"sql": text, "parameters": []})
        else:
            click.echo(text)
        return
    with rankfold.open(place()) as collection:
        answer = collection.search(joined(query), **call)
    if wants_json():
        data = {
            "sql": answer.sql,
            "parameters": plain(answer.parameters),
            "arms": plain(answer.arms),
            "dropped": plain(answer.dropped),
        }
        write_json("sql", data, answer.warnings)
        return
    if answer.sql is None:
        click.echo("-- no arm can run, so there is no statement")
    elif expanded:
        click.echo(_expanded(answer.sql, answer.parameters))
    else:
        names = {slot.number: slot.name for slot in installed().slots}
        for number, value in enumerate(answer.parameters, start=1):
            if value is not None:
                click.echo(f"-- ?{number} {names.get(number, '')} = {printable(_shown(value))}")
        click.echo(answer.sql)
    write_warnings([f"{item.arm} is left out, since {item.reason}" for item in answer.dropped])
    write_warnings(answer.warnings)


def _of_profile(call: dict[str, Any]) -> str:
    registries = installed()
    profile = registries.profiles[call["profile"] or DEFAULT_PROFILE]
    weights = weights_of(registries, profile, only=call["arms"], stated=call["weights"])
    active = [ActiveArm(arm, weights[arm.name]) for arm in registries.arms if weights[arm.name] > 0]
    statement = fold(active, registries=registries, profile=profile, rank_constant=profile.rank_constant)
    return statement.text if statement else "-- no arm has a weight, so there is no statement"


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return f"<{len(value) // 4} float32 values>"
    return repr(value)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _expanded(text: str, parameters: tuple[object, ...]) -> str:
    # From the highest slot down, so that ?1 is not found inside ?10.
    for number in range(len(parameters), 0, -1):
        text = text.replace(f"?{number}", f"\0{number}\0")
    for number, value in enumerate(parameters, start=1):
        text = text.replace(f"\0{number}\0", _literal(value))
    return text + ";"

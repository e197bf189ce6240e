"""`rankfold profiles`: the named ways to search."""

from __future__ import annotations

import inspect

import click
from rich.console import Console
from rich.table import Table

from rankfold.cli.frame import common_options, plain, wants_json, write_json
from rankfold.records import Profile
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.registry import installed


@click.command(epilog="\b\nrankfold profiles\nrankfold profiles memory")
@click.argument("name", required=False)
@common_options
def profiles(name: str | None) -> None:
    """List the profiles, or show one. Works without an index."""
    registries = installed()
    chosen = [registries.profiles[name]] if name is not None else list(registries.profiles)
    if wants_json():
        data = [{**plain(profile), "weights": weights_of(registries, profile)} for profile in chosen]
        write_json("profile" if name else "profiles", data[0] if name else data)
        return
    if name is not None:
        _show(chosen[0])
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("profile", *registries.arms.names, "window", "rank constant", "limit", "form", "what it is"):
        table.add_column(heading)
    for profile in chosen:
        weights = [f"{weight:g}" if weight else "off" for weight in weights_of(registries, profile).values()]
        table.add_row(
            profile.name,
            *weights,
            str(profile.window),
            str(profile.rank_constant),
            str(profile.limit),
            profile.query_form,
            profile.title,
        )
    Console(highlight=False).print(table)


def _show(profile: Profile) -> None:
    click.secho(f"{profile.name}: {profile.title}", bold=True)
    click.echo(inspect.cleandoc(profile.doc) + "\n")
    for key, value in plain(profile).items():
        if key == "weights":
            value = ", ".join(f"{arm} {weight:g}" for arm, weight in weights_of(installed(), profile).items())
        if key not in ("name", "title", "doc"):
            click.echo(
                f"{key.replace('_', ' '):<20} {value if not isinstance(value, list) else ', '.join(map(str, value))}"
            )

"""The command line."""

from __future__ import annotations

import click

from teahouse.families import Family
from teahouse.teas import TEAS

_BY_NAME = {tea.name: tea for tea in TEAS}


@click.group()
def main() -> None:
    """Brew a pot of tea."""


@main.command("list")
@click.option("--family", type=click.Choice([family.value for family in Family]), help="Only teas of this family.")
def list_teas(family: str | None) -> None:
    """Show the teas, one a line."""
    for tea in TEAS:
        if family in (None, tea.family):
            click.echo(f"{tea.name:<14} {tea.title}, {tea.family}")


@main.command()
@click.argument("tea", type=click.Choice([*_BY_NAME]))
@click.option("--cups", type=click.IntRange(1, 12), default=1, show_default=True, help="How many cups.")
def brew(tea: str, cups: int) -> None:
    """Say how to brew a tea."""
    recipe = _BY_NAME[tea]
    click.echo(f"{recipe.grams * cups:g} g of {recipe.title}, {recipe.celsius} °C, {recipe.minutes:g} minutes")
    if recipe.steeps > 1:
        click.echo(f"The same leaves are good for {recipe.steeps} pots.")

"""What `--help` knows becomes values."""

from __future__ import annotations

from typing import Any

import click
import pytest

from rankfold_loaders.click_commands import describe


@click.group()
def tool() -> None:
    """A tool."""


@tool.command(epilog="\b\ntool find three")
@click.argument("query", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 10), default=3, help="Most | hits.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag.")
@click.option("--form", type=click.Choice(["any", "all"]), help="The form.")
@click.option("--quiet/--loud", default=False, help="Say less.")
@click.option("--db", envvar="TOOL_DB", required=True, help="The file.")
@click.option("--secret", hidden=True)
def find(**_: object) -> None:
    """Find things.

    \b
    tool find one
    tool find two

    More to say.
    """


@tool.group()
def state() -> None:
    """About the state."""


@state.command(name="export", deprecated=True)
def export() -> None:
    """Write it out."""


@tool.command(hidden=True)
def internal() -> None:
    """Not for people."""


@pytest.fixture
def commands() -> dict[str, dict[str, Any]]:
    return {command["name"]: command for command in describe(tool, "tool")}


def test_commands_of_groups_are_found_and_hidden_ones_are_not(commands: dict[str, dict[str, Any]]) -> None:
    assert set(commands) == {"find", "state-export"}
    assert commands["state-export"]["title"] == "tool state export"
    assert commands["state-export"]["deprecated"] is True


def test_a_command_states_its_usage_and_help(commands: dict[str, dict[str, Any]]) -> None:
    find_ = commands["find"]
    assert find_["usage"] == "tool find [OPTIONS] [QUERY]..."
    assert find_["doc"] == "Find things.\n\n    tool find one\n    tool find two\n\nMore to say.\n\n    tool find three"
    assert find_["short_help"] == "Find things."
    assert find_["source"]["file"] == __file__


def test_a_parameter_states_its_type_limits_default_and_whether_it_repeats(commands: dict[str, dict[str, Any]]) -> None:
    by_name = {parameter["names"][0]: parameter for parameter in commands["find"]["parameters"]}
    assert "--secret" not in by_name
    assert (by_name["--limit"]["minimum"], by_name["--limit"]["maximum"]) == (1, 10)
    assert by_name["--limit"]["default"] == "3"
    assert by_name["--tag"]["repeatable"] is True
    assert by_name["--tag"]["value"] == "TAG"
    assert by_name["--form"]["choices"] == ["any", "all"]
    assert by_name["--quiet"]["names"] == ["--quiet", "--loud"]
    assert by_name["--quiet"]["type"] == "none, it is a switch"
    assert by_name["--db"]["required"] is True
    assert by_name["--db"]["environment"] == "TOOL_DB"
    assert by_name["[QUERY]..."]["kind"] == "argument"
    assert by_name["[QUERY]..."]["repeatable"] is True
    assert "--help" in by_name

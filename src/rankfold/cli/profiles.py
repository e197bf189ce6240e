"""`rankfold profiles`: the named ways to search."""

from __future__ import annotations

import inspect
from typing import Any

import click
from rich.text import Text

from rankfold.cli.envelope import plain, write_json
from rankfold.cli.names import completing, named
from rankfold.cli.payloads import ProfileData, ProfilesData, shown
from rankfold.cli.place import common_options, wants_json
from rankfold.cli.terminal import indented, printable, say, say_table, warn
from rankfold.records import Profile
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.registry import Registries, installed


@click.command(
    epilog="\b\nrankfold profiles\nrankfold profiles memory\nrankfold search readers --profile memory\n\n"
    "An index remembers the profile that it was made with, and keeps that profile's tokenizer."
)
@click.argument("name", required=False, shell_complete=completing("profiles"))
@common_options
def profiles(name: str | None) -> None:
    """List the profiles, or show one.

    A profile is a named way to search: which arms, how much each counts, and what happens around them.
    """
    registries = installed()
    problems = [str(problem) for problem in registries.problems]
    if name is not None:
        profile = named(registries.profiles, name)
        if wants_json():
            write_json(_data(registries, profile), problems)
        else:
            _show(registries, profile)
            warn(problems)
        return
    if wants_json():
        write_json(ProfilesData(profiles=tuple(_data(registries, item) for item in registries.profiles)), problems)
        return
    headings = ("profile", "weights", "window", "constant", "limit", "form", "what it is for")
    rows = [
        [
            item.name,
            "\n".join(_weights(registries, item)),
            str(item.window),
            str(item.rank_constant),
            str(item.limit),
            item.query_form,
            printable(item.title),
        ]
        for item in registries.profiles
    ]
    say_table(headings, rows, rights=("window", "constant", "limit"))
    warn(problems)


def _data(registries: Registries, profile: Profile) -> ProfileData:
    return shown(ProfileData, profile, weights=weights_of(registries, profile))


def _weights(registries: Registries, profile: Profile) -> list[str]:
    return [f"{arm} {weight:g}" if weight else f"{arm} off" for arm, weight in weights_of(registries, profile).items()]


def _show(registries: Registries, profile: Profile) -> None:
    say(Text.assemble((profile.name, "bold cyan"), (f"  {printable(profile.title)}", "bold")))
    say()
    for paragraph in inspect.cleandoc(profile.doc).split("\n\n"):
        say(indented(paragraph, ""))
        say()
    # From the record's own fields, so that a new one is shown without a word here.
    shown: dict[str, Any] = plain(profile)
    for key in ("name", "title", "doc"):
        del shown[key]
    shown["weights"] = _weights(registries, profile)
    room = max(map(len, shown)) + 2
    for key, value in shown.items():
        text = (", ".join(map(str, value)) or "none") if isinstance(value, list) else str(value)
        text = {"True": "yes", "False": "no"}.get(text, text)
        head = key.replace("_", " ").ljust(room)
        say(Text(head, "dim") + indented(text, " " * room))

"""`rankfold search`: the hits, the rank that every arm gave each, and what could not be asked."""

from __future__ import annotations

from typing import Any

import click

import rankfold
from rankfold.cli.answers import as_data, write_for_people, write_tsv
from rankfold.cli.asking import asked, joined, search_options
from rankfold.cli.envelope import write_json
from rankfold.cli.place import common_options, place, wants_json


@click.command(
    epilog="\b\nrankfold search one writer many readers\n"
    "rankfold search '\"write-ahead log\" checkpoint' --path notes/\n"
    "rankfold search what changed --since 2026-01-01 --weight recency=1\n"
    "rankfold search -- -docking            words that start with a dash\n\n"
    "Any text is a safe query; double quotes make a phrase. The score is a rank score: it orders one answer, and is "
    "neither a percentage nor comparable between answers. A dash stands for no rank. Finding nothing is a success."
)
@click.argument("query", nargs=-1)
@search_options
@click.option(
    "--tsv",
    is_flag=True,
    help="Print tab-separated values: score, a rank per arm, path, line, title. Control characters become spaces or "
    "their pictures.",
)
@common_options
def search(query: tuple[str, ...], tsv: bool, **options: Any) -> None:
    """Search the index.

    Each hit is shown with its place, the line of its first match, its passage and the rank that every arm gave it.
    """
    if not query:
        raise click.UsageError("There is no query; type some words after `rankfold search`.")
    if tsv and wants_json():
        raise click.UsageError("--tsv and --json exclude each other.")
    call = asked(options)
    with rankfold.open(place()) as collection:
        answer = collection.search(joined(query), **call)
    if wants_json():
        write_json(as_data(answer), answer.warnings)
    elif tsv:
        write_tsv(answer)
    else:
        write_for_people(answer)

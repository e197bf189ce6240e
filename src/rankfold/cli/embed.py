"""`rankfold embed`: make the vectors that are missing."""

from __future__ import annotations

import click

import rankfold
from rankfold.cli.frame import common_options, place, wants_json, write_json, write_warnings
from rankfold.progress import progress_bar


@click.command(
    epilog="\b\nrankfold embed\nrankfold embed --all\n\n"
    "An interrupted run is taken up where it stopped. The exit status is 1 if the embedder failed on some texts."
)
@click.option("--all", "everything", is_flag=True, help="Forget all vectors first, for instance for another embedder.")
@common_options
def embed(everything: bool) -> int:
    """Make the vectors that are missing, or all of them again."""
    with rankfold.open(place()) as collection, progress_bar(quiet=wants_json()) as progress:
        report = collection.embed(everything=everything, progress=progress)
        capabilities = collection.status().capabilities
    if wants_json():
        data = {
            "embedded": report.embedded,
            "failed": report.failed,
            "cut": report.cut,
            "pending": capabilities.pending,
            "chunks": capabilities.chunks,
        }
        write_json("embed", data, report.warnings)
    else:
        click.echo(f"{report.embedded} new vectors; {capabilities.embedded} of {capabilities.chunks} chunks have one")
        write_warnings(report.warnings)
    return 1 if report.failed else 0

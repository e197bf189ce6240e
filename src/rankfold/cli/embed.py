"""`rankfold embed`: make the vectors that are missing."""

from __future__ import annotations

import click

import rankfold
from rankfold.cli.envelope import write_json
from rankfold.cli.payloads import EmbedData, shown
from rankfold.cli.place import common_options, place, wants_json
from rankfold.cli.terminal import printable, say, warn
from rankfold.progress import progress_bar


@click.command(
    epilog="\b\nrankfold embed\nrankfold embed --all      after a change of the embedder\n\n"
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
        left = {"refused": capabilities.refused, "pending": capabilities.pending, "chunks": capabilities.chunks}
        write_json(shown(EmbedData, report, **left), report.warnings)
    else:
        say(f"{report.embedded} new vectors; {capabilities.embedded} of {capabilities.chunks} chunks have one")
        if report.failed:
            say(printable(f"{report.failed} texts failed; the next `rankfold embed` tries them again"))
        warn(report.warnings)
    return 1 if report.failed else 0

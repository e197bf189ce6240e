"""`rankfold index`: bring folders, files and index into step."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

import click

import rankfold
from rankfold.cli.envelope import write_json
from rankfold.cli.names import completing, named
from rankfold.cli.payloads import IndexData, shown
from rankfold.cli.place import common_options, place, runnable, wants_json
from rankfold.cli.terminal import indented, say, warn
from rankfold.indexing.formats import FORMATS
from rankfold.indexing.sync import IndexReport
from rankfold.progress import progress_bar
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import installed

_SUFFIXES = " ".join(suffix for format_ in FORMATS for suffix in format_.suffixes)


@click.command(
    epilog="\b\nrankfold index notes/\nrankfold index                    everything indexed before\n"
    "rankfold index keys.jsonl --id-field key --text-field description\n\n"
    f"Files that are read: {_SUFFIXES}. A warning names every file that was read with a doubt or not read, and leaves "
    "the exit status at 0. It is 1 if the embedder failed on some texts; they can be found by their words, and the "
    "next run tries them again."
)
@click.argument("sources", nargs=-1, metavar="[FOLDER|FILE]...", type=click.Path(path_type=Path))
@click.option("--prefix", metavar="NAME", help="First part of the documents' paths, in place of the source's own name.")
@click.option(
    "--profile",
    metavar="NAME",
    help=f"What the collection is for. Default: {DEFAULT_PROFILE} for a new one, else the one it has.",
    shell_complete=completing("profiles"),
)
@click.option("--prune", is_flag=True, help="Believe a folder that lost most of its files.")
@click.option("--no-embed", is_flag=True, help="Make no vectors now; `rankfold embed` makes them later.")
@click.option("--id-field", metavar="KEY", default="id", show_default=True, help="JSONL: key that identifies a record.")
@click.option("--text-field", metavar="KEY", default="text", show_default=True, help="JSONL: key of its text.")
@click.option("--title-field", metavar="KEY", default="title", show_default=True, help="JSONL: key of its title.")
@common_options
def index(
    sources: tuple[Path, ...],
    prefix: str | None,
    profile: str | None,
    prune: bool,
    no_embed: bool,
    id_field: str,
    text_field: str,
    title_field: str,
) -> int:
    """Index folders and files; only what is new, changed, renamed or gone is touched.

    Hidden files, symbolic links and what .gitignore names are left out. Without a source, everything that was indexed
    before is brought into step. Without an index, one is made in .rankfold/ of the current folder.
    """
    if profile is not None:
        named(installed().profiles, profile)
    database = place(to_make=True)
    with rankfold.open(database) as collection, progress_bar(quiet=wants_json()) as progress:
        report = collection.index(
            *_expanded(sources),
            prefix=prefix,
            profile=profile,
            prune=prune,
            embed=not no_embed,
            id_field=id_field,
            text_field=text_field,
            title_field=title_field,
            progress=progress,
        )
    if wants_json():
        write_json(shown(IndexData, report, database=str(database)), report.warnings)
    else:
        _write(report, database)
    return 1 if report.failed else 0


def _expanded(sources: Sequence[Path]) -> list[Path]:
    """The sources, with the file patterns that shells on Windows leave to programs written out."""
    if os.name != "nt":
        return list(sources)
    found: list[Path] = []
    for source in sources:
        # A name that is no pattern, or a pattern without a match, stands for itself.
        found += [source] if source.exists() else sorted(map(Path, glob.glob(str(source)))) or [source]  # noqa: PTH207
    return found


def _write(report: IndexReport, database: Path) -> None:
    counts = {
        "added": report.added,
        "updated": report.updated,
        "renamed": report.renamed,
        "removed": report.removed,
        "unchanged": report.unchanged,
    }
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    say(indented(f"{database}: {told or 'no documents'}", "  "))
    if report.chunks or report.embedded:
        say(f"{report.chunks} new chunks, {report.embedded} new vectors")
    if report.skipped:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.skipped.items()))
        say(indented(f"passed over: {kinds}", "  "))
    if not any(counts.values()):
        say(indented(f"files that are read: {_SUFFIXES}", "  "))
    if report.cut:
        say(
            indented(f"{report.cut} chunks are longer than the embedder reads; their ends are not in the vectors", "  ")
        )
    if report.failed:
        say(f"{report.failed} texts have no vector, since the embedder failed; try: {runnable('rankfold embed')}")
    warn(report.warnings)

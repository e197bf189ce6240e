"""`rankfold index`: bring folders, files and index into step."""

from __future__ import annotations

from pathlib import Path

import click

import rankfold
from rankfold.cli.frame import common_options, place, plain, printable, wants_json, write_json, write_warnings
from rankfold.indexing.formats import FORMATS
from rankfold.progress import progress_bar
from rankfold.retrieval.profiles import DEFAULT_PROFILE

_SUFFIXES = " ".join(suffix for format_ in FORMATS for suffix in format_.suffixes)


@click.command(
    epilog="\b\nrankfold index notes/\nrankfold index                    everything indexed before\n"
    "rankfold index keys.jsonl --id-field key --text-field description\n\n"
    "The exit status is 1 if the embedder failed on some texts; they are tried again by the next run."
)
@click.argument("sources", nargs=-1, metavar="[FOLDER|FILE]...", type=click.Path(path_type=Path))
@click.option("--prefix", metavar="NAME", help="First part of the documents' paths, in place of the source's own name.")
@click.option("--profile", metavar="NAME", help=f"What the collection is for; {DEFAULT_PROFILE} for a new one.")
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
    before is brought into step.
    """
    database = place(to_make=True)
    with rankfold.open(database) as collection, progress_bar(quiet=wants_json()) as progress:
        report = collection.index(
            *sources,
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
        data = plain(report)
        warnings = data.pop("warnings")
        write_json("index", {"database": str(database), **data}, warnings)
        return 1 if report.failed else 0
    counts = {
        "added": report.added,
        "updated": report.updated,
        "renamed": report.renamed,
        "removed": report.removed,
        "unchanged": report.unchanged,
    }
    click.echo(f"{database}: " + (", ".join(f"{n} {what}" for what, n in counts.items() if n) or "no documents"))
    if report.chunks or report.embedded:
        click.echo(f"{report.chunks} new chunks, {report.embedded} new vectors")
    if report.skipped:
        kinds = ", ".join(f"{count} {printable(kind)}" for kind, count in sorted(report.skipped.items()))
        click.echo(f"passed over: {kinds}")
        if not (report.added or report.unchanged or report.updated or report.renamed):
            click.echo(f"files that are read: {_SUFFIXES}")
    if report.cut:
        click.echo(f"{report.cut} chunks are longer than the embedder reads; their ends have no part in their vectors")
    write_warnings(report.warnings)
    return 1 if report.failed else 0

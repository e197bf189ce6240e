"""`rankfold status`: what a collection holds, what it can do, and what stands in the way."""

from __future__ import annotations

import click

import rankfold
from rankfold.cli.frame import common_options, place, plain, printable, wants_json, write_json
from rankfold.embedding import Unavailable, default_embedder


@click.command(epilog="\b\nrankfold status\nrankfold status --check      for scripts: exit 1 if anything is wrong")
@click.option("--check", is_flag=True, help="Load the embedder too, and exit with 1 if there are problems.")
@common_options
def status(check: bool) -> int:
    """Show what the index holds and can do."""
    with rankfold.open(place()) as collection:
        found = collection.status()
    problems = list(found.problems)
    if check and found.embedder is not None:
        loaded = default_embedder(verify=True)
        if isinstance(loaded, Unavailable):
            problems.append(f"{loaded.reason}. Fix: {loaded.fix}")
    report = found.capabilities
    if wants_json():
        data = plain(found)
        data["problems"] = problems
        data["capabilities"].update(pending=report.pending, coverage=report.coverage)
        write_json("status", data)
        return 1 if check and problems else 0
    rows = {
        "index": found.database,
        "profile": found.profile,
        "tokenizer": found.tokenizer,
        "sources": ", ".join(found.sources) or "none",
        "documents": f"{report.documents}{'' if report.has_dates else ', none of them dated'}",
        "chunks": f"{report.chunks}, of which {report.embedded} are embedded"
        + (f" and {report.refused} cannot be" if report.refused else ""),
        "space": report.space or "none yet",
        "state plane": report.state_path or "none",
        "SQLite": f"{report.sqlite_version}, sqlite-vec {report.vec_version or 'not loaded'}",
        "open": report.opened,
    }
    for name, value in rows.items():
        click.echo(f"{name:<12} {printable(value)}")
    for problem in problems:
        click.secho(f"problem      {printable(problem)}", fg="yellow")
    return 1 if check and problems else 0

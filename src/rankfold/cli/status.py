"""`rankfold status`: what a collection holds, what it can do, and what stands in the way."""

from __future__ import annotations

import re

import apsw
import click
from rich.text import Text

import rankfold
from rankfold.cli.envelope import write_json
from rankfold.cli.payloads import CapabilitiesData, StatusData, shown
from rankfold.cli.place import common_options, place, runnable, wants_json
from rankfold.cli.terminal import indented, say
from rankfold.collection import Status
from rankfold.embedding import Embedder, Unavailable, default_embedder
from rankfold.embedding.protocol import pack
from rankfold.errors import EmbedderError
from rankfold.storage.vec import load_vec

_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b")
_FIX = re.compile(r"(?<=Fix: )rankfold [^.]*\Z")


@click.command(
    epilog="\b\nrankfold status\nrankfold status --check      for scripts: status 1 if anything is wrong\n\n"
    "--check also loads the embedder, embeds a text and asks sqlite-vec for a distance."
)
@click.option("--check", is_flag=True, help="Try the embedder and sqlite-vec; exit with 1 if there are problems.")
@common_options
def status(check: bool) -> int:
    """Show what the index holds and can do, and what stands in the way."""
    with rankfold.open(place()) as collection:
        found = collection.status()
    problems = [_FIX.sub(lambda fix: runnable(fix.group()), problem) for problem in found.problems]
    if check:
        problems += [problem for problem in _tried() if problem not in problems]
    if wants_json():
        capabilities = shown(CapabilitiesData, found.capabilities)
        write_json(shown(StatusData, found, capabilities=capabilities, problems=tuple(problems), checked=check))
    else:
        _write(found, problems, checked=check)
    return 1 if check and problems else 0


def _tried() -> list[str]:
    """What fails when the embedder and sqlite-vec are really used."""
    embedder = default_embedder(verify=True)
    if isinstance(embedder, Unavailable):
        return [f"{embedder.reason}. Fix: {embedder.fix}"]
    return _tried_together(embedder)


def _tried_together(embedder: Embedder) -> list[str]:
    connection = apsw.Connection(":memory:")
    try:
        version, problem = load_vec(connection)
        if version is None:
            return [f"{problem}. Fix: pip install 'sqlite-vec>=0.1.9'"]
        vector = pack(embedder.embed_query("one writer many readers"))
        distance = connection.execute("SELECT vec_distance_cosine(?1, ?1)", (vector,)).fetchall()[0][0]
        if not isinstance(distance, float) or not abs(distance) < 1e-5:
            return [f"a vector is {distance} away from itself"]
    except EmbedderError as error:
        return [str(error)]
    except apsw.Error as error:
        return [f"sqlite-vec cannot compare vectors: {error}"]
    finally:
        connection.close()
    return []


def _write(found: Status, problems: list[str], *, checked: bool) -> None:
    report = found.capabilities
    embedded = f"{report.embedded} of {report.chunks} chunks ({report.coverage:.0%})"
    if report.refused:
        embedded += f"; {report.refused} cannot be embedded"
    if report.pending:
        embedded += f"; finish with: {runnable('rankfold embed')}"
    rows = {
        "database": f"{found.database} ({report.opened})",
        "profile": found.profile,
        "tokenizer": found.tokenizer,
        "sources": ", ".join(found.sources) or "none",
        "documents": f"{report.documents}{'' if report.has_dates or not report.documents else ', none of them dated'}",
        "embedded": embedded,
        "space": _HASH.sub(r"\1…", report.space or "none yet"),
        "embedder": _embedder(found),
        "state plane": report.state_path or "none",
        "SQLite": report.sqlite_version,
        "sqlite-vec": report.vec_version or f"not loaded: {report.vec_problem}",
    }
    for name, value in rows.items():
        _row(name, value)
    for problem in problems:
        _row("problem", problem, "yellow")
    if checked and not problems:
        _row("checked", "no problems", "green")


def _embedder(found: Status) -> str:
    if found.embedder is None:
        return "none"
    if found.capabilities.space and found.capabilities.space.startswith(found.embedder):
        return "ready, makes vectors of this space"
    return _HASH.sub(r"\1…", found.embedder)


def _row(name: str, value: str, style: str = "") -> None:
    head = name.ljust(13)
    say(Text(head, style or "dim") + indented(value, " " * len(head), style))

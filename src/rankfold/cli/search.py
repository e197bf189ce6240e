"""`rankfold search`: the hits, the rank that every arm gave each, and what could not be asked."""

from __future__ import annotations

import csv
import io
import shutil
from typing import Any

import click
from rich.console import Console
from rich.text import Text

import rankfold
from rankfold.cli.asking import asked, joined, search_options
from rankfold.cli.frame import common_options, place, plain, printable, wants_json, write_json, write_warnings
from rankfold.models import Answer, Hit
from rankfold.times import iso

_TIMES = ("created_at", "updated_at", "event_at")


@click.command(
    epilog="\b\nrankfold search one writer many readers\n"
    "rankfold search '\"write-ahead log\" checkpoint' --path notes/\n"
    "rankfold search what changed --since 2026-01-01 --weight recency=1\n\n"
    "Any text is a safe query; double quotes make a phrase. The score is a rank score: it orders one answer and says "
    "nothing by itself."
)
@click.argument("query", nargs=-1)
@search_options
@click.option("--tsv", is_flag=True, help="Print tab-separated values: score, a rank per arm, path, line, title.")
@common_options
def search(query: tuple[str, ...], tsv: bool, **options: Any) -> None:
    """Search. Each hit is shown with its place, its line, its passage and the rank that every arm gave it."""
    if not query:
        raise click.UsageError("There is no query; type some words after `rankfold search`.")
    call = asked(options)
    with rankfold.open(place()) as collection:
        answer = collection.search(joined(query), **call)
    if wants_json():
        write_json("search", as_data(answer), answer.warnings)
    elif tsv:
        _write_tsv(answer)
        write_warnings(answer.warnings)
    else:
        _write_table(answer)


def as_data(answer: Answer) -> dict[str, Any]:
    """An answer as `data` of the envelope."""
    return {
        "query": answer.query,
        "profile": answer.profile,
        "limit": answer.limit,
        "offset": answer.offset,
        "window": answer.window,
        "rank_constant": answer.rank_constant,
        "query_form": answer.query_form,
        "now": iso(answer.now),
        "hits": [_hit_data(hit) for hit in answer.hits],
        "arms": plain(answer.arms),
        "dropped": plain(answer.dropped),
        "degraded": answer.degraded,
    }


def _hit_data(hit: Hit) -> dict[str, Any]:
    data: dict[str, Any] = plain(hit)
    del data["content_hash"]
    return {name: iso(value) if name in _TIMES else value for name, value in data.items()}


def _ranks(hit: Hit, answer: Answer) -> list[str]:
    by_arm = {item.arm: str(item.rank) for item in hit.contributions}
    return [by_arm.get(used.arm, "-") for used in answer.arms]


def _line(hit: Hit) -> int | str:
    return hit.passage.line if hit.passage else ""


def _write_tsv(answer: Answer) -> None:
    out = io.StringIO()
    writer = csv.writer(
        out, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None, escapechar="\\"
    )
    writer.writerow(["score", *(used.arm for used in answer.arms), "path", "line", "title"])
    for hit in answer:
        cells = [f"{hit.score:.10g}", *_ranks(hit, answer), hit.path, _line(hit), hit.title or ""]
        writer.writerow([" ".join(printable(str(cell)).split()) for cell in cells])
    click.echo(out.getvalue(), nl=False)


def _write_table(answer: Answer) -> None:
    console = Console(highlight=False, soft_wrap=True)
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    for place_, hit in enumerate(answer, start=answer.offset + 1):
        console.print(_heading(place_, hit))
        if hit.passage:
            console.print(_passage(hit, width))
        console.print(_explanation(hit, answer))
        console.print()
    if not answer.hits:
        console.print(Text("nothing found", "bold"))
    notes = Text()
    if answer.arms:
        notes.append("arms: " + ", ".join(f"{used.arm} {used.weight:g}" for used in answer.arms), "dim")
        if answer.query_form:
            notes.append(f"   form: {answer.query_form} terms", "dim")
        console.print(notes)
    for item in answer.dropped:
        fix = f"; fix: {item.fix}" if item.fix else ""
        console.print(Text(printable(f"not asked: {item.arm}, since {item.reason}{fix}"), "dim"))
    write_warnings(answer.warnings)


def _heading(place_: int, hit: Hit) -> Text:
    line = Text(f"{place_:>2}  ", "bold")
    line.append(printable(f"{hit.path}:{_line(hit)}" if hit.passage else hit.path), "bold cyan")
    if hit.title:
        line.append("  " + printable(" ".join(hit.title.split())), "bold")
    if not hit.matched:
        line.append("  (does not match the query)", "yellow")
    return line


def _passage(hit: Hit, width: int) -> Text:
    assert hit.passage is not None
    text = Text(printable(hit.passage.text))
    for start, end in hit.passage.highlights:
        text.stylize("bold yellow", start, end)
    flat = Text(" ").join(part for part in text.split("\n") if part.plain.strip())
    marks = [span.start for span in flat.spans]
    room = 3 * (width - 4)
    if len(flat) > room:
        start = max(0, min((marks[0] if marks else 0) - room // 4, len(flat) - room))
        while start and not flat.plain[start - 1].isspace():
            start -= 1
        head, tail = "…" if start else "", "…" if start + room < len(flat) else ""
        flat = Text(head) + flat[start : start + room] + Text(tail)
    shown = Text()
    console = Console(width=width - 4)
    for number, part in enumerate(flat.wrap(console, width - 4)):
        if number:
            shown.append("\n")
        shown.append("    ")
        shown.append_text(part)
    return shown


def _explanation(hit: Hit, answer: Answer) -> Text:
    ranks = "  ".join(f"{used.arm} {rank}" for used, rank in zip(answer.arms, _ranks(hit, answer), strict=True))
    text = Text(f"    rank score {hit.score:.7f}   ranks: {ranks}", "dim")
    if hit.twins:
        text.append(printable(f"   same text: {', '.join(hit.twins)}"), "dim")
    if not hit.is_embedded:
        text.append("   not embedded", "yellow")
    return text

"""An answer in the three forms that it has on the command line: JSON, tab-separated values, and for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from rankfold.cli.payloads import ContributionData, HitData, SearchData, shown
from rankfold.cli.place import runnable
from rankfold.cli.terminal import indented, joins, printable, say, say_raw, warn, width
from rankfold.models import Answer, Dropped, Hit, Passage
from rankfold.retrieval.registry import installed
from rankfold.times import iso

_INDENT = "    "
_MATCH = "bold yellow"
_PASSAGE_LINES = 3
_SPACE = re.compile(r"\s+")

# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def as_data(answer: Answer) -> SearchData:
    """An answer as `data` of the envelope, times in ISO 8601. The statement is what `rankfold sql` is for."""
    return shown(
        SearchData,
        answer,
        now=iso(answer.now),
        hits=tuple(_hit_data(hit) for hit in answer.hits),
        dropped=dropped_data(answer.dropped),
    )


def dropped_data(dropped: Sequence[Dropped]) -> tuple[Dropped, ...]:
    """The arms that could not run, each with a remedy that reaches this index."""
    return tuple(replace(item, fix=runnable(item.fix) if item.fix else None) for item in dropped)


def _hit_data(hit: Hit) -> HitData:
    return shown(
        HitData,
        hit,
        contributions=tuple(shown(ContributionData, share) for share in hit.contributions),
        created_at=iso(hit.created_at),
        updated_at=iso(hit.updated_at),
        event_at=iso(hit.event_at),
    )


# ── tab-separated values ──────────────────────────────────────────────────────────────────────────────────────────────


def write_tsv(answer: Answer) -> None:
    """Print one line per hit under a line of headings. No cell holds a tab or a line break."""
    lines = [["score", *(used.arm for used in answer.arms), "path", "line", "title"]]
    for hit in answer:
        lines.append([f"{hit.score:.10g}", *_ranks(hit, answer), hit.path, _line(hit), hit.title or ""])
    say_raw("".join("\t".join(map(printable, cells)) + "\n" for cells in lines))
    warn([_why(item) for item in answer.dropped if _degrades(item, answer)])
    warn(answer.warnings)


def _ranks(hit: Hit, answer: Answer) -> list[str]:
    by_arm = {item.arm: str(item.rank) for item in hit.contributions}
    return [by_arm.get(used.arm, "-") for used in answer.arms]


def _line(hit: Hit) -> str:
    return str(hit.passage.line) if hit.passage else ""


# ── for people ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_for_people(answer: Answer) -> None:
    """Print every hit with its place, passage and ranks, then which arms ran and which could not."""
    scores = score_texts([hit.score for hit in answer])
    ranks = _aligned([_ranks(hit, answer) for hit in answer])
    for number, hit in enumerate(answer):
        say(_heading(answer.offset + number + 1, hit))
        if hit.passage:
            say(_shown(hit.passage))
        say(_explained(hit, answer, scores[number], ranks[number]))
        say()
    if not answer.hits:
        say(Text("nothing found", "bold"))
    if answer.arms:
        ran = "arms: " + ", ".join(f"{used.arm} {used.weight:g}" for used in answer.arms)
        say(Text(printable(f"{ran}   form: {answer.query_form} terms" if answer.query_form else ran), "dim"))
    for item in answer.dropped:
        say(indented(_why(item), _INDENT, "yellow" if _degrades(item, answer) else "dim"))
    warn(answer.warnings)


def score_texts(scores: Sequence[float]) -> list[str]:
    """Scores with as few decimals as tell different ones apart, at least seven."""
    distinct = len(set(scores))
    for decimals in range(7, 18):
        texts = [f"{score:.{decimals}f}" for score in scores]
        if len(set(texts)) == distinct:
            break
    return texts


def _aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [[cell.rjust(room) for cell, room in zip(row, widths, strict=True)] for row in rows]


def _heading(number: int, hit: Hit) -> Text:
    line = Text(f"{number:>2}  ", "bold")
    line.append(printable(hit.path), "bold cyan")
    if hit.passage:
        line.append(f":{hit.passage.line}", "cyan")
    if not hit.matched:
        line.append("  (nothing in it matches the query)", "yellow")
    if hit.title:
        title = printable(_SPACE.sub(" ", hit.title.strip()))
        is_room = cell_len(line.plain) + 2 + cell_len(title) <= width()
        line.append("  " if is_room else f"\n{_INDENT}")
        line.append(title, "bold")
    return line


def _shown(passage: Passage) -> Text:
    """The part of a passage around its matches that fits a few lines, as one paragraph."""
    room = width() - len(_INDENT)
    text = _paragraph(passage)
    start = _first_shown(text, room * _PASSAGE_LINES)
    rest = Text("… " if start else "") + text[start:]
    lines = rest.wrap(Console(width=room), room)
    kept = list(lines[:_PASSAGE_LINES])
    for line in kept:
        line.rstrip()
    if len(lines) > _PASSAGE_LINES and not kept[-1].plain.endswith("…"):
        kept[-1] = _with_ellipsis(kept[-1], room)
    return Text("\n").join(Text(_INDENT) + line for line in kept)


def _paragraph(passage: Passage) -> Text:
    """The text with every run of white space as one space, and its matches as styles."""
    marked = Text(printable(passage.text))
    for start, end in passage.highlights:
        marked.stylize(_MATCH, start, end)
    runs = [(run.start(), run.end()) for run in _SPACE.finditer(marked.plain)]
    parts = []
    place = 0
    for start, end in runs:
        parts.append(marked[place:start])
        place = end
    parts.append(marked[place:])
    return Text(" ").join(part for part in parts if part.plain)


def _first_shown(text: Text, room: int) -> int:
    """Where to begin so that the first match is shown with a little before it, and all of the end if it fits."""
    if len(text) <= room or not text.spans:
        return 0
    first = min(span.start for span in text.spans)
    start = max(0, min(first - room // 4, len(text) - room))
    while start and not text.plain[start - 1].isspace() and first - start < room // 2:
        start -= 1
    while start and joins(text.plain[start - 1], text.plain[start]):
        start -= 1
    return start


def _with_ellipsis(line: Text, room: int) -> Text:
    end = len(line)
    while end and cell_len(line.plain[:end]) > room - 1:
        end -= 1
    while 0 < end < len(line) and joins(line.plain[end - 1], line.plain[end]):
        end -= 1
    return line[:end] + Text("…")


def _explained(hit: Hit, answer: Answer, score: str, ranks: Sequence[str]) -> Text:
    """The score and the rank that every arm gave, in columns that are the same under every hit."""
    head = f"rank score {score}   ranks: "
    cells = [Text(f"{used.arm} {rank}", "dim") for used, rank in zip(answer.arms, ranks, strict=True)]
    if not hit.is_embedded:
        cells.append(Text("not embedded", "yellow"))
    lines = [Text(head, "dim")]
    for cell in cells:
        is_first = len(lines[-1]) == len(head)
        if not is_first and lines[-1].cell_len + 2 + cell.cell_len > width() - len(_INDENT):
            lines.append(Text(" " * len(head)))
            is_first = True
        lines[-1].append("" if is_first else "  ").append_text(cell)
    if hit.twins:
        lines.append(indented(f"same text: {', '.join(hit.twins)}", _INDENT * 2, "dim"))
    for effect in hit.adjustments:
        if effect.path == hit.path:
            told = f"{effect.adjustment}: {effect.before}, now {effect.after}, since {effect.reason}"
            lines.append(indented(told, _INDENT * 2, "dim"))
    return Text("\n").join(Text(_INDENT) + line for line in lines)


def _degrades(item: Dropped, answer: Answer) -> bool:
    return answer.degraded and installed().preconditions[item.precondition].degrades


def _why(item: Dropped) -> str:
    fix = f". Fix: {runnable(item.fix)}" if item.fix else ""
    return f"not asked: {item.arm}, since {item.reason}{fix}"

"""What is written for people: plain text without control characters, and styles only where a terminal shows them.

Styles follow `NO_COLOR` and `FORCE_COLOR`. Marks of a match exist only as a style, so nothing in a document can look
like one where there are no styles.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rankfold.environment import COLUMNS, value_of

WIDEST = 120
"""Columns. Lines of prose longer than this are hard to read."""

_WITHOUT_TERMINAL = 100
"""Columns where the width is not known."""

_REORDERING = "\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_REORDERING}\ud800-\udfff]")


class PipeClosedError(Exception):
    """Whoever reads has seen enough."""


def width() -> int:
    """Columns to write in: the terminal's or those of `COLUMNS`, and no more than prose should have."""
    return min(shutil.get_terminal_size((_WITHOUT_TERMINAL, 24)).columns, WIDEST)


def printable(text: str) -> str:
    """One line of the same number of code points that cannot steer a terminal.

    A line break or tab becomes a space, any other control character its picture (escape is `␛`), and what would
    reorder the text around it a replacement character.
    """
    return _UNSAFE.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if match.group().isspace() and code not in (0x1C, 0x1D, 0x1E, 0x1F):
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def joins(before: str, after: str) -> bool:
    """Whether two code points are parts of one character, so that no line may break between them."""
    return before == "\u200d" or after == "\u200d" or unicodedata.category(after).startswith("M")


def say(line: str | Text = "") -> None:
    """Write a line to standard output. What goes beyond the width is left to the terminal, so it can be copied."""
    with _pipe():
        _console().print(_text(line), soft_wrap=True)


def say_raw(text: str) -> None:
    """Write text to standard output exactly as it is."""
    with _pipe():
        click.echo(text, nl=False)


def say_table(headings: Sequence[str], rows: Sequence[Sequence[str | Text]], *, rights: Sequence[str] = ()) -> None:
    """Write a table to standard output.

    Args:
        headings: of the columns. The last column takes the room that is left, and wraps.
        rows: cells, which may have several lines.
        rights: headings of the columns that hold numbers.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        is_last = heading == headings[-1]
        table.add_column(
            Text(heading), justify="right" if heading in rights else "left", no_wrap=not is_last, overflow="fold"
        )
    for row in rows:
        table.add_row(*map(_text, row))
    console = _console()
    with console.capture() as drawn:
        console.print(table)
    # Every cell is padded to its column, the last ones too.
    text = re.sub(r"[ ]+(?=\n)", "", drawn.get())
    with _pipe():
        click.echo(text, nl=False, color=console.color_system is not None)


def say_aside(line: str, style: str = "") -> None:
    """Write a line to standard error."""
    with _pipe():
        _Console(stderr=True, highlight=False).print(Text(line, style), soft_wrap=True)


def warn(warnings: Sequence[str]) -> None:
    """Write warnings to standard error, one a line."""
    for warning in warnings:
        say_aside(f"warning: {printable(warning)}", "yellow")


def indented(text: str, indent: str, style: str = "") -> Text:
    """Prose wrapped to the width, every line but the first with the indent in front."""
    room = max(width() - len(indent), 20)
    lines = Text(printable(text), style).wrap(Console(width=room), room)
    return Text("\n" + indent).join(_trimmed(line) for line in lines)


def _trimmed(line: Text) -> Text:
    line.rstrip()
    return line


def _text(cell: str | Text) -> Text:
    # Never rich's own markup: brackets in a title are brackets.
    return cell if isinstance(cell, Text) else Text(cell)


def _console() -> Console:
    is_shown = sys.stdout is not None and sys.stdout.isatty()
    known = None if is_shown or value_of(COLUMNS) else _WITHOUT_TERMINAL
    return _Console(highlight=False, width=known)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise PipeClosedError


@contextlib.contextmanager
def _pipe() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        # Windows has no signal for it and calls a closed pipe an invalid argument.
        if isinstance(problem, BrokenPipeError) or (os.name == "nt" and problem.errno == errno.EINVAL):
            raise PipeClosedError from None
        raise

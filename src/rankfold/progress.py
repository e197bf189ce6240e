"""A progress bar on standard error, where that is a terminal, with the rate and the time left; nothing elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rankfold.indexing.sync import Progress


def no_progress(what: str, done: int, total: int) -> None:
    """Show nothing."""


@contextlib.contextmanager
def progress_bar(*, quiet: bool = False) -> Iterator[Progress]:
    """A function that moves a bar per kind of work, shown from its first call on."""
    if quiet or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def move(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total, rate="")
            speed = bar.tasks[tasks[what]].finished_speed or bar.tasks[tasks[what]].speed
            bar.update(tasks[what], completed=done, total=total, rate=f"{speed:.0f}/s" if speed else "")

        yield move

"""`make lockstep`: make every change, see what the site makes of it, and print the score."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from queue import Queue
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from . import mutations, oracle
from .mutations import Mutation

REPOSITORY = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("worker.py")
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "site", ".demo", ".*_cache", ".hypothesis", "__pycache__", "node_modules", ".rankfold"
)
BUILDS = 50
"""How many changes of code are seen by a full build too; changes of authored pages all are."""

Seen = dict[str, Any]
"""What a worker answers: `stopped`, why a build stopped, and `pages`, a digest by page."""


@dataclass(frozen=True)
class Task:
    """One change and how it is looked at."""

    mutation: Mutation
    how: str
    """`pages` for the pages as Markdown, `build` for a whole site."""


@dataclass(frozen=True)
class Survivor:
    """A change that the site did not follow and that did not stop it."""

    mutation: Mutation
    reason: str


class Worker:
    """A copy of the project and the processes that look at it: one for each thing that a change may leave as it is."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = folder / "project"
        shutil.copytree(root, self.root, ignore=LEFT_OUT)
        # Byte code that is checked against a hash of its source: a time stamp would miss a change within a second.
        compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "src", "loaders"]
        subprocess.run(compiling, cwd=self.root, check=True)
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._heard = folder / "heard.txt"

    def _process(self, keeps: str) -> subprocess.Popen[str]:
        if keeps not in self._processes:
            environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
            environment |= {
                "PYTHONDONTWRITEBYTECODE": "1",
                "NO_MKDOCS_2_WARNING": "1",
                # It takes a quarter of a build, and `tests/playground` holds it against the library.
                "RANKFOLD_PLAYGROUND": "false",
            }
            with self._heard.open("a") as heard:
                self._processes[keeps] = subprocess.Popen(
                    [sys.executable, "-P", WORKER, str(self.root), keeps],
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=heard,
                    encoding="utf-8",
                )
        return self._processes[keeps]

    def see(self, mutation: Mutation, how: str) -> Seen:
        """What becomes of the site under a change."""
        asked = {"file": mutation.file, "start": mutation.start, "end": mutation.end, "new": mutation.new, "how": how}
        of_code = "loaders" if mutation.file.startswith("src/") else "nothing"
        process = self._process("site" if mutation.group == "authored" else of_code)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"a worker ended: {self._heard.read_text()[-2000:]}")
        return dict(json.loads(answer))

    def close(self) -> None:
        """End the processes; the folder is the caller's."""
        for process in self._processes.values():
            process.communicate()


NO_CHANGE = Mutation("", ("", "", ""), "mkdocs.yml", 1, 0, 0, "", "")


def tasks(root: Path, only: str = "", seed: int = 1) -> list[Task]:
    """The changes, in an order that the seed decides, so that long ones do not come last together.

    Args:
        root: the project.
        only: a pattern of the changes that are wanted.
        seed: decides the order and the full builds, which are of as many different fields as there are.
    """
    chosen = random.Random(seed)
    of_code = [
        *mutations.records(root),
        *mutations.docstrings(root),
        *mutations.described(root),
        *mutations.commands(root),
        *mutations.schema(root),
        *mutations.columns(root),
    ]
    chosen.shuffle(of_code)
    fields = Counter[tuple[str, str, str]]()
    turns = []
    for change in of_code:
        field = (change.group, change.fact[0], change.fact[2].partition(".")[0])
        turns.append(fields[field])
        fields[field] += 1
    of_code = [of_code[n] for n in sorted(range(len(of_code)), key=turns.__getitem__)]
    found = [Task(mutation, "pages") for mutation in of_code]
    found += [Task(mutation, "build") for mutation in of_code[:BUILDS]]
    found += [Task(mutation, "build") for mutation in mutations.authored(root)]
    found = [
        task for task in found if re.search(only, f"{task.mutation.file} {task.mutation.group} {task.mutation.what}")
    ]
    chosen.shuffle(found)
    return found


def run(
    root: Path, wanted: Sequence[Task], jobs: int, done: Callable[[Task, Seen, str], None] = lambda *_: None
) -> list[Survivor]:
    """Make every change, several at a time.

    Args:
        root: the project; it is copied, and the copies are changed.
        wanted: the changes.
        jobs: how many at a time.
        done: told of each.

    Raises:
        RuntimeError: the project as it is does not build, so nothing can be proven by changing it.
    """
    with tempfile.TemporaryDirectory(prefix="rankfold-lockstep-") as temporary:
        workers: Queue[Worker] = Queue()

        def unchanged(how: str) -> Seen:
            worker = workers.get()
            try:
                return worker.see(NO_CHANGE, how)
            finally:
                workers.put(worker)

        with ThreadPoolExecutor(jobs) as pool:
            for worker in pool.map(lambda n: Worker(root, Path(temporary, str(n))), range(jobs)):
                workers.put(worker)
            hows = sorted({task.how for task in wanted})
            before = dict(zip(hows, pool.map(unchanged, hows), strict=True))
        for how, seen in before.items():
            if seen["stopped"]:
                raise RuntimeError(f"without any change ({how}): {seen['stopped']}")
        stated = oracle.Oracle(root)
        lock = threading.Lock()
        survivors = []

        def one(task: Task) -> None:
            worker = workers.get()
            try:
                seen = worker.see(task.mutation, task.how)
            finally:
                workers.put(worker)
            reason = survived(task, seen, before[task.how], stated)
            with lock:
                if reason:
                    survivors.append(Survivor(task.mutation, reason))
                done(task, seen, reason)

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, wanted))
        while not workers.empty():
            workers.get().close()
    return sorted(survivors, key=lambda lost: (lost.mutation.file, lost.mutation.line, lost.mutation.start))


def survived(task: Task, seen: Seen, before: Seen, stated: oracle.Oracle) -> str:
    """Why a change counts as not noticed; empty where it was."""
    if seen["stopped"]:
        return ""
    if task.mutation.group in ("authored", "docstring"):
        return "the build went through"
    names = before["pages"].keys() | seen["pages"].keys()
    changed = {name for name in names if before["pages"].get(name) != seen["pages"].get(name)}
    must, may = stated.pages(task.mutation)
    if task.how == "build":
        must, may = ({oracle.html(page) for page in pages} for pages in (must, may | oracle.AT_WORK))
    missing = {page for page in must if not any(fnmatch(name, page) for name in changed)}
    more = {name for name in changed if not any(fnmatch(name, page) for page in (*must, *may))}
    said = [f"does not change {_names(missing)}"] if missing else []
    said += [f"changes {_names(more)}, which does not state it"] if more else []
    return "; ".join(said if must else [f"no page is said to state it; changed: {_names(changed) or 'none'}"])


def _names(pages: Iterable[str]) -> str:
    return ", ".join(sorted(pages))


def main() -> int:
    """Read the arguments and do it; the exit status is 1 where anything survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.lockstep", description=__doc__)
    parser.add_argument("--root", type=Path, default=REPOSITORY, help="the project (default: this one)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only changes whose file, group or text it matches")
    parser.add_argument("--list", action="store_true", help="print the changes and make none")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="decides the full builds and the order (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write what each change did")
    arguments = parser.parse_args()
    console = Console()
    wanted = tasks(arguments.root.resolve(), arguments.only, arguments.seed)
    if arguments.list:
        for task in wanted:
            console.print(f"{task.how:6} {task.mutation.file}:{task.mutation.line}  {task.mutation.what}", markup=False)
        return 0
    if not wanted:
        parser.error("no change matches")
    log: list[dict[str, object]] = []
    began = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("changing the source", total=len(wanted))

        def done(task: Task, seen: Seen, reason: str) -> None:
            progress.advance(bar)
            if reason:
                progress.update(bar, description="changing the source (some survive)")
            log.append({"how": task.how, "what": task.mutation.what, "stopped": seen["stopped"], "reason": reason})

        try:
            survivors = run(arguments.root.resolve(), wanted, arguments.jobs, done)
        except RuntimeError as problem:
            console.print(str(problem), markup=False)
            return 1
    if arguments.json:
        arguments.json.write_text(json.dumps(sorted(log, key=str), indent=1, ensure_ascii=False), encoding="utf-8")
    show(console, wanted, survivors, time.monotonic() - began, sum(bool(entry["stopped"]) for entry in log))
    return 1 if survivors else 0


def show(console: Console, wanted: Sequence[Task], survivors: Sequence[Survivor], seconds: float, stopped: int) -> None:
    """Print what survived, and the score."""
    if survivors:
        table = Table("Place", "Change", "What went unnoticed", title="Survivors", expand=True)
        for lost in survivors:
            table.add_row(f"{lost.mutation.file}:{lost.mutation.line}", lost.mutation.what, lost.reason)
        console.print(table)
    groups = Counter(task.mutation.group for task in wanted)
    lost = Counter(lost.mutation.group for lost in survivors)
    for group, count in sorted(groups.items()):
        console.print(f"{group:10} {count - lost[group]} of {count}")
    noticed = len(wanted) - len(survivors)
    builds = sum(task.how == "build" for task in wanted)
    score = 100 * noticed / len(wanted)
    console.print(
        f"Lockstep: {noticed} of {len(wanted)} changes noticed, {score:.4g} %; {stopped} of them stopped the build, "
        f"{builds} were full builds; {seconds:.0f} seconds"
    )


if __name__ == "__main__":
    sys.exit(main())

"""Code blocks that run: what a page or a docstring shows under a command is what the command prints.

A `console` block holds commands after `$ ` and under each of them its output. A `python` block is a program; the `text`
block right below it is what it prints. The output is stored in the page, so that it reads the same everywhere, and is
compared by running: the blocks of a page run in their order in one empty folder. In stored output `…` stands for
anything on its line, and a line of `…` alone for any lines; `python -m rankfold_loaders.transcripts --write` refreshes
what does not match.

`<!-- run first: docs/tutorial.md#notes -->` runs the blocks of another page's section before. A block right below
`<!-- not run: why -->` is not run.

A page with blocks carries one stamp, `<!-- ran: 0123456789ab -->`: a digest of its blocks with their output. Whoever
edits a block is asked to run it, even where its output would stay the same; that takes no time, so every build asks.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import Fault

STAMP = re.compile(r"^<!-- ran: (?P<digest>\w*) -->\n?", re.MULTILINE)
_FIRST = re.compile(r"^<!-- run first: (?P<file>[^\s#]+)#(?P<section>\S+) -->$", re.MULTILINE)
_FENCE = re.compile(r"```(?P<language>\w+)[^\n]*\n(?P<body>.*?)```\s*", re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: *(?P<reason>\S.*?) *-->\s*\Z")

SECONDS = 120
"""How long one command may take."""


@dataclass(frozen=True)
class Step:
    """One command or program, with the output that stands below it."""

    language: str
    typed: str
    shown: str
    """The stored output."""
    line: int
    """Where the command stands, from 1."""
    start: int
    """Where the stored output begins in the text; for a program without any, where it would go."""
    end: int
    reason: str = ""
    """Why it is not run; empty where it is."""


def steps(text: str) -> list[Step]:
    """The commands and programs of a page, in their order."""
    found: list[Step] = []
    at, program, before = 0, False, ""
    for piece, is_code in md.split_code(text):
        fence = _FENCE.fullmatch(piece) if is_code else None
        line, body = text.count("\n", 0, at) + 2, at + (fence.start("body") if fence else 0)
        unless = _NOT_RUN.search(before)
        reason = unless["reason"] if unless else ""
        if fence and fence["language"] == "console":
            found += _commands(fence["body"], body, line, reason)
        elif fence and fence["language"] == "python":
            end = at + len(piece)
            found.append(Step("python", fence["body"], "", line, end, end, reason))
        elif fence and fence["language"] == "text" and program:
            last = found.pop()
            found.append(
                Step("python", last.typed, fence["body"], last.line, body, body + len(fence["body"]), last.reason)
            )
        # A blank line between a program and its output is not the end of them.
        program = fence["language"] == "python" if fence else program and not piece.strip()
        at, before = at + len(piece), "" if is_code else piece
    return found


def _commands(body: str, at: int, line: int, reason: str) -> Iterator[Step]:
    for match in re.finditer(r"^\$ (?P<typed>[^\n]*)\n(?P<shown>(?:(?!\$ )[^\n]*\n)*)", body, re.MULTILINE):
        start, end = at + match.start("shown"), at + match.end("shown")
        where = line + body.count("\n", 0, match.start())
        yield Step("console", match["typed"], match["shown"], where, start, end, reason)


def covered(text: str) -> list[tuple[int, int]]:
    """Where the blocks are that this module answers for: offsets of the programs, consoles and outputs of a page."""
    ends = [step.end for step in steps(text)]
    spans, at = [], 0
    for piece, is_code in md.split_code(text):
        fence = _FENCE.fullmatch(piece) if is_code else None
        inside = any(at < end <= at + len(piece) for end in ends)
        if fence and (fence["language"] in ("python", "console") or inside):
            spans.append((at, at + len(piece)))
        at += len(piece)
    return spans


def digest(text: str) -> str:
    """What the stamp of a page has to be; empty for a page without blocks."""
    parts = [part for step in steps(text) for part in (step.language, step.typed, step.shown, step.reason)]
    first = _FIRST.search(text)
    joined = "\0".join([*parts, first.group() if first else ""])
    return hashlib.sha256(joined.encode()).hexdigest()[:12] if parts else ""


def stamp_faults(text: str, file: str) -> list[Fault]:
    """Whether the blocks are as they were when they last ran."""
    stamps = list(STAMP.finditer(text))
    given = stamps[0]["digest"] if stamps else ""
    if len(stamps) < 2 and given == digest(text):
        return []
    where = f"{file}:{text.count(chr(10), 0, stamps[0].start()) + 1}" if stamps else file
    return [Fault(where, "a code block was edited since it ran; type `python -m rankfold_loaders.transcripts --write`")]


def stamped(text: str) -> str:
    """The page with the stamp that its blocks need, where the old one stood or at the end."""
    wanted = digest(text)
    stamp = f"<!-- ran: {wanted} -->\n" if wanted else ""
    if STAMP.search(text):
        return STAMP.sub(lambda _: stamp, text, count=1)
    return f"{text.rstrip()}\n\n{stamp}" if stamp else text


def matches(shown: str, printed: str) -> bool:
    """Whether stored output stands for what was printed; `…` is anything on its line, alone any lines."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"\n"
    return bool(re.fullmatch(pattern, printed))


class Folder:
    """An empty folder where commands run, with nothing of the person who runs them."""

    def __init__(self, root: Path, temporary: Path) -> None:
        """Prepare it.

        Args:
            root: the project; its own source is what is run.
            temporary: an empty folder; everything is made below it.
        """
        self.root = root
        self.place = temporary / "work"
        programs = temporary / "bin"
        for folder in (self.place, programs, temporary / "home"):
            folder.mkdir()
        program = programs / "rankfold"
        program.write_text(
            f"#!/bin/sh\nexec '{sys.executable}' -c "
            '\'from rankfold.cli import main; main(prog_name="rankfold")\' "$@"\n',
            encoding="utf-8",
        )
        program.chmod(0o755)
        self.environment = {
            "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)]),
            "PYTHONPATH": str(root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            "HOME": str(temporary / "home"),
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, step: Step) -> tuple[int, str]:
        """Run one step; its exit status, and what it printed on both streams, without this folder's own path."""
        words = ["sh", "-c", step.typed] if step.language == "console" else [sys.executable, "-c", step.typed]
        try:
            ran = subprocess.run(
                words,
                cwd=self.place,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 1, f"(not finished after {SECONDS} seconds)\n"
        lines = ran.stdout.replace(str(self.place), "…").replace(str(self.root), "…").splitlines()
        return ran.returncode, "".join(f"{line.rstrip()}\n" for line in lines)


def run_page(root: Path, text: str, file: str, first_line: int = 1) -> tuple[str, list[Fault], int]:
    """Run the blocks of a page.

    Args:
        root: the project.
        text: the page, or a docstring.
        file: its name, for messages.
        first_line: the line of the file on which the text begins.

    Returns:
        The page with every output as it is now, what did not match, and how many steps ran.
    """
    mine = [step for step in steps(text) if not step.reason]
    faults: list[Fault] = []
    new, at = [], 0
    with tempfile.TemporaryDirectory(prefix="rankfold-transcript-") as temporary:
        folder = Folder(root, Path(temporary))
        for step in _before(root, text) if mine else ():
            folder.run(step)
        for step in mine:
            status, printed = folder.run(step)
            where = f"{file}:{first_line + step.line - 1}"
            if status and not printed:
                faults.append(Fault(where, f"{step.typed.strip()!r} fails with status {status} and says nothing"))
            if matches(step.shown, printed):
                continue
            faults.append(Fault(where, f"this is not what is printed; it is:\n{printed.rstrip() or '(nothing)'}"))
            output = printed
            if step.language == "python" and not step.shown:
                output = f"\n```text\n{printed}```\n"
            new += [text[at : step.start], output]
            at = step.end
    return "".join([*new, text[at:]]), faults, len(mine)


def _before(root: Path, text: str) -> list[Step]:
    found = _FIRST.search(text)
    return section_steps(root / found["file"], found["section"]) if found else []


def section_steps(file: Path, section: str) -> list[Step]:
    """The steps under the heading with that id."""
    if not file.is_file():
        return []
    parts = re.split(r"^(?=## )", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [step for part in parts if f"{{#{section}}}" in part.partition("\n")[0] for step in steps(part)]


def docstrings(source: Path) -> Iterator[tuple[Path, int, str]]:
    """Every docstring with code that runs: its file, the line on which it begins, and its text."""
    for file in sorted(source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "```" not in text and ">>> " not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                said = node.body[0].value.value  # type: ignore[attr-defined]
                if steps(inspect.cleandoc(said)) or ">>> " in said:
                    yield file, node.body[0].lineno, inspect.cleandoc(said)


def run_docstrings(root: Path, source: Path, first: tuple[str, str] = ("docs/tutorial.md", "notes")) -> list[Fault]:
    """Run the examples in docstrings.

    Args:
        root: the project.
        source: the folder of its packages.
        first: the page and the section whose blocks run before each, for the files that examples need.
    """
    faults = []
    notice = f"<!-- run first: {first[0]}#{first[1]} -->\n"
    for file, line, said in docstrings(source):
        place = file.relative_to(root).as_posix()
        faults += run_page(root, notice + said, place, line - 1)[1]
        if ">>> " in said:
            faults.append(
                Fault(f"{place}:{line}", "write an example as a block of `python` or `console`, not with >>>")
            )
    return faults


def main() -> int:
    """Run every block of the authored pages and docstrings; with `--write`, put the outputs in their place."""
    parser = argparse.ArgumentParser(prog="python -m rankfold_loaders.transcripts", description=main.__doc__)
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="the folder of mkdocs.yml")
    parser.add_argument("--write", action="store_true", help="write what is printed now into the pages")
    parser.add_argument("pages", nargs="*", type=Path, help="only these pages, and no docstrings")
    arguments = parser.parse_args()
    root: Path = arguments.root.resolve()
    left = [] if arguments.pages else run_docstrings(root, root / "src")
    for file in [file.resolve() for file in arguments.pages] or pages(root):
        text = file.read_text(encoding="utf-8")
        name = file.relative_to(root).as_posix()
        new, faults, count = run_page(root, text, name)
        if arguments.write:
            new = stamped(new)
            if new != text:
                file.write_text(new, encoding="utf-8", newline="\n")
                print(f"wrote {name}")
        else:
            left += [*faults, *stamp_faults(text, name)]
        if count:
            print(f"{name}: {count} blocks and commands ran")
    for fault in left:
        print(fault, file=sys.stderr)
    return 1 if left else 0


def stale(root: Path) -> list[Fault]:
    """Every page of a project whose blocks were edited since they ran; it takes no time, so every build asks."""
    return [
        fault
        for file in pages(root)
        for fault in stamp_faults(file.read_text(encoding="utf-8"), file.relative_to(root).as_posix())
    ]


def pages(root: Path) -> list[Path]:
    """The authored pages of a project; its history (`CHANGELOG.md`) is not among them."""
    beside = [root / name for name in ("README.md", "CONTRIBUTING.md")]
    return [*(file for file in beside if file.is_file()), *sorted((root / "docs").rglob("*.md"))]


if __name__ == "__main__":
    sys.exit(main())

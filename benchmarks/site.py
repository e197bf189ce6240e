"""How long the site takes: to build, to serve, and from the save of a file until its page shows the change.

    python benchmarks/site.py

The project is copied into a folder of its own and served from there. Each kind of file is saved several times, each
time with a word that was never there before, and the page is asked for until it holds that word. Then as many copies
of an authored page as it takes are added, and all of it is measured again.

A full build is set beside a build of the exported pages by MkDocs alone: the same pages, without reading a registry,
checking anything or writing twins and cards. The two builds run in turns.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import machine

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = Path(__file__).parent / "results" / "site.md"
GROWN = 150
"""Pages of the larger site."""
PATIENCE = 60.0
"""Seconds after which a page that does not change counts as lost."""


@dataclass(frozen=True)
class Save:
    """One kind of edit, and the page that shows it."""

    what: str
    file: str
    old: str
    new: str
    """`{word}` is a word that was never there before."""
    page: str


FTS = "src/rankfold/retrieval/arms/fts.py"
SAVES = (
    Save("an arm", FTS, "Ranks documents", "Ranks {word} documents", "reference/arms/fts/"),
    Save("the title of an arm, which the menus show", FTS, 'title="Full', 'title="{word}', "reference/arms/fts/"),
    Save("a template", "site-templates/pages/arm.md.jinja", "In short {", "In {word} {{", "reference/arms/fts/"),
    Save(
        "a loader",
        "loaders/rankfold_loaders/command_pages.py",
        '"What it does"',
        '"What {word}"',
        "reference/cli/search/",
    ),
    Save("an authored page", "docs/glossary.md", "# Glossary", "# Glossary\n\n{word}", "glossary/"),
    Save("an option", "src/rankfold/cli/asking.py", "Only these arms.", "Only {word} arms.", "reference/cli/search/"),
)


class Server:
    """`mkdocs serve` over a copy of the project."""

    def __init__(self, root: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{probe.getsockname()[1]}/rankfold/"
        place = self.address.split("/")[2]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--quiet", "--dev-addr", place],
            cwd=root,
            env=environment(root),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def seconds_until(self, page: str, word: str) -> float:
        """How long it takes from now until a page holds a word."""
        began = time.perf_counter()
        while word not in self._ask(page):
            if time.perf_counter() - began > PATIENCE:
                raise TimeoutError(f"{page} never showed {word!r}")
            time.sleep(0.01)
        return time.perf_counter() - began

    def _ask(self, page: str) -> str:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(self.address + page) as answer:
            return str(answer.read().decode())
        return ""

    def stop(self) -> None:
        """End it and wait."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


def environment(root: Path) -> dict[str, str]:
    """In which only the copy's own code is found. Byte code is written, as it is for anybody."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RANKFOLD", "SOURCE"))}
    path = os.pathsep.join((str(root / "src"), str(root / "loaders")))
    return {**kept, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1", "RANKFOLD_PLAYGROUND": "false"}


def copied(folder: Path) -> Path:
    """The files of the project as they are now, with its history, which the pages take their dates from."""
    root = folder / "project"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(root)], check=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        shutil.copy2(ROOT / name, root / name)
    return root


def grown(root: Path, pages: int) -> None:
    """Copies of an authored page that looks facts up, until the site has so many pages."""
    text = (root / "docs/how-a-search-runs.md").read_text(encoding="utf-8")
    (root / "docs/more").mkdir()
    for n in range(pages - built(root, root / "site")):
        copy = text.replace("# How a search runs", f"# Copy {n} of how a search runs")
        (root / "docs/more" / f"copy-{n}.md").write_text(copy, encoding="utf-8")
    configuration = root / "mkdocs.yml"
    stated = configuration.read_text(encoding="utf-8")
    configuration.write_text(stated.replace("  - Project:", "  - More: more/\n  - Project:"), encoding="utf-8")


def built(root: Path, site: Path) -> int:
    """Build, and count the pages."""
    run(root, "mkdocs", "build", "--quiet", "--site-dir", str(site))
    return len(list(site.rglob("index.html")))


def run(root: Path, module: str, *arguments: str) -> float:
    """Run a module in the copy and say how many seconds it took.

    Raises:
        SystemExit: it failed; prints what it said.
    """
    began = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=root,
        env=environment(root),
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(ran.stdout + ran.stderr)
    return time.perf_counter() - began


def served(root: Path, times: int) -> Iterator[tuple[str, Sequence[float]]]:
    """Seconds from the start of a server, and from each kind of save, until the page is there."""
    starts = []
    for _ in range(times):
        server = Server(root)
        starts.append(server.seconds_until("", "<h1"))
        server.stop()
    yield "the start", starts
    server = Server(root)
    server.seconds_until("", "<h1")
    for save in SAVES:
        file = root / save.file
        before = file.read_text(encoding="utf-8")
        if save.old not in before:
            raise SystemExit(f"{save.file} does not hold {save.old!r}; mend SAVES in {__file__}")
        taken = []
        for n in range(times):
            word = f"quokka{n}of{SAVES.index(save)}"
            file.write_text(before.replace(save.old, save.new.replace("{word}", word).replace("{{", "{"), 1))
            taken.append(server.seconds_until(save.page, word))
            time.sleep(1)
        file.write_text(before, encoding="utf-8")
        time.sleep(3)
        yield save.what, taken
    server.stop()


def builds(root: Path, folder: Path, times: int) -> tuple[list[float], list[float]]:
    """Seconds of full builds, and of builds of the exported pages by MkDocs alone, in turns."""
    plain = folder / "export"
    shutil.rmtree(plain, ignore_errors=True)
    run(root, "rankfold_loaders", "export", str(plain), "--no-playground")
    ours, theirs = [], []
    for n in range(times + 1):
        whole = run(root, "mkdocs", "build", "--quiet", "--site-dir", str(folder / "site"))
        alone = run(plain, "mkdocs", "build", "--quiet", "--site-dir", str(folder / "plain"))
        if n:  # the first ones fill the caches
            ours.append(whole)
            theirs.append(alone)
    return ours, theirs


def shown(taken: Sequence[float]) -> str:
    """Median, fastest and slowest."""
    return f"{statistics.median(taken):.2f} ({min(taken):.2f} – {max(taken):.2f})"


def main() -> int:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="how often each thing is done (default: 5)")
    parser.add_argument("--pages", type=int, default=GROWN, help=f"pages of the larger site (default: {GROWN})")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where the report goes (default: results/site.md)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rankfold-site-") as temporary:
        folder = Path(temporary)
        root = copied(folder)
        pages = [built(root, folder / "site")]
        ours, theirs = builds(root, folder, arguments.repeats)
        found = {what: [taken] for what, taken in served(root, arguments.repeats)}
        grown(root, arguments.pages)
        pages.append(arguments.pages)
        for what, taken in served(root, arguments.repeats):
            found[what].append(taken)
    lines = [
        "# The site",
        "",
        f"Made by `benchmarks/site.py --repeats {arguments.repeats}`. Seconds: the median, and in brackets the fastest",
        "and the slowest.",
        "",
        machine.table("mkdocs", "mkdocs-material", "griffe"),
        "",
        f"| from … until its page is there | {pages[0]} pages | {pages[1]} pages |",
        "|---|---:|---:|",
        *(f"| {what} | {' | '.join(map(shown, taken))} |" for what, taken in found.items()),
        "",
        f"| full build of {pages[0]} pages, without the playground | the same pages by MkDocs alone | ratio |",
        "|---:|---:|---:|",
        f"| {shown(ours)} | {shown(theirs)} | {statistics.median(ours) / statistics.median(theirs):.2f} |",
        "",
    ]
    arguments.output.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The drift check: what the site says is what the code does, or the check fails and says what differs.

It compares source and live registries, asks for documentation, builds the site twice into a temporary folder, reads the
built pages back and compares them with the live registries, and follows every link and every fact. It writes nothing
into the project.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rankfold_loaders import authored, readback, transcripts
from rankfold_loaders import live as live_side
from rankfold_loaders import markdown_text as md
from rankfold_loaders.agreement import Joined, join
from rankfold_loaders.built_site import faults_of_folder, read_folder
from rankfold_loaders.facts import FACT, facts, substitute
from rankfold_loaders.faults import SiteError
from rankfold_loaders.live import Live
from rankfold_loaders.pages import undocumented
from rankfold_loaders.project import Project
from rankfold_loaders.registries import DEMANDS, Demand
from rankfold_loaders.static import Reader

_LONGEST_DIFF = 40
"""Lines of one page's diff that are shown."""


@dataclass(frozen=True)
class Outcome:
    """What one check found."""

    name: str
    summary: str
    """One line, for when it passes."""
    compared: int
    """How many things were compared; none at all is a failure."""
    faults: Sequence[str] = field(default=())
    """What is wrong; may hold unified diffs."""
    remedy: str = ""
    """What to type or to do."""

    @property
    def passed(self) -> bool:
        """Whether something was compared and nothing was wrong."""
        return not self.faults and self.compared > 0


def run(root: Path) -> Iterator[Outcome]:
    """Run every check; one that cannot run because an earlier one failed is left out.

    Args:
        root: the folder of `mkdocs.yml`, or that file where it has another name.
    """
    try:
        project = Project.at(root.resolve())
        in_source = documented_in_source(project)
    except SiteError as problem:
        yield Outcome("configuration", "", 0, [str(fault) for fault in problem.faults], "mend the key that is named")
        return
    # Records that no class in the source makes have no literals that could differ from them.
    has_source = any(row.record for row in project.reference.registries)
    if has_source:
        yield in_source
    try:
        live = live_side.read(project)
    except SiteError as problem:
        yield Outcome("live", "", 0, [str(fault) for fault in problem.faults], "mend what the message names")
        return
    joined, outcome = agreement(project, live)
    if has_source or outcome.faults:
        yield outcome
    yield documented(joined)
    yield facts_resolve(project, joined)
    if "looked up" in project.reference.demands:
        yield nothing_retyped(project, joined)
        yield code_ran(project)
    with tempfile.TemporaryDirectory(prefix="rankfold-check-") as temporary:
        first, second = Path(temporary, "first"), Path(temporary, "second")
        built = build_twice(project, first, second)
        yield built
        if not built.passed:
            return
        yield same_bytes(first, second)
        yield pages_match(project, first, live)
        yield links(first, project.site_url, project.reference.demands)


def documented_in_source(project: Project) -> Outcome:
    """Every record in the source states its documentation; this names file and line even where it cannot be loaded."""
    faults, count = [], 0
    reader = Reader(project.source)
    for page in project.reference.registries:
        for record in reader.records(page):
            count += 1
            doc = record.fields.get(page.doc)
            if not record.below and (doc is None or (doc.literal and not str(doc.value).strip())):
                place = f"{project.relative(record.file) or record.file}:{record.line}"
                faults.append(f"{place}: {page.word} {record.name} is not documented")
    return Outcome(
        "source", f"{count} records in the source, each documented", count, faults, "write its `doc` in that file"
    )


def agreement(project: Project, live: Live) -> tuple[Joined, Outcome]:
    """Literals in the source equal the live values."""
    joined, found = join(project, live)
    entries = [entry for entries in joined.entries.values() for entry in entries]
    literals = sum(written.literal for entry in entries for written in entry.authored.values())
    elsewhere = sum(not entry.source.file for entry in entries)
    summary = f"{literals} literals of {len(entries)} records equal the live registry"
    if elsewhere:
        summary += f"; {elsewhere} registered at run time"
    return joined, Outcome(
        "agreement",
        summary,
        literals,
        [str(fault) for fault in found],
        "make the source say what the code does: change the literal, or what changes it after it is written",
    )


def documented(joined: Joined) -> Outcome:
    """Every live record states what its page needs, whoever registered it."""
    missing = [f"{entry.source.place}: {entry.kind} {entry.name} has no {name}" for entry, name in undocumented(joined)]
    count = sum(len(entries) for entries in joined.entries.values())
    return Outcome(
        "documented", f"{count} live records, each documented", count, missing, "fill the field that is named"
    )


def facts_resolve(project: Project, joined: Joined) -> Outcome:
    """Every fact that an authored page looks up exists."""
    known = facts(joined, project.facts())
    faults, count, pages = [], 0, 0
    for file in sorted((project.root / project.docs).rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        pages += 1
        count += sum(
            1
            for piece, is_code in md.split_code(text)
            for match in FACT.finditer(piece)
            if match["code"] or not is_code
        )
        try:
            substitute(text, known, project.relative(file) or str(file))
        except SiteError as problem:
            faults += [str(fault) for fault in problem.faults]
    return Outcome(
        "facts", f"{count} facts on {pages} authored pages, each found", pages, faults, "use the name that is suggested"
    )


def nothing_retyped(project: Project, joined: Joined) -> Outcome:
    """Authored pages look up what a registry states; what they type themselves carries a mark with its reason."""
    read = authored.read_pages(project, facts(joined, project.facts()), joined.entries)
    return Outcome(
        "authored",
        f"{read.verified} names and numerals on authored pages and in records checked; {read.free} are free and marked",
        read.verified,
        [str(fault) for fault in read.faults],
        "look the fact up as the message says, or mark it with a footnote that gives the reason",
    )


def code_ran(project: Project) -> Outcome:
    """The code on authored pages runs as it stands there, and shows what it prints."""
    faults, count = list(transcripts.stale(project.root)), 0
    for file in transcripts.pages(project.root):
        name = file.relative_to(project.root).as_posix()
        _, found, ran = transcripts.run_page(project.root, file.read_text(encoding="utf-8"), name)
        faults += found
        count += ran
    return Outcome(
        "transcripts",
        f"{count} commands and programs on authored pages ran, and print what stands there",
        count,
        [str(fault) for fault in faults],
        "python -m rankfold_loaders.transcripts --write",
    )


def build_twice(project: Project, first: Path, second: Path) -> Outcome:
    """Build the site twice, each time with another hash seed and time zone."""
    running = []
    for folder, seed, zone in ((first, "1", "UTC"), (second, "2", "Asia/Kathmandu")):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_MKDOCS_2_WARNING": "1",
        }
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        command += ["--config-file", str(project.root / project.config), "--site-dir", str(folder)]
        running.append(
            subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
            )
        )
    said = [process.communicate()[0] for process in running]
    failed = [text.strip() for text, process in zip(said, running, strict=True) if process.returncode]
    pages = len(list(first.rglob("*.html")))
    return Outcome(
        "build", f"{pages} pages built, twice", pages, failed[:1], "mend what is named; `mkdocs build` shows it"
    )


def same_bytes(first: Path, second: Path) -> Outcome:
    """Two builds of one tree are equal to the last byte."""
    hashes = [
        {file.relative_to(folder).as_posix(): _hash(file) for file in folder.rglob("*") if file.is_file()}
        for folder in (first, second)
    ]
    faults = []
    for name in sorted(hashes[0].keys() | hashes[1].keys()):
        if hashes[0].get(name) == hashes[1].get(name):
            continue
        faults.append(_text_diff(first / name, second / name, name))
    return Outcome(
        "same bytes",
        f"{len(hashes[0])} files, equal to the last byte in both builds",
        len(hashes[0]),
        faults,
        "take out of the page what is not made from the source: a clock, an order of a set, a path of this machine",
    )


def pages_match(project: Project, folder: Path, live: Live) -> Outcome:
    """What the built pages show, read back from their HTML, is what the live registries hold."""
    reader = Reader(project.source)
    written = {
        row.kind: {record.name: record for record in reader.records(row)} for row in project.reference.registries
    }
    reference = project.reference
    return compare(readback.expected(reference, live, written), readback.shown(reference, folder, live))


def compare(expected: Mapping[str, Sequence[str]], shown: Mapping[str, Sequence[str]]) -> Outcome:
    """Compare page by page, in order."""
    faults, count = [], 0
    for uri in expected.keys() | shown.keys():
        wanted, found = _normalised(expected.get(uri, ())), _normalised(shown.get(uri, ()))
        count += len(found)
        if wanted != found:
            faults.append(_diff(wanted, found, "the registry", f"the page {uri}"))
        elif not found:
            faults.append(f"the page {uri} shows nothing that could be compared")
    cells = sum(line.startswith("weights:") for lines in shown.values() for line in lines)
    weights = f" ({cells} of them in the table of weights)" if cells else ""
    return Outcome(
        "pages",
        f"{count} cells, terms and lines of SQL on {len(shown)} generated pages equal the live registry{weights}",
        count,
        sorted(faults),
        "change the template or the page model so that it shows the record; then `python -m rankfold_loaders check`",
    )


def links(folder: Path, site_url: str = "", demands: Sequence[Demand] = DEMANDS) -> Outcome:
    """Every link and anchor of the built site resolves, and every page has what a page needs."""
    pages = read_folder(folder)
    found = faults_of_folder(folder, site_url, demands, pages)
    count = sum(len(page.links) + len(page.loads) for page in pages.values())
    return Outcome(
        "links",
        f"{count} links and anchors resolve",
        count,
        [str(fault) for fault in found],
        "mend the link on the page that is named",
    )


def _normalised(lines: Sequence[str]) -> list[str]:
    # Tables and sections may stand in any order on a page; what belongs to one of them keeps its order.
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(line.split(":", 1)[0], []).append(line)
    return [line for name in sorted(groups) for line in groups[name]]


def _diff(wanted: Sequence[str], found: Sequence[str], left: str, right: str) -> str:
    lines = list(difflib.unified_diff(wanted, found, left, right, lineterm="", n=1))
    more = len(lines) - _LONGEST_DIFF
    return "\n".join([*lines[:_LONGEST_DIFF], *([f"… and {more} lines more"] if more > 0 else [])])


def _text_diff(first: Path, second: Path, name: str) -> str:
    try:
        texts = [file.read_text(encoding="utf-8").splitlines() if file.is_file() else [] for file in (first, second)]
    except UnicodeDecodeError:
        return f"{name} differs"
    return _diff(texts[0], texts[1], f"first/{name}", f"second/{name}") or f"{name} differs"


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def report(outcomes: Iterator[Outcome], write: Callable[[str], object] = print) -> int:
    """Print one line per check that passed, and everything about those that did not.

    Returns:
        The exit status: 0, or 1 where a check failed.
    """
    failed = 0
    for outcome in outcomes:
        if outcome.passed:
            write(f"ok    {outcome.name}: {outcome.summary}")
            continue
        failed += 1
        write(f"FAIL  {outcome.name}")
        for fault in outcome.faults or ["nothing was found to compare, so nothing is proven"]:
            write("\n".join(f"      {line}" for line in fault.splitlines()))
        if outcome.remedy:
            write(f"      To mend it: {outcome.remedy}")
    write("The site says what the code does." if not failed else f"{failed} of the checks failed.")
    return 1 if failed else 0

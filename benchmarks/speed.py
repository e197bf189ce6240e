"""How fast a search is beside (b), the literal statement of the same answer, and how it grows with the corpus.

    python benchmarks/speed.py --sizes 2000,20000,100000

For each size one synthetic corpus is written twice: into a rankfold index, and into the tables of (b). Both answer the
same queries in turns within one process, and every answer must be equal to the other in paths, scores and order. Ours
is the text that `fold()` gives, run on the connection that `open_reader` opens. The best of `--repeats` runs counts
for each query, because whatever else the machine does can only add to it; the median is then taken over the queries.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import ParamSpec, TypeVar

import apsw

import build
import literal
import machine
from corpus import NOW, Query, generate
from rankfold.records import Arm, Profile
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.profiles import DOCUMENTS, MEMORY
from rankfold.retrieval.registry import built_in
from rankfold.retrieval.scopes import PATH, Scope
from rankfold.retrieval.statement import DEFAULT_SCOPE, ActiveArm, fill, fold
from rankfold.storage.connection import fetch, open_reader

OUTPUT = Path(__file__).parent / "results" / "speed.md"
LIMIT = 30
NARROW = 10
"""Documents in the narrow scope."""
ROUNDS_ALONE = 60
"""Runs of an arm alone that reads no query; the best of so many counts, as each takes a fraction of a millisecond."""

LEAST_RATIO = 3.0
RATIO_SIZE = 20_000
MOST_GROWTH: Mapping[str, float] = {"recency": 0.05, "salience": 0.25}

REGISTRIES = built_in()
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """One kind of search, stated by both sides."""

    name: str
    profile: Profile
    is_narrow: bool = False

    def weights(self) -> dict[str, float]:
        """Each arm's weight, by name."""
        return weights_of(REGISTRIES, self.profile)

    def ours(self, query: Query, paths: str) -> tuple[str, tuple[object, ...]]:
        """Our statement and its values.

        Args:
            query: what is searched.
            paths: the narrow scope as a JSON array.
        """
        scope = Scope((PATH,), {PATH.slot: paths}) if self.is_narrow else Scope()
        statement = fold(
            [ActiveArm(arm, self.weights()[arm.name]) for arm in REGISTRIES.arms],
            registries=REGISTRIES,
            profile=self.profile,
            rank_constant=self.profile.rank_constant,
            scope=scope,
        )
        assert statement is not None
        values = {1: query.match, 2: self.profile.window, 3: LIMIT, 4: query.vector, 5: NOW}
        return statement.text, statement.bind({**values, REGISTRIES.slots[PATH.slot].number: paths})

    def theirs(self, query: Query, paths: str) -> tuple[str, tuple[object, ...]]:
        """The statement of (b) and its values."""
        weights = list(self.weights().values())
        text = literal.statement(weights, matched_only=self.profile.matched_only, narrow=self.is_narrow)
        values = (query.match, self.profile.window, LIMIT, query.vector, NOW)
        return text, (*values, paths) if self.is_narrow else values


CASES = (
    Case("profile `memory`, default scope", MEMORY),
    Case("profile `documents`, default scope", DOCUMENTS),
    Case(f"profile `memory`, scope of {NARROW} documents", MEMORY, is_narrow=True),
)


@dataclass(frozen=True)
class Written:
    """A corpus on disk: what it takes to search it."""

    size: int
    chunks: int
    queries: tuple[Query, ...]
    paths: str
    """The narrow scope, a JSON array of paths."""


@dataclass
class Times:
    """Best times in milliseconds, one for each query, of the contenders of one case."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    tuned: list[float] = field(default_factory=list)
    """Of (b) with the memory map and the cache that ours has."""
    unequal: list[str] = field(default_factory=list)
    """MATCH texts of the queries whose answers differed."""

    def ratios(self) -> list[float]:
        """How many times faster ours is, query by query."""
        return [b / a for a, b in zip(self.ours, self.theirs, strict=True)]


@dataclass
class Sized:
    """Everything measured at one size."""

    size: int
    chunks: int
    index_bytes: int
    literal_bytes: int
    cases: dict[str, Times]
    alone: dict[str, list[float]]
    """Milliseconds of each of our arms alone over the default scope, by its name."""


def timed(connection: apsw.Connection, text: str, values: Sequence[object]) -> tuple[float, list[tuple[object, ...]]]:
    """Run a statement to its end: milliseconds and rows."""
    start = time.perf_counter()
    rows = connection.execute(text, values).fetchall()
    return (time.perf_counter() - start) * 1e3, rows


def compare(
    case: Case, written: Written, index: apsw.Connection, plain: apsw.Connection, tuned: apsw.Connection, repeats: int
) -> Times:
    """Both sides on every query, in turns."""
    times = Times()
    for query in written.queries:
        ours, theirs = case.ours(query, written.paths), case.theirs(query, written.paths)
        best = [math.inf, math.inf, math.inf]
        for turn in range(repeats):
            answers = []
            for place, (connection, statement) in enumerate(((index, ours), (plain, theirs), (tuned, theirs))):
                taken, rows = timed(connection, *statement)
                best[place] = min(best[place], taken)
                answers.append([row[:2] for row in rows])
            if turn == 0 and answers[0] != answers[1]:
                times.unequal.append(query.match)
        for kept, value in zip((times.ours, times.theirs, times.tuned), best, strict=True):
            kept.append(value)
    return times


def arm_text(arm: Arm) -> str:
    """An arm's SQL over the default scope, in its fast form where it has one, as `fold()` writes it."""
    holes = {
        **{constant.name: repr(constant.value) for constant in REGISTRIES.constants},
        "scope": DEFAULT_SCOPE,
        "candidates": DEFAULT_SCOPE,
        "exclusions": "\n    AND ".join(arm.exclusions) or "true",
        "column_weights": ", ".join(repr(weight) for weight in MEMORY.column_weights),
    }
    return fill(arm.fast_sql or arm.sql, holes)


def measure_alone(queries: Sequence[Query], index: apsw.Connection, repeats: int) -> dict[str, list[float]]:
    """Each arm in a loop of its own, so that no other one empties the processor's caches in between."""
    found: dict[str, list[float]] = {}
    for arm in REGISTRIES.arms:
        text = arm_text(arm)
        runs = repeats if arm.reads == "query" else ROUNDS_ALONE
        found[arm.name] = []
        for query in queries:
            values: tuple[object, ...] = (query.match, MEMORY.window, None, query.vector, NOW)
            values = values[: max(slot for slot in range(1, 6) if f"?{slot}" in text)]
            found[arm.name].append(min(timed(index, text, values)[0] for _ in range(runs)))
    return found


def write(size: int, folder: Path, queries: int) -> Written:
    """Make a corpus and write it for both sides, in an empty folder."""
    corpus = generate(size, queries=queries)
    build.build(folder / "index.db", corpus)
    literal.build(folder, corpus)
    live = [document.path for document in corpus.documents if not document.archived]
    paths = json.dumps(live[:: max(1, len(live) // NARROW)][:NARROW])
    return Written(size, len(corpus.vectors), corpus.queries, paths)


def measure(written: Written, folder: Path, repeats: int) -> Sized:
    """Search what was written."""
    database = folder / "index.db"
    index = open_reader(database).connection
    plain, tuned = literal.connect(folder), literal.connect(folder)
    for pragma in ("mmap_size", "cache_size"):
        ((value,),) = fetch(index, f"PRAGMA {pragma}")
        fetch(tuned, f"PRAGMA {pragma} = {value}")
    cases = {case.name: compare(case, written, index, plain, tuned, repeats) for case in CASES}
    alone = measure_alone(written.queries, index, repeats)
    for connection in (index, plain, tuned):
        connection.close()
    return Sized(
        size=written.size,
        chunks=written.chunks,
        index_bytes=database.stat().st_size,
        literal_bytes=(folder / "literal.db").stat().st_size,
        cases=cases,
        alone=alone,
    )


def in_new_process(work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    """Run a function in a process of its own, so that what searches has done nothing but search."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *values, **named).result()


def run(size: int, *, queries: int, repeats: int) -> Sized:
    """Write a corpus in one process and search it in another."""
    with tempfile.TemporaryDirectory() as folder:
        written = in_new_process(write, size, Path(folder), queries)
        if sys.platform != "win32":
            os.sync()  # what was just written must not go to disk while searches are timed
        return in_new_process(measure, written, Path(folder), repeats)


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float | None:
    """The power of the size with which a time grows, by least squares over logarithms; None for one size alone."""
    if len(sizes) < 2:
        return None
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(value) for value in values]).slope


def spread(values: Sequence[float], digits: int = 3) -> str:
    """Median, with the least and the most in brackets, to some significant digits."""
    low, middle, high = (_digits(value, digits) for value in (min(values), statistics.median(values), max(values)))
    return f"{middle} ({low} – {high})"


def _digits(value: float, digits: int) -> str:
    decimals = max(0, digits - 1 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{decimals}f}"


def table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table and an empty one."""
    yield "| " + " | ".join(heads) + " |"
    yield "|---" + "|---:" * (len(heads) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def case_rows(found: Sequence[Sized], case: Case) -> Iterator[Sequence[str]]:
    """One row for each size."""
    for sized in found:
        times = sized.cases[case.name]
        equal = f"{len(times.ours) - len(times.unequal)} of {len(times.ours)}"
        yield (
            f"{sized.size:,}",
            *(spread(values) for values in (times.theirs, times.tuned, times.ours, times.ratios())),
            equal,
        )


def growth_rows(found: Sequence[Sized]) -> Iterator[Sequence[str]]:
    """One row for each arm, and one for each whole search."""
    sizes = [sized.size for sized in found]
    series = {f"{arm.name}, alone": [sized.alone[arm.name] for sized in found] for arm in REGISTRIES.arms}
    for case in CASES:
        series[f"whole, {case.name}"] = [sized.cases[case.name].ours for sized in found]
        series[f"(b), {case.name}"] = [sized.cases[case.name].theirs for sized in found]
    for name, values in series.items():
        power = exponent(sizes, [statistics.median(queries) for queries in values])
        yield name, *(spread(queries) for queries in values), "–" if power is None else f"{power:.3f}"


def target_rows(found: Sequence[Sized]) -> Iterator[Sequence[str]]:
    """Target, figure and verdict."""
    for sized in found:
        if sized.size == RATIO_SIZE:
            ratio = statistics.median(sized.cases[CASES[0].name].ratios())
            yield _target(
                f"(b) / ours at {RATIO_SIZE:,}, {CASES[0].name}: at least", LEAST_RATIO, ratio, ratio >= LEAST_RATIO
            )
    for name, most in MOST_GROWTH.items():
        medians = [statistics.median(sized.alone[name]) for sized in found]
        power = exponent([sized.size for sized in found], medians)
        if power is not None:
            yield _target(f"exponent of {name} alone: at most", most, power, power <= most)


def _target(what: str, bound: float, figure: float, is_met: bool) -> Sequence[str]:
    return what, f"{bound:g}", f"{figure:.3f}", "met" if is_met else "missed"


def report(found: Sequence[Sized], command: str, *, queries: int, repeats: int) -> str:
    """The results file."""
    lines = [
        "# Speed",
        "",
        "Made by `benchmarks/speed.py`; what it compares, and what the figures are not, is told in",
        f"`benchmarks/README.md`. Milliseconds are the best of {repeats} runs of each query, and here the median over",
        f"{queries} queries, with the fastest and the slowest query in brackets. Query vectors are given.",
        "",
        f"    {command}",
        "",
        machine.table("sqlite-vec"),
        "",
        *table(["target", "bound", "measured", ""], target_rows(found)),
    ]
    for case in CASES:
        heads = ["documents", "(b), ms", "(b) with our map and cache, ms", "ours, ms", "(b) / ours", "answers equal"]
        lines += [f"## {case.name[0].upper()}{case.name[1:]}", "", *table(heads, case_rows(found, case))]
    sizes = [f"{sized.size:,}, ms" for sized in found]
    lines += [
        "## Growth",
        "",
        "Latency grows as documents to the power of the exponent. Each arm alone runs in a loop of its own, over the",
        f"default scope; one that reads no query runs {ROUNDS_ALONE} times, the best counts, in {queries} loops.",
        "",
        *table(["what", *sizes, "exponent"], growth_rows(found)),
        "## Size",
        "",
        *table(
            ["documents", "chunks", "our index, MB", "(b), MB"],
            (
                (f"{s.size:,}", f"{s.chunks:,}", f"{s.index_bytes / 1e6:.0f}", f"{s.literal_bytes / 1e6:.0f}")
                for s in found
            ),
        ),
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the report; 1 where an answer differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--sizes", default="2000,20000", help="numbers of documents, with commas between")
    parser.add_argument("--queries", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the report")
    options = parser.parse_args(arguments)
    found: list[Sized] = []
    for size in sorted({int(part) for part in options.sizes.split(",")}):
        found.append(run(size, queries=options.queries, repeats=options.repeats))
        for case in CASES:
            times = found[-1].cases[case.name]
            print(f"{size:>7} {case.name}: {spread(times.ours)} ms, {spread(times.ratios())} times faster", flush=True)
            for match in times.unequal:
                print(f"UNEQUAL: {size} documents, {case.name}, {match}", file=sys.stderr)
    given = shlex.join(["python", "benchmarks/speed.py", *(arguments if arguments is not None else sys.argv[1:])])
    text = report(found, given, queries=options.queries, repeats=options.repeats)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")
    print(text)
    return int(any(times.unequal for sized in found for times in sized.cases.values()))


if __name__ == "__main__":
    sys.exit(main())

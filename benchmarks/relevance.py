"""How good the answers are: nDCG@10, RR@10 and R@100 on judged collections, through the public API alone.

    python benchmarks/relevance.py [FOLDER ...]

A collection is a folder with `corpus.jsonl` (`id`, `title`, `text`), `queries.jsonl` (`id`, `text`) and `qrels.tsv`
(`query_id`, `doc_id`, `relevance`, one header line). None is part of this project: whoever measures brings them.

What is measured is what a user gets: `rankfold.open(...).index("corpus.jsonl")` with no option at all, then
`search(query, limit=100)`. With `--compare`, variants are measured too, each tested against the default by a paired
randomisation test over the queries.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, R, nDCG

import machine
import rankfold

HERE = Path(__file__).parent
LIMIT = 100
MEASURES = (nDCG @ 10, RR @ 10, R @ 100)
HEADINGS = ("nDCG@10", "RR@10", "R@100")
PERMUTATIONS = 100_000
TARGETS: Mapping[str, tuple[float, float]] = {"cranfield": (0.555, 0.561), "tldr": (0.780, 0.790)}
"""nDCG@10 to reach and to aim at, by the name of the collection's folder."""


@dataclass(frozen=True)
class Variant:
    """One way to search: a name and what is passed to `search` beside the query and the limit."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


DEFAULT = Variant("default: no option at all")
VARIANTS = (
    Variant("full text alone", {"arms": ["fts"]}),
    Variant("nearness alone", {"arms": ["vector"]}),
    Variant("any term, always", {"query_form": "any"}),
    Variant("rank constant 10", {"rank_constant": 10}),
    Variant("window 10", {"window": 10}),
    Variant("window 100", {"window": 100}),
    Variant("full text counts half", {"weights": {"fts": 0.5}}),
    Variant("full text counts twice", {"weights": {"fts": 2.0}}),
)


@dataclass(frozen=True)
class Collection:
    """A judged collection as read from its folder."""

    folder: Path
    queries: Mapping[str, str]
    """Text by query id."""
    judgements: tuple[ir_measures.Qrel, ...]

    @classmethod
    def read(cls, folder: Path) -> Collection:
        """Read queries and judgements; the corpus is left to the index."""
        lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        queries = {record["id"]: record["text"] for record in map(json.loads, lines)}
        rows = [line.split("\t") for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]]
        return cls(
            folder, queries, tuple(ir_measures.Qrel(query, document, int(gain)) for query, document, gain in rows)
        )

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name


@dataclass(frozen=True)
class Measured:
    """One variant on one collection."""

    values: tuple[Mapping[str, float], ...]
    """By query id, one mapping for each of `MEASURES`."""
    shown: float
    """Mean number of hits per answer, of at most `LIMIT`."""
    all_form: int
    """In how many queries some document held every term, so that full text asked for all of them."""

    def means(self) -> tuple[float, ...]:
        """The mean of each measure."""
        return tuple(math.fsum(values.values()) / len(values) for values in self.values)


def measure(index: rankfold.Collection, collection: Collection, variant: Variant) -> Measured:
    """Search every query and measure the lists in the order in which they were given."""
    run: list[ir_measures.ScoredDoc] = []
    all_form = 0
    for query_id, text in collection.queries.items():
        answer = index.search(text, limit=LIMIT, **variant.options)
        all_form += answer.query_form == "all"
        # The place, not the score: a score that two hits share would leave their order to the measuring program.
        for place, hit in enumerate(answer, start=1):
            run.append(ir_measures.ScoredDoc(query_id, hit.path.partition("#")[2], float(-place)))
    values: dict[Any, dict[str, float]] = {item: dict.fromkeys(collection.queries, 0.0) for item in MEASURES}
    for metric in ir_measures.iter_calc(list(MEASURES), collection.judgements, run):
        values[metric.measure][metric.query_id] = metric.value
    shown = len(run) / len(collection.queries)
    return Measured(tuple(values[item] for item in MEASURES), shown, all_form)


def randomisation_test(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    """Two-sided p of a paired randomisation test: how often a difference as large comes from swapping labels by coin.

    Args:
        ours: a measure's value by query.
        theirs: the other system's, for the same queries.
    """
    differences = np.array([ours[query] - theirs[query] for query in ours])
    differences = differences[differences != 0]
    if not len(differences):
        return 1.0
    coins = np.random.default_rng(1)
    observed = abs(differences.sum()) - 1e-12
    extreme = 0
    for start in range(0, PERMUTATIONS, 10_000):
        count = min(10_000, PERMUTATIONS - start)
        signs = coins.integers(0, 2, size=(count, len(differences)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ differences) >= observed).sum())
    return (extreme + 1) / (PERMUTATIONS + 1)


def section(
    index: rankfold.Collection, collection: Collection, base: Measured, variants: Sequence[Variant]
) -> Iterator[str]:
    """The lines of one collection's part of the report, `base` being the default on it."""
    judged = len({judgement.query_id for judgement in collection.judgements})
    documents = index.status().capabilities.documents
    yield f"## {collection.name}"
    yield ""
    yield f"{documents:,} documents, {len(collection.queries)} queries, {judged} of them judged."
    yield ""
    head = ["search", *HEADINGS, "hits shown"]
    if variants:
        head += ["nDCG@10 against the default", "p"]
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    yield _row(DEFAULT, base, ["", ""] if variants else [])
    for variant in variants:
        other = measure(index, collection, variant)
        change = other.means()[0] - base.means()[0]
        chance = randomisation_test(other.values[0], base.values[0])
        yield _row(variant, other, [f"{change:+.3f}", "< .001" if chance < 0.001 else f"{chance:.3f}"])
    yield ""
    yield f"In {base.all_form} of the queries some document held every term, so full text asked for all of them."
    if collection.name in TARGETS:
        least, aim = TARGETS[collection.name]
        verdict = "missed" if misses_target(collection, base) else "reached"
        yield ""
        yield f"Target: nDCG@10 of {least:.3f}, aiming at {aim:.3f}; {verdict} with {base.means()[0]:.4f}."
    yield ""


def misses_target(collection: Collection, base: Measured) -> bool:
    """Whether the default stays below the collection's target, if it has one."""
    least, _ = TARGETS.get(collection.name, (0.0, 0.0))
    return base.means()[0] < least


def _row(variant: Variant, measured: Measured, more: Sequence[str]) -> str:
    figures = [f"{mean:.3f}" for mean in measured.means()]
    return "| " + " | ".join([variant.name, *figures, f"{measured.shown:.0f}", *more]) + " |"


def report(folders: Sequence[Path], variants: Sequence[Variant], indexes: Path, command: str) -> tuple[str, bool]:
    """Index and measure every collection.

    Args:
        folders: the collections.
        variants: what is compared with the default.
        indexes: folder for the indexes; one that is there is brought into step, not made again.
        command: for the report.

    Returns:
        The report, and whether a target was missed.
    """
    lines: list[str] = []
    missed = False
    identity: str | None = None
    for folder in folders:
        collection = Collection.read(folder)
        with rankfold.open(indexes / f"{collection.name}.db") as index:
            done = index.index(folder / "corpus.jsonl")
            for warning in done.warnings:
                print(f"{collection.name}: {warning}", file=sys.stderr)
            identity = (index.status().embedder or "none").partition(";")[0]
            base = measure(index, collection, DEFAULT)
            missed = missed or misses_target(collection, base)
            lines += section(index, collection, base, variants)
    text = "\n".join(
        [
            "# Relevance",
            "",
            "Made by `benchmarks/relevance.py`; what it compares, and what the figures are not, is told in",
            "`benchmarks/README.md`. p is of a paired randomisation test over the queries, two-sided, with",
            f"{PERMUTATIONS:,} permutations and without correction for the number of variants.",
            "",
            f"    {command}",
            "",
            machine.table("sqlite-vec", "onnxruntime", "ir-measures"),
            f"| embedder | {identity} |",
            "",
            *lines,
        ]
    )
    return text, missed


def default_folders() -> list[Path]:
    """The collections in `../shared/data` beside the checkout, if there are any."""
    data = HERE.parents[1] / "shared" / "data"
    return sorted(place.parent for place in data.glob("*/qrels.tsv"))


def own_variant(options: argparse.Namespace) -> list[Variant]:
    """The variant that `--weight`, `--rank-constant`, `--window` and `--query-form` describe, if any is given."""
    stated: dict[str, Any] = {}
    if options.weight:
        pairs = (item.partition("=") for item in options.weight)
        stated["weights"] = {name: float(value) for name, _, value in pairs}
    for name in ("rank_constant", "window", "query_form"):
        if getattr(options, name) is not None:
            stated[name] = getattr(options, name)
    return [Variant(", ".join(f"{name} {value}" for name, value in stated.items()), stated)] if stated else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the report; 1 where a target is missed, 2 where there is nothing to measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--compare", action="store_true", help="measure the built-in variants too, and test them")
    parser.add_argument("--weight", action="append", metavar="ARM=WEIGHT", help="of a variant of your own")
    parser.add_argument("--rank-constant", type=int, help="of a variant of your own")
    parser.add_argument("--window", type=int, help="of a variant of your own")
    parser.add_argument("--query-form", choices=("auto", "any", "all"), help="of a variant of your own")
    parser.add_argument("--indexes", type=Path, help="keep the indexes there; making vectors takes minutes")
    parser.add_argument("--output", type=Path, help="the report; standard output if left out")
    options = parser.parse_args(arguments)
    folders = options.folders or default_folders()
    if not folders:
        parser.error("name the folder of a judged collection")
    variants = own_variant(options) + (list(VARIANTS) if options.compare else [])
    command = shlex.join(["python", "benchmarks/relevance.py", *(folder.name.upper() for folder in folders)])
    with contextlib.ExitStack() as stack:
        indexes = options.indexes or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        indexes.mkdir(parents=True, exist_ok=True)
        text, missed = report(folders, variants, indexes, command + (" --compare" if options.compare else ""))
    if options.output is None:
        print(text)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(text, encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

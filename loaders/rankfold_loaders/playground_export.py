"""What the playground gets from the library: the registries as data, and databases small enough to send.

`python -m rankfold_loaders.playground_export` reads a job as JSON and writes files; `rankfold_loaders.playground` runs
it in a fresh interpreter, as everything that imports the library on behalf of the site.

The browser assembles no SQL. Every statement that the fold can make is made here, by the fold, and exported with holes
for the two kinds of numbers that a reader can drag; every verdict of a precondition is asked of the precondition.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import gzip
import itertools
import json
import sys
import tempfile
import unicodedata
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

import rankfold
from rankfold.constants import QUERY_TERMS, RANK_CONSTANT, WEIGHT
from rankfold.derivation import segments, words
from rankfold.embedding import Embedder, Unavailable, pack
from rankfold.records import Arm, Profile
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.query import forms
from rankfold.retrieval.query_vector import query_vector
from rankfold.retrieval.registry import Registries, installed
from rankfold.retrieval.scopes import Scope
from rankfold.retrieval.situation import QueryVector, Situation
from rankfold.retrieval.statement import ActiveArm, fold, probe
from rankfold.storage.capabilities import Capabilities
from rankfold.storage.connection import fetch, open_reader, open_state, state_path
from rankfold_loaders.sample import build

PAGE_SIZE = 1024
"""Bytes. The schema has some forty tables and indexes, most of them nearly empty here: small pages waste little."""

SWITCHES: Mapping[str, Callable[[Capabilities], Capabilities]] = {
    "embedded": lambda report: dataclasses.replace(report, embedded=0),
    "state": lambda report: dataclasses.replace(report, state_path=None),
    "dates": lambda report: dataclasses.replace(report, has_dates=False),
}
"""What a reader can take from a collection, beside the query's vector: how its capabilities look without it."""


# ── the registries as data ────────────────────────────────────────────────────────────────────────────────────────────


def registry_data(registries: Registries) -> dict[str, Any]:
    """Everything about searching that does not depend on a collection."""
    return {
        "source_id": apsw.sqlite3_sourceid(),
        "query_terms": int(QUERY_TERMS.value),
        "weight": _fields(WEIGHT, "minimum", "maximum"),
        "rank_constant": _fields(RANK_CONSTANT, "minimum", "maximum"),
        "arms": [_fields(arm, "name", "title", "reads", "preconditions", "sql", "raw") for arm in registries.arms],
        "preconditions": [_fields(item, "name", "title", "heading") for item in registries.preconditions],
        "slots": [_fields(slot, "number", "name") for slot in registries.slots],
        "probe": probe(Scope(), registries).text,
        "switches": {name: _lost(registries, name) for name in ("vector", *SWITCHES)},
        "profiles": {
            profile.name: {
                **_fields(profile, "name", "title", "window", "rank_constant", "limit", "query_form", "without_terms"),
                "weights": weights_of(registries, profile),
                "statements": statements(registries, profile),
            }
            for profile in registries.profiles
        },
    }


def _fields(record: Any, *names: str) -> dict[str, Any]:
    values = dataclasses.asdict(record)
    return {name: values[name] for name in names}


def statements(registries: Registries, profile: Profile) -> dict[str, str]:
    """The fold's statement for every combination of arms, by their names joined by commas.

    A weight is written `{weight:<arm>}` and the rank constant `{rank_constant}`, in the only place where each stands.
    """
    made: dict[str, str] = {}
    rank_constant = 987654321
    for active in _combinations(list(registries.arms)):
        # Numbers that nothing else in the SQL holds, so that they can be told from it afterwards.
        weights = {arm.name: 0.100000001 + place / 1e9 for place, arm in enumerate(active)}
        built = fold(
            [ActiveArm(arm, weights[arm.name]) for arm in active],
            registries=registries,
            profile=profile,
            rank_constant=rank_constant,
        )
        assert built is not None
        text = built.text
        for name, weight in weights.items():
            share = f"{weight!r} / ({rank_constant} + rank)"
            assert text.count(share) == text.count(repr(weight)) == 1, share
            text = text.replace(share, f"{{weight:{name}}} / ({{rank_constant}} + rank)")
        assert str(rank_constant) not in text
        made[",".join(built.arms)] = text
    return made


def _combinations(arms: Sequence[Arm]) -> Iterator[tuple[Arm, ...]]:
    for count in range(1, len(arms) + 1):
        yield from itertools.combinations(arms, count)


def character_classes() -> dict[str, str]:
    """Which code points the derivation keeps, and which it takes for scripts without spaces; ranges in hexadecimal.

    Exported, because a browser may know a newer Unicode than Python does: `unassigned` are those that Python does not
    know, which must not be normalised either.
    """
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    kept = [not 0xD800 <= ord(character) <= 0xDFFF and bool(words(character)) for character in characters]
    return {
        "kept": _ranges(kept),
        "unspaced": _ranges(
            [keeps and next(segments(character))[1] for character, keeps in zip(characters, kept, strict=True)]
        ),
        "unassigned": _ranges([unicodedata.category(character) == "Cn" for character in characters]),
    }


def _ranges(belongs: Sequence[bool]) -> str:
    found, at = [], 0
    for member, run in itertools.groupby(belongs):
        length = len(list(run))
        if member:
            found.append(f"{at:x}" if length == 1 else f"{at:x}-{at + length - 1:x}")
        at += length
    return " ".join(found)


# ── preconditions ─────────────────────────────────────────────────────────────────────────────────────────────────────


def verdicts(registries: Registries, profile: Profile, report: Capabilities) -> dict[str, dict[str, list[str | None]]]:
    """What every precondition says in every situation.

    The key has a digit for each part of a situation: the query has terms, it has a vector, each of `SWITCHES`, some arm
    that reads the query runs. The value holds reason and fix of those that do not hold.
    """
    found = {}
    for parts in itertools.product((False, True), repeat=3 + len(SWITCHES)):
        situation = _situation(profile, report, *parts)
        unmet = {precondition.name: precondition.holds(situation) for precondition in registries.preconditions}
        found["".join(str(int(part)) for part in parts)] = {
            name: [verdict.reason, verdict.fix] for name, verdict in unmet.items() if verdict is not None
        }
    return found


def _situation(profile: Profile, report: Capabilities, terms: bool, vector: bool, *rest: bool) -> Situation:
    *switches, query_arm_runs = rest
    for keeps, without in zip(switches, SWITCHES.values(), strict=True):
        report = report if keeps else without(report)
    query = forms("word" if terms else "")
    return Situation(
        forms=query,
        vector=QueryVector(packed=b"") if vector and terms else query_vector(query, report, None),
        capabilities=report,
        profile=profile,
        query_arms=("any",) if query_arm_runs else (),
    )


def _lost(registries: Registries, switch: str) -> list[str]:
    """The preconditions that do not hold any more when one thing is taken away."""
    report = Capabilities(
        sqlite_version="", vec_version="", chunks=1, embedded=1, has_dates=True, state_path="", documents=1
    )
    parts = [True, *(name != switch for name in ("vector", *SWITCHES)), True]
    situation = _situation(next(iter(registries.profiles)), report, *parts)
    return [precondition.name for precondition in registries.preconditions if precondition.holds(situation)]


# ── databases ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def ship(database: Path, target: Path) -> None:
    """Write a copy of a collection and of its state plane that is small to send, and the same wherever it was built.

    Vectors are rounded to the precision of bfloat16: they stay 32-bit floats whose lower halves are zero, so both
    engines compute with the same numbers. The derived text, which no statement reads, is left out, and so is where the
    sources were.
    """
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.db"
        with contextlib.closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)) as source:
            fetch(source, "VACUUM INTO ?", (str(copy),))
        with contextlib.closing(apsw.Connection(str(copy))) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # the index must not forget what is deleted here
            for number, embedding in fetch(connection, "SELECT id, embedding FROM vector WHERE embedding IS NOT NULL"):
                fetch(connection, "UPDATE vector SET embedding = ? WHERE id = ?", (rounded(embedding), number))
            fetch(connection, "UPDATE source SET root = label")
            fetch(connection, "DELETE FROM full_text")
            fetch(connection, "INSERT INTO document_fts (document_fts) VALUES ('optimize')")
            _write_small(connection, target)
        state = state_path(database)
        if not state.is_file():  # an empty one, which the browser attaches all the same
            database = Path(scratch) / "none.db"
            open_state(database).close()
            state = state_path(database)
        with contextlib.closing(apsw.Connection(str(state), flags=apsw.SQLITE_OPEN_READONLY)) as source:
            fetch(source, "VACUUM INTO ?", (str(copy.with_name("state.db")),))
        with contextlib.closing(apsw.Connection(str(copy.with_name("state.db")))) as connection:
            _write_small(connection, state_path(target))


def _write_small(connection: apsw.Connection, target: Path) -> None:
    target.unlink(missing_ok=True)
    fetch(connection, f"PRAGMA page_size = {PAGE_SIZE}")
    fetch(connection, "VACUUM INTO ?", (str(target),))


def rounded(packed: bytes) -> bytes:
    """Little-endian 32-bit floats, each rounded to the nearest that has zeros in its lower half."""
    numbers = array("I", packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    for place, bits in enumerate(numbers):
        numbers[place] = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def corpus_data(
    database: Path, queries: Sequence[str], now: float, embedder: Embedder | None, *, has_state: bool
) -> dict[str, Any]:
    """What the page needs to know of a shipped collection, and the answer to its first query.

    Args:
        database: the shipped file.
        queries: the sample queries.
        now: the moment that ages are counted from, in seconds since 1970-01-01 UTC.
        embedder: for the queries' vectors.
        has_state: whether the collection had a state plane before it was shipped.
    """
    registries = installed()
    reader = open_reader(database)
    with contextlib.closing(reader.connection) as connection:
        report = dataclasses.replace(reader.capabilities(), state_path="state" if has_state else None)
        titles = dict(
            fetch(connection, "SELECT d.path, t.title FROM document AS d JOIN document_text AS t USING (id) ORDER BY 1")
        )
    vectors = [embedder.embed_query(query) if embedder and report.embedded else None for query in queries]
    return {
        "now": now,
        "profile": DEFAULT_PROFILE,
        "documents": report.documents,
        "chunks": report.chunks,
        "titles": titles,
        "queries": [
            {"text": query, "vector": None if vector is None else base64.b64encode(pack(vector)).decode()}
            for query, vector in zip(queries, vectors, strict=True)
        ],
        "verdicts": {known.name: verdicts(registries, known, report) for known in registries.profiles},
        "example": _example(database, queries[0], now, embedder),
    }


def _example(database: Path, query: str, now: float, embedder: Embedder | None) -> dict[str, Any]:
    """A real answer, with the rows of its statement: what was fused, before any adjustment."""
    with rankfold.open(database, embedder=embedder) as collection:
        answer = collection.search(query, profile=DEFAULT_PROFILE, now=now, limit=1000)
    with contextlib.closing(open_reader(database).connection) as connection:
        rows = fetch(connection, answer.sql, answer.parameters) if answer.sql else []
    return {
        "query": query,
        "sql": answer.sql or "",
        "arms": [dataclasses.asdict(arm) for arm in answer.arms],
        "dropped": [dataclasses.asdict(item) for item in answer.dropped],
        "rank_constant": answer.rank_constant,
        "rows": [[path, score, list(zip(*[iter(shares)] * 3, strict=True))] for path, score, *shares in rows],
    }


# ── the job ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def build_corpus(corpus: Mapping[str, Any], target: Path, vectors: Path, limit: int) -> None:
    """Write `index.db`, `index.state.db` and `corpus.json` into a folder.

    Pages are left out from the end until the index is small enough.

    Args:
        corpus: `name`, `pages` by path, `use` (JSON lines, as `rankfold_loaders.sample` reads them), `queries`; without
            queries, those that the arms give as their examples.
        target: the folder.
        vectors: where vectors are kept from one build to the next.
        limit: the most bytes that the index may take with gzip.
    """
    pages = list(corpus["pages"].items())
    while True:
        data = _build_once({**corpus, "pages": dict(pages)}, target, vectors)
        size = len(gzip.compress((target / "index.db").read_bytes(), 9, mtime=0))
        if size <= limit or len(pages) <= 1:
            break
        pages = pages[: min(len(pages) - 1, max(1, len(pages) * limit // size))]
    _write_json(target / "corpus.json", {**data, "left_out": len(corpus["pages"]) - len(pages)})


def _build_once(corpus: Mapping[str, Any], target: Path, vectors: Path) -> dict[str, Any]:
    registries = installed()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / corpus["name"]
        for path, text in corpus["pages"].items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8", newline="\n")
        if corpus["use"]:
            root.with_name(f"{root.name}-use.jsonl").write_text(corpus["use"], encoding="utf-8")
        sample = build(root, Path(scratch), registries=registries, cache=vectors)
        database = sample.database(DEFAULT_PROFILE)
        now = sample.now
        embedder = sample.collection().embedder
        sample.close()
        has_state = state_path(database).is_file()
        ship(database, target / "index.db")
    queries = corpus["queries"] or [arm.example for arm in registries.arms]
    known = None if isinstance(embedder, Unavailable) else embedder
    return corpus_data(target / "index.db", queries, now, known, has_state=has_state)


def _write_json(file: Path, data: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", newline="\n")


def main() -> None:
    """Do the job on standard input: for each folder, what to write there."""
    job = json.load(sys.stdin)
    for part in job["parts"]:
        target = Path(part["folder"])
        if part["kind"] == "characters":
            _write_json(target / "characters.json", character_classes())
        elif part["kind"] == "registries":
            _write_json(target / "registries.json", registry_data(installed()))
        else:
            build_corpus(part["corpus"], target, Path(job["vectors"]), part["limit"])


if __name__ == "__main__":
    main()

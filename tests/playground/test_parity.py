"""The browser's part of a search gives what Python gives: the same statement and values, and the same answer."""

from __future__ import annotations

import base64
import dataclasses
import itertools
import math
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import rankfold
from playground.conftest import SOURCES, Run, bundle
from rankfold import Collection
from rankfold.embedding import pack
from rankfold.embedding.space import EMBEDDED_TEXT
from rankfold.retrieval.query import forms
from rankfold.retrieval.registry import installed
from rankfold.storage.connection import Reader, fetch, open_reader
from rankfold_loaders.playground import Export

ARMS = installed().arms.names
PROFILES = installed().profiles.names
LACKS = ("vector", "embedded", "state", "dates")
NEAR = 1e-6
"""Distances closer than this may change places: sqlite-vec computes in 32-bit floats."""

SCRIPTS = (  # noqa: SIM905  # one line of words is easier to read than a list
    "checkpoint log writer reader backup restore the of a is two 10 2024 WAL Straße café naïve ΟΔΟΣ İstanbul ǅ"
    " ﬁne x² ① ㎏ Ⅻ ½ don't C++ a_b ملف كتاب शोध हिन्दी ไทยแลนด์ 東京 東 カタカナ ｶﾞ ひらがな"
    " 검색 검 한국어 𠮷野 👍 👩‍💻 e\u0301 \u0345"
    ' " "" - + * ( ) : ^ AND OR NOT NEAR \0 \u200b \u202e \ufe0f \ud800 \U000e0101 \ue000 \u0378 \U0001f6d8'
).split(" ")


class Given:
    """An embedder that gives the case's vector, in the space of the shipped collection."""

    def __init__(self, connection_identity: str, dimension: int, vector: bytes) -> None:
        self.identity = connection_identity.removesuffix(f"; of {EMBEDDED_TEXT}")
        self.dimension = dimension
        self._vector = memoryview(vector).cast("f").tolist()

    def embed_documents(self, _: Sequence[str]) -> Sequence[Sequence[float]]:
        raise AssertionError("nothing is indexed here")

    def embed_query(self, _: str) -> Sequence[float]:
        return self._vector


@pytest.fixture(scope="module")
def databases(made: Export, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The shipped databases on disk; a state plane only where the collection had one."""
    folder = tmp_path_factory.mktemp("shipped")
    paths = {}
    for corpus in made.data["corpora"]:
        index, state = made.databases[corpus["name"]]
        paths[corpus["name"]] = folder / f"{corpus['name']}.db"
        paths[corpus["name"]].write_bytes(index)
        if corpus["name"] == "notes":
            (folder / f"{corpus['name']}.state.db").write_bytes(state)
    return paths


@pytest.fixture(scope="module")
def cases(made: Export) -> list[dict[str, Any]]:
    """Every combination of arms under every profile on every database, and more at random."""
    chance = random.Random(20240501)
    found = []
    known = {corpus["name"]: corpus for corpus in made.data["corpora"]}
    sets = [arms for count in range(1, len(ARMS) + 1) for arms in itertools.combinations(ARMS, count)]
    for corpus, profile, arms in itertools.product(known, PROFILES, sets):
        case = _case(chance, known[corpus], profile, arms, ())
        found.append(case)
        found.append(_case(chance, known[corpus], profile, arms, [name for name in LACKS if chance.random() < 0.25]))
        sample = known[corpus]["queries"][0]  # with terms and a vector, so that each of these arms runs where it can
        found.append({**case, "text": sample["text"], "vector": sample["vector"]})
    for corpus in known.values():  # the settings and queries that a reader meets first
        for profile, query in itertools.product(PROFILES, corpus["queries"]):
            case = _case(chance, corpus, profile, ARMS, ())
            weights = made.data["profiles"][profile]["weights"]
            found.append(
                {**case, "text": query["text"], "vector": query["vector"], "weights": weights, "rankConstant": 60}
            )
    return found


def _case(
    chance: random.Random, corpus: dict[str, Any], profile: str, arms: Sequence[str], lacking: Sequence[str]
) -> dict[str, Any]:
    sample = chance.choice(corpus["queries"])
    vector = None
    if chance.random() < 0.7:
        numbers = memoryview(base64.b64decode(sample["vector"])).cast("f")
        vector = base64.b64encode(pack([number + chance.gauss(0, 0.03) for number in numbers])).decode()
    return {
        "corpus": corpus["name"],
        "profile": profile,
        "text": chance.choice([sample["text"], *(_typed(chance) for _ in range(2))]),
        "vector": vector,
        "weights": {arm: _weight(chance) if arm in arms else 0 for arm in ARMS},
        "rankConstant": chance.choice([0, 1, 60, chance.randint(0, 10000)]),
        "lacks": list(lacking),
        "limit": chance.choice([3, 10, 160]),
    }


def _weight(chance: random.Random) -> float:
    return chance.choice(
        [1.0, 0.5, 0.05, 2.0, 1e-6, 1e6, 10 ** chance.uniform(-6, 6), round(chance.uniform(0.05, 2), 2)]
    )


def _typed(chance: random.Random) -> str:
    return "".join(chance.choice(SCRIPTS) + chance.choice(["", " ", " ", "\n"]) for _ in range(chance.randint(0, 9)))


def in_python(case: dict[str, Any], database: Path, monkeypatch: pytest.MonkeyPatch, now: float) -> dict[str, Any]:
    """The library's own answer, with the rows of its statement."""
    without = {"embedded": {"embedded": 0}, "state": {"state_path": None}, "dates": {"has_dates": False}}
    changes = {name: value for lack in case["lacks"] for name, value in without.get(lack, {}).items()}
    real = Reader.capabilities
    monkeypatch.setattr(Reader, "capabilities", lambda reader: dataclasses.replace(real(reader), **changes))
    reader = open_reader(database)
    identity, dimension = fetch(reader.connection, "SELECT identity, dimension FROM space")[0]
    has_vector = case["vector"] and "vector" not in case["lacks"]
    embedder = Given(identity, dimension, base64.b64decode(case["vector"])) if has_vector else None
    with rankfold.open(database, embedder=embedder) as collection:
        answer = collection.search(
            case["text"],
            profile=case["profile"],
            weights=case["weights"],
            rank_constant=case["rankConstant"],
            limit=case["limit"],
            now=now,
        )
    rows = []
    parameters: list[Any] = list(answer.parameters)
    if answer.sql:
        parameters[2] = case["limit"]  # the library fuses more where adjustments follow
        rows = fetch(reader.connection, answer.sql, parameters)
    reader.connection.close()
    monkeypatch.undo()
    return {
        "sql": answer.sql,
        "form": answer.query_form,
        "parameters": [base64.b64encode(item).decode() if isinstance(item, bytes) else item for item in parameters],
        "dropped": [dataclasses.asdict(item) for item in answer.dropped],
        "arms": [arm.arm for arm in answer.arms],
        "rows": rows,
    }


def differences(python: dict[str, Any], browser: dict[str, Any]) -> Iterator[str]:
    """What differs between two answers, beyond what 32-bit distances explain."""
    if "failed" in browser:
        yield browser["failed"]
        return
    for what in ("sql", "form", "parameters", "dropped", "arms"):
        if python[what] != browser[what]:
            yield f"{what}: {python[what]!r} against {browser[what]!r}"
            return
    rows = {path: (place, score, cells) for place, (path, score, *cells) in enumerate(python["rows"])}
    flipped = _flipped(python, browser)
    if not flipped and list(rows) != [hit["path"] for hit in browser["hits"]]:
        yield f"order: {list(rows)} against {[hit['path'] for hit in browser['hits']]}"
        return
    for hit in browser["hits"]:
        if hit["path"] in flipped or (flipped and hit["path"] not in rows):
            continue
        _, score, cells = rows[hit["path"]]
        if not math.isclose(score, hit["score"], rel_tol=1e-12, abs_tol=1e-12):
            yield f"score of {hit['path']}: {score} against {hit['score']}"
        shares = {share["arm"]: share for share in hit["shares"]}
        for place, arm in enumerate(python["arms"]):
            rank, raw, contribution = cells[3 * place : 3 * place + 3]
            share = shares.get(arm)
            if (rank is None) != (share is None) or (share and share["rank"] != rank):
                yield f"{arm} of {hit['path']}: rank {rank} against {share}"
            elif share:
                tolerance = NEAR if arm == "vector" else 1e-12 * max(1.0, abs(raw))
                if (
                    abs(raw - share["raw"]) > tolerance
                    or abs(contribution - share["contribution"]) > 1e-12 * contribution
                ):
                    yield f"{arm} of {hit['path']}: {raw}, {contribution} against {share}"


def _flipped(python: dict[str, Any], browser: dict[str, Any]) -> set[str]:
    """Documents that have another rank in the vector arm, and a neighbour there nearer than `NEAR`."""
    if "vector" not in python["arms"]:
        return set()
    at = 2 + 3 * python["arms"].index("vector")
    ranked = sorted((row[at + 1], row[0], row[at]) for row in python["rows"] if row[at] is not None)
    near: set[str] = set()
    for (one, first, _), (other, second, _) in itertools.pairwise(ranked):
        near |= {first, second} if other - one < NEAR else set()
    ranks = {path: rank for _, path, rank in ranked}
    moved = {
        hit["path"]
        for hit in browser["hits"]
        for share in hit["shares"]
        if share["arm"] == "vector" and ranks.get(hit["path"]) != share["rank"]
    }
    return moved & near


def all_differences(
    cases: list[dict[str, Any]], answers: list[dict[str, Any]], expected: list[dict[str, Any]]
) -> list[str]:
    return [
        f"{case['text']!r} {case['profile']}: {difference}"
        for case, answer, python in zip(cases, answers, expected, strict=True)
        for difference in differences(python, answer)
    ]


@pytest.fixture(scope="module")
def expected(cases: list[dict[str, Any]], databases: dict[str, Path], made: Export) -> list[dict[str, Any]]:
    nows = {corpus["name"]: corpus["now"] for corpus in made.data["corpora"]}
    with pytest.MonkeyPatch.context() as monkeypatch:
        return [in_python(case, databases[case["corpus"]], monkeypatch, nows[case["corpus"]]) for case in cases]


def test_every_combination_of_arms_gives_the_same_statement_and_answer(
    cases: list[dict[str, Any]], expected: list[dict[str, Any]], run: Run
) -> None:
    answers = run(cases)
    assert all_differences(cases, answers, expected) == []
    assert {tuple(answer["arms"]) for answer in answers} >= {
        arms for count in range(1, 1 + len(ARMS)) for arms in itertools.combinations(ARMS, count)
    }
    assert {item["precondition"] for answer in expected for item in answer["dropped"]} == set(
        installed().preconditions.names
    )


def test_the_sample_queries_have_no_two_distances_that_could_change_places(
    cases: list[dict[str, Any]], expected: list[dict[str, Any]], made: Export
) -> None:
    texts = {query["text"] for corpus in made.data["corpora"] for query in corpus["queries"]}
    own = {query["vector"] for corpus in made.data["corpora"] for query in corpus["queries"]}
    checked = 0
    for case, python in zip(cases, expected, strict=True):
        if case["text"] not in texts or case["vector"] not in own or "vector" not in python["arms"]:
            continue
        at = 3 + 3 * python["arms"].index("vector")
        distances = sorted({row[at] for row in python["rows"] if row[at] is not None})
        assert all(other - one >= NEAR for one, other in itertools.pairwise(distances))
        checked += 1
    assert checked >= len(texts)


MUTANTS = {
    "weights in the wrong places": ("search.mjs", "numeral(weights[arm])", "numeral(weights.fts)"),
    "a rank constant that is off by one": ("search.mjs", "`${rankConstant}`", "`${rankConstant + 1}`"),
    "numbers as JavaScript writes them": ("search.mjs", "Number.isInteger(value) ? `${value}.0`", "false ? 0"),
    "never all terms": ("search.mjs", 'isAll ? "all" : "any"', '"any"'),
    "no prefixes": ("search.mjs", 'isPrefix ? "*" : ""', '""'),
    "arms without candidates": ("search.mjs", "judge(arm, queryArmRuns)", "judge(arm, true)"),
    "a distance that is no cosine": ("engine.mjs", "1 - dot / Math.sqrt(lengthA * lengthB)", "1 - dot"),
    "values that are not cut": ("search.mjs", "Math.max(0, ...named)", "Math.max(6, ...named)"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_fold_is_found(
    name: str, cases: list[dict[str, Any]], expected: list[dict[str, Any]], run: Run, tmp_path: Path
) -> None:
    file, old, new = MUTANTS[name]
    sources = Path(shutil.copytree(SOURCES, tmp_path / "sources"))
    text = (sources / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (sources / file).write_text(text.replace(old, new), encoding="utf-8")
    answers = run(cases, other=bundle(sources, tmp_path / "broken"))
    assert all_differences(cases, answers, expected)


def test_typed_text_becomes_the_same_terms(run: Run) -> None:
    chance = random.Random(7)
    texts = [_typed(chance) for _ in range(4000)]
    texts += ["".join(chr(chance.choice(_PLANES)) for _ in range(chance.randint(1, 12))) for _ in range(4000)]
    assert _unlike(texts, run) == []


def test_every_code_point_is_read_as_python_reads_it(run: Run) -> None:
    known = [*range(0x323B0), *range(0xE0000, 0xE1000), 0xF0000, 0x10FFFD]
    texts = [" ".join(map(chr, known[at : at + 50])) for at in range(0, len(known), 50)]
    assert _unlike(texts, run) == []


def test_text_that_is_read_otherwise_is_found(run: Run) -> None:
    assert _unlike(["word"], lambda cases: [{**run(cases)[0], "all": '"Word"'}]) == ["word"]


_PLANES = [
    *range(0x20, 0x250),
    *range(0x300, 0x600),
    *range(0xE00, 0x1200),
    *range(0x3000, 0x3400),
    *range(0xAC00, 0xAC40),
]


def _unlike(texts: list[str], run: Any) -> list[str]:
    answers = run([{"text": text} for text in texts])
    unlike = []
    for text, answer in zip(texts, answers, strict=True):
        query = forms(text)
        if (query.all, query.any, query.distinct) != (answer["all"], answer["any"], answer["distinct"]):
            unlike.append(text)
    return unlike


def test_the_databases_are_searched_by_the_library_itself(databases: dict[str, Path]) -> None:
    with Collection(databases["notes"], registries=installed(), embedder=None) as collection:
        assert collection.search("write-ahead log checkpoint").hits

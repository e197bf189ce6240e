"""Each arm against its definition: a full sort in plain Python; and each fast form against the arm's own SQL.

The corpora are small, random, and full of what breaks such forms: equal dates and equal use, dates ahead, ages at which
a score underflows, documents without a date, use that outlived a rename, several documents with one text, archived
documents, tasks and people, and fewer documents than the window. Every corpus follows from its seed.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import apsw
import pytest

from rankfold.constants import SALIENCE_DECAY
from rankfold.records import Arm
from rankfold.retrieval.profiles import MEMORY, PLAIN
from rankfold.retrieval.registry import built_in
from rankfold.retrieval.statement import DEFAULT_SCOPE, fill
from rankfold.storage.connection import fetch, open_state, open_writer, state_path
from rankfold.storage.vec import load_vec

REGISTRIES = built_in()
NOW = 1_780_000_000.0
HOUR = 3600.0
YEAR = 8766 * HOUR
SEEDS = range(300)
WINDOWS = (1, 2, 3, 7, 40, -1)
NARROW = "narrow"
WORDS = ("ada", "boole", "church", "dirac")

Row = tuple[int, int, float]
"""Document, rank and raw value, as an arm gives them."""


@dataclass(frozen=True)
class Document:
    """A document as the arms see it."""

    id: int
    path: str
    file: str
    ordinal: int
    type: str | None
    archived: bool
    event_at: float | None
    updated_at: float | None
    content_hash: bytes
    title: str
    body: str
    vectors: tuple[bytes | None, ...]
    """One for each chunk; None is a chunk that has no vector."""

    @property
    def place(self) -> tuple[str, int]:
        """What breaks every tie."""
        return self.file, self.ordinal


@dataclass(frozen=True)
class Use:
    """How a path was used."""

    path: str
    content_hash: bytes
    access_count: int
    outcome: float
    last_accessed: float | None


@dataclass(frozen=True)
class Corpus:
    """A random collection and one query."""

    documents: tuple[Document, ...]
    uses: tuple[Use, ...]
    match: str
    vector: bytes

    def scope(self, name: str) -> list[Document]:
        """The documents of the default scope, or of the narrow one, archived or not."""
        if name == NARROW:
            return [document for document in self.documents if document.id % 3 == 1]
        return [document for document in self.documents if not document.archived]


def corpus(seed: int) -> Corpus:
    """The collection of a seed."""
    dice = random.Random(seed)
    size = dice.choice([0, 1, 2, 5, 12, 30, 60, 120])
    texts = [bytes([number]) * 16 for number in range(dice.choice([2, 6, 200]))]
    common = _moment(dice) if dice.random() < 0.3 else None
    folders = ["notes", "resources/people", "x/resources/people", "resources/peoples"]
    places: list[tuple[str, int]] = []
    while len(places) < size:
        file = f"{dice.choice(folders) if dice.random() < 0.2 else 'notes'}/{len(places):03d}.md"
        places += [(file, ordinal) for ordinal in range(dice.choice([1, 1, 1, 3]))]
    places = places[:size]
    dice.shuffle(places)
    ids = dice.sample(range(1, 5 * size + 2), size)
    documents = []
    for (file, ordinal), number in zip(places, ids, strict=True):
        updated = _moment(dice) if common is None or dice.random() < 0.2 else common
        documents.append(
            Document(
                id=number,
                path=file if ordinal == 0 else f"{file}#{ordinal}",
                file=file,
                ordinal=ordinal,
                type=dice.choice([None, "note", "note", "task"]),
                archived=dice.random() < 0.2,
                event_at=_moment(dice) if dice.random() < 0.3 else None,
                updated_at=None if dice.random() < 0.1 else updated,
                content_hash=dice.choice(texts),
                title=dice.choice(WORDS),
                body=" ".join(dice.choices(WORDS, k=dice.randrange(1, 6))),
                vectors=tuple(_vector(dice) for _ in range(dice.choice([0, 1, 1, 2, 5]))),
            )
        )
    match = dice.choice(["ada", "ada OR boole", "ada AND boole", "ada OR boole OR church"])
    query = struct.pack("4f", *(dice.choice([-1.0, 0.5, 1.0]) for _ in range(4)))
    return Corpus(tuple(documents), tuple(_uses(documents, texts, dice)), match, query)


def _uses(documents: Iterable[Document], texts: list[bytes], dice: random.Random) -> Iterator[Use]:
    used, gone, changed = dice.choice([0.0, 0.2, 0.6, 1.0]), dice.choice([0.0, 0.1, 0.5, 1.0]), dice.choice([0.0, 0.5])
    for document in documents:
        if dice.random() < used:
            yield Use(
                path=f"{dice.choice(['old', 'notes'])}/was {document.path}" if dice.random() < gone else document.path,
                content_hash=dice.choice(texts) if dice.random() < changed else document.content_hash,
                access_count=dice.choice([0, 0, 1, 1, 2, 3, 5, 50, 100_000]),
                outcome=dice.choice([-1.0, 0.0, 0.0, 0.5, 1.0, dice.uniform(-1, 1)]),
                last_accessed=dice.choice([None, _moment(dice), _moment(dice)]),
            )


def _moment(dice: random.Random) -> float:
    """A moment: now, ahead, shortly before, long before, and around the age at which exp() underflows."""
    return dice.choice(
        [
            NOW,
            NOW + dice.choice([0.5, 1.0, 1e6, 1e9]),
            NOW - dice.choice([0, 1, 2]) * HOUR,
            NOW - dice.choice([1, 2, 3]) * 24 * HOUR,
            NOW - dice.choice([9, 10, 12, 20]) * YEAR,
            NOW - 74_000 * HOUR - dice.randrange(800) * HOUR,
            NOW - dice.random() * 9 * YEAR,
            NOW - 1e-7 * dice.randrange(30),
            0.0,
            -5.0 * YEAR,
        ]
    )


def _vector(dice: random.Random) -> bytes | None:
    if dice.random() < 0.1:
        return None
    return struct.pack("4f", 1.0, *(dice.choice([-1.0, 0.0, 1.0, 2.0]) for _ in range(3)))


def write(connection: apsw.Connection, made: Corpus) -> None:
    """Put a corpus into the tables, from which the caller's rollback takes it again."""
    fetch(connection, "INSERT INTO source (id, root, label, kind) VALUES (1, 'test', 'notes', 'records')")
    for document in made.documents:
        fetch(
            connection,
            "INSERT INTO document (id, path, file, ordinal, source_id, record_hash, content_hash, type, archived,"
            " event_at, updated_at) VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6, ?7, ?8, ?9)",
            (
                *(document.id, document.path, document.file, document.ordinal, document.content_hash),
                *(document.type, document.archived, document.event_at, document.updated_at),
            ),
        )
        fetch(connection, "INSERT INTO full_text VALUES (?, ?, ?)", (document.id, document.title, document.body))
        for ordinal, vector in enumerate(document.vectors):
            text_hash = vector or b"none"
            fetch(connection, "INSERT OR IGNORE INTO vector (text_hash, embedding) VALUES (?, ?)", (text_hash, vector))
            fetch(
                connection,
                "INSERT INTO chunk (document_id, ordinal, start_line, end_line, vector_id)"
                " SELECT ?, ?, 1, 1, id FROM vector WHERE text_hash = ?",
                (document.id, ordinal, text_hash),
            )
    connection.executemany(
        "INSERT INTO state.access (path, content_hash, access_count, outcome, last_accessed) VALUES (?, ?, ?, ?, ?)",
        [(use.path, use.content_hash, use.access_count, use.outcome, use.last_accessed) for use in made.uses],
    )


# ── the definitions: every document of the scope, one sort ────────────────────────────────────────────────────────────

Scored = tuple[tuple[object, ...], int, float]
"""What is sorted by, the document, and the raw value."""


@dataclass(frozen=True)
class Asked:
    """What a definition answers: the query of a corpus, over the documents of a scope."""

    connection: apsw.Connection
    """For the functions that are SQLite's: the last digit of another library's may differ."""
    made: Corpus
    documents: list[Document]

    def call(self, function: str, *values: object) -> float:
        """The value of an SQL function."""
        marks = ", ".join("?" * len(values))
        return float(fetch(self.connection, f"SELECT {function}({marks})", values)[0][0])


def fts(asked: Asked) -> Iterator[Scored]:
    """SQLite's own bm25 of each document that matches."""
    found = dict(
        fetch(
            asked.connection,
            "SELECT rowid, bm25(document_fts, 1.0, 1.0) FROM document_fts WHERE document_fts MATCH ?",
            (asked.made.match,),
        )
    )
    for document in asked.documents:
        if document.id in found:
            raw = found[document.id]
            yield (raw, *document.place), document.id, raw


def vector(asked: Asked) -> Iterator[Scored]:
    """The distance of the nearest chunk that has a vector."""
    for document in asked.documents:
        distances = [
            asked.call("vec_distance_cosine", chunk, asked.made.vector)
            for chunk in document.vectors
            if chunk is not None
        ]
        if distances:
            yield (min(distances), *document.place), document.id, min(distances)


def recency(asked: Asked) -> Iterator[Scored]:
    """When it happened, else when it was updated; what is ahead counts as now."""
    for document in asked.documents:
        date = document.event_at if document.event_at is not None else document.updated_at
        if date is not None:
            raw = min(date, NOW)
            yield (-raw, *document.place), document.id, raw


def salience(asked: Asked) -> Iterator[Scored]:
    """Fading use and popularity, of the path's own use, else of the best lost use of the same content."""
    made = asked.made
    popularity = {use.path: asked.call("ln", 1 + use.access_count) + max(use.outcome, 0.0) for use in made.uses}
    own = {use.path: use for use in made.uses}
    paths = {document.path for document in made.documents}
    lost = sorted(
        (use for use in made.uses if use.path not in paths), key=lambda use: (-popularity[use.path], use.path)
    )
    for document in asked.documents:
        if document.type == "task" or "/resources/people/" in f"/{document.path}":
            continue
        use = own.get(document.path)
        if use is None:
            use = next((other for other in lost if other.content_hash == document.content_hash), None)
        if use is None and document.updated_at is None:
            continue
        moment = document.updated_at if use is None or use.last_accessed is None else use.last_accessed
        raw = popularity[use.path] if use else 0.0
        if moment is not None:
            moment = min(moment, NOW)
            raw = asked.call("exp", -SALIENCE_DECAY.value * ((NOW - moment) / HOUR)) + raw
        yield (-raw, moment is None, -(moment or 0.0), *document.place), document.id, raw


DEFINITIONS: dict[str, Callable[[Asked], Iterator[Scored]]] = {
    "fts": fts,
    "vector": vector,
    "recency": recency,
    "salience": salience,
}


def defined(connection: apsw.Connection, arm: Arm, made: Corpus, scope: str, window: int) -> list[Row]:
    """What the arm should give."""
    scored = sorted(DEFINITIONS[arm.name](Asked(connection, made, made.scope(scope))))
    rows = [(number, rank, raw) for rank, (_, number, raw) in enumerate(scored, start=1)]
    return rows if window < 0 else rows[:window]


# ── what the arms give ────────────────────────────────────────────────────────────────────────────────────────────────


def given(connection: apsw.Connection, sql: str, arm: Arm, made: Corpus, scope: str, window: int) -> list[Row]:
    """What a form of the arm gives."""
    holes = {
        **{constant.name: repr(constant.value) for constant in REGISTRIES.constants},
        "scope": scope,
        "candidates": scope,
        "exclusions": " AND ".join(arm.exclusions) or "true",
        "column_weights": ", ".join(map(repr, MEMORY.column_weights)),
    }
    text = (
        f"WITH {NARROW}(document_id) AS MATERIALIZED (SELECT id FROM document WHERE id % 3 = 1)\n"
        f"SELECT document_id, rank, raw FROM (\n{fill(sql, holes)}\n) ORDER BY rank"
    )
    values = (made.match, window, None, made.vector, NOW)
    last = max(slot for slot in range(1, 6) if f"?{slot}" in text)
    return [(row[0], row[1], row[2]) for row in fetch(connection, text, values[:last])]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    """An empty collection made by the shipped migrations, with its state plane attached."""
    database = tmp_path_factory.mktemp("fast forms") / "index.db"
    writer = open_writer(database, tokenizer=PLAIN)
    open_state(database).close()
    fetch(writer, "ATTACH ? AS state", (str(state_path(database)),))
    yield writer
    writer.close()


class Filled:
    """A corpus in the tables, while the block lasts."""

    def __init__(self, connection: apsw.Connection, seed: int) -> None:
        self.connection = connection
        self.made = corpus(seed)

    def __enter__(self) -> Corpus:
        fetch(self.connection, "BEGIN")
        write(self.connection, self.made)
        return self.made

    def __exit__(self, *problem: object) -> None:
        fetch(self.connection, "ROLLBACK")


def test_every_arm_has_a_definition() -> None:
    assert tuple(DEFINITIONS) == REGISTRIES.arms.names


@pytest.mark.parametrize("arm", REGISTRIES.arms, ids=lambda arm: arm.name)
def test_an_arm_gives_what_its_definition_says(connection: apsw.Connection, arm: Arm) -> None:
    if "?4" in arm.sql and load_vec(connection)[0] is None:
        pytest.skip("sqlite-vec does not load here")
    rows = 0
    for seed in SEEDS:
        with Filled(connection, seed) as made:
            for scope in (DEFAULT_SCOPE, NARROW):
                for window in (1, 7, 40, -1):
                    expected = defined(connection, arm, made, scope, window)
                    found = given(connection, arm.sql, arm, made, scope, window)
                    assert found == expected, f"seed {seed}, scope {scope}, window {window}"
                    rows += len(found)
    assert rows > 1000  # the corpora are not empty


@pytest.mark.parametrize("arm", [arm for arm in REGISTRIES.arms if arm.fast_sql], ids=lambda arm: arm.name)
def test_a_fast_form_gives_what_the_arm_gives(connection: apsw.Connection, arm: Arm) -> None:
    for seed in SEEDS:
        assert difference(connection, arm, arm.fast_sql, seed) is None


def difference(connection: apsw.Connection, arm: Arm, sql: str, seed: int) -> str | None:
    """Where a form and the arm part on the corpus of a seed, None if nowhere."""
    with Filled(connection, seed) as made:
        for window in WINDOWS:
            expected = given(connection, arm.sql, arm, made, DEFAULT_SCOPE, window)
            found = given(connection, sql, arm, made, DEFAULT_SCOPE, window)
            if found != expected:
                return f"seed {seed}, window {window}: {found[:5]} instead of {expected[:5]}"
    return None


BROKEN = [
    ("recency", "d.dated_at > ?5", "d.dated_at >= ?5", "now is counted twice"),
    ("recency", "d.dated_at > ?5", "false", "what is ahead is forgotten"),
    ("recency", "d.dated_at DESC, d.file, d.ordinal", "d.dated_at DESC, d.id", "ties go by id"),
    ("recency", "d.id IN (SELECT document_id FROM {scope})", "true", "archived documents come in"),
    ("salience", "bar.popularity - 1.000001", "bar.popularity - 0.5", "the bound is too tight"),
    ("salience", "moved.content_hash = a.content_hash", "false", "a rename loses its use"),
    ("salience", "(other.popularity, a.path) > (a.popularity, other.path)", "false", "two lost uses both count"),
    ("salience", "AND {exclusions}", "", "tasks and people come in"),
    ("salience", "raw DESC, moment DESC, file", "raw DESC, file", "scores that underflow go by file"),
]


@pytest.mark.parametrize(("name", "right", "wrong", "effect"), BROKEN, ids=[case[3] for case in BROKEN])
def test_a_broken_form_is_noticed(connection: apsw.Connection, name: str, right: str, wrong: str, effect: str) -> None:
    arm = REGISTRIES.arms[name]
    broken = arm.fast_sql.replace(right, wrong)
    assert broken != arm.fast_sql, f"the form no longer holds {right!r}; break it elsewhere"
    assert any(difference(connection, arm, broken, seed) for seed in SEEDS), effect

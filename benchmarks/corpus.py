"""A synthetic corpus that is hard on a hybrid search: Zipf words, clustered vectors, use with a long tail.

Everything follows from `(size, seed)`; the clock is never read, the present is a constant. The commonest word is in
about 96 % of the documents, a document has 1.65 chunks on average, dates spread over nine years and a few lie ahead, a
tenth of the documents is archived, and of 60 % of them it is known how they were used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NOW = 1_780_000_000.0
"""The pinned present, in seconds since 1970-01-01 UTC."""

DIMENSIONS = 384
TYPES = ("note", "decision", "procedure", "event", "task")

_YEAR = 365.25 * 86_400.0
_VOCABULARY = 30_000
_MEAN_WORDS = 110.0
_COMMONEST_SHARE = 0.96
_USED_SHARE = 0.6
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"


@dataclass(frozen=True, slots=True)
class Use:
    """How a document was used: one row of the state plane."""

    path: str
    content_hash: bytes
    access_count: int
    outcome: float
    last_accessed: float | None


@dataclass(frozen=True, slots=True)
class Document:
    """A document with its chunks, in a file of its own."""

    path: str
    title: str
    body: str
    type: str
    archived: bool
    event_at: float | None
    updated_at: float
    content_hash: bytes
    chunks: tuple[str, ...]
    first_vector: int
    """Row of `Corpus.vectors` that belongs to its first chunk; the others follow."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search as the statements take it: MATCH text of the any-term form, and a unit vector."""

    match: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents in the order of their paths, vectors by row, use, and queries."""

    documents: tuple[Document, ...]
    vectors: NDArray[np.float32]
    uses: tuple[Use, ...]
    queries: tuple[Query, ...]

    def vector(self, document: Document, ordinal: int) -> bytes:
        """The packed float32 vector of one chunk."""
        packed: bytes = self.vectors[document.first_vector + ordinal].tobytes()
        return packed


def generate(size: int, *, seed: int = 7, queries: int = 15) -> Corpus:
    """Make `size` documents and `queries` searches over them."""
    generator = np.random.default_rng(seed)
    words = np.array(_words(generator), dtype=object)
    lengths = np.maximum(20, generator.lognormal(np.log(_MEAN_WORDS) - 0.08, 0.4, size)).astype(np.int64)
    probabilities = _zipf(lengths)
    stream = generator.choice(_VOCABULARY, size=int(lengths.sum()), p=probabilities)
    ends = np.cumsum(lengths)
    chunk_counts = 1 + generator.poisson(0.65, size)
    centres = _unit(generator.standard_normal((max(8, size // 100), DIMENSIONS), dtype=np.float32))
    topics = np.repeat(generator.integers(len(centres), size=size), chunk_counts)
    vectors = np.empty((len(topics), DIMENSIONS), dtype=np.float32)
    for start in range(0, len(topics), 8192):
        vectors[start : start + 8192] = _near(centres[topics[start : start + 8192]], generator)
    first = np.concatenate(([0], np.cumsum(chunk_counts)[:-1]))
    updated = NOW - generator.random(size) * 9 * _YEAR
    has_event = generator.random(size) < 0.3
    event = updated - generator.random(size) * _YEAR
    announced = generator.random(size) < 4 / size
    has_event |= announced
    event[announced] = NOW + generator.random(int(announced.sum())) * _YEAR
    archived = generator.random(size) < 0.1
    types = generator.choice(len(TYPES), size, p=[0.5, 0.15, 0.15, 0.15, 0.05])
    documents: list[Document] = []
    for index in range(size):
        text = words[stream[ends[index] - lengths[index] : ends[index]]].tolist()
        body = " ".join(text)
        documents.append(
            Document(
                path=f"notes/d{index * 50 // size:02d}/{text[0]}-{index:06d}.md",
                title=" ".join(text[:6]),
                body=body,
                type=TYPES[types[index]],
                archived=bool(archived[index]),
                event_at=float(event[index]) if has_event[index] else None,
                updated_at=float(updated[index]),
                content_hash=hashlib.blake2b(f"{index}\n{body}".encode(), digest_size=16).digest(),
                chunks=tuple(_split(text, int(chunk_counts[index]))),
                first_vector=int(first[index]),
            )
        )
    documents.sort(key=lambda document: document.path)
    return Corpus(
        documents=tuple(documents),
        vectors=vectors,
        uses=tuple(_uses(documents, generator)),
        queries=tuple(_queries(queries, words, probabilities, centres, generator)),
    )


def _words(generator: np.random.Generator) -> list[str]:
    """Distinct words that can be spoken; the commoner ones are shorter, as in real text."""
    words: dict[str, None] = {}
    while len(words) < _VOCABULARY:
        syllables = 1 + len(words) // 60 if len(words) < 120 else int(generator.integers(2, 5))
        pairs = (
            _CONSONANTS[generator.integers(len(_CONSONANTS))] + _VOWELS[generator.integers(len(_VOWELS))]
            for _ in range(syllables)
        )
        words["".join(pairs)] = None
    return list(words)


def _zipf(lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Zipf-Mandelbrot probabilities whose commonest word is in `_COMMONEST_SHARE` of documents of these lengths."""
    ranks = np.arange(1, _VOCABULARY + 1)
    low, high = 0.0, 30.0
    probabilities = np.empty(0)
    for _ in range(40):
        shift = (low + high) / 2
        weights = 1.0 / (ranks + shift)
        probabilities = weights / weights.sum()
        if np.mean(1.0 - (1.0 - probabilities[0]) ** lengths) > _COMMONEST_SHARE:
            low = shift
        else:
            high = shift
    return probabilities


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _near(centres: NDArray[np.float32], generator: np.random.Generator) -> NDArray[np.float32]:
    """A unit vector near each centre."""
    noise = generator.standard_normal(centres.shape, dtype=np.float32) / np.float32(np.sqrt(DIMENSIONS))
    return _unit(centres + noise)


def _split(words: Sequence[str], parts: int) -> Iterator[str]:
    """Cut a body into `parts` runs of nearly equal length."""
    for part in range(parts):
        yield " ".join(words[len(words) * part // parts : len(words) * (part + 1) // parts])


def _uses(documents: Sequence[Document], generator: np.random.Generator) -> Iterator[Use]:
    """Pareto counts, outcomes in [-1, 1], and once in a hundred no time of the last access."""
    for document in documents:
        if generator.random() < _USED_SHARE:
            yield Use(
                path=document.path,
                content_hash=document.content_hash,
                access_count=int(min(1e6, generator.pareto(1.1) * 2 + 1)),
                outcome=float(generator.choice([0.0, generator.uniform(-1, 1)])),
                last_accessed=(None if generator.random() < 0.01 else float(NOW - generator.exponential(0.5 * _YEAR))),
            )


def _queries(
    count: int,
    words: NDArray[np.object_],
    probabilities: NDArray[np.float64],
    centres: NDArray[np.float32],
    generator: np.random.Generator,
) -> Iterator[Query]:
    """Three Zipf words, any of which will do; every second query also holds the commonest word."""
    for index in range(count):
        drawn = dict.fromkeys(words[generator.choice(_VOCABULARY, size=3, p=probabilities)].tolist())
        if index % 2 == 0:
            drawn[str(words[0])] = None
        vector = _near(centres[[generator.integers(len(centres))]], generator)
        yield Query(match=" OR ".join(f'"{word}"' for word in drawn), vector=vector[0].tobytes())

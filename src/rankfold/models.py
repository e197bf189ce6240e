"""What a search gives back: plain frozen values, the same in Python and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from rankfold.records import Effect


@dataclass(frozen=True)
class Contribution:
    """One arm's share of a hit's score."""

    arm: str
    """Name of the arm."""
    rank: int
    """1-based rank that the arm gave the document."""
    weight: float
    """Weight of the arm in this search."""
    contribution: float
    """`weight / (rank_constant + rank)`."""
    raw: float
    """The value that the arm ordered by, with its own sign and unit."""


@dataclass(frozen=True)
class Passage:
    """The piece of a document that is shown."""

    text: str
    """At most as many code points as the profile says; `…` marks an end that was cut."""
    start_line: int
    """1-based line of the file on which it begins."""
    end_line: int
    """1-based line of the file on which it ends."""
    line: int
    """1-based line of the first match in it, else `start_line`: where an editor should open the file."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Matches as half-open ranges of code points in `text`."""


@dataclass(frozen=True)
class Hit:
    """A document in the answer."""

    path: str
    """Identifies the document in the collection."""
    file: str
    """The file that holds it; differs from `path` where one file holds many documents."""
    title: str | None
    """Its title, if it has one."""
    score: float
    """Fused score: the sum of the contributions. A rank score, neither a percentage nor comparable between answers."""
    matched: bool
    """Whether an arm that reads the query ranked it."""
    contributions: tuple[Contribution, ...]
    """The share of each arm that ranked it, in registry order; they add up to `score`."""
    passage: Passage | None
    """Its best passage; none for a document without text."""
    tags: tuple[str, ...] = ()
    """Words that it is filed under."""
    created_at: float | None = None
    """When it was first written, in seconds since 1970-01-01 UTC, like the times below."""
    updated_at: float | None = None
    """When it was last written, as it states itself."""
    event_at: float | None = None
    """When what it tells of happened."""
    adjustments: tuple[Effect, ...] = ()
    """What adjustments did to it."""
    twins: tuple[str, ...] = ()
    """Paths of documents with the same text that were folded into it."""
    is_embedded: bool = True
    """Whether all its chunks have a vector: "not embedded" differs from "not near"."""
    content_hash: str = ""
    """Hash of its text."""

    @property
    def snippet(self) -> str:
        """The passage's text, empty where there is none."""
        return self.passage.text if self.passage else ""


@dataclass(frozen=True)
class ArmUsed:
    """An arm that ran."""

    arm: str
    """Name of the arm."""
    weight: float
    """Its weight in this search."""
    candidates: int
    """How many of the fused rows it ranked."""


@dataclass(frozen=True)
class Dropped:
    """An arm that could not run, and the first precondition that it lacked."""

    arm: str
    """Name of the arm."""
    precondition: str
    """Name of the precondition."""
    reason: str
    """What is missing, as a sentence without a full stop."""
    fix: str | None
    """What to do about it; None where nothing can be done."""


@dataclass(frozen=True)
class Answer(Sequence[Hit]):
    """The hits, best first, and everything that explains them."""

    query: str
    """What was looked for."""
    profile: str
    """Name of the profile that the search went by."""
    limit: int
    """Most hits that were asked for."""
    offset: int
    """How many hits were passed over."""
    hits: tuple[Hit, ...]
    """The hits, best first: what the answer gives when it is iterated."""
    arms: tuple[ArmUsed, ...]
    """The arms that ran, in registry order."""
    dropped: tuple[Dropped, ...]
    """The arms that could not run."""
    degraded: bool
    """Whether an arm was lost that would have read the query, for a reason other than the query."""
    sql: str | None
    """Portable SQL that gives the fused rows (sqlite-vec loaded, state attached), None if no arm could run."""
    parameters: tuple[object, ...]
    """Its values, by slot number."""
    query_form: str | None = None
    """The MATCH form used, `all` or `any`; None where the full text was not asked."""
    window: int = 0
    """Most candidates that an arm could return."""
    rank_constant: int = 0
    """The constant of reciprocal rank fusion."""
    now: float = 0.0
    """The moment ages were counted from, in seconds since 1970-01-01 UTC."""
    effects: tuple[Effect, ...] = ()
    """Everything that adjustments did."""
    warnings: tuple[str, ...] = ()
    """What the reader of this answer should know."""

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

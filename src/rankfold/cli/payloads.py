"""What `data` of the envelope holds: one type per kind of answer, from which the published schema is made.

A type that shows a value of the library names it as `shows`. Fields that say nothing themselves mean what the field of
that name means there, so no meaning is written twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeVar

from rankfold.collection import Status
from rankfold.indexing.sync import IndexReport
from rankfold.models import Answer, ArmUsed, Contribution, Dropped, Hit, Passage
from rankfold.records import Arm, Effect, Profile, RawValue
from rankfold.storage.capabilities import Capabilities

T = TypeVar("T")


def shown(payload: type[T], value: object, **stated: Any) -> T:
    """A value as its payload: every field that is not stated is taken from it."""
    names = {field.name for field in fields(payload)} - stated.keys()  # type: ignore[arg-type]
    return payload(**{name: getattr(value, name) for name in names}, **stated)


@dataclass(frozen=True, kw_only=True)
class IndexData:
    """What `rankfold index` did."""

    shows: ClassVar[type] = IndexReport

    database: str
    """The file that was indexed into."""
    added: int
    updated: int
    renamed: int
    removed: int
    unchanged: int
    chunks: int
    embedded: int
    failed: int
    cut: int
    skipped: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class ContributionData:
    """One arm's share of a hit's score."""

    shows: ClassVar[type] = Contribution

    arm: str
    rank: int
    weight: float
    contribution: float
    raw: float | None
    """The value that the arm ordered by, with its own sign and unit; null where that is no finite number."""


@dataclass(frozen=True, kw_only=True)
class HitData:
    """A document in the answer."""

    shows: ClassVar[type] = Hit

    path: str
    file: str
    title: str | None
    score: float
    matched: bool
    contributions: tuple[ContributionData, ...]
    passage: Passage | None
    tags: tuple[str, ...]
    created_at: str | None
    """When it was first written, as it states itself: ISO 8601 in UTC, like the times below."""
    updated_at: str | None
    event_at: str | None
    adjustments: tuple[Effect, ...]
    twins: tuple[str, ...]
    is_embedded: bool


@dataclass(frozen=True, kw_only=True)
class SearchData:
    """The answer of `rankfold search`."""

    shows: ClassVar[type] = Answer

    query: str
    profile: str
    limit: int
    offset: int
    window: int
    rank_constant: int
    query_form: Literal["all", "any"] | None
    now: str
    """The moment ages were counted from: ISO 8601 in UTC."""
    hits: tuple[HitData, ...]
    """The hits, best first."""
    arms: tuple[ArmUsed, ...]
    dropped: tuple[Dropped, ...]
    """The arms that could not run; a `fix` reaches the index of this call."""
    degraded: bool


@dataclass(frozen=True, kw_only=True)
class StatementArm:
    """An arm in a statement."""

    shows: ClassVar[type] = ArmUsed

    arm: str
    weight: float
    candidates: int | None
    """How many of the fused rows it ranked; null without a query, when nothing is run."""


@dataclass(frozen=True, kw_only=True)
class SqlData:
    """The statement that `rankfold sql` prints."""

    shows: ClassVar[type] = Answer

    sql: str | None
    parameters: tuple[str | int | float | None, ...]
    """Its values, by slot number, a vector in hexadecimal; none without a query."""
    arms: tuple[StatementArm, ...]
    """The arms in it, in registry order."""
    dropped: tuple[Dropped, ...]
    """The arms that could not run; a `fix` reaches the index of this call."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """A precondition of an arm, and whether it holds here."""

    name: str
    """Name of the precondition."""
    title: str
    """A few words for it."""
    met: bool | None
    """Whether it holds in the index at hand; null where there is none."""
    reason: str | None
    """What is missing; null where nothing is known to be."""
    fix: str | None
    """A command, or what else to do about it; null where nothing can be done."""


@dataclass(frozen=True, kw_only=True)
class ArmData:
    """An arm's record, as `rankfold arms NAME` shows it."""

    shows: ClassVar[type] = Arm

    name: str
    title: str
    doc: str
    default_weight: float
    """Its own weight, where no profile states another."""
    weight: float
    """Its weight in the profile shown."""
    reads: Literal["query", "candidates", "corpus"]
    preconditions: tuple[Need, ...]
    """What must hold, in the order in which it is tested."""
    sql: str
    fast_sql: str
    raw: RawValue
    exclusions: tuple[str, ...]
    candidates_of: tuple[str, ...]
    example: str
    since: str


@dataclass(frozen=True, kw_only=True)
class ArmsData:
    """The arms that `rankfold arms` lists."""

    profile: str
    """The profile whose weights are shown."""
    database: str | None
    """The index at hand, in which preconditions were tested; null where there is none."""
    arms: tuple[ArmData, ...]
    """Every arm, in registry order."""


@dataclass(frozen=True, kw_only=True)
class ProfileData(Profile):
    """A profile's record, as `rankfold profiles NAME` shows it."""

    weights: Mapping[str, float]
    """The weight of every arm in it; 0 leaves the arm out."""


@dataclass(frozen=True, kw_only=True)
class ProfilesData:
    """The profiles that `rankfold profiles` lists."""

    profiles: tuple[ProfileData, ...]
    """Every profile, in registry order."""


@dataclass(frozen=True, kw_only=True)
class EmbedData:
    """What `rankfold embed` did, and what is left."""

    shows: ClassVar[type] = IndexReport

    embedded: int
    failed: int
    cut: int
    refused: int
    """Chunks whose vector cannot be used; they are not asked for again."""
    pending: int
    """Chunks that are still to be embedded."""
    chunks: int
    """Chunks in the index."""


@dataclass(frozen=True, kw_only=True)
class CapabilitiesData:
    """What the open index can do."""

    shows: ClassVar[type] = Capabilities

    sqlite_version: str
    vec_version: str | None
    vec_problem: str
    documents: int
    chunks: int
    embedded: int
    refused: int
    pending: int
    coverage: float
    space: str | None
    dimension: int | None
    has_dates: bool
    state_path: str | None
    opened: Literal["read-only", "immutable", "read-write"]


@dataclass(frozen=True, kw_only=True)
class StatusData:
    """What `rankfold status` found."""

    shows: ClassVar[type] = Status

    database: str
    profile: str
    tokenizer: str
    sources: tuple[str, ...]
    embedder: str | None
    capabilities: CapabilitiesData
    problems: tuple[str, ...]
    checked: bool
    """Whether the embedder and sqlite-vec were really used, as `--check` asks."""


PAYLOADS: dict[str, type] = {
    "index": IndexData,
    "search": SearchData,
    "sql": SqlData,
    "arms": ArmsData,
    "arm": ArmData,
    "profiles": ProfilesData,
    "profile": ProfileData,
    "embed": EmbedData,
    "status": StatusData,
}
"""Every kind of answer, as `type` of the envelope, with what its `data` holds."""

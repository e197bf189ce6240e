"""The records that rankfold is made of.

Whatever the product declares once is an instance of one of these: SQL, command line, Python API, JSON, explain and the
reference site read the same record. Records are plain frozen data: no record does anything by itself, and the only
functions they carry (`Precondition.holds`, `Adjustment.apply`) take values and return values.

Every kind lives in an ordered, open registry (`rankfold.retrieval.registry`): the built-in members are module
constants, other packages add theirs by entry point. Adding an arm is adding a record; nothing else lists arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from rankfold.models import Hit
    from rankfold.retrieval.situation import Situation


class Record(Protocol):
    """What every record has: a name that is unique in its registry, and its documentation."""

    @property
    def name(self) -> str: ...

    @property
    def doc(self) -> str: ...

    @property
    def since(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class RawValue:
    """What an arm orders by, before it becomes a rank."""

    name: str
    """The field's word for it, such as `bm25` or `cosine distance`."""
    unit: str
    """Its unit, or `none`."""
    better: Literal["lower", "higher"]
    """Which direction is better; an arm ranks the best value 1."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One ranking signal: one SELECT that gives `(document_id, rank, raw)`, one row per document."""

    name: str
    """Lower-case identifier; also names the CTE (`arm_<name>`) and the result columns."""
    title: str
    """A few words for headings and tables."""
    doc: str
    """What the arm measures, why, and where it is wrong. Markdown."""
    weight: float
    """Default weight in the fusion, finite and not negative; a profile or a call may state another."""
    reads: Literal["query", "candidates", "corpus"]
    """What it needs to see: the query, other arms' candidates, or only the documents in scope."""
    preconditions: tuple[str, ...] = ()
    """Names of the preconditions that must all hold, in the order in which they are tested."""
    sql: str
    """The SELECT, as text with named holes: `{scope}` and `{candidates}` name a table with a column `document_id`,
    `{exclusions}` is a predicate on the document `d`, `{column_weights}` a list of numbers, and the name of any
    constant its value. Slots are SQLite's numbered parameters. Ranks begin at 1."""
    fast_sql: str = ""
    """The same rows for the default scope, found through an index; proved equal to `sql` by a property test."""
    raw: RawValue
    """The value it orders by."""
    exclusions: tuple[str, ...] = ()
    """SQL predicates on the document `d` that keep documents out of this arm alone; they fill `{exclusions}`."""
    candidates_of: tuple[str, ...] = ()
    """For an arm that reads candidates: whose (none named: every arm that reads the query)."""
    example: str
    """A query that shows it at work on the sample corpus."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True)
class Unmet:
    """Why a precondition does not hold."""

    reason: str
    """What is missing, as a sentence without a full stop."""
    fix: str | None = None
    """What to do about it; none where nothing can be done."""


@dataclass(frozen=True, kw_only=True)
class Precondition:
    """What an arm needs before it may take part in a search."""

    name: str
    """Lower-case identifier."""
    title: str
    """A few words for headings."""
    heading: str
    """Column heading in the table of weights, such as `Needs the query vector`."""
    doc: str
    """When it holds, when it does not, and why an arm would ask for it. Markdown."""
    holds: Callable[[Situation], Unmet | None]
    """Nothing when it holds; otherwise the reason and the remedy."""
    degrades: bool = False
    """Whether an answer that lost an arm to it counts as degraded (when the query has terms)."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One numbered parameter of the statement. Its number keeps its meaning whichever arms are active."""

    number: int
    """The N of `?N`."""
    name: str
    """Lower-case identifier."""
    type: str
    """SQLite type of the bound value."""
    unit: str
    """Unit or shape of the value."""
    supplied_by: str
    """Who gives the value."""
    doc: str
    """What the value is. Markdown."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A named way to search: which arms, how much each counts, and what happens around them."""

    name: str
    """Lower-case identifier."""
    title: str
    """A few words for headings."""
    doc: str
    """Whom it is for and why its values are what they are. Markdown."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Where it differs from the arms' own weights; 0.0 leaves an arm out."""
    window: int
    """Most candidates an arm may return."""
    rank_constant: int
    """The constant of reciprocal rank fusion."""
    limit: int
    """Hits per answer unless the call says otherwise."""
    pool_factor: int
    """How many times the wanted hits are fused, so that adjustments have something to choose from."""
    query_form: Literal["auto", "any", "all"]
    """Which MATCH form the query text takes: `auto` is all terms where some document in scope has them all."""
    tokenizer: str
    """FTS5 tokenizer of a collection created with this profile."""
    column_weights: tuple[float, ...] = (1.0, 1.0)
    """bm25 weight of each full-text column, title first."""
    matched_only: bool
    """Whether only documents that an arm which reads the query found may be hits; the other arms then rank those."""
    without_terms: Literal["nothing", "corpus"]
    """What text without a searchable term gets: nothing, or what the arms that need no query rank."""
    adjustments: tuple[str, ...] = ()
    """Names of the adjustments that are on, in any order: each runs at its stage."""
    passage_characters: int
    """Longest passage shown with a hit, in code points."""
    since: str
    """Version that introduced it."""


AxisKind = Literal["any_of", "prefix", "since", "until", "flag"]
"""How a scope axis reads its values: one of several, a path prefix, a bound on time, or a switch."""


@dataclass(frozen=True, kw_only=True)
class ScopeAxis:
    """One way to narrow what a search may see. Every arm obeys it before its window."""

    name: str
    """Lower-case identifier; also the Python argument."""
    title: str
    """A few words for headings."""
    doc: str
    """What it keeps and how values are compared. Markdown."""
    kind: AxisKind
    """How its values are read."""
    value: str
    """What a value is, as `--help` shows it, such as `PREFIX`."""
    sql: str
    """Predicate on the document `d`, with the axis's slot; empty for a flag, which lifts `default_sql`."""
    default_sql: str = ""
    """Predicate that holds while the axis is not given."""
    slot: str = ""
    """Name of the slot that carries its values: a JSON array for an axis of several values."""
    flag: str
    """Its option on the command line."""
    vocabulary: str
    """Which values are allowed: `open`, or a description."""
    index: str
    """The index that serves it, or `none`."""
    since: str
    """Version that introduced it."""


STAGES: tuple[str, ...] = (
    "authority",
    "polarity",
    "folding",
    "re-ranking",
    "pinned",
    "mmr",
    "limit",
    "passages",
)
"""The fixed order of what may happen after fusion."""


@dataclass(frozen=True)
class Effect:
    """What one adjustment did to one document."""

    adjustment: str
    """Name of the adjustment."""
    path: str
    """The document it touched."""
    before: str
    """What was so before, in words or as a number."""
    after: str
    """What is so now."""
    reason: str
    """Why, as a sentence without a full stop."""


@dataclass(frozen=True, kw_only=True)
class Adjustment:
    """Something that may happen to the fused list: declared, switchable, and always reported."""

    name: str
    """Lower-case identifier."""
    title: str
    """A few words for headings."""
    doc: str
    """What it does, and what it cannot do. Markdown."""
    stage: str
    """Where in `STAGES` it runs."""
    works_on: Literal["hit", "list"]
    """Whether it looks at one hit at a time or at the whole list."""
    bounds: str
    """The most it can change, in words."""
    parameters: tuple[str, ...] = ()
    """Names of the constants it reads."""
    apply: Callable[[Sequence[Hit]], tuple[list[Hit], list[Effect]]]
    """The fused hits, best first, to the new list and what was done."""
    example: str
    """A query that shows it at work on the sample corpus."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A number that matters, with its source."""

    name: str
    """Lower-case identifier; also a hole that an arm's SQL may use."""
    value: int | float
    """The value."""
    unit: str
    """Its unit, or `none`."""
    minimum: int | float
    """Smallest value that makes sense."""
    maximum: int | float
    """Largest value that makes sense."""
    doc: str
    """What it decides. Markdown."""
    source: str
    """Where the value comes from: a paper, a page, a measurement, a choice."""
    set_by: Literal["fixed", "profile", "call"]
    """Who may set another value."""
    flag: str = ""
    """Its option on the command line, if any."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """Something a document may state about itself, in front matter, in JSONL or in a dictionary."""

    name: str
    """Lower-case identifier; also the key in JSONL and dictionaries."""
    keys: tuple[str, ...]
    """Front-matter keys that mean it, first found wins."""
    type: Literal["text", "texts", "time", "number", "flag", "pairs"]
    """What a value is."""
    unit: str
    """Unit or shape of the value, or `none`."""
    column: str
    """Column or side table that holds it."""
    doc: str
    """What it means. Markdown."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable of the environment that is obeyed."""

    name: str
    """The variable, as it is set."""
    title: str
    """A few words for headings and tables."""
    value: str
    """What it holds. Markdown."""
    default: str
    """What happens while it is not set. Markdown."""
    read_by: Literal["library", "command line"]
    """Who obeys it: everything that uses the library, or the command line alone."""
    flag: str = ""
    """The option on the command line that wins over it, if any."""
    doc: str
    """What it decides. Markdown."""
    since: str
    """Version that introduced it."""


@dataclass(frozen=True, kw_only=True)
class Error:
    """A way to fail that has a stable name."""

    name: str
    """The stable code, as `code` in the JSON envelope."""
    doc: str
    """What raises it. Markdown."""
    fix: str
    """How to mend it."""
    exit_code: Literal[1, 2]
    """Exit status of the command line: 2 for a mistake in the call, 1 for everything else."""
    since: str
    """Version that introduced it."""

"""The registries: ordered, open, and the single source of truth.

Built-in records are module constants, listed once in the tuple at the end of their module. Other packages add theirs
by entry point, in the group `rankfold.<kind>`, where the entry point loads one record or an iterable of them:

    [project.entry-points."rankfold.arms"]
    votes = "my_package:VOTES"

A record that is broken or clashes with another is named in `Registries.problems` and left out; the rest stand.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from rankfold.constants import CONSTANTS, WEIGHT
from rankfold.environment import VARIABLES
from rankfold.errors import ERRORS, RegistryError, UnknownNameError
from rankfold.fields import FIELDS
from rankfold.records import (
    STAGES,
    Adjustment,
    Arm,
    Constant,
    Error,
    Field,
    Precondition,
    Profile,
    RawValue,
    Record,
    ScopeAxis,
    Slot,
    Variable,
)
from rankfold.retrieval.adjustments import ADJUSTMENTS
from rankfold.retrieval.arms import ARMS
from rankfold.retrieval.preconditions import PRECONDITIONS
from rankfold.retrieval.profiles import PROFILES
from rankfold.retrieval.scopes import SCOPES
from rankfold.retrieval.slots import SLOTS

R = TypeVar("R", bound=Record)

HOLES: tuple[str, ...] = ("scope", "candidates", "exclusions", "column_weights")
"""The holes that the fold fills; any constant's name is one too."""

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z"), "a name is lower-case letters, digits and underscores"
_NAMES = {"variables": (re.compile(r"_?[A-Z][A-Z0-9_]*\Z"), "a name is upper-case letters, digits and underscores")}
"""The rule for names, and the kinds that have one of their own."""
_HOLE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_SLOT = re.compile(r"\?(\d+)")
_BARE_SLOT = re.compile(r"\?(?!\d)")


@dataclass(frozen=True)
class Registry(Generic[R]):
    """Records of one kind, in order, by name."""

    kind: str
    """The kind in the plural, as in the entry-point group `rankfold.<kind>`."""
    records: tuple[R, ...]

    def __iter__(self) -> Iterator[R]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __contains__(self, name: object) -> bool:
        return any(record.name == name for record in self.records)

    def __getitem__(self, name: str) -> R:
        """The record of that name.

        Raises:
            UnknownNameError: there is none; the message lists the known ones and the nearest.
        """
        for record in self.records:
            if record.name == name:
                return record
        word = self.kind.removesuffix("s")
        near = difflib.get_close_matches(str(name), self.names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise UnknownNameError(f"unknown {word} {name!r}{hint} Known: {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in order."""
        return tuple(record.name for record in self.records)


@dataclass(frozen=True)
class Problem:
    """A record that could not join, and why."""

    kind: str
    name: str
    """The entry point or record."""
    origin: str
    """The distribution it came from."""
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.name} from {self.origin} was left out: {self.reason}"


@dataclass(frozen=True)
class Registries:
    """All registries of one process, which agree with one another."""

    arms: Registry[Arm]
    preconditions: Registry[Precondition]
    slots: Registry[Slot]
    profiles: Registry[Profile]
    scopes: Registry[ScopeAxis]
    adjustments: Registry[Adjustment]
    constants: Registry[Constant]
    fields: Registry[Field]
    errors: Registry[Error]
    variables: Registry[Variable]
    problems: tuple[Problem, ...] = ()
    origins: tuple[tuple[str, str, str], ...] = ()
    """For each record that another package added: its kind, its name and the distribution."""

    def plus(self, kind: str, record: Record) -> Registries:
        """These registries with one more record.

        Raises:
            RegistryError: the record is malformed, clashes with another, or names one that does not exist.
        """
        registry = cast("Registry[Record]", getattr(self, kind))
        _check(self, kind, record)
        grown: dict[str, Any] = {kind: Registry(kind, (*registry.records, record))}
        return replace(self, **grown)

    def plus_arms(self, arms: Iterable[Arm]) -> Registries:
        """These registries with the caller's own arms.

        Raises:
            RegistryError: see `plus`.
        """
        grown = self
        for arm in arms:
            if not isinstance(arm, Arm):
                raise RegistryError(f"{arm!r} is no Arm")
            grown = grown.plus("arms", arm)
        return grown


KINDS: tuple[tuple[str, type], ...] = (
    ("constants", Constant),
    ("errors", Error),
    ("fields", Field),
    ("variables", Variable),
    ("slots", Slot),
    ("preconditions", Precondition),
    ("scopes", ScopeAxis),
    ("adjustments", Adjustment),
    ("arms", Arm),
    ("profiles", Profile),
)
"""Every kind with its record, in the order in which they join: a record may name those of the kinds before it."""

_BUILT_IN: dict[str, Sequence[Record]] = {
    "constants": CONSTANTS,
    "errors": ERRORS,
    "fields": FIELDS,
    "variables": VARIABLES,
    "slots": SLOTS,
    "preconditions": PRECONDITIONS,
    "scopes": SCOPES,
    "adjustments": ADJUSTMENTS,
    "arms": ARMS,
    "profiles": PROFILES,
}


def built_in() -> Registries:
    """The registries of rankfold alone.

    Raises:
        RegistryError: a built-in record is malformed, which is a defect.
    """
    empty: dict[str, Any] = {kind: Registry(kind, ()) for kind, _ in KINDS}
    registries = Registries(**empty)
    for kind, _ in KINDS:
        for record in _BUILT_IN[kind]:
            registries = registries.plus(kind, record)
    return registries


@functools.cache
def installed() -> Registries:
    """The built-in registries and every record that installed packages add, read once per process."""
    registries = built_in()
    points = entry_points()  # asked once: every call reads what each installed package states
    for kind, record_type in KINDS:
        # By name, so that the order never depends on the order of installation.
        for point in sorted(points.select(group=f"rankfold.{kind}"), key=lambda point: (point.name, point.value)):
            registries = _join(registries, kind, record_type, point)
    return registries


def _join(registries: Registries, kind: str, record_type: type, point: EntryPoint) -> Registries:
    origin = point.dist.name if point.dist else point.module
    try:
        loaded = point.load()
        records = [loaded] if isinstance(loaded, record_type) else list(loaded)
        grown = registries
        for record in records:
            if not isinstance(record, record_type):
                raise RegistryError(f"{record!r} is no {record_type.__name__}")
            grown = grown.plus(kind, cast("Record", record))
    except Exception as problem:  # another package's code may raise anything, and the rest must stand
        reason = f"{type(problem).__name__}: {problem}"
        return replace(registries, problems=(*registries.problems, Problem(kind, point.name, origin, reason)))
    added = tuple((kind, cast("Record", record).name, origin) for record in records)
    return replace(grown, origins=(*grown.origins, *added))


def is_weight(value: float) -> bool:
    """Whether a number can be an arm's weight: 0, or in the range of the constant `weight`."""
    return value == 0 or WEIGHT.minimum <= value <= WEIGHT.maximum


def _check(registries: Registries, kind: str, record: Record) -> None:
    def demand(holds: bool, message: str) -> None:
        if not holds:
            raise RegistryError(f"{kind.removesuffix('s')} {record.name!r}: {message}")

    registry = cast("Registry[Record]", getattr(registries, kind))
    rule, said = _NAMES.get(kind, _NAME)
    demand(bool(rule.match(record.name)), said)
    demand(record.name not in registry, "the name is taken")
    demand(bool(record.doc.strip()), "it is not documented")
    if isinstance(record, Slot):
        taken = {slot.number for slot in registries.slots}
        demand(record.number not in taken, f"slot ?{record.number} is taken")
        demand(1 <= record.number <= 999, "a slot's number is from 1 to 999")
    elif isinstance(record, ScopeAxis):
        numbers = {slot.number for slot in registries.slots if slot.name == record.slot}
        used = {int(number) for number in _SLOT.findall(record.sql)}
        demand(used <= numbers, "its SQL uses a slot that is not its own")
        demand(bool(record.sql) == (record.kind != "flag"), "a flag has no SQL of its own, every other axis has")
    elif isinstance(record, Adjustment):
        demand(record.stage in STAGES, f"no stage {record.stage!r}; stages: {', '.join(STAGES)}")
        for name in record.parameters:
            demand(name in registries.constants, f"unknown constant {name!r}")
    elif isinstance(record, Arm):
        demand(is_weight(record.weight), "a weight is 0, or finite and in the range of the constant `weight`")
        for name in record.preconditions:
            demand(name in registries.preconditions, f"unknown precondition {name!r}")
        demand(
            record.reads == "query" or "candidates" in record.preconditions,
            "an arm that does not read the query declares the precondition 'candidates'",
        )
        for hole in _HOLE.findall(record.sql + record.fast_sql):
            demand(hole in HOLES or hole in registries.constants, f"unknown hole {{{hole}}} in its SQL")
        demand("{scope}" in record.sql, "its SQL does not obey the scope: it must read documents from {scope}")
        demand(";" not in record.sql + record.fast_sql, "its SQL is one SELECT, without a semicolon")
        demand(not _BARE_SLOT.search(record.sql + record.fast_sql), "its SQL has a ? without a slot's number")
        demand(record.reads in ("query", "candidates", "corpus"), f"it cannot read {record.reads!r}")
        demand(
            isinstance(record.raw, RawValue) and record.raw.better in ("lower", "higher"), "its raw value is not told"
        )
        demand(not record.exclusions or "{exclusions}" in record.sql, "its SQL has no hole for its exclusions")
        known = {slot.number for slot in registries.slots}
        for number in _SLOT.findall(record.sql + record.fast_sql):
            demand(int(number) in known, f"unknown slot ?{number} in its SQL")
        for name in record.candidates_of:
            demand(name in registries.arms, f"reads the candidates of {name!r}, which is not registered before it")
    elif isinstance(record, Profile):
        for name, weight in record.weights.items():
            demand(name in registries.arms, f"unknown arm {name!r}")
            demand(is_weight(weight), f"weight of {name!r} is neither 0 nor in the range of the constant `weight`")
        for name in record.adjustments:
            demand(name in registries.adjustments, f"unknown adjustment {name!r}")

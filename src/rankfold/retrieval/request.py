"""What a caller asked for, checked: every value in range and every name known before an index is opened."""

from __future__ import annotations

import operator
import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import SupportsIndex

from rankfold.constants import LIMIT, OFFSET, RANK_CONSTANT, WINDOW
from rankfold.errors import BadValueError
from rankfold.records import Constant, Profile, ScopeAxis
from rankfold.retrieval.activation import weights_of
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.scopes import Scope, json_array
from rankfold.times import is_bare_date, moment

_DAY = 86400.0
QUERY_FORMS = ("auto", "any", "all")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One search, as values that are in range."""

    query: str
    profile: Profile
    weights: Mapping[str, float]
    limit: int
    offset: int
    window: int
    rank_constant: int
    query_form: str
    now: float
    """Seconds since 1970-01-01 UTC."""
    scope: Scope


def read_request(
    registries: Registries,
    query: str,
    *,
    profile: str,
    limit: object = None,
    offset: object = None,
    window: object = None,
    rank_constant: object = None,
    query_form: str | None = None,
    arms: Sequence[str] | None = None,
    weights: Mapping[str, float] | None = None,
    now: object = None,
    scope: Mapping[str, object] | None = None,
) -> Request:
    """Check a call.

    Raises:
        BadValueError: a value outside its range or of the wrong form.
        UnknownNameError: a profile, arm or scope axis that is not registered.
    """
    if not isinstance(query, str):
        raise BadValueError(f"a query is text, not {type(query).__name__}")
    chosen = registries.profiles[profile]
    form = query_form if query_form is not None else chosen.query_form
    if form not in QUERY_FORMS:
        raise BadValueError(f"query form {form!r} is none of {', '.join(QUERY_FORMS)}")
    if isinstance(arms, str) or not isinstance(arms, Collection | None):
        raise BadValueError(f"arms is a list of names, not {arms!r}")
    if not isinstance(weights, Mapping | None):
        raise BadValueError(f"weights is a dictionary of numbers by the names of arms, not {weights!r}")
    if arms is not None and not arms:
        raise BadValueError("arms is empty; leave it out to ask all of them")
    return Request(
        query=query,
        profile=chosen,
        weights=weights_of(registries, chosen, only=arms, stated=weights),
        limit=whole_number(LIMIT, limit, chosen.limit),
        offset=whole_number(OFFSET, offset, int(OFFSET.value)),
        window=whole_number(WINDOW, window, chosen.window),
        rank_constant=whole_number(RANK_CONSTANT, rank_constant, chosen.rank_constant),
        query_form=form,
        now=_now(now),
        scope=read_scope(registries, scope or {}),
    )


def whole_number(constant: Constant, value: object, default: int) -> int:
    """A whole number in the constant's range; None is the default.

    Raises:
        BadValueError: anything else. `10.0` and `"10"` are whole numbers, `True` and `10.5` are not.
    """
    if value is None:
        return default
    number: float | int | None = None
    if isinstance(value, float):
        number = value
    elif isinstance(value, SupportsIndex) and not isinstance(value, bool):
        number = operator.index(value)
    elif isinstance(value, str):
        try:
            number = int(value.strip())
        except ValueError:
            number = None
    if number is None or number != number or number in (float("inf"), float("-inf")) or number != int(number):
        raise BadValueError(
            f"{constant.name} is {value!r}; it is a whole number from {constant.minimum} to {constant.maximum}"
        )
    if not constant.minimum <= number <= constant.maximum:
        raise BadValueError(
            f"{constant.name} is {value}; it is a whole number from {constant.minimum} to {constant.maximum}"
        )
    return int(number)


def read_scope(registries: Registries, values: Mapping[str, object]) -> Scope:
    """Check the values of scope axes. None, and an empty list, mean that an axis is not given.

    Raises:
        UnknownNameError: an axis that is not registered.
        BadValueError: a value that its axis does not take.
    """
    for name in values:
        registries.scopes[name]
    given = {name: value for name, value in values.items() if value is not None and value is not False}
    axes: list[ScopeAxis] = []
    bound: dict[str, str | float] = {}
    stated: dict[str, object] = {}
    for axis in registries.scopes:
        if axis.name not in given:
            continue
        value = given[axis.name]
        if axis.kind == "flag":
            if value is not True:
                raise BadValueError(f"{axis.name} is true or false, not {value!r}")
        elif axis.kind in ("since", "until"):
            bound[axis.slot] = _bound(axis, value)
        else:
            texts = _texts(axis, value)
            if not texts:
                continue
            bound[axis.slot] = json_array(texts)
        axes.append(axis)
        stated[axis.name] = value
    return Scope(tuple(axes), bound, stated)


def _texts(axis: ScopeAxis, value: object) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple | set | frozenset) or not all(isinstance(item, str) for item in items):
        raise BadValueError(f"{axis.name} is text, or a list of texts, not {value!r}")
    texts = []
    for item in items if isinstance(items, list | tuple) else sorted(items):
        text = str(item).encode("utf-8", "replace").decode("utf-8")
        if axis.kind == "prefix":
            text = text.replace("\\", "/").removeprefix("./").rstrip("/")
        if text:
            texts.append(text)
        if text and axis.kind == "prefix":  # a name is the same in either Unicode form
            texts += [unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]
    if items and not texts:
        raise BadValueError(f"{axis.name} is empty; leave it out to search everything")
    return texts


def _bound(axis: ScopeAxis, value: object) -> float:
    seconds = moment(value)
    if seconds is None:
        raise BadValueError(f"{axis.name} is {value!r}; it is an {axis.vocabulary}, such as 2024-05-01")
    is_day = (isinstance(value, str) and is_bare_date(value)) or (
        isinstance(value, date) and not isinstance(value, datetime)
    )
    return seconds + _DAY if axis.kind == "until" and is_day else seconds


def _now(value: object) -> float:
    if value is None:
        return time.time()
    seconds = moment(value)
    if seconds is None:
        raise BadValueError(f"now is {value!r}; it is an ISO 8601 date or time, such as 2024-05-01T08:00Z")
    return seconds

"""The options of a search, made from the registries: `search` and `sql` take the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankfold.constants import LIMIT, OFFSET, RANK_CONSTANT, WINDOW
from rankfold.errors import BadValueError
from rankfold.records import Constant, ScopeAxis
from rankfold.retrieval.registry import installed
from rankfold.retrieval.request import QUERY_FORMS

F = TypeVar("F", bound=Callable[..., Any])

_NUMBERS: tuple[Constant, ...] = (LIMIT, OFFSET, WINDOW, RANK_CONSTANT)


def search_options(command: F) -> F:
    """Give a command every option that a search has: numbers and scope axes as their records say."""
    for axis in reversed(tuple(installed().scopes)):
        command = _axis_option(axis)(command)
    options = [
        click.option("--profile", metavar="NAME", help="Search by this profile in place of the collection's own."),
        click.option(
            "--query-form",
            type=click.Choice(QUERY_FORMS),
            help="Documents that hold any or all of the terms; auto is all where some document has them all.",
        ),
        click.option("--arms", metavar="A,B", help="Only these arms."),
        click.option("--weight", "weights", metavar="ARM=W", multiple=True, help="Weight of an arm. Repeatable."),
        click.option("--now", metavar="TIME", help="Count ages from this moment instead of the clock."),
    ]
    for option in reversed([*map(_number_option, _NUMBERS), *options]):
        command = option(command)
    return command


def _number_option(constant: Constant) -> Callable[[F], F]:
    first = constant.doc.partition(". ")[0].rstrip(".")
    who = "the profile's" if constant.set_by == "profile" else f"{constant.value}"
    return click.option(
        constant.flag,
        constant.name,
        metavar="N",
        help=f"{first}. {constant.minimum} to {constant.maximum}; {who} by default.",
    )


def _axis_option(axis: ScopeAxis) -> Callable[[F], F]:
    first = axis.doc.partition(". ")[0].replace("\n", " ").rstrip(".") + "."
    if axis.kind == "flag":
        return click.option(axis.flag, axis.name, is_flag=True, help=f"Scope: {first}")
    is_many = axis.kind in ("any_of", "prefix")
    return click.option(
        axis.flag,
        axis.name,
        metavar=axis.value,
        multiple=is_many,
        help=f"Scope: {first}{' Repeatable.' if is_many else ''}",
    )


def asked(values: dict[str, Any]) -> dict[str, Any]:
    """Option values as the arguments of `Collection.search`.

    Raises:
        BadValueError: a weight that is not `ARM=NUMBER`.
    """
    call = dict(values)
    call["weights"] = dict(_weight(item) for item in call["weights"]) or None
    call["arms"] = [name.strip() for name in call["arms"].split(",") if name.strip()] if call["arms"] else None
    for axis in installed().scopes:
        if isinstance(call[axis.name], tuple):
            call[axis.name] = list(call[axis.name]) or None
    return call


def _weight(text: str) -> tuple[str, float]:
    name, equals, number = text.partition("=")
    try:
        if equals:
            return name.strip(), float(number)
    except ValueError:
        pass
    raise BadValueError(f"weight {text!r} is not of the form ARM=NUMBER, such as fts=1.5")


def joined(words: Sequence[str]) -> str:
    """Words of a command line as one query."""
    return " ".join(words)

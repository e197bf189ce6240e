"""The options of a search, made from the registries: `search` and `sql` take the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankfold.cli.names import completing, named
from rankfold.constants import LIMIT, OFFSET, RANK_CONSTANT, WEIGHT, WINDOW
from rankfold.errors import BadValueError
from rankfold.records import Constant, ScopeAxis
from rankfold.retrieval.registry import installed
from rankfold.retrieval.request import QUERY_FORMS

F = TypeVar("F", bound=Callable[..., Any])

_NUMBERS: tuple[Constant, ...] = (LIMIT, OFFSET, WINDOW, RANK_CONSTANT)


def search_options(command: F) -> F:
    """Give a command every option that a search has: numbers and scope axes as their records say."""
    options = [
        *map(_number_option, _NUMBERS),
        click.option(
            "--profile",
            metavar="NAME",
            help="Search by this profile in place of the collection's own.",
            shell_complete=completing("profiles"),
        ),
        click.option(
            "--query-form",
            type=click.Choice(QUERY_FORMS),
            help="Documents that hold any or all of the terms; auto is all where some document has them all. "
            "Default: the profile's.",
        ),
        click.option(
            "--arms",
            metavar="A,B",
            multiple=True,
            help="Only these arms. Repeatable.",
            shell_complete=completing("arms"),
        ),
        click.option(
            "--weight",
            "weights",
            metavar="ARM=W",
            multiple=True,
            help="Weight of an arm in this search: 0 leaves it out, else "
            f"{WEIGHT.minimum:f} to {WEIGHT.maximum:g}. Repeatable.",
        ),
        click.option("--now", metavar="TIME", help="Count ages from this moment. Default: the clock."),
        *map(_axis_option, installed().scopes),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _number_option(constant: Constant) -> Callable[[F], F]:
    whose = "the profile's, such as " if constant.set_by == "profile" else ""
    return click.option(
        constant.flag,
        constant.name,
        metavar="N",
        help=f"{_first_sentence(constant.doc)} {constant.minimum} to {constant.maximum}. "
        f"Default: {whose}{constant.value}.",
    )


def _axis_option(axis: ScopeAxis) -> Callable[[F], F]:
    text = f"Scope: {_first_sentence(axis.doc)}"
    if axis.kind == "flag":
        return click.option(axis.flag, axis.name, is_flag=True, help=text)
    is_many = axis.kind in ("any_of", "prefix")
    if axis.vocabulary != "open":
        text += f" Values: {axis.vocabulary}."
    if is_many:
        text += " Repeatable."
    return click.option(axis.flag, axis.name, metavar=axis.value, multiple=is_many, help=text)


def _first_sentence(doc: str) -> str:
    return " ".join(doc.split()).partition(". ")[0].rstrip(".") + "."


def asked(values: dict[str, Any]) -> dict[str, Any]:
    """Option values as the arguments of `Collection.search`. Numbers stay the text that was typed.

    Raises:
        BadValueError: a weight that is not `ARM=NUMBER`, or arms that name none.
        UnknownNameError: a profile or an arm that is not registered.
    """
    registries = installed()
    call = dict(values)
    if call["profile"] is not None:
        named(registries.profiles, call["profile"])
    call["arms"] = _arms(call["arms"])
    call["weights"] = dict(_weight(item) for item in call["weights"]) or None
    for name in (*(call["arms"] or ()), *(call["weights"] or ())):
        named(registries.arms, name)
    for axis in registries.scopes:
        if isinstance(call[axis.name], tuple):
            call[axis.name] = list(call[axis.name]) or None
    return call


def _arms(given: Sequence[str]) -> list[str] | None:
    if not given:
        return None
    names = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if not names:
        raise BadValueError(f"--arms names no arm; there are: {', '.join(installed().arms.names)}")
    return names


def _weight(text: str) -> tuple[str, float]:
    name, equals, number = text.partition("=")
    try:
        if equals:
            return name.strip(), float(number)
    except ValueError:
        pass
    example = f"{installed().arms.names[0]}=1.5"
    raise BadValueError(f"weight {text!r} is not of the form ARM=NUMBER, such as {example}")


def joined(words: Sequence[str]) -> str:
    """Words of a command line as one query."""
    return " ".join(words)

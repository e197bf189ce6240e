"""Names that a person typed, looked up with a suggestion that lists the right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from rankfold.errors import UnknownNameError
from rankfold.records import Record
from rankfold.retrieval.registry import Registry, installed

R = TypeVar("R", bound=Record)


def named(registry: Registry[R], name: str) -> R:
    """The record of that name.

    Raises:
        UnknownNameError: there is none; the suggestion is the command that lists them, called as their kind is.
    """
    try:
        return registry[name]
    except UnknownNameError as error:
        raise UnknownNameError(str(error), suggestions=[f"rankfold {registry.kind}"]) from None


def completing(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """A completion of the names of one kind for the shell.

    Args:
        kind: the kind in the plural, as in `Registries`.
    """

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:  # noqa: ARG001
        records: Registry[Any] = getattr(installed(), kind)
        return [CompletionItem(item.name, help=item.title) for item in records if item.name.startswith(typed)]

    return complete

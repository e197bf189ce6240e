"""Where the index is, and whether the answer is JSON: the two options that every command has."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rankfold.environment import DATABASE, value_of
from rankfold.errors import BadValueError, IndexNotFoundError

DEFAULT_PLACE = Path(".rankfold") / "index.db"

F = TypeVar("F", bound=Callable[..., Any])


def common_options(command: F) -> F:
    """Give a command `--db` and `--json`, which may stand before or after its name."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> object:
        if value == Path():
            raise click.BadParameter("it names no file", context, parameter)
        if value not in (None, False):
            context.ensure_object(dict)[parameter.name] = value
        return value

    command = click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=keep, is_eager=True,
        help="Print one JSON envelope on standard output, and nothing else there.",
    )(command)  # fmt: skip
    return click.option(
        "--db", "db", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), expose_value=False,
        callback=keep, is_eager=True,
        help=f"The index. Without it: {DATABASE.name}, else the nearest {DEFAULT_PLACE.as_posix()} here or above.",
    )(command)  # fmt: skip


def shared() -> dict[str, Any]:
    """The options that stand before or after the command's name."""
    found: dict[str, Any] = click.get_current_context().ensure_object(dict)
    return found


def wants_json() -> bool:
    """Whether the answer is to be JSON."""
    return bool(shared().get("as_json"))


def is_named() -> bool:
    """Whether the index was named, by the option or the environment, and not found by looking."""
    return bool(shared().get("db") or value_of(DATABASE))


def place(*, to_make: bool = False) -> Path:
    """Where the index is.

    Args:
        to_make: whether it may be made in the current folder where there is none.

    Raises:
        IndexNotFoundError: none is named and none is found here or above.
        BadValueError: the environment names a folder.
    """
    named = shared().get("db") or value_of(DATABASE)
    if named:
        database = Path(named).expanduser()
        if database.is_dir():
            raise BadValueError(f"{database} is a folder; the index is a file, such as {database / 'index.db'}")
        return database
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DEFAULT_PLACE).is_file():
            return folder / DEFAULT_PLACE
    if to_make:
        return DEFAULT_PLACE
    raise IndexNotFoundError(
        f"there is no {DEFAULT_PLACE.as_posix()} here or in any folder above; make one with: rankfold index FOLDER"
    )


def runnable(command: str, options: dict[str, Any] | None = None) -> str:
    """A command as it reaches the index of this call: with its `--db`, where that was given.

    Args:
        command: a command line; anything but `rankfold …` is left as it is.
        options: the shared options, where no command is running.
    """
    database = (shared() if options is None else options).get("db")
    if database is None or "--db" in command:
        return command
    return re.sub(r"\Arankfold(?= )", lambda name: f"{name.group()} --db {quoted(str(database))}", command)


def quoted(word: str) -> str:
    """A word as the shell of this system reads it."""
    return subprocess.list2cmdline([word]) if os.name == "nt" else shlex.quote(word)

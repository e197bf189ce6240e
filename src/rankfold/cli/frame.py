"""What every command shares: where the index is, how an answer is written, what an error looks like."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from rankfold.errors import USAGE, IndexNotFoundError, RankfoldError

API_VERSION = "1"
DEFAULT_PLACE = Path(".rankfold") / "index.db"

F = TypeVar("F", bound=Callable[..., Any])


def common_options(command: F) -> F:
    """Give a command `--db` and `--json`, which may stand before or after its name."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> object:
        shared = context.ensure_object(dict)
        if value not in (None, False):
            shared[parameter.name] = value
        return value

    command = click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=keep, is_eager=True,
        help="Print one JSON envelope on standard output.",
    )(command)  # fmt: skip
    return click.option(
        "--db", "db", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), expose_value=False,
        callback=keep, is_eager=True,
        help="The index. Without it: RANKFOLD_DB, else the nearest .rankfold/index.db here or above.",
    )(command)  # fmt: skip


def place(*, to_make: bool = False) -> Path:
    """Where the index is.

    Args:
        to_make: whether it may be made in the current folder where there is none.

    Raises:
        IndexNotFoundError: none is named and none is found here or above.
    """
    named = shared().get("db") or os.environ.get("RANKFOLD_DB")
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DEFAULT_PLACE).is_file():
            return folder / DEFAULT_PLACE
    if to_make:
        return DEFAULT_PLACE
    raise IndexNotFoundError(
        f"there is no {DEFAULT_PLACE} here or in any folder above; make one with: rankfold index FOLDER",
        suggestions=["rankfold index ."],
    )


def shared() -> dict[str, Any]:
    """The options that stand before or after the command's name."""
    found: dict[str, Any] = click.get_current_context().ensure_object(dict)
    return found


def wants_json() -> bool:
    """Whether the answer is to be JSON."""
    return bool(shared().get("as_json"))


def write_json(kind: str, data: object, warnings: Sequence[str] = ()) -> None:
    """Print the envelope of a success."""
    _print({"api_version": API_VERSION, "type": kind, "data": data, "warnings": list(warnings)})


def write_warnings(warnings: Sequence[str]) -> None:
    """Print warnings on standard error, where the answer is not JSON."""
    for warning in warnings:
        click.secho(f"warning: {printable(warning)}", err=True, fg="yellow")


def plain(value: object) -> Any:
    """A record as JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value


def printable(text: str) -> str:
    """The text without control characters, so that no document can steer a terminal."""
    return "".join(
        character if character == "\n" or (character >= " " and not "\x7f" <= character <= "\x9f") else "\ufffd"
        for character in text.replace("\t", " ")
    )


def _print(envelope: Mapping[str, object]) -> None:
    # ASCII alone is valid in every encoding that a console may have.
    click.echo(json.dumps(envelope, ensure_ascii=True, allow_nan=False))


class Commands(click.Group):
    """A group that turns every error into a message or an envelope, and into the right exit status."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and on a name that is none say which is nearest."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = ", ".join(self.list_commands(ctx))
            raise click.UsageError(f"There is no command {name!r}.{hint} Commands: {known}", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which people meet them."""
        return list(self.commands)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and exit with the status that the outcome has."""
        extra["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:  # a console that lacks a character shows another one, and the command goes on
                reconfigure(errors="replace")
        try:
            status = super().main(*args, **extra)
            sys.stdout.flush()
        except RankfoldError as error:
            _fail(str(error), error.record.name, error.suggestions, error.record.fix)
            status = error.record.exit_code
        except click.UsageError as error:
            suggestion = f"{error.ctx.command_path} --help" if error.ctx else "rankfold --help"
            _fail(error.format_message(), USAGE.name, [suggestion], None)
            status = USAGE.exit_code
        except click.ClickException as error:
            _fail(error.format_message(), "error", [], None)
            status = 1
        except (KeyboardInterrupt, click.Abort):
            status = 130
        except BrokenPipeError:  # whoever reads has seen enough
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 0
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, code: str, suggestions: Sequence[str], fix: str | None) -> None:
    if "--json" in sys.argv:
        _print({"api_version": API_VERSION, "error": message, "code": code, "suggestions": list(suggestions)})
        return
    click.secho(f"error: {printable(message)}", err=True, fg="red")
    if suggestions:
        for suggestion in suggestions:
            click.echo(f"  try: {printable(suggestion)}", err=True)
    elif fix:
        click.echo(f"  {fix}", err=True)

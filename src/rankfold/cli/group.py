"""The group of commands: every way to end becomes a message or an envelope, and the right exit status."""

from __future__ import annotations

import difflib
import os
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from rankfold.cli.envelope import write_json_error
from rankfold.cli.place import quoted, runnable
from rankfold.cli.terminal import PipeClosedError, printable, say_aside
from rankfold.errors import INTERNAL, USAGE, IndexNotFoundError, RankfoldError
from rankfold.records import Error

PROGRAM = "rankfold"
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""

_COMMAND_IN_PROSE = re.compile(r"`(rankfold [^`A-Z]+)`")
_PROGRAMS = (PROGRAM, "pip", "python")


@dataclass(frozen=True)
class _Call:
    """What was typed, for a suggestion to take up."""

    typed: Sequence[str]
    options: dict[str, Any]
    """The shared options, as far as they were read."""
    commands: Sequence[str]
    """The names of all commands."""


@dataclass(frozen=True)
class Failure:
    """What is said about an error, in whichever form."""

    message: str
    record: Error
    suggestions: Sequence[str] = ()
    """Commands that run as they are."""
    fix: str | None = None
    """What else to do, where no command mends it."""


class Commands(click.Group):
    """A group whose commands return their exit status, or nothing for success."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order in which people meet them."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; of a name that is none, say which is nearest and which there are."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            known = self.list_commands(ctx)
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint} Commands: {', '.join(known)}", ctx)
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options in front of the command's name."""
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:  # click would make it status 1
            raise PipeClosedError from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise PipeClosedError from None

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run, and exit with the status that the outcome has."""
        call = _Call(list(sys.argv[1:] if args is None else args), {}, list(self.commands))
        status = 0
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:  # a console that lacks a character shows another one, and the command goes on
                reconfigure(errors="replace")
        try:
            try:
                # What looks like a file pattern may be part of a query; `index` expands its own.
                extra.update(standalone_mode=False, windows_expand_args=False)
                outcome = super().main(call.typed, prog_name or PROGRAM, obj=call.options, **extra)
                status = outcome if isinstance(outcome, int) else 0
                if sys.stdout is not None:
                    sys.stdout.flush()
            except (PipeClosedError, BrokenPipeError):
                raise
            except (KeyboardInterrupt, click.Abort):
                status = INTERRUPTED
            except click.exceptions.NoArgsIsHelpError as error:
                click.echo(error.format_message(), err=True)
                status = USAGE.exit_code
            except Exception as error:
                failure = _failure(error, call)
                status = failure.record.exit_code
                _tell(failure, as_json=_asks_for_json(call.typed))
        except (PipeClosedError, BrokenPipeError):
            pass  # whoever reads has seen enough, and what failed before has failed all the same
        except OSError:  # not even the error could be written
            status = INTERNAL.exit_code
        _give_up_unwritten()
        sys.exit(status)


def _asks_for_json(typed: Sequence[str]) -> bool:
    """Whether `--json` stands among the arguments, which may be what is wrong and so was not read."""
    options = typed[: typed.index("--")] if "--" in typed else typed
    return "--json" in options


def _give_up_unwritten() -> None:
    """Leave nothing for the interpreter to write when it ends, where writing failed before."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failure(error: Exception, call: _Call) -> Failure:
    if isinstance(error, RankfoldError):
        return Failure(str(error), error.record, _suggestions(error, call), error.record.fix)
    if isinstance(error, click.UsageError):
        return _usage(error, call)
    if isinstance(error, click.ClickException):
        return Failure(error.format_message(), INTERNAL)
    if isinstance(error, OSError):
        return Failure(str(error), INTERNAL)
    click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    return Failure(f"this is a defect: {type(error).__name__}: {error}", INTERNAL, fix=INTERNAL.fix)


def _suggestions(error: RankfoldError, call: _Call) -> list[str]:
    commands = [text for text in error.suggestions if text.split(" ")[0] in _PROGRAMS]
    if isinstance(error, IndexNotFoundError):
        commands = [f"{PROGRAM} index ."]
    if not commands:
        commands = _COMMAND_IN_PROSE.findall(error.record.fix)
    if not commands and error.record.exit_code == USAGE.exit_code:
        commands = [_help_of(call)]
    return [runnable(command, call.options) for command in commands]


def _help_of(call: _Call) -> str:
    named = next((word for word in call.typed if word in call.commands), None)
    return f"{PROGRAM} {named} --help" if named else f"{PROGRAM} --help"


def _usage(error: click.UsageError, call: _Call) -> Failure:
    message = error.format_message()
    command = error.ctx.command if error.ctx else None
    path = error.ctx.command_path if error.ctx else PROGRAM
    suggestions = [f"{path} --help"]
    if isinstance(error, click.NoSuchOption) and command is not None:
        root = error.ctx.find_root() if error.ctx else None
        takers = _takers(root, error.option_name)
        if takers:  # a better hint than the nearest name
            message = f"{error.message} It is an option of {', '.join(f'`{PROGRAM} {name}`' for name in takers)}."
            suggestions.insert(0, f"{PROGRAM} {takers[0]} --help")
        elif not error.option_name.startswith("--") and any(item.name == "query" for item in command.params):
            word = next((text for text in call.typed if text.startswith(error.option_name)), error.option_name)
            message += " Words that start with a dash come after `--`."
            suggestions.insert(0, runnable(f"{path} -- {quoted(word)}", call.options))
    return Failure(message, USAGE, suggestions)


def _takers(root: click.Context | None, option: str) -> list[str]:
    if root is None or not isinstance(root.command, click.Group):
        return []
    return [
        name
        for name, command in root.command.commands.items()
        if any(option in parameter.opts for parameter in command.params)
    ]


def _tell(failure: Failure, *, as_json: bool) -> None:
    if as_json:
        write_json_error(failure.message, failure.record.name, failure.suggestions)
        return
    say_aside(f"error: {printable(failure.message)}", "bold red")
    for suggestion in failure.suggestions:
        say_aside(f"  try: {printable(suggestion)}")
    if failure.fix and not failure.suggestions:
        say_aside(f"  {failure.fix}")

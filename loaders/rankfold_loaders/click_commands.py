"""Click commands as plain values: what `--help` knows, for a page per command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import click


def describe(group: click.Group, program: str) -> list[dict[str, Any]]:
    """Every command below a group, in the group's own order; hidden ones are left out.

    Args:
        group: the group, such as the one behind the `rankfold` script.
        program: the script's name, for the usage lines.

    Returns:
        Per command its name (words joined by `-`), usage, help, parameters, and where it is written.
    """
    context = click.Context(group, info_name=program)
    return [_command(words, command, context) for words, command, context in _walk(group, context, ())]


def _walk(
    group: click.Group, context: click.Context, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        below = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _walk(command, below, (*words, name))
        else:
            yield (*words, name), command, below


def _command(words: tuple[str, ...], command: click.Command, context: click.Context) -> dict[str, Any]:
    usage = re.sub(r"\s+", " ", context.get_usage()).removeprefix("Usage: ")
    return {
        "name": "-".join(words),
        "title": " ".join((context.find_root().info_name or "", *words)),
        "usage": usage,
        "doc": "\n\n".join(filter(None, (_help_text(command.help or ""), _help_text(command.epilog or "")))),
        "short_help": re.sub(r"\s+", " ", _help_text(command.help or "").partition("\n\n")[0]),
        "deprecated": bool(command.deprecated),
        "parameters": [
            _parameter(parameter, context)
            for parameter in command.get_params(context)
            if not getattr(parameter, "hidden", False)
        ],
        "source": _source(command),
    }


def _help_text(text: str) -> str:
    # `\b` keeps click from re-wrapping a paragraph: such a paragraph is shown as it stands.
    paragraphs = inspect.cleandoc(text.split("\f", 1)[0]).split("\n\n")
    shown = []
    for paragraph in paragraphs:
        if paragraph.startswith("\b\n"):
            body = "\n".join(f"    {line}" for line in paragraph[2:].splitlines())
            shown.append(body)
        else:
            shown.append(paragraph)
    return "\n\n".join(shown).strip("\n")


def _parameter(parameter: click.Parameter, context: click.Context) -> dict[str, Any]:
    info = parameter.to_info_dict()
    is_argument = isinstance(parameter, click.Argument)
    kind = info["type"]
    # Off and "not given" are the defaults that need no saying; a flag's False is one of them.
    default = info.get("default")
    if callable(default):
        default = None
    choices = [str(choice) for choice in kind.get("choices") or ()]
    names = [parameter.make_metavar(context)] if is_argument else [*info["opts"], *info["secondary_opts"]]
    return {
        "kind": "argument" if is_argument else "option",
        "names": names,
        "value": ""
        if is_argument or info.get("is_flag") or info["secondary_opts"]
        else parameter.make_metavar(context),
        "type": "none, it is a switch" if info.get("is_flag") or kind["param_type"] == "Bool" else kind["name"],
        "choices": choices,
        "minimum": kind.get("min"),
        "maximum": kind.get("max"),
        "default": _default(default),
        "required": bool(info["required"]),
        "repeatable": bool(info["multiple"]) or info["nargs"] == -1,
        "environment": _environment(info.get("envvar")),
        "help": info.get("help") or "",
    }


def _default(value: object) -> str:
    if value is None or value is False or value == () or value == []:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(str(item) for item in value)
    return str(value)


def _environment(value: object) -> str:
    if not value:
        return ""
    return str(value) if isinstance(value, str) else ", ".join(str(item) for item in value)  # type: ignore[attr-defined]


def _source(command: click.Command) -> dict[str, Any] | None:
    if command.callback is None:
        return None
    function = inspect.unwrap(command.callback)
    return {"file": function.__code__.co_filename, "line": function.__code__.co_firstlineno}

"""The pages of a command line: one per command, with what `--help` knows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders.addresses import page_of
from rankfold_loaders.agreement import Entry
from rankfold_loaders.page_model import Page, Table
from rankfold_loaders.pages import NO, NOTHING, YES, Maker


def pages(maker: Maker) -> list[Page]:
    """The list of commands and a page for each."""
    return [maker.page(), *(_command(maker.at(page_of(maker.row, entry.name)), entry) for entry in maker.entries)]


def _command(maker: Maker, entry: Entry) -> Page:
    parameters = entry.value("parameters")
    explained = _explained_flags(maker)
    arguments = Table(
        "Arguments",
        "arguments",
        ("Argument", "What it is", "Required", "Repeatable"),
        tuple(_argument(parameter) for parameter in parameters if parameter["kind"] == "argument"),
    )
    listed = [parameter for parameter in parameters if parameter["kind"] == "option"]
    # Where no option has a default of its own, its text says what counts without it.
    has_defaults = any(option["default"] for option in listed)
    kept = ["Option", "What it does", "Value", *(["Default"] if has_defaults else []), "Repeatable"]
    options = Table(
        "Options",
        "options",
        tuple(kept),
        tuple(tuple(_option(option, explained)[heading] for heading in kept) for option in listed),
    )
    return Page(
        maker.here,
        entry.value("title"),
        entry.value("short_help") or f"The command {entry.value('title')}.",
        maker.row.each_template,
        {
            "title": md.escape(entry.value("title")),
            "usage": entry.value("usage"),
            "doc": maker.doc(entry.value("doc"), entry.name),
            "deprecated": entry.value("deprecated"),
            "arguments": arguments,
            "options": options,
        },
        maker.origins([entry]),
        edit=entry.source.file,
    )


def _explained_flags(maker: Maker) -> dict[str, str]:
    """Options that a record stands behind, each with a link to it."""
    return {
        entry.values["flag"]: maker.link(kind, entry.name)
        for kind, entries in maker.joined.entries.items()
        for entry in entries
        if entry.values.get("flag")
    }


def _argument(argument: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        ", ".join(md.code(name) for name in argument["names"]),
        _type(argument),
        YES if argument["required"] else NO,
        YES if argument["repeatable"] else NO,
    )


def _option(option: Mapping[str, Any], explained: Mapping[str, str]) -> dict[str, str]:
    names = ", ".join(md.code(name) for name in option["names"])
    said = re.sub(r"\s+", " ", md.prose(option["help"])) or NOTHING
    see = next((explained[name] for name in option["names"] if name in explained), "")
    notes = [said, f"See {see}." if see else ""]
    if option["required"]:
        notes.insert(0, "Required.")
    if option["environment"]:
        notes.append(f"Environment: {md.code(option['environment'])}.")
    return {
        "Option": names,
        "What it does": " ".join(filter(None, notes)),
        "Value": _type(option),
        "Default": md.code(option["default"]) if option["default"] else NOTHING,
        "Repeatable": YES if option["repeatable"] else NO,
    }


def _type(parameter: Mapping[str, Any]) -> str:
    if parameter["choices"]:
        return ", ".join(md.code(choice) for choice in parameter["choices"])
    limits = [(word, parameter[key]) for word, key in (("from", "minimum"), ("to", "maximum"))]
    bounds = " ".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
    kind = str(parameter["type"]).removesuffix(" range")
    shown = md.escape(kind)
    if parameter["value"] and parameter["value"].lower() not in (kind, str(parameter["type"])):
        shown = md.code(parameter["value"])
    return f"{shown} {bounds}".strip()

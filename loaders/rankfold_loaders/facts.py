"""Facts that authored pages look up by name, so that no page retypes what a record states.

A page writes `{{ arms.fts.weight }}` in prose. Code spans and fences are left alone, so that a page can show template
syntax; where a fact is wanted inside code, `{{= arms.fts.weight }}` is looked up there too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rankfold_loaders import figures
from rankfold_loaders import markdown_text as md
from rankfold_loaders.agreement import Joined
from rankfold_loaders.faults import Fault, SiteError

FACT = re.compile(r"\{\{(?P<code>=?)\s*(?P<name>[A-Za-z0-9_.-]+)\s*\}\}")


def facts(joined: Joined, more: Mapping[str, str]) -> dict[str, str]:
    """Every fact by its dotted name.

    `<kind>.count`, `<kind>.<name>.<field>`, `profiles.<profile>.weight.<arm>` for the weight that counts there,
    `statements.<profile>` for the whole SQL, `figures.flow` for a picture, `default.profile`, and what the package's
    metadata states.
    """
    known: dict[str, str] = dict(more)
    for row in joined.reference.registries:
        entries = joined.entries[row.kind]
        known[f"{row.kind}.count"] = str(len(entries))
        known[f"{row.kind}.names"] = ", ".join(entry.name for entry in entries)
        for entry in entries:
            for path, value in _leaves(entry.values):
                shown = entry.text(path) if not isinstance(value, list) else ", ".join(str(item) for item in value)
                known[f"{row.kind}.{entry.name}.{path}"] = _yes_or_no(value, shown)
    search = joined.live["search"]
    for profile, described in search.get("profiles", {}).items():
        for arm in joined.entries.get("arms", ()) if joined.reference.has("profiles") else ():
            _, known[f"profiles.{profile}.weight.{arm.name}"] = joined.weight(profile, arm.name)
        known[f"statements.{profile}"] = described["whole"]
    if search:
        active = [name for name, described in joined.live["search"]["arm_sql"].items() if described["sql"]]
        known["figures.flow"] = figures.flow(active).html
        known["default.profile"] = search["default_profile"]
    return known


def _yes_or_no(value: object, shown: str) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else shown


def _leaves(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        elif value is not None and not (isinstance(value, list) and any(isinstance(item, Mapping) for item in value)):
            yield f"{prefix}{key}", value


def substitute(markdown: str, known: Mapping[str, str], file: str, first_line: int = 1) -> str:
    """A page with its facts looked up.

    Args:
        markdown: the page, without front matter.
        known: facts by name.
        file: the authored file, for messages.
        first_line: the line of the file on which `markdown` begins.

    Raises:
        SiteError: names that are no facts, each with file and line and the nearest known name.
    """
    faults: list[Fault] = []
    out: list[str] = []
    line = first_line

    for piece, is_code in md.split_code(markdown):
        at = 0
        for match in FACT.finditer(piece):
            inside_code = is_code or bool(match["code"])
            out.append(piece[at : match.start()])
            at = match.end()
            if is_code and not match["code"]:
                out.append(match.group())
                continue
            value = known.get(match["name"])
            if value is None:
                where = line + piece.count("\n", 0, match.start())
                faults.append(
                    Fault(f"{file}:{where}", f"there is no fact {match['name']!r}{_nearest(match['name'], known)}")
                )
                continue
            out.append(value if inside_code else md.escape(value))
        out.append(piece[at:])
        line += piece.count("\n")
    if faults:
        raise SiteError(faults)
    return "".join(out)


def _nearest(name: str, known: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""

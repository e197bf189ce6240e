"""The texts of records, of the table of registries and of templates: what they type is in the ledger, with its reason.

That is: their free numerals, and the quoted names that are not in the vocabulary. They have no room for footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import yaml

from rankfold_loaders import markdown_text as md
from rankfold_loaders.claims import NUMERAL, STRUCTURE, Reading, blank, number_in
from rankfold_loaders.configuration import SafeLoader
from rankfold_loaders.faults import Fault
from rankfold_loaders.project import Project
from rankfold_loaders.vocabulary import Named, Vocabulary

PROSE = {"doc", "fix", "source", "bounds", "help", "short_help", "unit", "vocabulary", "supplied_by", "example"} | {
    "title",
    "heading",
    "description",
}
"""Fields of records that hold text for people."""
LEDGER = "docs/free-numerals.yml"
"""Where the texts of records have their free numerals, each with its reason: they have no room for footnotes."""
_FILLED = re.compile(r"\{##.*?##\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
"""What a template fills in."""


def read_records(project: Project, entries: Mapping[str, Sequence[Named]], names: Vocabulary) -> Reading:
    """The texts of records, of the table of registries and of templates: what they type is in the ledger.

    That is: their free numerals, and the quoted names that are not in the vocabulary.
    """
    file = project.root / LEDGER
    ledger: dict[str, tuple[str, ...]] = {}
    found = Reading()
    for entry in (yaml.load(file.read_text(encoding="utf-8"), SafeLoader) or []) if file.is_file() else []:
        if not str(entry.get("because", "")).strip():
            found.faults.append(Fault(LEDGER, f"{', '.join(entry['in'])}: there is no reason; say why in `because`"))
        ledger |= dict.fromkeys(entry["in"], tuple(map(str, entry["types"])))
    for place, key, text, computed in [*_record_texts(entries), *_layout_texts(project)]:
        typed: list[str] = []
        for piece, is_code in md.split_code(text):
            span = piece.strip("`")
            found.verified += is_code
            if is_code and names.unknown(span):
                typed.append(span)
            elif not is_code:
                typed += [numeral for numeral in NUMERAL.findall(piece) if number_in(numeral) not in computed]
        found.free += len(typed)
        stated = ledger.pop(key, ())
        if stated != tuple(typed):
            said = (
                f"{key} types {', '.join(typed) or 'nothing free'}, and {LEDGER} states {', '.join(stated) or 'none'}"
            )
            found.faults.append(Fault(place, f"{said}; take it out of the text, or state it there"))
    found.faults += (Fault(LEDGER, f"{key} is no text of a record or template") for key in sorted(ledger))
    return found


def _record_texts(entries: Mapping[str, Sequence[Named]]) -> Iterator[tuple[str, str, str, set[float | None]]]:
    """Every text for people in a record: its place, its name, the text, and the numbers that it computes.

    The help of an option that states the range and default of a constant is computed from them.
    """
    numbers = _numbers_by_flag(entries)
    for kind, records in entries.items():
        for record in records:
            source = getattr(record, "source", None)
            if getattr(source, "origin", "") not in ("", "registered at run time"):
                continue  # another package's text is its own affair
            place = getattr(source, "place", "") or f"{kind}.{record.name}"
            for path, text in _texts(record.values):
                computed = numbers.get(path.split(".")[-2], set()) if path.endswith(".help") else set()
                yield place, f"{kind}.{record.name}.{path}", text, computed


def _layout_texts(project: Project) -> Iterator[tuple[str, str, str, set[float | None]]]:
    """What generated pages say around the records, in the table of registries and in the project's own templates."""
    for row in project.reference.registries:
        for key in ("description", "lead"):
            yield "registries", f"registries.{row.kind}.{key}", re.sub(r"`[^`]*`", "", getattr(row, key)), set()
    for file in sorted((project.root / "site-templates").rglob("*.jinja")):
        text = file.read_text(encoding="utf-8")
        text = blank(text, [match.span() for match in _FILLED.finditer(text)])
        text = blank(text, [match.span() for match in STRUCTURE.finditer(text)])
        name = file.relative_to(project.root).as_posix()
        yield name, name, text.replace("`", " "), set()


def _numbers_by_flag(entries: Mapping[str, Sequence[Named]]) -> dict[str, set[float | None]]:
    """For an option that a record names as its own, the numbers of that record and what profiles say of it."""
    found: dict[str, set[float | None]] = {}
    for records in entries.values():
        for record in records:
            flag = record.values.get("flag")
            if isinstance(flag, str) and flag:
                stated = [*record.values.values(), *(p.values.get(record.name) for p in entries.get("profiles", ()))]
                numbers = {float(value) for value in stated if isinstance(value, (int, float))}
                found.setdefault(flag, set()).update(numbers)
    return found


def _texts(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The texts for people in a record, each with its path."""
    for key, value in values.items():
        if isinstance(value, str) and key in PROSE:
            yield f"{prefix}{key}", value
        elif isinstance(value, Mapping):
            yield from _texts(value, f"{prefix}{key}.")
        elif isinstance(value, (list, tuple)):
            for n, item in enumerate(value):
                if isinstance(item, Mapping):
                    called = item.get("name") or next(iter(item.get("names") or ()), n)
                    yield from _texts(item, f"{prefix}{key}.{called}.")

"""From what a file or a dictionary says about a document to the values of `rankfold.fields.FIELDS`.

Nothing here raises on a bad value. What cannot be read is left out and becomes a `Doubt` that names the key,
so that one wrong date never costs a document.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Final

from rankfold.fields import ATTRIBUTES, FIELDS, TAGS
from rankfold.indexing.source_document import Doubt
from rankfold.records import Field
from rankfold.times import moment

_YES: Final = frozenset({"true", "yes", "on", "y", "1"})
_NO: Final = frozenset({"false", "no", "off", "n", "0"})

_NUL_RUN: Final = re.compile("\0+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")

# Aliases let a few lines of YAML stand for more text than memory holds.
_MOST_NODES: Final = 10_000
_DEEPEST: Final = 50


class _UnreadableError(ValueError):
    """A value that its field cannot take; the message completes the sentence `tags: …`."""


@dataclass(frozen=True)
class _Stated:
    """A value together with the key as its owner spelt it."""

    key: object
    value: object

    @property
    def name(self) -> str:
        return _text(self.key)


def clean_text(text: str) -> str:
    """The text without what other programs stumble over: lone surrogates, U+0000, CR, a mark in front.

    A run of U+0000 becomes one space, so that the words beside it stay apart. The count of lines never
    changes beyond reading CR and CRLF as line ends.
    """
    if _SURROGATE.search(text):
        # Two halves side by side are one character, escaped as UTF-16; a half alone is beyond repair.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _NUL_RUN.sub(" ", text)


def read_fields(
    raw: Mapping[str, object], *, lines: Mapping[str, int] | None = None
) -> tuple[dict[str, object], list[Doubt]]:
    """What a document states about itself, by field name, and what could not be read.

    Args:
        raw: keys as their owner wrote them, in any case, with values of any type. `None` states nothing.
        lines: 1-based line of the file on which a key stands, for the doubts.

    Returns:
        Values by `Field.name`, each of the type that `SourceDocument.fields` documents, and the doubts. A key
        that is no field becomes an attribute under the name that it has. So does a second key for one field:
        `Field.keys` states which of them wins.
    """
    lines = lines or {}
    doubts: list[Doubt] = []

    def doubt(key: object, reason: str) -> None:
        line = lines.get(key) if isinstance(key, str) else None
        doubts.append(Doubt(f"{_shown(key)}: {reason}", line))

    remaining: dict[str, list[_Stated]] = {}
    for key, value in raw.items():
        if value is None:
            continue
        try:
            stated = _Stated(key, value)
            remaining.setdefault(stated.name.strip().lower(), []).append(stated)
        except _UnreadableError as error:
            doubt(key, str(error))

    values: dict[str, object] = {}
    for field in FIELDS:
        for name in dict.fromkeys((*field.keys, field.name)):
            # Of several spellings, such as `Date` and `date`, the first counts; the rest become attributes.
            while field.name not in values and remaining.get(name):
                stated = remaining[name].pop(0)
                try:
                    value = _convert(field, stated.value, partial(doubt, stated.key))
                except _UnreadableError as error:
                    doubt(stated.key, str(error))
                    continue
                if value not in ("", [], {}):
                    values[field.name] = value

    attributes: dict[str, str] = {}
    for stated in (stated for several in remaining.values() for stated in several):
        try:
            attributes[stated.name] = _text(stated.value)
        except _UnreadableError as error:
            doubt(stated.key, str(error))
    own = values.get(ATTRIBUTES.name)
    if isinstance(own, dict):
        attributes.update(own)
    if attributes:
        values[ATTRIBUTES.name] = attributes
    return values, doubts


def _convert(field: Field, value: object, doubt: Callable[[str], None]) -> object:
    """The value as the field's type wants it; parts of a list that cannot be read are passed over with a
    doubt."""
    match field.type:
        case "text":
            if isinstance(value, Mapping | list | tuple | set | frozenset):
                raise _UnreadableError("must be text")
            return _text(value).strip()
        case "texts":
            texts = _texts(value, doubt)
            return _words_of_tags(texts) if field is TAGS else texts
        case "time":
            return _time(value)
        case "number":
            return _number(value)
        case "flag":
            return _flag(value)
        case "pairs":
            return _pairs(value, doubt)


def _text(value: object) -> str:
    """Text as a person would write the value: `true`, `2024-05-01`, and compact JSON for lists and
    mappings."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    try:
        if isinstance(value, Mapping | list | tuple | set | frozenset):
            plain = _plain(value, [_MOST_NODES], _DEEPEST)
            return clean_text(json.dumps(plain, ensure_ascii=False, separators=(",", ":")))
        return clean_text(str(value))
    except _UnreadableError:
        raise
    except Exception as error:  # dictionaries may hold objects of any class, whose __str__ may raise anything
        raise _UnreadableError("cannot be read as text") from error


def _plain(value: object, nodes: list[int], depth: int) -> object:
    """The value in JSON's own types. `nodes` holds how many more parts it may have."""
    nodes[0] -= 1
    if nodes[0] < 0 or depth < 0:
        raise _UnreadableError("is too large or too deeply nested")
    if isinstance(value, Mapping):
        return {_text(key): _plain(part, nodes, depth - 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, nodes, depth - 1) for part in value]
    if isinstance(value, set | frozenset):
        return [_plain(part, nodes, depth - 1) for part in sorted(value, key=_text)]
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return _text(value)


def _texts(value: object, doubt: Callable[[str], None]) -> list[str]:
    """A list as it stands, or a text cut at its commas; empty ones and repeats dropped."""
    if isinstance(value, Mapping):
        raise _UnreadableError("must be a list or a text with commas")
    texts: Iterable[str]
    texts = _leaves(value, doubt) if isinstance(value, list | tuple | set | frozenset) else _text(value).split(",")
    return list(dict.fromkeys(stripped for text in texts if (stripped := text.strip())))


def _leaves(
    value: list[object] | tuple[object, ...] | set[object] | frozenset[object], doubt: Callable[[str], None]
) -> list[str]:
    """The texts of a list and of the lists in it: YAML reads `[[Some page]]` as one list inside another."""
    found: list[str] = []
    nodes = 0
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        nodes += 1
        if nodes > _MOST_NODES or depth > _DEEPEST:
            raise _UnreadableError("is too large or too deeply nested")
        if isinstance(part, list | tuple):
            waiting.extend((inner, depth + 1) for inner in reversed(part))
        elif isinstance(part, Mapping):
            doubt("an entry that is a mapping was left out")
        elif part is not None:
            try:
                if isinstance(part, set | frozenset):
                    waiting.extend((inner, depth + 1) for inner in sorted(part, key=_text, reverse=True))
                else:
                    found.append(_text(part))
            except _UnreadableError:
                doubt("an entry that cannot be read as text was left out")
    return found


def _words_of_tags(tags: list[str]) -> list[str]:
    """Tags without the `#` that marks them in running text; `#a #b` is two."""
    words = (word for tag in tags for word in (re.split(r"\s+", tag) if tag.startswith("#") else [tag]))
    return list(dict.fromkeys(stripped for word in words if (stripped := word.lstrip("#").strip())))


def _time(value: object) -> float:
    seconds = moment(value)
    if seconds is None:
        raise _UnreadableError(f"{_shown(value)} is not a date or time in ISO 8601")
    return seconds


def _number(value: object) -> float:
    number = math.nan
    if not isinstance(value, bool):
        try:
            number = float(value)  # type: ignore[arg-type]  # whatever it is, float() decides
        except Exception:  # __float__ of a class we do not know may raise anything
            number = math.nan
    if not math.isfinite(number):
        raise _UnreadableError(f"{_shown(value)} is not a number")
    return number


def _flag(value: object) -> bool:
    word = _text(value).strip().lower()
    if isinstance(value, float):
        word = word.removesuffix(".0")
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise _UnreadableError(f"{_shown(value)} is neither yes nor no")


def _pairs(value: object, doubt: Callable[[str], None]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    if isinstance(value, Mapping):
        for name, part in value.items():
            if part is not None:
                try:
                    pairs[_text(name)] = _text(part)
                except _UnreadableError as error:
                    doubt(f"{_shown(name)} {error}")
        return pairs
    if not isinstance(value, list | tuple | str):
        raise _UnreadableError("must be names with values")
    for text in _texts(value, doubt):
        name, equals, part_text = text.partition("=")
        if equals and name.strip():
            pairs[name.strip()] = part_text.strip()
        else:
            doubt(f"{_shown(text)} is not of the form name=value")
    return pairs


def _shown(value: object) -> str:
    """The value for a message, on one line and not too long."""
    try:
        text = " ".join(_text(value).split())
    except _UnreadableError:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 60 else text[:59] + "…"

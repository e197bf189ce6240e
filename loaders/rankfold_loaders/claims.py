"""What a text claims by typing it: numerals, and names; and what was found of them in a text."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rankfold_loaders.faults import Fault

NUMERAL = re.compile(r"(?<!\w)(?<!\w[-.@])\.?\d(?:(?:[\w.,:/×-]|(?<=e)\+)*\w)?")
"""A number, a date, a version: whatever begins with a digit. `FTS5` and `UTF-8` are names."""
IDENTIFIER = re.compile(r"(?<![\w`/.-])(?:[a-z]+_[a-z0-9_]+|--[a-z][a-z-]+)(?![\w(/])")
"""What can only be a name, outside of code."""
STRUCTURE = re.compile(
    r"(?<=\])\([^()\s]*(?:\s\"[^\"]*\")?\)"  # link targets
    r"|^\[[^\]^][^\]]*\]:.*$"  # and those of references
    r"|\[\^[^\]\s]+\]:?"  # footnotes
    r"|<!--.*?-->|</?[A-Za-z][^<>]*>"  # tags and comments
    r"|\{ ?[:#.][^{}\n]*\}"  # attribute lists
    r"|^#+ \d+\.(?= )|^ *\d+[.)](?= )",  # numbers of headings and list items
    re.MULTILINE | re.DOTALL,
)
"""What stands in Markdown and is not read."""


@dataclass
class Reading:
    """What was found on a page."""

    faults: list[Fault] = field(default_factory=list)
    looked_up: int = 0
    verified: int = 0
    """Quoted names that the project has, and numerals that were compared."""
    free: int = 0
    """Numerals and names that carry a mark."""


def blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with stretches replaced by spaces; every line and every offset stays."""
    out = list(text)
    for start, end in spans:
        out[start:end] = [character if character == "\n" else " " for character in text[start:end]]
    return "".join(out)


def number_in(text: str) -> float | None:
    """The number that a numeral stands for; None where it is a date, a version or no number at all."""
    with contextlib.suppress(ValueError):
        return float(text.replace(",", ""))
    return None

"""The text that FTS5 indexes in place of what a document says: what SQLite's own tokenizers leave undone.

The index stays readable by any SQLite program, because the tokenizer is SQLite's; only the text it is given differs:

- compatibility forms and decomposed letters become composed ones (Unicode normalisation form NFKC);
- variation selectors, which unicode61 would glue to a word, are dropped;
- runs of scripts that are written without spaces become overlapping pairs of code points, so that a word inside a
  sentence is found as a phrase of pairs.

The same derivation runs over every query. See https://sqlite.org/fts5.html#unicode61_tokenizer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

DERIVATION = "nfkc-pairs-1"
"""Version of the derivation; stored with the index, because a query must be derived as the text was."""

# Scripts without spaces between words, and Hangul, whose particles stick to the word before them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)


class _Separated(dict[int, int]):
    """A `str.translate` table: what unicode61 keeps stays, everything else becomes a space.

    Kept are letters, numbers, private use and combining marks: the tokenizer's `categories 'L* N* Co Mn Mc'`.
    """

    def __missing__(self, code: int) -> int:
        category = unicodedata.category(chr(code))
        kept = category[0] in "LN" or category in ("Co", "Mn", "Mc")
        self[code] = code if kept else 0x20
        return self[code]


_SEPARATED = _Separated()
_SEPARATED.update(dict.fromkeys([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)], 0x20))


def normalise(text: str) -> str:
    """The text in Unicode normalisation form NFKC, without variation selectors, NUL and lone surrogates."""
    cleaned = re.sub("[\x00\ud800-\udfff\ufe00-\ufe0f\U000e0100-\U000e01ef]", "", text)
    return unicodedata.normalize("NFKC", cleaned)


def words(text: str) -> list[str]:
    """The runs of letters, numbers and marks in normalised text, in order."""
    return text.translate(_SEPARATED).split()


def segments(word: str) -> Iterator[tuple[str, bool]]:
    """Cut a word where its script changes to or from one without spaces.

    Yields:
        Each segment with whether it belongs to such a script.
    """
    at = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > at:
            yield word[at : run.start()], False
        yield run.group(), True
        at = run.end()
    if at < len(word):
        yield word[at:], False


def pairs(run: str) -> list[str]:
    """Overlapping pairs of code points; one code point stays itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def derive(text: str) -> str:
    """The text that FTS5 indexes in place of `text`. Never shown to anyone.

    A run of a script without spaces ends with its last code point alone, so that a query of one code point, which
    becomes a prefix, finds it there too.
    """
    normal = normalise(text)
    if not _UNSPACED.search(normal):
        return normal
    return _UNSPACED.sub(_spell_run, normal)


def _spell_run(match: re.Match[str]) -> str:
    run = match.group()
    tail = [run[-1]] if len(run) > 1 else []
    return " " + " ".join([*pairs(run), *tail]) + " "

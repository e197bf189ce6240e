"""Any text at all becomes terms and MATCH forms, or none: total functions that never raise for what a person typed.

FTS5 tokenizes the derived text that `derive` writes, with the tokenizer that the collection's profile names. `derive`
does what SQLite's own tokenizers leave undone, so that any SQLite program can still read the index:

- compatibility forms and decomposed letters become composed ones (Unicode normalisation form NFKC);
- variation selectors, which unicode61 would glue to a word, are dropped;
- runs of scripts that are written without spaces become overlapping pairs of code points, so that a word inside a
  sentence is found as a phrase of pairs.

The same derivation runs over the query. See https://sqlite.org/fts5.html#unicode61_tokenizer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rankfold.constants import QUERY_TERMS

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


@dataclass(frozen=True)
class Term:
    """One thing that a document may hold: a word, a phrase, or a run of a script without spaces."""

    text: str
    """As it stands in the normalised query; what passages highlight."""
    tokens: tuple[str, ...]
    """The tokens that must stand next to each other."""
    is_prefix: bool = False
    """Whether the last token may be the beginning of a longer one."""

    @property
    def match(self) -> str:
        """The term as FTS5 MATCH text. Always quoted: nothing that a person types is an operator."""
        return '"' + " ".join(self.tokens) + '"' + ("*" if self.is_prefix else "")


@dataclass(frozen=True)
class QueryForms:
    """A query text as full text can read it."""

    text: str
    """The query as it was given."""
    terms: tuple[Term, ...] = ()
    """Distinct terms in the order of their first appearance, cut at the constant `query_terms`."""
    distinct: int = 0
    """How many distinct terms there were before the cut."""

    @property
    def all(self) -> str:
        """MATCH text for documents that hold every term; empty without terms."""
        return " AND ".join(term.match for term in self.terms)

    @property
    def any(self) -> str:
        """MATCH text for documents that hold at least one term; empty without terms."""
        return " OR ".join(term.match for term in self.terms)

    @property
    def is_cut(self) -> bool:
        """Whether terms were left out."""
        return self.distinct > len(self.terms)


def forms(text: str, *, most_terms: int = int(QUERY_TERMS.value)) -> QueryForms:
    """Read a query text. Total: any text gives a result, and nothing in it can raise or become an operator.

    An even number of double quotes makes each span between two of them one phrase; an odd number means nothing.

    Args:
        text: what the person typed or pasted, of any length.
        most_terms: how many distinct terms are kept.
    """
    found: dict[tuple[tuple[str, ...], bool], Term] = {}
    normal = normalise(text)
    spans = normal.split('"')
    quoted = len(spans) % 2 == 1
    for index, span in enumerate(spans):
        made = _phrase(span) if quoted and index % 2 == 1 else _separate_terms(span)
        for term in made:
            found.setdefault((tuple(token.lower() for token in term.tokens), term.is_prefix), term)
    terms = list(found.values())
    return QueryForms(text=text, terms=tuple(terms[:most_terms]), distinct=len(terms))


def _separate_terms(span: str) -> Iterator[Term]:
    for word in words(span):
        for segment, unspaced in segments(word):
            if unspaced:
                yield Term(segment, tuple(pairs(segment)), is_prefix=len(segment) == 1)
            else:
                yield Term(segment, (segment,))


def _phrase(span: str) -> Iterator[Term]:
    tokens: list[str] = []
    is_prefix = False
    pieces = [piece for word in words(span) for piece in segments(word)]
    for index, (segment, unspaced) in enumerate(pieces):
        is_last = index == len(pieces) - 1
        is_prefix = unspaced and is_last and len(segment) == 1
        tokens += pairs(segment) if unspaced else [segment]
        if unspaced and not is_last and len(segment) > 1:
            tokens.append(segment[-1])  # as `derive` writes the end of a run
    if tokens:
        yield Term(" ".join(words(span)), tuple(tokens), is_prefix)

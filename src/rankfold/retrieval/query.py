"""Any text at all becomes terms and MATCH forms, or none: total functions that never raise for what a person typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankfold.constants import QUERY_TERMS
from rankfold.derivation import normalise, pairs, segments, words


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
    normal = normalise(text.replace("\0", " "))  # words on both sides of it are two, as in documents
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

"""The passage shown with a hit: its best chunk, cut to size around the matches, with the matches as offsets.

Offsets are code points of the text as it stands in the file. Nothing is marked in the text itself, so nothing in a
document can look like a match that is none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankfold.derivation import normalise, segments, words
from rankfold.models import Passage
from rankfold.retrieval.query import Term

Stemmer = Callable[[str], list[tuple[int, int, str]]]
"""A text to `(start, end, token)`, offsets in UTF-8 bytes."""


@dataclass(frozen=True)
class ChunkText:
    """A chunk as stored."""

    ordinal: int
    text: str
    lines: Sequence[int]
    """1-based line of the file for each line of the text."""
    distance: float | None = None
    """Cosine distance to the query, None without a vector."""


class Highlighter:
    """Finds a query's terms in texts, with the tokenizer that found the documents."""

    def __init__(self, terms: Sequence[Term], stem: Stemmer) -> None:
        self._stem = stem
        self._known: dict[str, frozenset[str]] = {}
        self._stems: set[str] = set()
        self._runs: dict[str, None] = {}
        for term in terms:
            for word in words(normalise(term.text)):
                for segment, unspaced in segments(word):
                    if unspaced:
                        self._runs[segment] = None
                    else:
                        self._stems |= {token for _, _, token in stem(segment)}

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Half-open ranges of code points that match, in order and without overlap."""
        normal, places = _normalised(text)
        found: list[tuple[int, int]] = []
        if self._stems:
            found += self._words(normal)
        for run in self._runs:
            start = normal.find(run)
            while start >= 0:
                found.append((start, start + len(run)))
                start = normal.find(run, start + len(run))
        if places is not None:
            found = [(places[start][0], places[end - 1][1]) for start, end in found]
        return _merged(found)

    def distinct(self, text: str) -> int:
        """How many different terms the text holds."""
        normal = normalise(text)
        held: set[str] = set()
        if self._stems:
            for word in set(words(normal)):
                held |= self._stems_of(word)
        return len(self._stems & held) + sum(run in normal for run in self._runs)

    def _words(self, normal: str) -> list[tuple[int, int]]:
        found = []
        at = 0
        for word in words(normal):
            at = normal.index(word, at)
            if not self._stems.isdisjoint(self._stems_of(word)):
                for segment, unspaced in segments(word):
                    if not unspaced and not self._stems.isdisjoint(self._stems_of(segment)):
                        found.append((at, at + len(segment)))
                    at += len(segment)
            else:
                at += len(word)
        return found

    def _stems_of(self, word: str) -> frozenset[str]:
        """The tokens of a word's segments that are not runs of a script without spaces."""
        known = self._known.get(word)
        if known is None:
            spaced = " ".join(segment for segment, unspaced in segments(word) if not unspaced)
            known = frozenset(token for _, _, token in self._stem(spaced)) if spaced else frozenset()
            self._known[word] = known
        return known


def best_passage(chunks: Sequence[ChunkText], highlighter: Highlighter, *, characters: int) -> Passage | None:
    """The chunk that holds most different terms, else the nearest one, else the first, cut to size.

    Args:
        chunks: the document's chunks.
        highlighter: for the query of this search.
        characters: longest passage, in code points.

    Returns:
        None for a document without text.
    """
    if not chunks:
        return None

    def worth(chunk: ChunkText) -> tuple[int, float, int]:
        distance = chunk.distance if chunk.distance is not None else float("inf")
        return (-highlighter.distinct(chunk.text), distance, chunk.ordinal)

    return _cut(min(chunks, key=worth), highlighter, characters)


def _cut(chunk: ChunkText, highlighter: Highlighter, characters: int) -> Passage:
    text = chunk.text
    matches = highlighter.matches(text)
    start, end = 0, len(text)
    if len(text) > characters:
        room = characters - 2  # a mark at either end
        start = _densest(matches, room, len(text))
        end = min(start + room, len(text))
        start = _border(text, start, forward=True) if start else 0
        end = _border(text, end, forward=False) if end < len(text) else end
    head = "…" if start else ""
    tail = "…" if end < len(text) else ""
    shown = [(a - start + len(head), b - start + len(head)) for a, b in matches if a >= start and b <= end]

    def line_at(place: int) -> int:
        return chunk.lines[min(text.count("\n", 0, place), len(chunk.lines) - 1)]

    first = line_at(start)
    inside = [a for a, b in matches if a >= start and b <= end]
    return Passage(
        text=head + text[start:end] + tail,
        start_line=first,
        end_line=line_at(max(end - 1, start)),
        line=line_at(inside[0]) if inside else first,
        highlights=tuple(shown),
    )


def _densest(matches: list[tuple[int, int]], room: int, length: int) -> int:
    """Where to begin so that most matches are shown, with a little before the first of them."""
    best, most = 0, 0
    last = 0
    for index, (start, _) in enumerate(matches):
        last = max(last, index)
        while last + 1 < len(matches) and matches[last + 1][1] - start <= room:
            last += 1
        if last - index + 1 > most:
            best, most = start, last - index + 1
    return max(0, min(best - room // 5, length - room)) if most else 0


def _border(text: str, place: int, *, forward: bool) -> int:
    """A place between words near `place`, and never inside a character of several code points."""
    step = 1 if forward else -1
    at = place
    for _ in range(40):
        if not 0 < at < len(text) or text[at - 1].isspace() or text[at].isspace():
            break
        at += step
    else:
        at = place
        while 0 < at < len(text) and _joins(text[at - 1], text[at]):
            at += step
    while 0 <= at < len(text) and forward and text[at].isspace():
        at += 1
    while at > 0 and not forward and text[at - 1].isspace():
        at -= 1
    return at


def _joins(before: str, after: str) -> bool:
    sticky = "\u200d\ufe0f"
    return (
        before in sticky
        or after in sticky
        or unicodedata.category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
    )


def _normalised(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """The text as terms are compared, and which range of it each of its code points came from; no ranges where
    nothing has moved."""
    normal = normalise(text)
    if normal == text:
        return normal, None
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or not _goes_on(text[end]):
            pieces.append(normalise(text[start:end]))
            places += [(start, end)] * len(pieces[-1])
            start = end
    return "".join(pieces), places


def _goes_on(character: str) -> bool:
    """Whether normalisation may make one code point of this one and those before it: marks, and the vowels and ends of
    Hangul syllables. See https://unicode.org/reports/tr15/."""
    if character < "\u0300":
        return False
    first = unicodedata.normalize("NFKC", character)[0]
    return unicodedata.category(first).startswith("M") or "\u1160" <= first <= "\u11ff"


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged

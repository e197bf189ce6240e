"""The passage shown with a hit: its best chunk, cut to size around the matches, with the matches as offsets.

Offsets are code points of the text as it stands in the file. Nothing is marked in the text itself, so nothing in a
document can look like a match that is none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankfold.derivation import derive, normalise, segments, words
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
        self._runs: list[str] = []
        for term in terms:
            for word in words(normalise(term.text)):
                for segment, unspaced in segments(word):
                    if unspaced:
                        self._runs.append(segment)
                    else:
                        self._stems |= {token for _, _, token in stem(segment)}

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Half-open ranges of code points that match, in order and without overlap."""
        found: list[tuple[int, int]] = []
        if self._stems:
            found += self._words(text)
        for run in self._runs:
            start = text.find(run)
            while start >= 0:
                found.append((start, start + len(run)))
                start = text.find(run, start + len(run))
        return _merged(found)

    def distinct(self, text: str) -> int:
        """How many different terms the text holds."""
        tokens = {token for _, _, token in self._stem(derive(text))} if self._stems else set()
        return len(self._stems & tokens) + sum(run in text for run in self._runs)

    def _words(self, text: str) -> list[tuple[int, int]]:
        found = []
        start = None
        for place in range(len(text) + 1):
            inside = place < len(text) and _is_word(text[place])
            if inside and start is None:
                start = place
            elif not inside and start is not None:
                if self._is_match(text[start:place]):
                    found.append((start, place))
                start = None
        return found

    def _is_match(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = frozenset(token for _, _, token in self._stem(derive(word)))
            self._known[word] = known
        return not self._stems.isdisjoint(known)


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


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNM" or "\ufe00" <= character <= "\ufe0f"


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged

"""Documents into chunks: the pieces that are searched, embedded and shown.

A chunk is near a wanted number of words. It begins at a heading where it can, ends where a sentence ends,
overlaps no other, and together the chunks hold every word of the document.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rankfold.indexing.source_document import Block, SourceDocument

# All sizes here are in half-words, so that a character of a script without spaces can count as one.
_WORD: Final = 2
_LONGEST_WORD: Final = 20
"""Characters that one word has at most; of longer runs without a space, such as addresses and keys, every
further four count as a word, which is nearer to what an embedder makes of them."""
_CHARACTERS_PER_FURTHER_WORD: Final = 4

# Thai, Lao, Tibetan, Burmese, Khmer, and Chinese and Japanese with their punctuation and full-width forms.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)

_BORDER: Final = re.compile(
    r"[.!?…][\"'”’)\]*_]*\s+"  # a sentence ends, maybe inside quotes, brackets or emphasis
    r"|[。！？．][」』”’）]*\s*"  # the same where no space follows
    r"|\n(?=[ \t]*\n)"  # a blank line inside a block
    r"|\n(?=[ \t]*(?:[-*+|>#]|\d{1,9}[.)])\s|[ \t]|\|)"  # an item, a row, an indented line
)
_RUN: Final = re.compile(r"\S+\s*|\s+")
_BLANK_LINES: Final = re.compile(r"(?:[^\S\n]*\n)+")

_MOST_JOINED: Final = 100
"""Code points that one character can have; what has more is no character that anybody reads."""
_JOINER: Final = "\u200d"
_REGIONAL: Final = re.compile("[\U0001f1e6-\U0001f1ff]+$")
_EXTENDING: Final = re.compile(
    "[\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7fb\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_LEADING_JAMO: Final = re.compile("[\u1100-\u115f\ua960-\ua97c]")
_AFTER_LEADING_JAMO: Final = re.compile("[\u1100-\u115f\ua960-\ua97c\uac00-\ud7a3]")
_VIRAMA_CLASS: Final = 9


@dataclass(frozen=True)
class Chunk:
    """A piece of a document."""

    ordinal: int
    """0-based position in the document."""
    text: str
    """Its text as the blocks hold it, with a blank line between two blocks."""
    start_line: int
    """1-based line of the file on which it begins."""
    end_line: int
    """1-based line of the file on which it ends."""
    lines: tuple[int, ...] = ()
    """1-based line of the file for each line of `text`."""


@dataclass(frozen=True)
class _Piece:
    """A stretch of one block that is not cut: a sentence, an item, a heading."""

    block: Block
    start: int
    """Offset in the block's text at which it begins."""
    end: int
    """Offset at which it ends, white space after it included."""
    line: int
    """How many line ends of the block stand before it."""
    is_counted: bool
    """Whether the lines of the block's text are the lines of the file."""
    size: int
    is_heading: bool = False


@dataclass(frozen=True)
class _Limits:
    wanted: int
    """Size to aim at, the same for all chunks of the document, so that none is left with the rest."""
    fair: int
    """From this size on, a heading begins a new chunk."""
    ceiling: int
    """No chunk is larger."""

    @classmethod
    def of(cls, words: int, total: int) -> _Limits:
        size = max(words, 1) * _WORD
        ceiling = size * 6 // 5
        count = max(round(total / size), -(-total // ceiling), 1)
        return cls(wanted=-(-total // count), fair=size // 2, ceiling=ceiling)


def chunk(document: SourceDocument, *, words: int) -> list[Chunk]:
    """The chunks of a document, in order; none where it has no text.

    Args:
        document: its blocks, in order.
        words: size to aim at, in words between white space, at least 1. A chunk has at most a fifth more; a
            document that has no more than that is one chunk. Two characters of Chinese, Japanese, Thai and
            the like count as a word.
    """
    blocks = [block for block in document.blocks if block.text.strip()]
    total = sum(_size(block.text) for block in blocks)
    limits = _Limits.of(words, total)
    if total <= limits.ceiling:
        whole = [_Piece(block, 0, len(block.text), 0, _is_counted(block), 0) for block in blocks]
        packed = [whole] if whole else []
    else:
        packed = _pack(deque(piece for block in blocks for piece in _pieces(block, limits)), limits)
    return [_chunk(ordinal, pieces) for ordinal, pieces in enumerate(packed)]


def _pieces(block: Block, limits: _Limits) -> Iterator[_Piece]:
    """The block cut wherever it may be cut, and nowhere larger than a chunk."""
    size = _size(block.text)
    is_counted = _is_counted(block)
    if block.is_heading and size <= limits.wanted // 2:
        yield _Piece(block, 0, len(block.text), 0, is_counted, size, is_heading=True)
        return
    start = line = 0
    borders = (border.end() for border in _BORDER.finditer(block.text))
    for end in (*borders, len(block.text)):
        text = block.text[start:end]
        if not text.strip() or (end < len(block.text) and _is_joined(block.text, end, start)):
            continue
        piece = _Piece(block, start, end, line, is_counted, _size(text))
        yield from [piece] if piece.size <= limits.ceiling else _cut(piece, limits.wanted)
        start, line = end, line + text.count("\n")


def _is_counted(block: Block) -> bool:
    return block.text.count("\n") == block.end_line - block.start_line


def _cut(piece: _Piece, limit: int) -> list[_Piece]:
    """A piece that is too large in pieces of at most `limit`."""
    return [part for part in _parts(piece, limit) if part.size]


def _parts(piece: _Piece, limit: int) -> Iterator[_Piece]:
    """`_cut`, at the end of a line, or else of a word, or else in a word. A part may be white space alone."""
    text = piece.block.text
    line = piece.line
    start, size = piece.start, 0
    line_end, size_at_line_end = start, 0

    def take(end: int) -> _Piece:
        nonlocal start, line
        part = _Piece(piece.block, start, end, line, piece.is_counted, _size(text[start:end]))
        start, line = end, line + text.count("\n", part.start, end)
        return part

    for run in _RUN.finditer(text, piece.start, piece.end):
        run_size = _size(run[0])
        if size and size + run_size > limit:
            if line_end > start and size_at_line_end >= limit // 2:
                yield take(line_end)
                size -= size_at_line_end
            if size and size + run_size > limit:
                yield take(_safe_place(text, run.start(), start))
                size = 0
            line_end, size_at_line_end = start, 0
        if run_size > limit:
            end_of_word = run.start() + len(run[0].rstrip())
            begin = run.start()
            while (most := _most_characters(text, begin, limit)) < end_of_word - begin:
                begin = _safe_place(text, begin + most, begin)
                yield take(begin)
            run_size = _size(text[start : run.end()])
        size += run_size
        if "\n" in run[0]:
            line_end, size_at_line_end = run.end(), size
    yield take(piece.end)


def _most_characters(text: str, start: int, limit: int) -> int:
    """How many characters from `start` on, in a run without spaces, fit into the size `limit`; at least 1."""
    further = (limit - _WORD) // _WORD * _CHARACTERS_PER_FURTHER_WORD
    most = _LONGEST_WORD + max(further, 0)
    if _UNSPACED.search(text, start, start + most):
        most = limit - _WORD
    return max(most, 1)


def _pack(pieces: deque[_Piece], limits: _Limits) -> list[list[_Piece]]:
    """The pieces in chunks. Headings wait for the text that they stand over."""
    packed: list[list[_Piece]] = []
    sizes: list[int] = []
    headings: list[_Piece] = []

    def begin_chunk() -> None:
        packed.append([])
        sizes.append(0)

    def add(group: list[_Piece]) -> None:
        more = sum(piece.size for piece in group)
        after = sizes[-1] + more
        # Of the two sizes that the chunk could have, the one nearer to what is wanted.
        if packed[-1] and (after > limits.ceiling or after - limits.wanted >= limits.wanted - sizes[-1]):
            begin_chunk()
        packed[-1].extend(group)
        sizes[-1] += more

    begin_chunk()
    while pieces:
        piece = pieces.popleft()
        if piece.is_heading:
            if not headings and sizes[-1] >= limits.fair:
                begin_chunk()
            headings.append(piece)
            if sum(heading.size for heading in headings) > limits.wanted // 2:
                for heading in headings[:-1]:  # a list of headings is text
                    add([heading])
                del headings[:-1]
            continue
        room = limits.ceiling - sum(heading.size for heading in headings)
        if piece.size > room:
            piece, *rest = _cut(piece, room)
            pieces.extendleft(reversed(rest))
        add([*headings, piece])
        headings.clear()
    if headings:
        add(headings)
    if len(packed) > 1 and sizes[-1] < limits.wanted // 3 and sizes[-2] + sizes[-1] <= limits.ceiling:
        packed[-2].extend(packed.pop())
    return [chunk_ for chunk_ in packed if chunk_]


def _chunk(ordinal: int, pieces: list[_Piece]) -> Chunk:
    stretches: list[list[_Piece]] = []
    for piece in pieces:
        before = stretches[-1][-1] if stretches else None
        if before is not None and piece.block is before.block and piece.start >= before.end:
            stretches[-1].append(piece)
        else:
            stretches.append([piece])
    texts: list[str] = []
    lines: list[int] = []
    for stretch in stretches:
        first, block = stretch[0], stretch[0].block
        text = block.text[first.start : stretch[-1].end]
        blank = _BLANK_LINES.match(text)
        stripped = text[blank.end() if blank else 0 :].rstrip()
        if texts:
            lines.append(lines[-1])  # the blank line between two blocks
        texts.append(stripped)
        count = stripped.count("\n") + 1
        if first.is_counted:
            begin = block.start_line + first.line + (blank[0].count("\n") if blank else 0)
            lines += range(begin, begin + count)
        else:
            lines += [block.start_line, *[block.end_line] * (count - 1)]
    last = stretches[-1][0]
    end = lines[-1] if last.is_counted else last.block.end_line
    return Chunk(ordinal, "\n\n".join(texts), lines[0], end, tuple(lines))


def _size(text: str) -> int:
    """The size of a text in half-words. White space has none."""
    runs = text.split()
    if text.isascii():
        size = len(runs) * _WORD
        return size + sum(_further(len(run)) for run in runs if len(run) > _LONGEST_WORD)
    size = 0
    for run in runs:
        unspaced = 0 if run.isascii() else len(_UNSPACED.findall(run))
        if spaced := len(run) - unspaced:
            size += _WORD + _further(spaced)
        size += unspaced
    return size


def _further(characters: int) -> int:
    """What a run of so many characters has beyond one word."""
    return max(-(-(characters - _LONGEST_WORD) // _CHARACTERS_PER_FURTHER_WORD), 0) * _WORD


def _safe_place(text: str, place: int, start: int) -> int:
    """The last place from `place` back to `start` at which no character of several code points is torn."""
    for candidate in range(place, max(start, place - _MOST_JOINED), -1):
        if not _is_joined(text, candidate, start):
            return candidate
    return place


def _is_joined(text: str, place: int, start: int) -> bool:
    """Whether the code points on both sides of a place belong to one character; at `start` they do not.

    These are the rules for grapheme clusters of Unicode's Annex 29, with the tables that Python has.
    """
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return False
    if before == _JOINER or _EXTENDING.match(after) or unicodedata.category(after).startswith("M"):
        return True
    if unicodedata.combining(before) == _VIRAMA_CLASS and after.isalpha():
        return True
    if _LEADING_JAMO.match(before):
        return _AFTER_LEADING_JAMO.match(after) is not None
    if _REGIONAL.match(after):
        flags = _REGIONAL.search(text[start:place])
        return flags is not None and len(flags[0]) % 2 == 1
    return False

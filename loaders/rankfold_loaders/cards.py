"""The picture of a page that other sites show beside a link to it: an Open Graph card, 1200 by 630 pixels.

Pillow draws it alone, in the font inside its wheel: no network, no system library, no font of the machine. That font
has Latin letters only. Any other character is spelled in those (`anyascii`), and signs such as emoji are left out; a
title of which nothing remains gives way to the name of its section.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path, PurePosixPath

from anyascii import anyascii
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
"""Pixels, the size that the Open Graph readers agree on."""

_PAPER, _INK, _QUIET, _ACCENT = (0xFD, 0xFC, 0xFA), (0x22, 0x26, 0x2B), (0x57, 0x5D, 0x66), (0xA0, 0x40, 0x1C)
_LINE = (0xE2, 0xDE, 0xD6)
_SHADES = {_INK: 6, _QUIET: 5, _ACCENT: 3, _LINE: 1}
"""Steps from the paper to each ink. With the paper they are 16 colours, so a pixel takes four bits of the file."""
_MARGIN = 84
_TITLE_SIZES = (92, 80, 70, 62)
_TITLE_LINES = 3
_TEXT_SIZE = 33
_MOST = 600
"""Characters of a text that are looked at; more never fit."""
_BREAKS_AFTER = "-_./:"
_BARS = ((470, 330, 230), (430, 250, 120), (300, 190, 0), (210, 0, 60))
"""Lengths in pixels of what three arms add to four documents, best first."""


@dataclass(frozen=True)
class CardText:
    """What one page's card says."""

    page: str
    """Path of the page's source, such as `reference/arms.md`."""
    title: str
    description: str
    section: str
    """Where the page stands in the navigation; empty for a page of no section."""
    site: str


def address(page: str) -> str:
    """Where a page's card lies in the built site, relative to its root."""
    return f"assets/cards/{PurePosixPath(page).with_suffix('.png')}"


def alt(title: str, description: str, section: str, site: str) -> str:
    """What a card says, for `og:image:alt`."""
    place = ", ".join(filter(None, map(_one_line, (site, section))))
    said = [_sentence(text) for text in (title, description) if _one_line(text)]
    return " ".join([f"{place}:", *said] if place else said)


def cards(pages: Iterable[CardText], cache: Path | None = None) -> Mapping[str, bytes]:
    """The card of every page, by its address.

    Args:
        pages: what each card says.
        cache: a folder for cards that were drawn before; without one, all are drawn. An entry that is not as it was
            written is drawn again.
    """
    return {address(page.page): _kept(page, cache) if cache else _drawn(page) for page in pages}


def _drawn(page: CardText) -> bytes:
    return card(page.title, page.description, page.section, page.site)


def _kept(page: CardText, folder: Path) -> bytes:
    said = "\0".join((_style(), page.title, page.description, page.section, page.site))
    entry = folder / hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    try:
        found = entry.read_bytes()
    except OSError:
        found = b""
    digest, image = found[:32], found[32:]
    if digest != hashlib.sha256(image).digest():
        image = _drawn(page)
        folder.mkdir(parents=True, exist_ok=True)
        # Another build may read or write the same entry: it finds the old one or the new one, never a part.
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(hashlib.sha256(image).digest() + image)
        os.replace(file.name, entry)  # noqa: PTH105
    return image


@cache
def _style() -> str:
    """The version of the look: whatever decides the bytes of a card beside its text."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    return f"{own} {version('pillow')} {version('anyascii')}"


# ── drawing ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def card(title: str, description: str, section: str, site: str) -> bytes:
    """One card as a PNG; the same texts give the same bytes."""
    title, description, section, site = (_spelled(text) for text in (title, description, section, site))
    layers = {ink: Image.new("L", (WIDTH, HEIGHT)) for ink in _SHADES}
    pens = {ink: ImageDraw.Draw(layer) for ink, layer in layers.items()}

    layers[_ACCENT].paste(_logo(), (_MARGIN - 6, 60))
    room = WIDTH - 2 * _MARGIN - 76
    name = _cut(site, _TEXT_SIZE, room)
    pens[_INK].text((_MARGIN + 76, 92), name, 255, _font(_TEXT_SIZE), "lm", stroke_width=0.5)
    used = _length(f"{name}  ", _TEXT_SIZE)
    if section and title and room > used + 60:
        pens[_QUIET].text(
            (_MARGIN + 76 + used, 92), _cut(f"/  {section}", _TEXT_SIZE, room - used), 255, _font(_TEXT_SIZE), "lm"
        )

    size, lines = _fitted(title or section or site)
    top = 166
    for line in lines:
        pens[_INK].text((_MARGIN - 3, top), line, 255, _font(size), "la", stroke_width=1)
        top += round(size * 1.1)
    top += 26
    for line in _lines(description, _TEXT_SIZE, WIDTH - 2 * _MARGIN - 40, max(0, (484 - top) // 46)):
        pens[_QUIET].text((_MARGIN, top), line, 255, _font(_TEXT_SIZE), "la")
        top += 46

    for row, parts in enumerate(_BARS):
        left, y = _MARGIN, 500 + row * 21
        for ink, length in zip((_ACCENT, _INK, _LINE), parts, strict=True):
            if length:
                pens[ink].rectangle((left, y, left + length - 5, y + 11), 255)
            left += length
    return _png(layers)


def _png(layers: Mapping[tuple[int, int, int], Image.Image]) -> bytes:
    image = Image.new("P", (WIDTH, HEIGHT))
    palette = [*_PAPER]
    for ink, steps in _SHADES.items():
        first = len(palette) // 3 - 1
        shade = [(value * steps + 127) // 255 for value in range(256)]
        mask = layers[ink].point([255 * bool(step) for step in shade])
        image.paste(layers[ink].point([first + step for step in shade]), mask=mask)
        for step in range(1, steps + 1):
            palette += (paper + (full - paper) * step // steps for paper, full in zip(_PAPER, ink, strict=True))
    image.putpalette(palette)
    out = io.BytesIO()
    # Runs of one byte are the only matches that this strategy looks for, so every processor finds the same ones; the
    # usual search is tuned to the processor, and its bytes differ from one kind to another.
    image.save(out, "PNG", compress_level=9, compress_type=Image.RLE)
    return out.getvalue()


@cache
def _logo() -> Image.Image:
    """The sign of the site's header as a mask, 64 pixels wide: rows that fold into one."""
    scale, fine = 64 / 24, 8  # drawn finely, then made small: Pillow's lines have hard edges
    image = Image.new("L", (64 * fine, 64 * fine))
    pen = ImageDraw.Draw(image)

    def place(x: float, y: float) -> tuple[float, float]:
        return x * scale * fine, y * scale * fine

    for points in (((4, 5), (19, 5), (19, 14.5)), ((4, 12), (14, 12)), ((4, 19), (9, 19)), ((14.5, 19), (13, 19))):
        pen.line([place(*point) for point in points], 255, round(2.4 * scale * fine))
        for x, y in points:
            pen.ellipse((place(x - 1.2, y - 1.2), place(x + 1.2, y + 1.2)), 255)
    pen.arc((place(14.5 - 5.7, 14.5 - 5.7), place(14.5 + 5.7, 14.5 + 5.7)), 0, 90, 255, round(2.4 * scale * fine))
    return image.reduce(fine)


# ── text ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    text = _one_line(text)
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _spelled(text: str) -> str:
    """Text on one line in characters that the font has."""
    return _one_line("".join(map(_spell, unicodedata.normalize("NFC", text[:_MOST]))))


@cache
def _spell(character: str) -> str:
    if character.isspace() or _is_drawn(character):
        return character
    is_sign = unicodedata.category(character) in ("So", "Sk", "Cf", "Cc", "Cs", "Co", "Cn", "Mn")
    return "" if is_sign else anyascii(character)


@cache
def _is_drawn(character: str) -> bool:
    """Whether the font has a shape for it, and not just the box that stands for a missing one."""
    return character.isprintable() and _shape(character) != _shape("\uffff")


def _shape(character: str) -> tuple[tuple[int, int], bytes]:
    mask = _font(_TEXT_SIZE).getmask(character)
    return mask.size, bytes(mask)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType, so it has no font that scales; install its wheel")
    return font


@lru_cache(maxsize=10_000)  # the same beginnings of lines are measured again and again while lines are balanced
def _length(text: str, size: int) -> float:
    return _font(size).getlength(text)


def _fitted(title: str) -> tuple[int, list[str]]:
    """The largest size at which the title fits its lines with every word whole, else the smallest."""
    room = WIDTH - 2 * _MARGIN
    for size in _TITLE_SIZES:
        lines = list(islice(_wrapped(title, size, room), _TITLE_LINES + 1))
        if len(lines) <= _TITLE_LINES and all(_length(word, size) <= room for word in title.split()):
            break
    else:
        return size, _lines(title, size, room, _TITLE_LINES)
    # Narrower as long as it takes no more lines, so that the last line is not one short word.
    while len(lines) > 1:
        room -= 20
        narrower = list(islice(_wrapped(title, size, room), len(lines) + 1))
        if len(narrower) > len(lines) or any(_length(word, size) > room for word in title.split()):
            break
        lines = narrower
    return size, lines


def _lines(text: str, size: int, room: float, most: int) -> list[str]:
    """The first lines of a text; the last of them ends in `…` where more was left."""
    lines = list(islice(_wrapped(text, size, room), most + 1))
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], _cut(f"{lines[most - 1]}…", size, room)] if most else []


def _wrapped(text: str, size: int, room: float) -> Iterator[str]:
    """Lines no longer than the room, in pixels."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".lstrip()
        if _length(longer, size) <= room:
            line = longer
            continue
        if line:
            yield line
        while _length(word, size) > room:
            end = _break(word, size, room)
            yield word[:end]
            word = word[end:]
        line = word
    if line:
        yield line


def _break(word: str, size: int, room: float) -> int:
    """Where to break a word that is longer than the room: after a sign in it, if there is one late enough."""
    end = bisect_right(range(len(word)), room, key=lambda end: _length(word[: end + 1], size)) or 1
    after = max(word.rfind(sign, end // 2, end) for sign in _BREAKS_AFTER) + 1
    return after or end


def _cut(text: str, size: int, room: float) -> str:
    """A text on one line no longer than the room; `…` stands for what it lost."""
    if _length(text, size) <= room:
        return text
    text = text.removesuffix("…")
    end = bisect_right(range(len(text)), room, key=lambda end: _length(f"{text[:end]}…", size)) - 1
    return f"{text[: max(end, 0)].rstrip(' .,;:')}…"

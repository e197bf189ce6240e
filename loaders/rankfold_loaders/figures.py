"""Figures made from values when the site is built, as SVG that stands inside a page.

A figure is as wide as its column and its text keeps its size: places across are percentages, places down are pixels,
and nothing is scaled. So it reads at 320 pixels as at 800. Colours are those of the page (`--rf-…` of the site's style
sheet, else the page's own colours of text and links), so both schemes work. No meaning rests on colour alone: every
line and bar carries its name, and dashes and patterns tell them apart.

Names may be any text. What does not fit is cut with `…`; the whole of it is in the tooltip and in the description.
"""

from __future__ import annotations

import ast
import html
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankfold_loaders.markdown_text import turns_direction

Number = float | str
"""A number, or its text as authored (`1.50`), which is shown as it stands."""

_INK = "var(--rf-ink,currentcolor)"
_QUIET = "var(--rf-quiet,currentcolor)"
_LINE = "var(--rf-line,#8886)"
_TINT = "var(--rf-tint,#8881)"
_ACCENT = "var(--rf-accent,var(--md-typeset-a-color,currentcolor))"
_MONO = "font-family:var(--md-code-font,ui-monospace,monospace);font-size:12.5px"
_NOTE = f"fill:{_QUIET};font-size:12px"
_SCALE = "font-size:12px"
_STRONG = "font-weight:600"
_FIGURES = "font-variant-numeric:tabular-nums"
_NARROWEST = 272
"""Pixels of the column on a screen 320 wide, which every text has to fit."""
_HEAVY = _NARROWEST * 12 / 13
"""The same for bold text."""
_CHARACTER = 7.3
"""Pixels of a small letter at a size of 13, in the wider fonts that systems have."""
_DASHES = ("none", "7 4", "2 4", "10 4 2 4", "14 5")
_CURVE_POINTS = 60
_DOTTED_WINDOW = 12
"""Most ranks that are drawn as a dot each."""


@dataclass(frozen=True)
class Figure:
    """A figure, and what stands for it where it is not seen."""

    svg: str
    """The picture, one `svg` element without blank lines, with its title and description inside."""
    alt: str
    """Everything that the picture shows, in words and numbers; plain text, also the picture's description."""
    caption: str
    """What it shows and how to read it; plain text."""

    @property
    def html(self) -> str:
        """The picture over its caption, as one block of raw HTML that Markdown leaves as it is."""
        # A theme may fit the box to its picture; this picture fits itself to the box. The search of a site reads the
        # caption alone (the attribute is Material's): the picture would repeat it.
        return (
            '<figure class="rf-figure" style="width:auto;text-align:start;overflow-wrap:anywhere">\n'
            f'<div data-search-exclude="">\n{self.svg}\n</div>\n'
            f'<figcaption style="margin:1em 0 0;max-width:38rem;font-style:normal;color:{_QUIET}">'
            f"{_escaped(self.caption)}</figcaption>\n</figure>"
        )


# ── how a search runs ─────────────────────────────────────────────────────────────────────────────────────────────────

_BEFORE = (
    ("Query text", "any text at all"),
    ("Forms", "words to match, a vector, or neither"),
    ("Scope", "which documents may be found"),
)
_AFTER = (
    ("One statement", "SQL with a part for each active arm"),
    ("Fused rows", "contributions added up, best first"),
    ("Adjustments", "each says what it changed, and why"),
    ("Passages", "the best piece of each document"),
)
_BOX, _STEP, _PILL = 48, 68, 34
"""Pixels from a box's upper edge to its lower one and to the next box, and from one arm to the next."""


def flow(arms: Sequence[str], *, prefix: str = "flow") -> Figure:
    """How a search runs, from the query text to the passages.

    Args:
        arms: names of the active arms, in registry order.
        prefix: begins every id in the figure; no two figures of a page may share one.
    """
    parts = [
        f'<defs><marker id="{prefix}-end" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="10" refX="7" '
        f'refY="5" orient="auto"><path d="M2 1.5L7 5L2 8.5" style="fill:none;stroke:{_QUIET}"/></marker></defs>'
    ]
    for number, (name, detail) in enumerate(_BEFORE):
        parts += _box(number * _STEP, name, detail, prefix, follows=number > 0)
    fork = (len(_BEFORE) - 1) * _STEP + _BOX
    parts.append(_text("Active arms", x="40", y=fork + 23, style=_STRONG))
    rows = [fork + 48 + _PILL * number for number in range(max(1, len(arms)))]
    join = rows[-1] + 36
    # From the scope down the left to every arm, and from every arm down the right into the statement.
    parts += (f'<path d="M18.5 {fork}V{y - 10}q0 10 10 10H36" style="fill:none;stroke:{_QUIET}"/>' for y in rows)
    parts.append('<svg x="100%" width="1" height="1" style="overflow:visible">')
    for y in rows:
        end = f' marker-end="url(#{prefix}-end)"' if y == rows[0] else ""
        down = f"V{join - 1}" if y == rows[0] else ""
        parts.append(f'<path d="M-36 {y}H-28.5q10 0 10 10{down}" style="fill:none;stroke:{_QUIET}"{end}/>')
    parts.append("</svg>")
    for name, y in zip(arms or ["none"], rows, strict=True):
        dashes = "" if arms else ";stroke-dasharray:4 3"
        parts.append(
            f'<rect x="36" y="{y - 13}" width="100%" height="26" rx="13" '
            f'style="fill:none;stroke:{_ACCENT}{dashes};width:calc(100% - 72px)"/>'
        )
        parts.append(_text(name, x="50", y=y + 4.5, room=_NARROWEST - 100, style=_MONO))
    for number, (name, detail) in enumerate(_AFTER):
        parts += _box(join + number * _STEP, name, detail, prefix, follows=number > 0)
    named = _listed(arms) if arms else "none"
    steps = [*_BEFORE, ("Active arms", named), *_AFTER]
    alt = "Top to bottom: " + "; ".join(f"{name}: {detail}" for name, detail in steps) + "."
    ranked = f"The active arms ({named}) rank the documents in scope, and one statement adds it all up."
    caption = f"How a search runs. {ranked if arms else 'No arm is active here, so nothing is found.'}"
    return _figure(
        prefix, "How a search runs", alt, caption, parts, join + (len(_AFTER) - 1) * _STEP + _BOX + 1, "26rem"
    )


def _box(top: float, name: str, detail: str, prefix: str, *, follows: bool) -> Iterable[str]:
    if follows:
        yield (
            f'<path d="M18.5 {_n(top - _STEP + _BOX)}V{_n(top - 1)}" style="fill:none;stroke:{_QUIET}" '
            f'marker-end="url(#{prefix}-end)"/>'
        )
    yield (
        f'<rect x="0.5" y="{_n(top + 0.5)}" width="100%" height="{_BOX}" rx="8" '
        f'style="fill:{_TINT};stroke:{_LINE};width:calc(100% - 1px)"/>'
    )
    yield _text(name, x="14", y=top + 21, style=_STRONG)
    yield _text(detail, x="14", y=top + 38, style=f"fill:{_QUIET};font-size:12.5px")


# ── contribution by rank ──────────────────────────────────────────────────────────────────────────────────────────────


def contribution_by_rank(
    weights: Mapping[str, Number], rank_constant: int, window: int, *, prefix: str = "contribution"
) -> Figure:
    """What an arm gives a document, against the rank that it gave: one line for each weight.

    The scale is linear and begins at 0, because contributions are added: a height twice another is worth twice as much.

    Args:
        weights: of each arm, in registry order.
        rank_constant: of the fusion, at least 0.
        window: the last rank, at least 1.
        prefix: begins every id in the figure; no two figures of a page may share one.

    Raises:
        ValueError: a weight is negative or not finite, or there is no rank.
    """
    if window < 1 or rank_constant < 0:
        raise ValueError(f"no rank to show: window {window}, rank constant {rank_constant}")
    same: dict[tuple[float, str], list[str]] = {}
    for arm, number in weights.items():
        same.setdefault((_value(number), _shown(number)), []).append(arm)
    lines = sorted(same.items(), reverse=True)
    labels = [[*arms, f"weight {text}"] for (_, text), arms in lines]
    top = max((weight for weight, _ in same), default=0.0) / (rank_constant + 1)
    plane = _Plane(max(190, sum(map(_label_height, labels))), top, window)
    ends = [plane.y(weight / (rank_constant + window)) for (weight, _), _ in lines]
    middles = _spread(ends, [_label_height(label) for label in labels], plane.height)
    parts = list(_axes(plane))
    for place, ((weight, _), _) in enumerate(lines):
        parts += _curve(plane, [weight / (rank_constant + rank) for rank in plane.drawn], place)
        parts += _end_label(ends[place], middles[place], labels[place])

    digits = _decimals(weight / (rank_constant + rank) for weight, _ in same for rank in (1, window))
    told = [
        f"{_listed(arms)}, weight {text}: "
        + ", ".join(f"{weight / (rank_constant + rank):.{digits}f} at rank {rank}" for rank in plane.ticks)
        for (weight, text), arms in lines
    ]
    alt = f"Rank constant {rank_constant}, window {window}. {'. '.join(told) or 'There is no arm'}."
    caption = (
        f"What one arm gives a document: weight / ({rank_constant} + rank). The lines end at rank {window}, the window."
    )
    return _figure(
        prefix, "Contribution by rank", alt, caption, parts, plane.height, width="38rem", margins=(30, 100, 46, 50)
    )


class _Plane:
    """Where ranks and contributions lie: ranks in percent of the width, contributions in pixels from above."""

    def __init__(self, height: int, top: float, window: int) -> None:
        self.height = height
        self.window = window
        self.step = _round_up(top / 4) if top else 1.0
        """Between two marks on the scale of contributions."""
        self.marks = max(1, math.ceil(top / self.step - 1e-9))
        self.drawn = sorted({round(1 + (window - 1) * point / _CURVE_POINTS) for point in range(_CURVE_POINTS + 1)})
        """Ranks that a curve goes through."""
        between = max(1, round(_round_up(window / 4)))
        rounded = [rank for rank in range(between, window, between) if window - rank > 0.6 * between]
        self.ticks = sorted({1, *(rank for rank in rounded if rank - 1 > 0.4 * between), window})
        """Ranks written under the axis: the first, the last and round ones between."""

    def x(self, rank: int) -> str:
        return _n(100 * (rank - 1) / (self.window - 1) if self.window > 1 else 100)

    def y(self, contribution: float) -> float:
        return self.height * (1 - contribution / (self.step * self.marks))


def _axes(plane: _Plane) -> Iterable[str]:
    yield _text("contribution", x="-48", y=-14, style=_NOTE)
    decimals = max(0, -math.floor(math.log10(plane.step) + 1e-9))
    for mark in range(plane.marks + 1):
        value = mark * plane.step
        y = plane.y(value)
        yield f'<line x2="100%" y1="{_n(y)}" y2="{_n(y)}" style="stroke:{_LINE if mark else _QUIET}"/>'
        yield _text(f"{value:.{decimals}f}", x="-8", y=y + 4, anchor="end", style=_SCALE)
    for rank in plane.ticks:
        x = f"{plane.x(rank)}%"
        yield f'<line x1="{x}" x2="{x}" y1="{plane.height}" y2="{plane.height + 5}" style="stroke:{_QUIET}"/>'
        yield _text(str(rank), x=x, y=plane.height + 19, anchor="middle", style=_SCALE)
    yield _text("rank in the arm, 1 is best", x="0", y=plane.height + 39, style=_NOTE)


def _curve(plane: _Plane, values: Sequence[float], number: int) -> Iterable[str]:
    points = [(plane.x(rank), _n(plane.y(value))) for rank, value in zip(plane.drawn, values, strict=True)]
    # Stretched across, while lines and dashes keep their size.
    yield (
        f'<svg viewBox="0 0 100 {plane.height}" preserveAspectRatio="none" width="100%" height="{plane.height}" '
        f'style="overflow:visible"><polyline points="{" ".join(map(",".join, points))}" '
        f'vector-effect="non-scaling-stroke" style="fill:none;stroke-width:2;stroke:{_paint(number)};'
        f'stroke-dasharray:{_DASHES[number % len(_DASHES)]}"/></svg>'
    )
    for x, y in points if plane.window <= _DOTTED_WINDOW else (points[0], points[-1]):
        yield f'<circle cx="{x}%" cy="{y}" r="3" style="fill:{_paint(number)}"/>'


def _end_label(end: float, middle: float, label: Sequence[str]) -> Iterable[str]:
    """The names beside the end of a line, tied to it."""
    yield '<svg x="100%" width="1" height="1" style="overflow:visible">'
    yield f'<path d="M5 {_n(end)}L13 {_n(middle)}" style="fill:none;stroke:{_QUIET}"/>'
    first = middle - (len(label) - 1) * 8 + 4
    for line, name in enumerate(label[:-1]):
        yield _text(name, x="17", y=first + 16 * line, room=82, style=_MONO)
    yield _text(label[-1], x="17", y=first + 16 * (len(label) - 1), room=90, style=_NOTE)
    yield "</svg>"


def _label_height(label: Sequence[str]) -> int:
    return 16 * len(label) + 8


def _spread(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Middles of labels, from top to bottom, near where they are wanted and none over another."""
    places: list[float] = []
    edge = 0.0
    for middle, height in zip(wanted, heights, strict=True):
        places.append(max(middle, edge + height / 2))
        edge = places[-1] + height / 2
    edge = room + 8
    for number in reversed(range(len(places))):
        places[number] = min(places[number], edge - heights[number] / 2)
        edge = places[number] - heights[number] / 2
    return places


def _round_up(number: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not less."""
    power = 10.0 ** math.floor(math.log10(number))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= number * (1 - 1e-9))


# ── weights ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def weights(profiles: Mapping[str, Mapping[str, Number]], *, prefix: str = "weights") -> Figure:
    """The weights of the arms in each profile, as bars on one scale.

    Args:
        profiles: of each profile, the weight of each arm.
        prefix: begins every id in the figure; no two figures of a page may share one.

    Raises:
        ValueError: a weight is negative or not finite.
    """
    most = max((_value(weight) for arms in profiles.values() for weight in arms.values()), default=0.0) or 1.0
    parts: list[str] = []
    told: list[str] = []
    y = 0.0
    for profile, arms in profiles.items():
        parts.append(_text(profile, x="-104", y=y + 15, room=_HEAVY, style=_STRONG))
        y += 28
        parts.append(
            f'<line x1="0" x2="0" y1="{_n(y - 2)}" y2="{_n(y + 24 * len(arms) - 2)}" style="stroke:{_QUIET}"/>'
        )
        for arm, weight in arms.items():
            share = 100 * _value(weight) / most
            parts.append(_text(arm, x="-10", y=y + 14, room=94, anchor="end", style=_MONO))
            fill = _ACCENT if share else "none"
            parts.append(f'<rect x="0" y="{_n(y + 4)}" width="{_n(share)}%" height="12" style="fill:{fill}"/>')
            parts.append(_text(_shown(weight), x=f"{_n(share)}%", y=y + 14.5, room=48, dx=8, style=_FIGURES))
            y += 24
        y += 20
        each = ", ".join(f"{_said(arm)} {_shown(weight)}" for arm, weight in arms.items()) or "no arm"
        told.append(f"{_said(profile)}: {each}")
    alt = "; ".join(told) + "." if told else "There is no profile."
    caption = "The weight of every arm in every profile, on one scale. An arm of weight 0 does not take part."
    return _figure(prefix, "Weights by profile", alt, caption, parts, max(1, y - 20), "34rem", (2, 56, 4, 104))


# ── an answer's scores ────────────────────────────────────────────────────────────────────────────────────────────────


def stacked(
    hits: Sequence[tuple[str, Mapping[str, float]]], arms: Sequence[str] = (), *, prefix: str = "stacked"
) -> Figure:
    """The fused scores of an answer, each a bar made of what every arm gave.

    Args:
        hits: label and contributions by arm of each document, best first.
        arms: the arms that come first in the key, so that an arm looks the same in every figure of a site.
        prefix: begins every id in the figure; no two figures of a page may share one.

    Raises:
        ValueError: a contribution is negative or not finite.
    """
    key = list(dict.fromkeys([*arms, *(arm for _, given in hits for arm in given)]))
    scores = [math.fsum(_value(share) for share in given.values()) for _, given in hits]
    most = max(scores, default=0.0) or 1.0
    digits = _decimals(share for _, given in hits for share in given.values())
    parts = [f"<defs>{''.join(_pattern(f'{prefix}-{number}', number) for number in range(len(key)))}</defs>"]
    for number, arm in enumerate(key):
        left, top = f"{50 * (number % 2)}%", number // 2 * 22
        parts.append(
            f'<rect x="{left}" y="{top + 2}" width="20" height="12" '
            f'style="fill:url(#{prefix}-{number});stroke:{_paint(number)}"/>'
        )
        parts.append(_text(arm, x=left, dx=28, y=top + 12.5, room=_NARROWEST / 2 - 32, style=_MONO))
    y = math.ceil(len(key) / 2) * 22 + (14 if key else 0)
    told = []
    for (label, given), score in zip(hits, scores, strict=True):
        parts.append(_line(label, f"{score:.{digits}f}", y))
        start = 0.0
        for arm, share in given.items():
            width = 100 * share / most
            if share:
                number = key.index(arm)
                parts.append(
                    f'<rect x="{_n(start)}%" y="{y + 23}" width="{_n(width)}%" height="14" '
                    f'style="fill:url(#{prefix}-{number});stroke:{_paint(number)};width:max(1px,{_n(width)}% - 2px)">'
                    f"<title>{_escaped(_plain(arm))} {share:.{digits}f}</title></rect>"
                )
            start += width
        y += 50
        each = " + ".join(f"{_said(arm)} {share:.{digits}f}" for arm, share in given.items()) or "nothing"
        told.append(f"{_said(label)}: {score:.{digits}f} = {each}")
    alt = "Fused scores, best first. " + ("; ".join(told) if told else "There is no hit") + "."
    caption = "Each bar is a fused score, and its parts are what the arms gave."
    return _figure(prefix, "Fused scores as sums", alt, caption, parts, max(1, y - 13), "38rem", (2, 2, 2, 2))


def _line(name: str, value: str, y: float) -> str:
    """A name with a value behind it, as HTML: unlike text in SVG it takes all the room there is and cuts the rest."""
    whole = _escaped(_plain(name))
    return (
        f'<foreignObject y="{_n(y)}" width="100%" height="20"><div style="display:flex;gap:10px;line-height:20px;'
        f'white-space:nowrap;font-size:13px;color:{_INK}"><b title="{whole}" style="overflow:hidden;'
        f'text-overflow:ellipsis;{_STRONG}">{whole}</b>'
        f'<span style="color:{_QUIET};{_FIGURES}">{value}</span></div></foreignObject>'
    )


def _paint(number: int) -> str:
    return (_ACCENT, _INK)[number % 2]


def _pattern(identity: str, number: int) -> str:
    """The fill of an arm: solid, then hatched, dotted and ruled, each in the accent and in ink."""
    colour = _paint(number)
    inside = (
        f'<rect width="6" height="6" style="fill:{colour}"/>',
        f'<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" style="stroke:{colour};stroke-width:1.6"/>',
        f'<circle cx="3" cy="3" r="1.4" style="fill:{colour}"/>',
        f'<path d="M0 3H6" style="stroke:{colour};stroke-width:1.6"/>',
    )[number // 2 % 4]
    return f'<pattern id="{identity}" width="6" height="6" patternUnits="userSpaceOnUse">{inside}</pattern>'


# ── parts of every figure ─────────────────────────────────────────────────────────────────────────────────────────────


def _figure(
    prefix: str,
    title: str,
    alt: str,
    caption: str,
    parts: Iterable[str],
    height: float,
    width: str,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> Figure:
    """A figure around its parts, at most `width` wide, with margins above, right, below and left in pixels."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise ValueError(f"an id cannot begin with {prefix!r}; use letters, digits, - and _")
    above, right, below, left = margins
    svg = "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{prefix}-title" '
            f'aria-describedby="{prefix}-desc" width="100%" font-size="13" '
            # In the style, because a theme may say `height: auto` to every picture.
            f'style="display:block;box-sizing:border-box;height:{_n(height + above + below)}px;max-width:{width};'
            f'overflow:visible;direction:ltr;padding:{above}px {right}px {below}px {left}px;fill:{_INK}">',
            f'<title id="{prefix}-title">{title}</title>',
            f'<desc id="{prefix}-desc">{_escaped(alt)}</desc>',
            *parts,
            "</svg>",
        )
    )
    return Figure(svg, alt, caption)


def _text(
    text: str, *, x: str, y: float, room: float = math.inf, anchor: str = "", dx: float = 0, style: str = ""
) -> str:
    """A text that begins, or is anchored, at a place; cut to the room in pixels, with the whole as its tooltip."""
    whole = _plain(text)
    shown = _clipped(whole, room)
    attributes = f' dx="{_n(dx)}"' if dx else ""
    attributes += f' text-anchor="{anchor}"' if anchor else ""
    attributes += f' style="{style}"' if style else ""
    tooltip = f"<title>{_escaped(whole)}</title>" if shown != whole else ""
    return f'<text x="{x}" y="{_n(y)}"{attributes}>{tooltip}{_escaped(shown)}</text>'


def _clipped(text: str, room: float) -> str:
    if _extent(text) <= room:
        return text
    while text and _extent(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _extent(text: str) -> float:
    """About how many pixels a text takes at a size of 13, rather too many than too few."""
    return _CHARACTER * sum(map(_breadth, text))


def _breadth(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF" or character in "MWmw@%…":
        return 2
    return 1.3 if character.isupper() else 1


def _plain(text: str) -> str:
    """A name on one line, without the characters that XML refuses or that turn the text around them."""
    kept = (
        " " if c.isspace() else c
        for c in text
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Cn")
    )
    return " ".join("".join(kept).split())


def _said(name: str) -> str:
    """A name inside a sentence; one that runs from right to left is kept from turning the rest."""
    name = _plain(name)
    return f"\u2068{name}\u2069" if turns_direction(name) else name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_said, names))


def _escaped(text: str) -> str:
    """Text for XML, and for checks that look for template syntax or links that were left over."""
    return html.escape(text).translate({ord(sign): f"&#{ord(sign)};" for sign in "{}[]"})


def _n(value: float) -> str:
    """A place, in at most two decimals."""
    return f"{round(value, 2) + 0:.2f}".rstrip("0").rstrip(".")  # + 0 makes 0 of -0


def _value(number: Number) -> float:
    try:
        value = float(ast.literal_eval(number) if isinstance(number, str) else number)
    except (SyntaxError, TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{number!r} cannot be drawn; it has to be a number, finite and not negative")
    return value


def _shown(number: Number) -> str:
    return number if isinstance(number, str) else repr(number)


def _decimals(values: Iterable[float]) -> int:
    """Decimals that show at least two digits of the smallest number above 0, from five to ten."""
    least = min((value for value in values if value > 0), default=1.0)
    return min(10, max(5, 1 - math.floor(math.log10(least))))

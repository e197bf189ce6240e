"""Figures show every name and number, safely, at any width, and say the same in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest

from browser.chromium import chromium
from loaders.site_trees import REPOSITORY
from rankfold_loaders.built_site import read_page
from rankfold_loaders.facts import substitute
from rankfold_loaders.figures import Figure, contribution_by_rank, flow, stacked, weights

SVG = "{http://www.w3.org/2000/svg}"
WEIGHTS = {"fts": "1.0", "vector": "1.00", "recency": "0.5", "salience": "0.4"}
HITS = [
    ("guides/one-writer.md", {"fts": 1 / 61, "vector": 1 / 62, "recency": 0.05 / 63}),
    ("notes/wal.md", {"vector": 1 / 61}),
]
LONG = "a_very_long_name_of_an_arm_" * 10
HOSTILE = [
    "<script>alert(1)</script>",
    "]]>",
    "\"double\" 'single' &amp; &",
    "שלום עולם",
    "turned \u202e around",
    "{{ arms.fts.weight }} {% if %} [x][ref] {: .x } `code` **bold** _under_",
    "two\n\nlines",
    "bell \x07 surrogate \ud800 \uffff",
    "近接順" * 20,
    "W" * 60,
    LONG,
]


def all_figures(names: list[str], prefix: str = "") -> list[Figure]:
    """One of each kind, showing these names."""
    return [
        flow(names, prefix=f"{prefix}flow"),
        contribution_by_rank({name: 1 + place for place, name in enumerate(names)}, 60, 40, prefix=f"{prefix}rank"),
        weights({name: dict.fromkeys(names, "0.50") for name in names}, prefix=f"{prefix}weights"),
        stacked([(name, dict.fromkeys(names, 0.016)) for name in names], prefix=f"{prefix}stacked"),
    ]


USUAL = [
    flow([*WEIGHTS]),
    contribution_by_rank(WEIGHTS, 60, 40),
    weights({"documents": WEIGHTS, "finder": {"fts": "1.0", "vector": "0.0"}}),
    stacked(HITS, [*WEIGHTS]),
]
EDGES = [
    flow([], prefix="a"),
    flow(["fts"], prefix="b"),
    contribution_by_rank({}, 60, 40, prefix="c"),
    contribution_by_rank({"fts": 0.0}, 60, 40, prefix="d"),
    contribution_by_rank({"fts": 1}, 0, 1, prefix="e"),
    contribution_by_rank({f"arm{number}": number for number in range(30)}, 60, 100_000, prefix="f"),
    weights({}, prefix="g"),
    weights({"none": {}, "zero": {"fts": "0.0"}}, prefix="h"),
    stacked([], prefix="i"),
    stacked([("nothing", {}), ("zero", {"fts": 0.0})], prefix="j"),
    stacked([("many", {f"arm{number}": 0.001 for number in range(20)})], prefix="k"),
]
FIGURES = [*USUAL, *EDGES, *all_figures(HOSTILE, "hostile-")]


def texts(figure: Figure) -> list[str]:
    """What is written in the picture, without tooltips and descriptions."""
    return [
        (found.text or "") + "".join(child.tail or "" for child in found)
        for found in tree(figure).iter()
        if found.tag in {SVG + "text", SVG + "b", SVG + "span"}
    ]


def tree(figure: Figure) -> ElementTree.Element:
    return ElementTree.fromstring(figure.svg)


# ── what they say ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_flow_names_every_step_and_every_arm_in_order() -> None:
    written = texts(flow(["fts", "vector"]))
    steps = ["Query text", "Forms", "Scope", "Active arms", "fts", "vector"]
    steps += ["One statement", "Fused rows", "Adjustments", "Passages"]
    assert [text for text in written if text in steps] == steps
    assert "Active arms: fts, vector" in flow(["fts", "vector"]).alt
    assert "vector" not in texts(flow(["fts"]))


def test_contributions_are_those_of_the_formula() -> None:
    figure = contribution_by_rank(WEIGHTS, 60, 40)
    assert "fts, weight 1.0: 0.01639 at rank 1, 0.01429 at rank 10, 0.01250 at rank 20" in figure.alt
    assert "salience, weight 0.4: 0.00656 at rank 1" in figure.alt
    assert "0.01000 at rank 40" in figure.alt
    for label in ("weight 1.0", "weight 1.00", "weight 0.5", "0.015", "0.020", "1", "40", *WEIGHTS):
        assert label in texts(figure)
    assert contribution_by_rank(WEIGHTS, 61, 40).svg != figure.svg


def test_a_curve_goes_where_the_formula_does() -> None:
    figure = contribution_by_rank({"fts": 1.0}, 60, 41)
    curve = next(tree(figure).iter(SVG + "polyline")).get("points", "")
    first, *_, last = [tuple(map(float, point.split(","))) for point in curve.split()]
    height, ceiling = 190, 0.02
    assert first == (0, pytest.approx(height * (1 - (1 / 61) / ceiling), abs=0.01))
    assert last == (100, pytest.approx(height * (1 - (1 / 101) / ceiling), abs=0.01))


def test_arms_of_the_same_weight_share_a_line_and_every_line_has_a_look_of_its_own() -> None:
    shared = tree(contribution_by_rank({"fts": "1.0", "vector": "1.0", "recency": "0.5"}, 60, 40))
    looks = {line.get("style") for line in shared.iter(SVG + "polyline")}
    assert len(looks) == 2
    assert len([*shared.iter(SVG + "polyline")]) == 2


def test_weights_are_written_as_authored_and_drawn_to_scale() -> None:
    figure = weights({"documents": {"fts": "1.50", "recency": "1_0e-1"}, "finder": {"fts": "3"}})
    assert {"1.50", "1_0e-1", "3", "documents", "finder"} <= {*texts(figure)}
    assert [bar.get("width") for bar in tree(figure).iter(SVG + "rect")] == ["50%", "33.33%", "100%"]
    assert figure.alt == "documents: fts 1.50, recency 1_0e-1; finder: fts 3."


def test_a_stacked_score_is_the_sum_of_its_parts() -> None:
    figure = stacked(HITS)
    assert "guides/one-writer.md: 0.03332 = fts 0.01639 + vector 0.01613 + recency 0.00079" in figure.alt
    assert texts(figure)[3:] == ["guides/one-writer.md", "0.03332", "notes/wal.md", "0.01639"]
    bars = [bar for bar in tree(figure).iter(SVG + "rect") if bar.find(SVG + "title") is not None]
    assert [bar.findtext(SVG + "title") for bar in bars] == [
        "fts 0.01639",
        "vector 0.01613",
        "recency 0.00079",
        "vector 0.01639",
    ]
    assert sum(float(bar.get("width", "")[:-1]) for bar in bars[:3]) == pytest.approx(100, abs=0.05)


def test_an_arm_looks_the_same_in_every_answer() -> None:
    def fill(figure: Figure, arm: str) -> str:
        bar = next(
            bar for bar in tree(figure).iter(SVG + "rect") if (bar.findtext(SVG + "title") or "").startswith(arm)
        )
        return re.sub(r"(fill:[^;]*).*", r"\1", bar.get("style", ""))

    order = [*WEIGHTS]
    one, other = stacked(HITS, order), stacked([("a.md", {"recency": 0.1, "fts": 0.1})], order)
    assert fill(one, "recency") == fill(other, "recency") != fill(other, "fts")


@pytest.mark.parametrize("number", [-1.0, float("nan"), float("inf"), "abc", "[1]", "1 +"])
def test_what_is_no_weight_is_refused(number: float | str) -> None:
    for draw in (lambda: weights({"p": {"fts": number}}), lambda: contribution_by_rank({"fts": number}, 60, 40)):
        with pytest.raises(ValueError, match="cannot be drawn"):
            draw()


@pytest.mark.parametrize(("rank_constant", "window"), [(60, 0), (-1, 40)])
def test_a_figure_without_a_rank_is_refused(rank_constant: int, window: int) -> None:
    with pytest.raises(ValueError, match="no rank to show"):
        contribution_by_rank(WEIGHTS, rank_constant, window)


@pytest.mark.parametrize("prefix", ["", "1", 'a"b', "a b", "a)"])
def test_what_cannot_begin_an_id_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="an id cannot begin"):
        flow(["fts"], prefix=prefix)


# ── safe on a page ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.alt[:30])
def test_a_figure_is_well_formed_and_has_an_alternative(figure: Figure) -> None:
    root = tree(figure)
    title, description = root[0], root[1]
    assert root.get("role") == "img"
    assert (title.tag, title.get("id")) == (SVG + "title", root.get("aria-labelledby"))
    assert (description.tag, description.get("id")) == (SVG + "desc", root.get("aria-describedby"))
    assert description.text == figure.alt
    assert title.text
    assert figure.caption
    assert not re.search(r'nan|inf\b|\de-\d|"-0"', re.sub(r">[^<]*<", "><", figure.svg)), "a place is no number"
    assert [*root.iter(SVG + "script")] == []


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_shown_whole_or_cut_with_the_whole_as_its_tooltip(name: str) -> None:
    plain = " ".join("".join(c for c in name if c not in "\x07\ud800\uffff\u202e").split())
    for figure in all_figures([name]):
        assert plain in figure.alt
        whole = [found for found in tree(figure).iter(SVG + "text") if plain in (found.text or "")]
        cut = [found for found in tree(figure).iter(SVG + "text") if plain == found.findtext(SVG + "title")]
        assert whole or cut
        assert all("…" in "".join(found.itertext()) for found in cut)


def test_no_two_figures_of_a_page_share_an_id() -> None:
    def ids(figures: list[Figure]) -> list[str]:
        return [found.get("id", "") for figure in figures for found in tree(figure).iter() if found.get("id")]

    several = ids([*USUAL, *EDGES, *all_figures(HOSTILE, "hostile-"), *all_figures(["fts"], "x")])
    assert len(several) == len(set(several)) > 30
    assert len(twice := ids([*USUAL, *USUAL])) > len(set(twice))


def test_every_reference_inside_a_figure_has_its_target() -> None:
    for figure in FIGURES:
        ids = {found.get("id") for found in tree(figure).iter()}
        assert {*re.findall(r"url\(#([^)]*)\)", figure.svg)} <= ids


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.alt[:30])
def test_markdown_leaves_a_figure_as_it_is(figure: Figure) -> None:
    page = f"# Page\n\n{figure.html}\n\nText after *it*.\n"
    extensions = ["md_in_html", "attr_list", "tables", "def_list", "admonition"]
    made = markdown.markdown(page, extensions=extensions, output_format="html")
    assert made == f"<h1>Page</h1>\n{figure.html}\n\n<p>Text after <em>it</em>.</p>"
    assert substitute(figure.html, {}, "page.md") == figure.html
    assert "{{" not in figure.html


def test_a_blank_line_in_the_picture_would_be_noticed() -> None:
    figure = USUAL[0]
    bare = f"# Page\n\n{figure.svg.replace('</defs>', '</defs>' + chr(10) * 2 + '_a_ *b*')}\n"
    assert figure.svg not in markdown.markdown(bare, extensions=["md_in_html"])


def test_a_page_reads_the_alternative_and_the_caption() -> None:
    page = read_page(f"<h1>Page</h1>{USUAL[0].html}")
    assert "".join(page.prose).endswith(unescape(USUAL[0].caption) + "\n") or USUAL[0].caption in "".join(page.prose)
    assert page.ids["flow-title"] == page.ids["flow-desc"] == 1
    assert page.loads == []


def test_figures_are_the_same_bytes_in_every_process() -> None:
    program = f"""
from rankfold_loaders.figures import contribution_by_rank, flow, stacked, weights
given = {WEIGHTS!r}
figures = [flow([*given]), contribution_by_rank(given, 60, 40), weights({{"documents": given}}), stacked({HITS!r})]
print("".join(map(repr, figures)))
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert len(printed.pop()) > 10_000


# ── as a reader sees them ─────────────────────────────────────────────────────────────────────────────────────────────

_MEASURE = """
for (const svg of document.querySelectorAll('svg[role=img]')) {
  const room = svg.parentElement.getBoundingClientRect();
  const picture = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text, foreignObject > div')) {
    const place = text.getBoundingClientRect();
    const over = Math.max(
      room.left - place.left, place.right - room.right, picture.top - place.top, place.bottom - picture.bottom);
    const size = parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM ? text : svg).getScreenCTM().a;
    found.push({text: text.textContent, over, size});
  }
}
"""


def measured(blocks: str, width: int, folder: Path) -> list[Mapping[str, float]]:
    """Every text of the figures in a column of that width, as the browser lays it out."""
    page = folder / "page.html"
    style = (REPOSITORY / "docs" / "assets" / "rankfold.css").read_text(encoding="utf-8")
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}\nbody {{ font: 16px/1.5 var(--md-text-font); margin: 9px }}"
        f"figure {{ margin: 0 }}</style><body class=md-typeset><div style='width:{width}px'>{blocks}</div>"
        f"<pre id=out></pre><script>const found = [];{_MEASURE}"
        f"document.getElementById('out').textContent = JSON.stringify(found)</script>",
        encoding="utf-8",
    )
    command = [chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    found: list[Mapping[str, float]] = json.loads(unescape(dom.partition('<pre id="out">')[2].partition("</pre>")[0]))
    return found


@pytest.mark.parametrize("width", [272, 760])
def test_no_text_leaves_its_figure_and_none_is_small(width: int, tmp_path: Path) -> None:
    found = measured("".join(figure.html for figure in FIGURES), width, tmp_path)
    assert len(found) > 400
    assert [text for text in found if text["over"] > 1] == []
    assert min(text["size"] for text in found) >= 12


def test_a_text_that_leaves_its_figure_is_found(tmp_path: Path) -> None:
    wide = USUAL[0].html.replace("which documents may be found", "which documents may be found by whom and when at all")
    assert any(text["over"] > 1 for text in measured(wide, 272, tmp_path))


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_the_colours_have_contrast_in_both_schemes(scheme: str) -> None:
    style = (REPOSITORY / "docs" / "assets" / "rankfold.css").read_text(encoding="utf-8")
    block = style.partition(f'[data-md-color-scheme="{scheme}"] {{')[2].partition("}")[0]
    colours = dict(re.findall(r"--rf-([\w-]+): (#[0-9a-f]{6})", block))
    used = {name for figure in FIGURES for name in re.findall(r"var\(--rf-([\w-]+)", figure.svg)}
    assert used <= colours.keys()
    for ground in ("paper", "tint"):
        assert contrast(colours["ink"], colours[ground]) >= 4.5
        assert contrast(colours["quiet"], colours[ground]) >= 4.5
        assert contrast(colours["accent"], colours[ground]) >= 3
    assert contrast(colours["line"], colours["paper"]) < 3, "the measure itself"

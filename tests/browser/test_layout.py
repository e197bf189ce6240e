"""Nothing scrolls sideways, nothing jumps, and paper shows all of it."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from browser.chromium import NewPage
from browser.measures import NARROW, WIDE, Visit, clipped, layout_shift, overflow_faults, visit
from browser.served_site import ServedSite

ARMS = "reference/arms/"
PAPER = {"width": 718, "height": 1047}
"""A4 at 96 dots an inch, without margins of a centimetre."""
MOST_SHIFT = 0.1


def test_no_page_scrolls_sideways(visits: list[Visit]) -> None:
    found = [f"{visit.path}: {fault}" for visit in visits for fault in visit.overflow]
    assert not found, "\n".join(found)


def test_long_words_break_wherever_they_stand(site: ServedSite, desk: Page) -> None:
    word = "w" * 100
    path = site.plant(
        "tutorial/",
        "</h1>",
        f"</h1><h2>{word}</h2><p>{word} <code>{word}</code> <a href='#'>{word}</a></p><ul><li>{word}</li></ul>"
        f"<dl><dt>{word}</dt><dd>{word}</dd></dl><pre><code>{word}</code></pre>"
        f"<div class='rf-table' tabindex='0'><table><tr><td>{word}</td></tr></table></div>",
    )
    assert not visit(desk, site, path).overflow


def test_a_part_that_is_too_wide_is_found(site: ServedSite, desk: Page) -> None:
    found = visit(desk, site, site.plant(ARMS, "</h1>", "</h1><p style='width: 400px'>wide</p>")).overflow
    assert found == tuple(overflow_faults(desk))
    assert "at 320 px: p wide" in found[0]


def test_nothing_jumps_while_styles_and_scripts_come_late(
    site: ServedSite, representatives: list[str], browser: Browser
) -> None:
    shifts = {}
    for size in (WIDE, NARROW):
        with browser.new_context(viewport=size) as context:
            pages = {path: context.new_page() for path in representatives}
            for path, page in pages.items():
                page.goto(site.url(path, slow=True), wait_until="commit")  # all load at the same time
            for path, page in pages.items():
                page.wait_for_load_state("load")
                page.bring_to_front()  # a page in the background is not laid out
                page.wait_for_timeout(100)
                shifts[path, size["width"]] = layout_shift(page)
    print(shifts)
    assert max(shifts.values()) < MOST_SHIFT, shifts


def test_a_jump_is_found(site: ServedSite, desk: Page) -> None:
    late = "<script>setTimeout(() => document.querySelector('h1').style.marginTop = '400px', 300)</script></body>"
    desk.goto(site.url(site.plant(ARMS, "</body>", late)), wait_until="networkidle")
    assert layout_shift(desk) > MOST_SHIFT


def test_paper_shows_the_whole_of_every_table_and_code_block(
    site: ServedSite, representatives: list[str], new_page: NewPage
) -> None:
    page = new_page(viewport=PAPER)
    page.emulate_media(media="print")
    found = []
    for path in representatives:
        page.goto(site.url(path))
        found += [f"{path}: {part}" for part in clipped(page)]
    assert not found, "\n".join(found)


def test_a_table_that_paper_would_cut_is_found(site: ServedSite, new_page: NewPage) -> None:
    page = new_page(viewport=PAPER)
    page.emulate_media(media="print")
    style = "<style>.rf-table table { min-width: 900px !important }</style>"
    page.goto(site.url(site.plant(ARMS, "</head>", f"{style}</head>")))
    assert clipped(page)

"""Tables are filtered by precondition with the style sheet alone, and by text with a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.chromium import NewPage
from browser.measures import NARROW, WIDE, axe_faults, layout_shift, overflow_faults
from browser.served_site import ServedSite

ARMS = "reference/arms/"
NEEDS = {"alpha": ("query_terms",), "beta": ("query_vector",), "gamma": ("query_vector", "candidates")}

PRECONDITIONS = {"query_terms": "query terms", "query_vector": "the query vector", "candidates": "candidates"}


def cell(name: str, need: str) -> str:
    yes = f'<strong class="rf-needs" data-needs="{need}">yes</strong>'
    return f"<td>{yes if need in NEEDS.get(name, ()) else 'no'}</td>"


def filtered(*, rows: int = 12) -> str:
    """A table as the templates write it, with enough rows for both filters."""
    radios = "".join(
        f'<label><input type="radio" name="rf-weights" value="{value}"{" checked" * (value == "all")}> {text}</label>'
        for value, text in {"all": "any", **PRECONDITIONS}.items()
    )
    names = [*NEEDS, *(f"other{number}" for number in range(rows - len(NEEDS)))]
    body = "".join(
        f"<tr><td><code>{name}</code></td><td>1.0</td>{''.join(cell(name, need) for need in PRECONDITIONS)}</tr>"
        for name in names
    )
    rules = "".join(
        f'.rf-filtered:has(input[value="{need}"]:checked) tbody tr:not(:has([data-needs="{need}"])) {{ display: none }}'
        for need in PRECONDITIONS
    )
    return (
        f"</h1><style>{rules}</style><div class='rf-filtered' id='planted'>"
        f"<fieldset class='rf-filter'><legend>Show arms that need</legend>{radios}</fieldset>"
        "<div class='rf-table' role='region' tabindex='0' aria-label='Planted'><table>"
        "<thead><tr><th>Arm</th><th>Weight</th><th>Terms</th><th>Vector</th><th>Candidates</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div></div>"
    )


@pytest.fixture
def path(site: ServedSite) -> str:
    return site.plant(ARMS, "</h1>", filtered())


def shown(page: Page) -> list[str]:
    return [row.locator("code").inner_text() for row in page.locator("#planted tbody tr:visible").all()]


def test_rows_are_filtered_by_precondition_without_scripts_and_by_keys(
    site: ServedSite, new_page: NewPage, path: str
) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(site.url(path))
    assert len(shown(page)) == 12
    page.locator("#planted input[value=all]").focus()
    page.keyboard.press("ArrowRight")
    assert shown(page) == ["alpha"]
    page.keyboard.press("ArrowRight")
    assert shown(page) == ["beta", "gamma"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert len(shown(page)) == 12


def test_rows_are_filtered_by_text_and_escape_shows_all(site: ServedSite, desk: Page, path: str) -> None:
    desk.goto(site.url(path))
    field = desk.get_by_label("Filter rows: Planted")
    status = desk.locator("#planted .rf-find output")
    expect(status).to_have_text("12 rows")
    field.press_sequentially("OTHER 1.0")
    expect(status).to_have_text("9 of 12 rows")
    assert shown(desk) == [f"other{number}" for number in range(9)]
    field.press_sequentially(" nothing")
    expect(status).to_have_text("0 of 12 rows")
    field.press("Escape")
    expect(status).to_have_text("12 rows")
    expect(field).to_have_value("")
    assert len(shown(desk)) == 12


def test_both_filters_hold_together_and_are_counted(site: ServedSite, desk: Page, path: str) -> None:
    desk.goto(site.url(path))
    desk.locator("#planted label", has_text="the query vector").click()
    expect(desk.locator("#planted output")).to_have_text("2 of 12 rows")
    desk.get_by_label("Filter rows: Planted").fill("gam")
    expect(desk.locator("#planted output")).to_have_text("1 of 12 rows")
    assert shown(desk) == ["gamma"]


def test_short_tables_get_no_field_and_long_ones_get_one_however_often_they_are_shown(
    site: ServedSite, desk: Page, path: str
) -> None:
    desk.goto(site.url(site.plant(ARMS, "</h1>", filtered(rows=8))))
    assert desk.locator("#planted .rf-find").count() == 0
    desk.goto(site.url(path))
    desk.add_script_tag(url=site.url("assets/tables.js"))
    assert desk.locator("#planted .rf-find").count() == 1


def test_filters_have_no_barrier_and_do_not_make_the_page_jump(site: ServedSite, new_page: NewPage, path: str) -> None:
    for size in (WIDE, NARROW):
        page = new_page(viewport=size)
        page.goto(site.url(path, slow=True), wait_until="networkidle")
        assert layout_shift(page) < 0.01
        assert not overflow_faults(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert not axe_faults(page, within="#planted")
        box = page.locator("#planted label").first.bounding_box()
        assert box is not None
        assert box["height"] >= 24


def test_a_field_without_room_kept_for_it_makes_the_page_jump(site: ServedSite, desk: Page) -> None:
    no_room = "<style>.rf-table { margin-top: 0 !important }</style>" + filtered()
    desk.goto(site.url(site.plant(ARMS, "</h1>", no_room), slow=True), wait_until="networkidle")
    assert layout_shift(desk) > 0.01

"""Everything works by keyboard: each stop of the Tab key can be seen, none is a trap, and keys do what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypedDict

import pytest
from playwright.sync_api import Page, expect

from browser.chromium import NewPage
from browser.served_site import ServedSite

ARMS = "reference/arms/"

STOP = """() => {
    const stop = document.activeElement;
    if (!stop || stop === document.body || stop === document.documentElement) return null;
    window.stops ??= new Map();
    const again = stops.has(stop);
    if (!again) stops.set(stop, stops.size);
    const classes = element => [...element.classList].filter(name => !name.includes("focus") && !name.includes("--"))
        .map(name => "." + name).join("");
    const kind = element => element.tagName.toLowerCase() + classes(element);
    return {
        again,
        id: stop.id,
        kind: kind(stop.parentElement) + " > " + kind(stop),
        label: stop.getAttribute("aria-label") ?? stop.textContent.trim().slice(0, 30),
    };
}"""


class Stop(TypedDict):
    """An element that Tab has led to."""

    again: bool
    id: str
    kind: str
    """The element and its parent, with their classes."""
    label: str


def stops(page: Page, most: int = 400) -> Iterator[Stop]:
    """Press Tab until the focus is back where it began; fails when that never happens."""
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or stop["again"]:
            return
        yield stop
    pytest.fail(f"{most} times Tab do not lead around the page")


def walk(page: Page) -> Iterator[tuple[Stop, bool]]:
    """All stops, each with whether a reader sees the focus there: some pixel changes when it leaves.

    Stops of one kind look alike, so only the first of them is looked at.
    """
    kinds: set[str] = set()
    for stop in stops(page):
        seen = True
        if stop["kind"] not in kinds:
            kinds.add(stop["kind"])
            with_focus = page.screenshot(type="jpeg")
            page.evaluate("document.activeElement.blur()")  # the next Tab still goes on from here
            seen = page.screenshot(type="jpeg") != with_focus
        yield stop, seen


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until this element has the focus."""
    for _ in stops(page):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not reach {selector}")


def style(text: str) -> tuple[str, str]:
    return "</head>", f"<style>{text}</style></head>"


def test_tab_leads_around_a_wide_screen_and_every_stop_is_seen(site: ServedSite, desk: Page) -> None:
    desk.goto(site.url(ARMS))
    found = list(walk(desk))
    assert not [stop for stop, seen in found if not seen]
    kinds = [stop["kind"] for stop, _ in found]
    assert kinds[0].endswith("a.md-skip")
    for part in ("input.md-search__input", "input.md-option", "a.md-nav__link", "div.rf-table", ".md-code__button"):
        assert any(kind.endswith(part) for kind in kinds), part


def test_tab_leads_around_a_phone_and_every_stop_is_seen(site: ServedSite, phone: Page) -> None:
    phone.goto(site.url(ARMS))
    found = list(walk(phone))
    assert not [stop for stop, seen in found if not seen]
    assert "__drawer" in {stop["id"] for stop, _ in found}
    kinds = {stop["kind"] for stop, _ in found}
    assert not any(kind.endswith("a.md-nav__link") for kind in kinds), "the closed menu takes the focus"
    assert any(kind.endswith("a.md-skip") for kind in kinds)


def test_a_stop_that_cannot_be_seen_is_found(site: ServedSite, desk: Page) -> None:
    desk.goto(site.url(site.plant(ARMS, *style(".md-logo:focus-visible { outline: none !important }"))))
    assert any("md-logo" in stop["kind"] for stop, seen in walk(desk) if not seen)


def test_a_trap_is_found(site: ServedSite, desk: Page) -> None:
    trap = "</h1><p><input aria-label='trap' onkeydown='event.key === \"Tab\" && event.preventDefault()'></p>"
    desk.goto(site.url(site.plant(ARMS, "</h1>", trap)))
    reached = [stop["label"] for stop in stops(desk)]
    assert reached[-1] == "trap"


def test_the_skip_link_leads_past_the_menu(site: ServedSite, desk: Page) -> None:
    desk.goto(site.url(ARMS))
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    desk.keyboard.press("Tab")
    assert desk.evaluate("document.activeElement.closest('article') !== null")


def test_the_search_is_opened_used_and_closed_by_keys(site: ServedSite, new_page: NewPage) -> None:
    for options in ({}, {"viewport": {"width": 320, "height": 700}}):
        page = new_page(**options)
        page.goto(site.url(""))
        tab_to(page, ".md-search__input")
        page.keyboard.type("weight")
        expect(page.locator(".md-search-result__item").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#__search")).not_to_be_checked()
        assert not page.evaluate("document.activeElement.matches('.md-search *')")
        page.keyboard.press("/")
        expect(page.locator(".md-search-result__item").first).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(page.locator(".md-search-result__link").first).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("h=weight"))


def test_the_menu_is_opened_followed_and_closed_by_keys(site: ServedSite, phone: Page) -> None:
    phone.goto(site.url(""))
    tab_to(phone, "#__drawer")
    expect(phone.locator("#__drawer")).to_have_accessible_name(re.compile("Menu"))
    phone.keyboard.press("Space")
    expect(phone.locator(".md-sidebar--primary")).to_be_in_viewport()
    phone.keyboard.press("Escape")
    expect(phone.locator("#__drawer")).not_to_be_checked()
    expect(phone.locator("#__drawer")).to_be_focused()
    phone.keyboard.press("Space")
    tab_to(phone, ".md-nav__link[href='tutorial/']")
    phone.keyboard.press("Enter")
    phone.wait_for_url(site.url("tutorial/"))
    assert not phone.locator("#__drawer").is_checked()


def test_the_scheme_is_switched_by_keys(site: ServedSite, desk: Page) -> None:
    desk.emulate_media(color_scheme="light")
    desk.goto(site.url(""))
    paper = desk.evaluate("getComputedStyle(document.body).backgroundColor")
    tab_to(desk, "[name=__palette]")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("ArrowRight")
    expect(desk.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert desk.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    desk.reload()
    expect(desk.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def table_region_faults(page: Page) -> list[str]:
    """Regions of tables without a name, that take no focus, or that arrow keys do not scroll."""
    faults = []
    for region in page.locator(".rf-table").all():
        name = region.get_attribute("aria-label")
        if not name or region.get_attribute("role") != "region":
            faults.append("a table has no name")
        region.evaluate("region => { region.scrollIntoView({block: 'center'}); region.focus(); }")
        if region.get_attribute("tabindex") != "0":
            faults.append(f"{name} takes no focus")
        elif region.evaluate("region => region.scrollWidth > region.clientWidth"):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(100)
            if region.evaluate("region => region.scrollLeft") == 0:
                faults.append(f"{name} is not scrolled by arrow keys")
    return faults


def test_every_table_is_a_named_region_that_arrow_keys_scroll(
    site: ServedSite, representatives: list[str], phone: Page
) -> None:
    found = []
    for path in representatives:
        phone.goto(site.url(path))
        found += [f"{path}: {fault}" for fault in table_region_faults(phone)]
    assert not found, "\n".join(found)


def test_a_table_that_keys_do_not_reach_is_found(site: ServedSite, phone: Page) -> None:
    phone.goto(site.url(site.plant(ARMS, 'role="region" tabindex="0"', 'role="region"')))
    assert any(fault.endswith("takes no focus") for fault in table_region_faults(phone))
    phone.goto(site.url(site.plant(ARMS, *style(".rf-table { overflow-x: clip }"))))
    assert any(fault.endswith("arrow keys") for fault in table_region_faults(phone))


def test_wide_code_is_scrolled_by_arrow_keys_without_a_mouse(site: ServedSite, phone: Page) -> None:
    phone.goto(site.url(ARMS))
    code = phone.locator("pre > code[tabindex='0']").first
    code.focus()
    phone.keyboard.press("ArrowRight")
    phone.wait_for_timeout(100)
    assert code.evaluate("code => code.scrollLeft") > 0


def test_a_copy_button_copies_its_block(site: ServedSite, new_page: NewPage) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(site.url(ARMS))
    blocks = page.locator("article pre > code")
    assert page.locator("article pre .md-code__button[data-md-type=copy]").count() == blocks.count() > 0
    tab_to(page, ".md-code__button")
    page.keyboard.press("Enter")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == blocks.first.inner_text().strip()

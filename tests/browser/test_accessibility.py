"""axe finds nothing on any template: wide and narrow, light and dark, at rest, with the search and the menu open."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from browser.measures import ADVICE, Visit, axe_faults, visit
from browser.served_site import ServedSite

ARMS = "reference/arms/"
SCHEMES = ("light", "dark")


def open_search(page: Page, query: str) -> None:
    page.keyboard.press("/")
    page.locator(".md-search__input").press_sequentially(query)
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def close_search(page: Page) -> None:
    page.locator(".md-search__input").fill("")  # so that the next search is typed anew
    page.keyboard.press("Escape")
    expect(page.locator("#__search")).not_to_be_checked()


def states(page: Page, *, menu: bool) -> Iterator[tuple[str, str | None]]:
    """Put the page into each state; gives its name, and the part that differs from the page at rest."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_attribute(
            "data-md-color-scheme", "slate" if scheme == "dark" else "default"
        )
        yield f"{scheme}", None
        open_search(page, "rank")
        yield f"{scheme}, search open", ".md-header"
        close_search(page)
        if menu:
            page.locator("label.md-header__button[for=__drawer]").click()
            yield f"{scheme}, menu open", ".md-sidebar--primary"
            page.evaluate("document.getElementById('__drawer').click()")


def faults_of(page: Page, site: ServedSite, path: str, *, whole: bool = False) -> list[str]:
    """What axe finds in every state of a page; with `whole` the whole page is read in each of them."""
    page.goto(site.url(path))
    page.add_style_tag(content="*, ::before, ::after { transition: none !important }")
    menu = page.viewport_size is not None and page.viewport_size["width"] < 1000
    return [
        f"{path} ({state}): {fault}"
        for state, part in states(page, menu=menu)
        for fault in axe_faults(page, within=None if whole else part)
    ]


def test_no_page_has_a_barrier_in_its_structure(visits: list[Visit]) -> None:
    found = [f"{visit.path}: {fault}" for visit in visits for fault in visit.barriers]
    assert not found, "\n".join(found)


def test_a_barrier_in_the_structure_is_found(site: ServedSite, desk: Page) -> None:
    path = site.plant(ARMS, "</h1>", "</h1><img src='../../assets/favicon.svg'><p id='weights'><button></button></p>")
    found = " ".join(visit(desk, site, path).barriers)
    assert "image-alt" in found
    assert "button-name" in found


def test_a_wide_screen_has_no_barrier(site: ServedSite, representatives: list[str], desk: Page) -> None:
    found = [fault for path in representatives for fault in faults_of(desk, site, path)]
    assert not found, "\n".join(found)


def test_a_phone_has_no_barrier(site: ServedSite, representatives: list[str], phone: Page) -> None:
    found = [fault for path in representatives for fault in faults_of(phone, site, path)]
    assert not found, "\n".join(found)


def test_what_lies_behind_the_search_and_the_menu_has_no_barrier(site: ServedSite, desk: Page, phone: Page) -> None:
    found = [fault for page in (desk, phone) for fault in faults_of(page, site, "", whole=True)]
    assert not found, "\n".join(found)


def test_a_planted_barrier_is_found_in_its_state(site: ServedSite, phone: Page) -> None:
    style = """
        h1 + p { color: #bbb !important }
        [data-md-color-scheme="slate"] h2 { color: #444 !important }
        .md-typeset li a, .md-typeset p a { text-decoration: none !important; color: #40434a }
        .md-search-result__link * { color: #ccc !important }
        .md-nav--primary .md-nav__link { color: #ccc !important }
    """
    found = faults_of(phone, site, site.plant("", "</head>", f"<style>{style}</style></head>"))
    for state, rule in (
        ("light", "color-contrast"),
        ("dark", "color-contrast"),
        ("light", "link-in-text-block"),
        ("light, search open", "color-contrast"),
        ("light, menu open", "color-contrast"),
    ):
        assert any(f"({state}): {rule}" in fault for fault in found), (state, rule, found)


def test_wide_code_that_no_key_can_scroll_is_found(site: ServedSite, phone: Page) -> None:
    undo = "document.querySelectorAll('pre > code').forEach(code => code.removeAttribute('tabindex'))"
    path = site.plant(ARMS, "</body>", f"<script>setInterval(() => {undo}, 20)</script></body>")
    phone.goto(site.url(path))
    phone.wait_for_timeout(200)
    assert any("scrollable-region-focusable" in fault for fault in axe_faults(phone))


def test_the_toggle_reaches_both_schemes_without_a_barrier(site: ServedSite, desk: Page) -> None:
    desk.emulate_media(color_scheme="light")
    desk.goto(site.url(""))
    seen = []
    for _ in range(3):
        desk.locator("form[data-md-component=palette] label:visible").click()
        seen.append(desk.locator("body").get_attribute("data-md-color-scheme"))
        assert not axe_faults(desk)
    assert {"default", "slate"} == set(seen)


def test_advice_is_printed_and_does_not_fail(site: ServedSite, desk: Page) -> None:
    desk.goto(site.url(ARMS))
    advice = axe_faults(desk, tags=(ADVICE,))
    print("\n".join(advice))
    assert all(":" in line for line in advice)

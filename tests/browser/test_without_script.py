"""Every page can be read where scripts do not run."""

from __future__ import annotations

from browser.chromium import NewPage
from browser.measures import NARROW, script_free_faults
from browser.served_site import ServedSite

ARMS = "reference/arms/"


def test_every_page_can_be_read_without_scripts(site: ServedSite, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    found = []
    for path in site.pages:
        page.goto(site.url(path))
        found += [f"{path}: {fault}" for fault in script_free_faults(page)]
    assert not found, "\n".join(found)


def test_the_menu_opens_without_scripts(site: ServedSite, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False, viewport=NARROW)
    page.goto(site.url(""))
    link = page.locator(".md-nav--primary .md-nav__link[href='tutorial/']")
    assert not link.is_visible()
    page.locator("#__drawer").focus()
    page.keyboard.press("Space")
    link.click()
    assert page.url == site.url("tutorial/")


def test_text_that_only_a_script_shows_is_found(site: ServedSite, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(site.url(site.plant(ARMS, "</head>", "<style>.no-js main { display: none }</style></head>")))
    assert {"no heading is visible", "no text is visible"} <= set(script_free_faults(page))
    page.goto(site.url(site.plant(ARMS, "</head>", "<style>.no-js tr:nth-child(3) { display: none }</style></head>")))
    assert any(fault.startswith("a row is hidden: ") for fault in script_free_faults(page))

"""What the site's search finds, typed as people type it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.served_site import ServedSite


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("weights", "Ranking arms"),
        ("since", "Scope axes"),
        ("--since", "Scope axes"),
        ('"--since"', "Scope axes"),
        ("RRF", "Glossary"),
        ("state_plane", "Preconditions"),
        ("RANKFOLD_DB", "Environment variables"),
    ],
)
def test_the_first_page_that_the_search_finds_is_about_it(site: ServedSite, desk: Page, typed: str, first: str) -> None:
    desk.goto(site.url(""))
    desk.locator(".md-search__input").press_sequentially(typed)
    title = desk.locator(".md-search-result__item").first.locator("h1")
    expect(title).to_contain_text(first)  # the list grows while the word is typed
    assert first in title.inner_text()


def test_a_single_dash_still_leaves_pages_out(site: ServedSite, desk: Page) -> None:
    found = desk.locator(".md-search-result__meta")

    def count(typed: str) -> int:
        desk.goto(site.url(""))
        desk.locator(".md-search__input").fill(typed)
        desk.keyboard.press("End")  # the search is asked when a key goes up
        expect(found).to_contain_text("matching document")
        return int(found.inner_text().split()[0])

    assert count("glossary weight -salience") < count("glossary weight")

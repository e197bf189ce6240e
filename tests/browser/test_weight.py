"""What a page asks for: nothing of other hosts, and not much."""

from __future__ import annotations

from playwright.sync_api import Page

from browser.measures import INDEX_BYTES, PAGE_BYTES, SEARCH_INDEX, Visit, bytes_of, foreign_requests, visit
from browser.served_site import ServedSite

ARMS = "reference/arms/"


def test_no_page_asks_another_host_for_anything(site: ServedSite, visits: list[Visit]) -> None:
    found = [f"{visit.path}: {url}" for visit in visits for url in foreign_requests(site, visit)]
    assert not found, "\n".join(found)


def unanswered(site: ServedSite, visit: Visit) -> list[str]:
    """Requests for what the site does not have."""
    paths = [site.path_of(url) for url in visit.requested[1:]]
    return [path for path in paths if path is not None and not site.has(path)]


def test_no_page_asks_for_what_is_not_there(site: ServedSite, visits: list[Visit]) -> None:
    found = [f"{visit.path}: {path}" for visit in visits for path in unanswered(site, visit)]
    assert not found, "\n".join(found)


def test_a_request_that_nothing_answers_is_found(site: ServedSite, desk: Page) -> None:
    path = site.plant(ARMS, "</head>", '<link rel="alternate" type="text/markdown" href="../arms.md"></head>')
    assert unanswered(site, visit(desk, site, path)) == ["reference/sitemap.xml"]


def test_every_page_is_light(site: ServedSite, visits: list[Visit]) -> None:
    sizes = {visit.path: bytes_of(site, visit) for visit in visits}
    heaviest = max(sizes, key=lambda path: sizes[path])
    print(f"heaviest page: {heaviest or 'home'}, {sizes[heaviest]} bytes")
    heavy = {path: size for path, size in sizes.items() if size > PAGE_BYTES}
    assert not heavy
    assert min(sizes.values()) > 50_000, "scripts and styles were not counted"


def test_the_search_index_is_light(site: ServedSite, visits: list[Visit]) -> None:
    assert any(site.path_of(url) == SEARCH_INDEX for url in visits[0].requested)
    assert site.bytes_sent(SEARCH_INDEX) <= INDEX_BYTES


def test_a_request_to_another_host_and_a_heavy_page_are_found(site: ServedSite, desk: Page) -> None:
    path = site.plant(ARMS, "</h1>", "</h1><img alt='' src='http://other.invalid/a.png'>")
    assert foreign_requests(site, visit(desk, site, path)) == ["http://other.invalid/a.png"]
    noise = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(60_000))
    path = site.plant(ARMS, "</h1>", f"</h1><!-- {noise} -->")
    assert bytes_of(site, visit(desk, site, path)) > PAGE_BYTES

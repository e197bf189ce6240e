"""The site built once, served under a sub-path and opened in the system's own Chromium.

Nothing here is skipped: without a browser or without axe-core the tests fail and name the command that installs it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from browser.chromium import NewPage
from browser.measures import NARROW, WIDE, Visit, representative, visit
from browser.served_site import ServedSite, serve
from loaders.site_trees import build, copy_project


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSite]:
    folder = tmp_path_factory.mktemp("browser")
    ran = build(copy_project(folder / "project"), folder / "site")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with serve(folder / "site") as served:
        yield served


@pytest.fixture(scope="session")
def representatives(visits: list[Visit]) -> list[str]:
    return [*representative(visits[:-1]), MISSING]


MISSING = "no-such-page/"
"""An address that the site answers with its page for missing ones."""


@pytest.fixture
def desk(new_page: NewPage) -> Page:
    """A wide screen with a mouse."""
    return new_page()


@pytest.fixture
def phone(new_page: NewPage) -> Page:
    """A narrow screen that is touched: it reports no hovering."""
    return new_page(viewport=NARROW, has_touch=True, is_mobile=True)


@pytest.fixture(scope="session")
def visits(site: ServedSite, browser: Browser) -> list[Visit]:
    """Every page opened once."""
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    made = [visit(page, site, path) for path in (*site.pages, MISSING)]
    context.close()
    return made

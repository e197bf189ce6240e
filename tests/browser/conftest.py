"""The site built once, served under a sub-path and opened in the system's own Chromium.

Nothing here is skipped: without a browser or without axe-core the tests fail and name the command that installs it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from browser.measures import NARROW, WIDE, Visit, representative, visit
from browser.served_site import ServedSite, serve
from loaders.site_trees import build, copy_project

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

NewPage = Callable[..., Page]


def chromium() -> str:
    """Where the browser is: named by `RANKFOLD_CHROMIUM`, or on the path."""
    for name in (os.environ.get("RANKFOLD_CHROMIUM"), "chromium", "google-chrome"):
        found = name and shutil.which(name)
        if found:
            return found
    pytest.fail("no Chromium was found: apt-get install chromium, or name one in RANKFOLD_CHROMIUM", pytrace=False)


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open a page in a context of its own, with these options; all are closed at the test's end."""
    opened = []

    def open_one(**options: Any) -> Page:
        opened.append(browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options}))
        return opened[-1].new_page()

    yield open_one
    for context in opened:
        context.close()


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

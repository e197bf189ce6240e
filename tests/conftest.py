"""Collections on real files."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page, sync_playwright

import rankfold
from browser.chromium import ARGUMENTS, NewPage, chromium
from browser.measures import WIDE
from support import NOBODY, Open, TableEmbedder

# Nothing is timed by a test. Where a change is to land the same examples run every time; elsewhere new ones are sought.
settings.register_profile("rankfold", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("rankfold")


@pytest.fixture
def embedder() -> TableEmbedder:
    return TableEmbedder()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open a collection in the test's folder; all are closed at its end."""
    collections: list[rankfold.Collection] = []

    def open_one(name: str = "index.db", **options: object) -> rankfold.Collection:
        options.setdefault("embedder", None)
        collections.append(rankfold.open(tmp_path / name, **options))  # type: ignore[arg-type]
        return collections[-1]

    yield open_one
    for collection in collections:
        collection.close()


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """A folder that belongs to the user of `as_nobody`, where pytest's own would not let that user in."""
    made = Path(tempfile.mkdtemp(prefix="rankfold-"))
    if os.getuid() == 0:
        os.chown(made, NOBODY, NOBODY)
    yield made
    for path in (made, *made.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)
    shutil.rmtree(made)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder named `notes`."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


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

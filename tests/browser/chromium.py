"""The system's own Chromium, and how the tests start it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

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

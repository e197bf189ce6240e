"""`mkdocs serve` shows every edit after one build, and survives a registry that cannot be read."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from loaders.site_trees import copy_project, environment, replace_in

PATIENCE = 25.0
"""Seconds to wait for a page: far more than it takes, for machines that do other things too."""


class Server:
    """A running `mkdocs serve` over a copy of the project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = root.parent / "serve.log"
        variables = environment(root)
        variables.pop("PYTHONDONTWRITEBYTECODE", None)  # some machines set it, and would hide a second build
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"],
                cwd=root,
                env={**variables, "PYTHONUNBUFFERED": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def page(self, path: str) -> str:
        address = f"http://127.0.0.1:{self.port}/rankfold/{path}"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return str(answer.read().decode("utf-8"))
        except (urllib.error.URLError, OSError):
            return ""

    def wait_for(self, path: str, text: str) -> None:
        """Ask for a page until it holds a text."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if text in self.page(path):
                return
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        pytest.fail(f"{path} never showed {text!r}\n{self.log.read_text()[-3000:]}")

    @property
    def builds(self) -> int:
        return self.log.read_text().count("Building documentation...")

    def settled_builds(self) -> int:
        """The number of builds once a second one for the same save would have begun."""
        time.sleep(1.5)
        return self.builds

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(root), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = copy_project(tmp_path_factory.mktemp("serve") / "project")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    started = Server(root)
    try:
        yield started
    finally:
        started.stop()


def test_every_kind_of_edit_shows_after_exactly_one_build(server: Server) -> None:
    """FC-S01, FC-S02."""
    root = server.root
    server.wait_for("reference/arms/", "Ranking arms")
    assert server.settled_builds() == 1
    hook = """_PLAIN = on_page_markdown


def on_page_markdown(markdown, **event):
    return _PLAIN(markdown, **event) + "\\n\\nfrom the hook"


__all__ ="""
    arms_page, pages = "reference/arms/", "loaders/rankfold_loaders"
    edits = [
        ("src/rankfold/retrieval/arms/fts.py", "weight=1.0,", "weight=1.25,", arms_page, "1.25"),
        ("docs/tutorial.md", "# Ten minutes", "# Eleven minutes", "tutorial/", "Eleven minutes"),
        ("site-templates/pages/arms.md.jinja", "3. Why arms are data", "3. Why data", arms_page, "3. Why data"),
        (f"{pages}/pages.py", '"**yes**", "no"', '"**yes**", "nope"', "reference/preconditions/", "nope"),
        (f"{pages}/own_reference.py", 'title="Ranking arms"', 'title="All arms"', arms_page, "All arms"),
        ("loaders/mkdocs_hook.py", "__all__ =", hook, "tutorial/", "from the hook"),
    ]
    for count, (file, old, new, path, text) in enumerate(edits, start=2):
        replace_in(root / file, old, new)
        until = time.monotonic() + PATIENCE
        while server.builds < count and time.monotonic() < until:
            time.sleep(0.05)
        server.wait_for(path, text)
        assert server.builds == count, f"{file}: {server.log.read_text()[-2000:]}"
    assert server.settled_builds() == 1 + len(edits)
    changed = {line[3:] for line in git(root, "status", "--porcelain").splitlines()}
    assert changed == {file for file, *_ in edits}


def test_a_registry_that_cannot_be_read_is_shown_and_comes_back(server: Server) -> None:
    file = server.root / "src/rankfold/retrieval/arms/fts.py"
    replace_in(file, "weight=1.25,", "weight=1.25,,")
    server.wait_for("reference/arms/fts/", "SyntaxError")
    page = server.page("reference/arms/fts/")
    assert "This page cannot be made" in page
    assert "Default weight" in page  # below the notice the page is as it was
    home = server.page("")
    assert "This page cannot be made" not in home
    assert "{{" not in home  # facts are those of the last good build
    assert ">None<" not in "".join(home.split())  # no page went missing from the menu
    replace_in(file, "weight=1.25,,", "weight=1.75,")
    server.wait_for("reference/arms/", "1.75")

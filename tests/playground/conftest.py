"""The playground made once from the sample notes and this project's own pages, and the ways to run it.

Nothing here is skipped: without the engine or without a browser the tests fail and name the command that installs it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loaders.site_trees import REPOSITORY
from rankfold_loaders import playground
from rankfold_loaders.playground import Corpus, Export

PACKAGES = REPOSITORY / ".cache" / "playground"
SOURCES = REPOSITORY / "site-templates" / "playground"
RUNNER = Path(__file__).with_name("run_cases.mjs")

Run = Callable[..., list[dict[str, Any]]]


def corpora() -> list[Corpus]:
    """The sample notes, and this project's own pages."""
    docs = REPOSITORY / "docs"
    pages = {file.relative_to(docs).as_posix(): file.read_text(encoding="utf-8") for file in sorted(docs.rglob("*.md"))}
    few = {path: pages[path] for path in sorted(pages)[:6]}
    return [
        Corpus.folder(REPOSITORY / "examples" / "notes", "notes of a small team"),
        Corpus("site", "pages of this site", few, queries=("why is the default scope a table", "limit and order")),
    ]


def bundle(sources: Path, folder: Path) -> Path:
    """Bundle modules as `make playground` does, with the packages that it installed."""
    if not (PACKAGES / "node_modules").is_dir():
        pytest.fail("the packages of the playground are missing: make playground", pytrace=False)
    folder.mkdir(parents=True)
    (folder / "node_modules").symlink_to(PACKAGES / "node_modules")
    shutil.copy2(SOURCES / "package.json", folder)
    ran = subprocess.run(
        ["node", str(sources / "bundle.mjs"), str(folder)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return folder / "dist"


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled engine."""
    return bundle(SOURCES, tmp_path_factory.mktemp("engine") / "own")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """What the library made of the corpora."""
    return playground.export(REPOSITORY / "src", corpora(), tmp_path_factory.mktemp("export"))


@pytest.fixture(scope="session")
def files(made: Export, engine: Path) -> dict[str, bytes]:
    """The files of the playground by their path in the site."""
    return playground.assets(made, engine)


@pytest.fixture(scope="session")
def run(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run cases in node, with the very files that a browser gets, or with another engine."""
    folder = tmp_path_factory.mktemp("run")
    for path, content in files.items():
        stem, _, suffix = path.rpartition("/")[2].partition(".")
        (folder / f"{stem.rpartition('-')[0]}.{suffix}").write_bytes(content)

    def run_cases(cases: list[dict[str, Any]], *, other: Path | None = None) -> list[dict[str, Any]]:
        job = {"engine": str((other or folder) / "engine.mjs"), "folder": str(folder), "cases": cases}
        (folder / "cases.json").write_text(json.dumps(job))
        ran = subprocess.run(["node", str(RUNNER), str(folder / "cases.json")], capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr.decode()
        answers: list[dict[str, Any]] = json.loads(ran.stdout)
        return answers

    return run_cases

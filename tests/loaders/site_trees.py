"""Copies of the project to build, and the ways to build and to change them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PARTS = (
    "src",
    "loaders",
    "site-templates",
    "docs",
    "examples",
    "mkdocs.yml",
    "pyproject.toml",
    "CHANGELOG.md",
    "README.md",
    "Makefile",
    ".gitattributes",
    ".gitignore",
)


def copy_project(target: Path) -> Path:
    """Copy what the site is made from."""
    target.mkdir(parents=True)
    for part in PARTS:
        source = REPOSITORY / part
        if source.is_dir():
            shutil.copytree(source, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / part)
    return target


def environment(root: Path, *more: Path) -> dict[str, str]:
    """An environment in which only the copy's own code is found; the playground has tests of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SOURCE_DATE_EPOCH"))}
    path = os.pathsep.join(map(str, (root / "src", root / "loaders", *more)))
    return {"RANKFOLD_PLAYGROUND": "false", **kept, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"}


def build(root: Path, site: Path, *options: str, more: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build` as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site), *options],
        cwd=root,
        env=environment(root, *more),
        capture_output=True,
        text=True,
        check=False,
    )


def replace_in(file: Path, old: str, new: str) -> None:
    """Edit a file; the old text must be there once or more."""
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} does not hold {old!r}"
    file.write_text(text.replace(old, new), encoding="utf-8")

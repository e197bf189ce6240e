"""Folders that the command line is run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .running import CASES, run

NOTES = {
    "wal.md": "---\ndate: 2024-03-01\n---\n# WAL mode\n\nOne writer and many readers work at the same time.\n",
    "locks.md": "---\ndate: 2023-11-20\n---\n# Locks\n\nReaders block a writer in the old journal mode.\n",
    "backup.md": "---\ndate: 2024-05-12\n---\n# Backups\n\nCopy the database with VACUUM INTO, never with cp.\n",
}


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with nothing in it."""
    monkeypatch.delenv("RANKFOLD_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(empty: Path) -> Path:
    """A current folder with three notes, indexed without vectors."""
    (empty / "notes").mkdir()
    for name, text in NOTES.items():
        (empty / "notes" / name).write_text(text, encoding="utf-8")
    assert run("index", "notes", "--no-embed").exit_code == 0
    return empty


@pytest.fixture
def field_cases(empty: Path) -> Path:
    """A current folder with the files of the field cases, indexed without vectors."""
    shutil.copytree(CASES, empty / "files")
    assert run("index", "files", "--no-embed").exit_code == 0
    return empty

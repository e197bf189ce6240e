"""What the authored pages tell a reader to type works as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loaders.site_trees import REPOSITORY

DOCS = REPOSITORY / "docs"
NOTES = {
    "wal.md": "---\ndate: 2024-03-01\n---\n# WAL mode\n\nOne writer and many readers work at the same time.\n",
    "locks.md": "---\ndate: 2023-11-20\n---\n# Locks\n\nReaders block a writer in the old journal mode.\n",
}


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def environment(folder: Path) -> dict[str, str]:
    program = folder / "bin" / "rankfold"
    program.parent.mkdir()
    start = "import sys; from rankfold.cli import main; main(prog_name='rankfold')"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY / "src")}


@pytest.mark.parametrize(
    ("page", "number"), [(page, n) for page in ("index.md", "tutorial.md") for n in range(len(blocks(page, "python")))]
)
def test_python_on_a_page_runs(page: str, number: int, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", blocks(page, "python")[number]],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "notes/wal.md" in ran.stdout


@pytest.mark.skipif(os.name == "nt", reason="the page shows a POSIX shell")
def test_the_commands_of_the_tutorial_run_in_order(tmp_path: Path) -> None:
    typed = [
        line.removeprefix("$ ")
        for block in blocks("tutorial.md", "console")
        for line in block.splitlines()
        if line.startswith("$ ") and "pip install" not in line
    ]
    assert sum(line.startswith("rankfold ") for line in typed) > 5
    ran = subprocess.run(
        ["sh", "-e", "-c", "\n".join(typed)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "notes/wal.md" in ran.stdout

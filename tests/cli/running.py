"""Ways to run the command line: inside this process, which is quick, and as a program of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from rankfold.cli import main

CASES = Path(__file__).parents[1] / "cases" / "files"
SOURCE = Path(__file__).parents[2] / "src"

PLAIN = {"NO_COLOR": None, "FORCE_COLOR": None, "COLUMNS": "100", "RANKFOLD_DB": None}


def run(*words: str, env: Mapping[str, str | None] | None = None) -> Result:
    """Run inside this process, in the current folder."""
    return CliRunner().invoke(main, list(words), prog_name="rankfold", env={**PLAIN, **(env or {})})


def asked_json(*words: str) -> dict[str, Any]:
    """The envelope that a command prints, which is all that it prints on standard output."""
    return envelope_of(run(*words, "--json").stdout)


def envelope_of(text: str) -> dict[str, Any]:
    """The one envelope in a text that holds nothing else."""
    assert text.isascii()
    assert text.endswith("\n")
    assert text.count("\n") == 1
    found: dict[str, Any] = json.loads(text)
    assert found["api_version"] == "1"
    return found


def suggested(envelope: Mapping[str, Any]) -> list[list[str]]:
    """The words of every suggestion that is a command of ours."""
    typed = [shlex.split(text) for text in envelope["suggestions"]]
    return [words[1:] for words in typed if words[0] == "rankfold"]


def program(*words: str, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run as a program of its own, with pipes for its streams."""
    return subprocess.run(command(*words), cwd=cwd, env=environment(env), capture_output=True, check=False, timeout=60)


def command(*words: str) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "rankfold.cli", *words]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a program of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in PLAIN}
    path = os.pathsep.join(filter(None, [(more or {}).get("PYTHONPATH"), str(SOURCE)]))
    return {**kept, **(more or {}), "PYTHONPATH": path}

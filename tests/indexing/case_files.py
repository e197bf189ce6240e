"""Reads the files that people's failures were reduced to."""

from __future__ import annotations

from pathlib import Path

_FILES = Path(__file__).parents[1] / "cases" / "files"


def case_file(name: str) -> bytes:
    return (_FILES / name).read_bytes()

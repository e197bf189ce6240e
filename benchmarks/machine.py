"""What the figures were measured on, as a table for the results files. The date is left out: it decides nothing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import apsw


def table(*packages: str) -> str:
    """A Markdown table of processor, Python, SQLite and the versions of `packages`."""
    rows = [
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("SQLite", f"{apsw.sqlite_lib_version()} (apsw {version('apsw')})"),
    ]
    rows += [(package, _version(package)) for package in packages]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def processor() -> str:
    """The processor's name as the system states it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"

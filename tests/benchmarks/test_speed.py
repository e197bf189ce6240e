"""The benchmark of speed, on a corpus that is too small to time: both sides give the same answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report over two tiny corpora."""
    pytest.importorskip("numpy")
    pytest.importorskip("sqlite_vec")
    output = tmp_path_factory.mktemp("speed") / "speed.md"
    command = [sys.executable, "benchmarks/speed.py", "--sizes", "60,300", "--queries", "4", "--repeats", "1"]
    done = subprocess.run([*command, "--output", str(output)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output.read_text(encoding="utf-8")


def test_ours_and_the_literal_statement_give_equal_answers(report: str) -> None:
    equal = [line.split("|")[-2].strip() for line in report.splitlines() if re.match(r"\| (60|300) .* of 4 \|$", line)]
    assert equal == ["4 of 4"] * 6


def test_the_report_states_growth_and_targets(report: str) -> None:
    for arm in ("fts", "vector", "recency", "salience"):
        assert re.search(rf"^\| {arm}, alone \| .* \| -?\d\.\d+ \|$", report, re.MULTILINE)
    assert "exponent of salience alone" in report

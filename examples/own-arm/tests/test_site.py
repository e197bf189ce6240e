"""The site says what the code does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_drift_check_passes() -> None:
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "rankfold_loaders", "check", "--root", str(root)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr

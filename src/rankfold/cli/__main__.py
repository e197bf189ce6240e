"""`python -m rankfold.cli`, for where the script is not on the path."""

from __future__ import annotations

from rankfold.cli import main

main()

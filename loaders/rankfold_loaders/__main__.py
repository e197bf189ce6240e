"""`python -m rankfold_loaders check`: the drift check."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankfold_loaders.check import report, run


def main() -> int:
    """Read the arguments and run what they ask for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m rankfold_loaders", description="The reference site of a project.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="prove that the site says what the code does")
    check.add_argument(
        "--root", type=Path, default=Path(), metavar="DIR", help="the folder of mkdocs.yml (default: here)"
    )
    arguments = parser.parse_args()
    if not (arguments.root / "mkdocs.yml").is_file():
        parser.error(f"there is no mkdocs.yml in {arguments.root.resolve()}; name its folder with --root DIR")
    return report(run(arguments.root))


if __name__ == "__main__":
    sys.exit(main())

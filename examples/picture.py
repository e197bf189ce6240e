"""Draw the README's picture: a real search in a terminal, as SVG.

python examples/picture.py docs/assets/search.svg
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
QUERY = ("how", "are", "ranks", "added", "up")


def main(target: str) -> int:
    """Index this project's pages, search them, and write what the terminal shows.

    Args:
        target: the SVG file to write.
    """
    tool = str(Path(sys.executable).parent / "rankfold")
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "pages.db")
        subprocess.run([tool, "--db", database, "index", "docs"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        command = [tool, "--db", database, "search", *QUERY, "--limit", "3"]
        shown = subprocess.run(
            command,
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "96", "FORCE_COLOR": "1"},
        ).stdout
    console = Console(record=True, width=100, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    console.print(Text.assemble(("$ ", "bold green"), f"rankfold search {' '.join(QUERY)} --limit 3\n"))
    console.print(Text.from_ansi(shown))
    drawn = console.export_svg(title="rankfold")
    drawn = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", drawn, flags=re.DOTALL)  # no font from another host
    Path(target).write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

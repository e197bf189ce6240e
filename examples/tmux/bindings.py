"""The default key bindings of tmux as JSON Lines, read from its manual page as it is installed here.

python examples/tmux/bindings.py > bindings.jsonl
rankfold --db keys.db index bindings.jsonl --id-field key --text-field description
rankfold --db keys.db search close the current window
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def manual_page() -> Path | None:
    """The source of tmux's manual page, or nothing where it is not installed."""
    try:
        found = subprocess.run(["man", "-w", "tmux"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    path = Path(found.stdout.strip())
    return path if found.returncode == 0 and path.is_file() else None


def bindings(source: str) -> Iterator[tuple[str, str]]:
    """Key and description of each binding in the page's source, in its order.

    The page is written in mdoc: `.It` begins an item, other lines that begin with a dot are macros around words.
    """
    section = source.partition(".Sh DEFAULT KEY BINDINGS")[2].partition("\n.Sh ")[0].partition(".Bl ")[2]
    keys: list[str] = []
    words: list[str] = []
    for line in [*section.splitlines()[1:], ".El"]:
        if line.startswith((".It", ".El")):
            if words:
                yield ", ".join(keys), " ".join(words)
                keys, words = [], []
            if line.startswith(".El"):
                return
            keys.append(plain(line.removeprefix(".It")))
        elif not line.startswith('.\\"'):
            words.append(plain(line))


def plain(line: str) -> str:
    """A line of mdoc without its macros and escapes."""
    line = re.sub(r"^\.Nm", "tmux", line)
    line = re.sub(r"(^\.|\b)Fl ", "-", line)
    if line.startswith("."):
        line = re.sub(r"^\.[A-Z][a-z] ", "", line)
    line = re.sub(r"\b(Ic|Ql|Em|Ar|Ns) ", "", line)
    if re.search(r" [.,)]( [.,)])*$", line):  # a macro line keeps its punctuation apart
        line = re.sub(r" (?=[.,)])", "", line)
    line = re.sub(r"^tmux ([,.])", r"tmux\1", line)
    return line.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\").strip()


def main() -> int:
    """Write the bindings to standard output."""
    page = manual_page()
    if page is None:
        print("the manual page of tmux is not installed here", file=sys.stderr)
        return 1
    data = page.read_bytes()
    source = (gzip.decompress(data) if page.suffix == ".gz" else data).decode("utf-8", "replace")
    for key, description in bindings(source):
        print(json.dumps({"key": key, "description": description}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())

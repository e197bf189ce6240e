"""A tour in one command: index real files, search them, see every arm's rank, lose an arm, build the site.

python examples/demo.py
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DEMO = ROOT / ".demo"


def say(text: str) -> None:
    """Announce a step."""
    print(f"\n── {text}\n", flush=True)


def run(*command: str) -> None:
    """Show a command of the demo as a person would type it, and run it."""
    print(f"$ {shlex.join(command)}", flush=True)
    tool = Path(sys.executable).parent / command[0]
    subprocess.run([str(tool), *command[1:]], cwd=ROOT, check=True, env={**os.environ, "RANKFOLD_DB": ""})


def main() -> int:
    """Run the tour.

    Returns:
        The exit status: that of the first command that failed.
    """
    DEMO.mkdir(exist_ok=True)
    pages, keys = ".demo/pages.db", ".demo/keys.db"
    try:
        say("This project's own pages, as an index")
        run("rankfold", "--db", pages, "index", "docs")

        say("Each arm ranks, and the ranks add up to the score")
        run("rankfold", "--db", pages, "search", "how are ranks added up", "--limit", "3")
        run("rankfold", "--db", pages, "search", "what if a model is missing", "--limit", "3")

        say("The same without the vector arm")
        run("rankfold", "--db", pages, "search", "what if a model is missing", "--limit", "3", "--weight", "vector=0")

        bindings = DEMO / "bindings.jsonl"
        made = subprocess.run([sys.executable, str(ROOT / "examples/tmux/bindings.py")], capture_output=True)
        if made.returncode == 0:
            bindings.write_bytes(made.stdout)
            say("tmux's key bindings, from its manual page on this machine")
            run("rankfold", "--db", keys, "index", str(bindings.relative_to(ROOT)), "--id-field", "key",
                "--text-field", "description")  # fmt: skip
            run("rankfold", "--db", keys, "search", "go back to previous window", "--query-form", "any", "--limit", "5")
        else:
            say("tmux's manual page is not installed here, so its key bindings are left out")

        say("The reference site, from the same records that just answered")
        run("mkdocs", "build", "--strict", "--quiet")
    except subprocess.CalledProcessError as failure:
        print(f"\nthis command failed with status {failure.returncode}", file=sys.stderr)
        return 1
    print(f"\nOpen {(ROOT / 'site' / 'index.html').as_uri()} or type: make serve")
    print("Ask yourself: .venv/bin/rankfold --db .demo/pages.db search 'your words'")
    return 0


if __name__ == "__main__":
    sys.exit(main())

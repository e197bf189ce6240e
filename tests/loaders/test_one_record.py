"""A record changed in its one place changes everything that reads it, and nothing else has to be edited."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bs4 import BeautifulSoup

from loaders.site_trees import build, environment, replace_in

_SEARCH = """
import json, rankfold
with rankfold.open({database!r}, embedder=None) as notes:
    notes.index([{{"id": "a", "text": "wal", "updated": "2024-01-01"}}], embed=False)
    answer = notes.search("wal", profile="memory")
print(json.dumps([[item.arm for item in answer.dropped], [used.arm for used in answer.arms], answer.sql]))
"""


def cell(site: Path, arm: str, precondition: str) -> str:
    """What the table of weights says about one arm and one precondition."""
    page = BeautifulSoup((site / "reference/arms/index.html").read_text(encoding="utf-8"), "html.parser")
    table = next(t for t in page.select("table") if precondition in t.get_text() and arm in t.get_text())
    headings = [heading.get_text(" ", strip=True) for heading in table.select("thead th")]
    row = next(row for row in table.select("tbody tr") if row.find(["th", "td"]).get_text(strip=True) == arm)  # type: ignore[union-attr]
    return row.find_all(["th", "td"])[headings.index(precondition)].get_text(strip=True)


def outcome(root: Path, folder: Path, name: str) -> tuple[str, list[str], list[str], str, list[str]]:
    """What the site, an answer, its statement and the command line say about the arm `salience`."""
    site = folder / f"{name}-site"
    built = build(root, site)
    assert built.returncode == 0, built.stdout + built.stderr

    def python(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, env=environment(root), cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    dropped, arms, sql = json.loads(python("-c", _SEARCH.format(database=str(folder / f"{name}.db"))))
    listed = json.loads(python("-m", "rankfold.cli", "arms", "--profile", "memory", "--json", "--db", f"{name}.db"))
    (salience,) = (arm for arm in listed["data"]["arms"] if arm["name"] == "salience")
    needs = [precondition["name"] for precondition in salience["preconditions"]]
    return cell(site, "salience", "Needs the state plane"), dropped, arms, sql, needs


def test_a_precondition_taken_out_of_a_record_changes_activation_table_explanation_and_command(
    own_tree: Path, tmp_path: Path
) -> None:
    shown, dropped, arms, sql, needs = outcome(own_tree, tmp_path, "before")
    assert (shown, needs) == ("yes", ["state_plane", "candidates"])
    assert "salience" in dropped
    assert "salience" not in arms
    assert "arm_salience" not in sql
    arm = own_tree / "src/rankfold/retrieval/arms/salience.py"
    replace_in(arm, 'preconditions=("state_plane", "candidates")', 'preconditions=("candidates",)')
    shown, dropped, arms, sql, needs = outcome(own_tree, tmp_path, "after")
    assert (shown, needs) == ("no", ["candidates"])
    assert "salience" not in dropped
    assert "salience" in arms
    assert "arm_salience" in sql

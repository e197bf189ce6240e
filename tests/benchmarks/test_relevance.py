"""The benchmark of relevance, on a collection of three documents whose figures can be told by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "corpus.jsonl": """{"id": "a/1", "title": "Tides", "text": "The moon pulls the water."}
{"id": "b", "title": "Bread", "text": "Flour, water, salt and time."}
{"id": "c", "title": "Bells", "text": "Bronze is cast in the pit."}
""",
    "queries.jsonl": """{"id": "1", "text": "moon"}
{"id": "2", "text": "flour and salt"}
{"id": "3", "text": "bronze"}
""",
    "qrels.tsv": "query_id\tdoc_id\trelevance\n1\ta/1\t1\n2\tb\t1\n3\tmissing\t1\n",
}


def test_the_means_are_over_all_queries_and_every_variant_is_tested(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    folder = tmp_path / "small"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "benchmarks/relevance.py", str(folder), "--window", "5", "--weight", "fts=2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "3 documents, 3 queries, 3 of them judged." in done.stdout
    rows = [line for line in done.stdout.splitlines() if "0.667 | 0.667 | 0.667" in line]
    assert len(rows) == 2, done.stdout
    assert "default" in rows[0]
    assert rows[1].endswith("| +0.000 | 1.000 |")

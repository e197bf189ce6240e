"""The texts of records have each of their free numerals in the ledger, with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankfold_loaders.project import Project
from rankfold_loaders.record_texts import LEDGER, read_records
from rankfold_loaders.registries import Reference
from rankfold_loaders.vocabulary import Vocabulary

NAMES = Vocabulary(frozenset({"fts", "--limit"}), {}, ())
NOTHING = Reference(registries=())


@dataclass(frozen=True)
class Record:
    name: str
    values: dict[str, Any] = field(default_factory=dict)


def test_the_texts_of_records_have_their_numerals_in_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    entries = {"constants": [Record("decay", {"doc": "After 100 hours it is gone; `fts` and `nothing`."})]}
    project = Project(tmp_path, reference=NOTHING)
    (fault,) = read_records(project, entries, NAMES).faults
    assert "constants.decay.doc types 100, nothing" in fault.message
    ledger = tmp_path / LEDGER
    ledger.write_text(
        "- in: [constants.decay.doc]\n  types: ['100', nothing]\n  because: an example\n", encoding="utf-8"
    )
    assert read_records(project, entries, NAMES).faults == []
    ledger.write_text(ledger.read_text(encoding="utf-8").replace("100", "101"), encoding="utf-8")
    assert "states 101, nothing" in read_records(project, entries, NAMES).faults[0].message
    ledger.write_text("- in: [constants.gone.doc]\n  types: ['1']\n  because: ''\n", encoding="utf-8")
    messages = " ".join(fault.message for fault in read_records(project, entries, NAMES).faults)
    assert "there is no reason" in messages
    assert "constants.gone.doc is no text of a record" in messages


def test_the_computed_help_of_an_option_is_compared_with_its_constant(tmp_path: Path) -> None:
    option = {"names": ["--limit"], "help": "Hits, from 1 to 1000; 10 without it."}
    entries = {
        "constants": [Record("limit", {"flag": "--limit", "value": 10, "minimum": 1, "maximum": 1000})],
        "commands": [Record("search", {"parameters": [option]})],
    }
    assert read_records(Project(tmp_path, reference=NOTHING), entries, NAMES).faults == []
    option["help"] = "Hits, from 1 to 1001; 10 without it."
    assert "commands.search.parameters.--limit.help types 1001" in str(
        read_records(Project(tmp_path, reference=NOTHING), entries, NAMES).faults[0]
    )

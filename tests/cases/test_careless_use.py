"""What a curious and careless user does, found by one."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from rankfold.errors import BadValueError, RegistryError, SearchError, SourceError
from rankfold.retrieval.arms import ARMS
from support import Open, paths


def test_a_source_that_is_gone_for_good_can_be_let_go_and_blocks_no_other(opened: Open, tmp_path: Path) -> None:
    for name in ("g", "h"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"word{name}", encoding="utf-8")
    notes = opened()
    notes.index(tmp_path / "g", tmp_path / "h")
    (tmp_path / "g" / "a.md").unlink()
    (tmp_path / "g").rmdir()
    (tmp_path / "h" / "b.md").write_text("wordnew", encoding="utf-8")
    with pytest.raises(SourceError, match="--prune"):
        notes.index()
    assert paths(notes.search("wordnew")) == ["h/b.md"], "the other source was read all the same"
    assert paths(notes.search("wordg")) == ["g/a.md"]
    assert notes.index(prune=True).removed == 1
    assert notes.status().sources == (str(tmp_path / "h"),)
    assert notes.index().unchanged == 2


def test_another_prefix_keeps_what_cannot_be_read_now(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s" / "k").mkdir(parents=True)
    (tmp_path / "s" / "a.md").write_text("worda", encoding="utf-8")
    (tmp_path / "s" / "k" / "b.md").write_text("wordb", encoding="utf-8")
    notes = opened()
    notes.index(tmp_path / "s")
    listed = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "k":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr("rankfold.indexing.walk.os.scandir", refuse)
    report = notes.index(tmp_path / "s", prefix="q")
    assert (report.renamed, report.removed) == (1, 0)
    assert paths(notes.search("wordb")) == ["s/k/b.md"]


def test_what_has_no_end_is_no_source(opened: Open, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.md")
    with pytest.raises(SourceError, match="neither a folder nor a file"):
        opened().index(tmp_path / "f.md")


def test_records_without_an_id_never_overwrite_each_other(opened: Open) -> None:
    notes = opened()
    notes.index([{"text": "first"}])
    assert notes.index([{"text": "second"}]).added == 1
    assert len(notes.search("first")) == len(notes.search("second")) == 1
    assert notes.index([{"text": "second"}, {"text": "first"}]).unchanged == 2


def test_an_empty_source_is_not_the_current_folder(opened: Open) -> None:
    with pytest.raises(BadValueError, match="a source is empty"):
        opened().index("")


def test_no_arms_at_all_is_a_mistake(opened: Open) -> None:
    with pytest.raises(BadValueError, match="arms is empty"):
        opened().search("x", arms=[])


@pytest.mark.parametrize(
    "sql", ["SELECT document_id, 1, 1.0 FROM {scope}, json_each('[1, 2]')", "SELECT document_id, 0, 1.0 FROM {scope}"]
)
def test_an_arm_whose_rows_do_not_add_up_fails_and_is_never_believed(opened: Open, sql: str) -> None:
    arm = replace(ARMS[0], name="mine", sql=sql)
    notes = opened(arms=[arm])
    notes.index([{"id": "a", "text": "wal"}])
    with pytest.raises(SearchError, match="do not add up"):
        notes.search("wal")
    assert paths(notes.search("wal", weights={"mine": 0.0})) == ["a"]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT document_id, 1, 1.0 FROM {scope} WHERE oops = 1", "no such column: oops"),
        ("SELEC document_id FROM {scope}", "near"),
        ("SELECT document_id, 1, json('nothing') FROM {scope}", "malformed JSON"),
    ],
)
def test_an_error_in_an_arms_sql_names_the_arm(opened: Open, sql: str, said: str) -> None:
    notes = opened(arms=[replace(ARMS[0], name="mine", sql=sql)])
    notes.index([{"id": "a", "text": "wal"}])
    with pytest.raises(SearchError, match=f"the SQL of the arm mine cannot be run; SQLite says: .*{said}"):
        notes.search("wal")
    assert paths(notes.search("wal", weights={"mine": 0.0})) == ["a"]


def test_what_is_no_arm_is_refused_when_the_collection_is_opened(opened: Open) -> None:
    with pytest.raises(RegistryError, match="is no Arm"):
        opened(arms=["fts"])

"""The arms find what they are for, in a search as anybody runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rankfold_librarian import ARMS

import rankfold

CARDS = [
    {"id": "wal", "title": "WAL mode", "text": "One writer, many readers.", "tags": ["sqlite", "locks"]},
    {"id": "modes", "title": "Journal modes: rollback, WAL mode and none", "text": "WAL mode, WAL mode, WAL mode."},
    {
        "id": "copies",
        "title": "Safe copies",
        "summary": "How not to lose a file.",
        "text": "Copy a database with VACUUM INTO, never with cp.",
        "tags": ["backup", "database"],
        "type": "guide",
        "updated": "2024-05-12",
    },
    {"id": "attic", "text": "A database that nobody wants back.", "tags": ["database"]},
]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[rankfold.Collection]:
    with rankfold.open(tmp_path / "shelf.db", embedder=None) as shelf:
        shelf.index(CARDS)
        yield shelf


def ranked(answer: rankfold.Answer, arm: str) -> list[str]:
    """What one arm found, best first."""
    found = [(share.rank, hit.path) for hit in answer for share in hit.contributions if share.arm == arm]
    return [path for _, path in sorted(found)]


def test_the_entry_point_hands_the_arms_to_every_search(shelf: rankfold.Collection) -> None:
    answer = shelf.search("wal mode")
    assert {arm.name for arm in ARMS} <= {used.arm for used in answer.arms}


def test_the_document_that_is_called_so_wins_over_one_that_says_it_often(shelf: rankfold.Collection) -> None:
    answer = shelf.search("wal mode", arms=["titled"])
    assert ranked(answer, "titled") == ["wal", "modes"]
    assert shelf.search("many readers", arms=["titled"]).hits == ()


def test_a_document_is_found_under_its_tags(shelf: rankfold.Collection) -> None:
    assert ranked(shelf.search("backup of a database", arms=["filed"]), "filed") == ["copies", "attic"]


def test_the_fullest_card_comes_first(shelf: rankfold.Collection) -> None:
    answer = shelf.search("database", arms=["fts", "complete"])
    assert ranked(answer, "complete")[0] == "copies"


def test_a_narrow_scope_is_obeyed(shelf: rankfold.Collection) -> None:
    assert ranked(shelf.search("backup of a database", arms=["filed"], type="guide"), "filed") == ["copies"]


def test_an_arm_that_lacks_what_it_needs_says_so(shelf: rankfold.Collection) -> None:
    dropped = {lost.arm: lost.reason for lost in shelf.search("…").dropped}
    assert {"titled", "filed"} <= dropped.keys()

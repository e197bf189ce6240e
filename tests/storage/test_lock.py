"""One indexer at a time."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from rankfold.errors import BusyError, ReadOnlyError
from rankfold.storage.lock import indexing_lock
from support import as_nobody, in_child


def test_the_lock_names_its_holder_and_is_free_afterwards(tmp_path: Path) -> None:
    database = tmp_path / "index.db"
    with (
        indexing_lock(database),
        pytest.raises(BusyError, match=rf"active on .*index\.db \(pid {os.getpid()}\)"),
        indexing_lock(database),
    ):
        pytest.fail("both held it")
    with indexing_lock(database):
        assert (tmp_path / "index.db.lock.pid").read_text(encoding="ascii") == str(os.getpid())
    assert not (tmp_path / "index.db.lock.pid").exists()


def test_a_link_to_an_index_has_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "index.db")
    with (
        indexing_lock(tmp_path / "index.db"),
        pytest.raises(BusyError, match=r"link\.db \(pid"),
        indexing_lock(tmp_path / "link.db"),
    ):
        pytest.fail("both held it")


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), indexing_lock(tmp_path / "index.db"):
        raise ZeroDivisionError
    with indexing_lock(tmp_path / "index.db"):
        assert (tmp_path / "index.db.lock").exists()


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    def die() -> None:
        with indexing_lock(tmp_path / "index.db"):
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(die) == -signal.SIGKILL
    assert (tmp_path / "index.db.lock.pid").exists(), "it had no time to take that away"
    with indexing_lock(tmp_path / "index.db"):
        assert (tmp_path / "index.db.lock.pid").read_text(encoding="ascii") == str(os.getpid())


def test_a_holder_that_cannot_be_read_is_left_out_of_the_message(tmp_path: Path) -> None:
    with indexing_lock(tmp_path / "index.db"):
        (tmp_path / "index.db.lock.pid").write_text("nonsense", encoding="ascii")
        with pytest.raises(BusyError, match=r"index\.db$"), indexing_lock(tmp_path / "index.db"):
            pytest.fail("both held it")


def test_a_folder_that_cannot_be_written_is_named(nobodys: Path) -> None:
    def work() -> str:
        nobodys.chmod(0o500)
        try:
            with indexing_lock(nobodys / "index.db"):
                return "held"
        except ReadOnlyError as problem:
            return str(problem)

    assert "index.db cannot be written" in as_nobody(work)

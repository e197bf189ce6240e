"""What the library exports for the browser: portable SQL, small databases, the same bytes everywhere."""

from __future__ import annotations

import dataclasses
import os
import shutil
import time
from array import array
from pathlib import Path

import pytest

from loaders.site_trees import REPOSITORY
from playground.conftest import SOURCES, bundle, corpora
from rankfold.retrieval.arms.fts import FTS
from rankfold.retrieval.registry import installed
from rankfold_loaders import playground
from rankfold_loaders.faults import SiteError
from rankfold_loaders.playground import Corpus, Export
from rankfold_loaders.playground_export import registry_data, rounded
from rankfold_loaders.render import Renderer

SOURCE = REPOSITORY / "src"

ELSEWHERE = """
import datetime, time
_now = time.time
time.time = lambda: _now() + 90 * 86400
"""
"""Imported by every interpreter that finds it: the clock is months ahead."""


def test_exported_sql_is_what_the_browser_can_run(made: Export) -> None:
    texts = playground.statements(made.data)
    profiles, arms = len(made.data["profiles"]), len(made.data["arms"])
    assert len(texts) == 1 + arms + profiles * (2**arms - 1)
    assert [fault for text in texts for fault in playground.unportable_sql(text)] == []


@pytest.mark.parametrize(
    "predicate", ["d.id IN carray(?1)", "d.id IN (SELECT rowid FROM vec0)", 'd.type IS NOT "task"']
)
def test_sql_that_the_browser_cannot_run_is_found(predicate: str) -> None:
    arm = dataclasses.replace(FTS, name="own", sql=FTS.sql.replace("WHERE ", f"WHERE {predicate} AND "))
    texts = playground.statements(registry_data(installed().plus_arms([arm])))
    assert any(playground.unportable_sql(text) for text in texts)
    assert playground.unportable_sql("SELECT 'carray \" vec0'") == []


def test_every_part_comes_with_gzip_within_its_limit(files: dict[str, bytes], made: Export) -> None:
    names = [corpus["name"] for corpus in made.data["corpora"]]
    sizes = {path.rpartition("/")[2]: playground.packed_size(content) for path, content in files.items()}
    databases = [{name: size for name, size in sizes.items() if name.startswith(f"{own}-")} for own in names]
    assert [len(database) for database in databases] == [3, 3]
    assert max(sum(database.values()) for database in databases) <= 150_000
    assert sum(sizes.values()) - sum(sum(database.values()) for database in databases) <= 500_000


def test_a_database_that_is_too_large_stops_the_build(
    made: Export, engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playground, "DATABASE_LIMIT", 10_000)
    with pytest.raises(SiteError, match="the database 'notes' takes"):
        playground.assets(made, engine)
    monkeypatch.setattr(playground, "ENGINE_LIMIT", 10_000)
    with pytest.raises(SiteError, match="the engine takes"):
        playground.assets(made, engine)


def test_pages_are_left_out_until_a_database_is_small_enough(
    made: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = playground.packed_size(made.databases["site"][0]) * 2 // 3
    monkeypatch.setattr(playground, "DATABASE_LIMIT", playground.KNOWN + limit)
    small = playground.export(SOURCE, corpora()[1:], tmp_path)
    about = small.data["corpora"][0]
    assert playground.packed_size(small.databases["site"][0]) <= limit
    assert about["left_out"] == len(corpora()[1].pages) - about["documents"] > 0
    page = playground.page(small, {"assets/playground/site-00000000.db": b""})
    assert f"with {about['left_out']} left out to keep it small" in Renderer().render(page)


def test_the_cache_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "KEPT", 3)
    for query in ("log", "reader", "log"):
        few = Corpus("few", "few", {"one.md": "# One\n\nA log.\n"}, queries=(query,))
        assert playground.export(SOURCE, [few], tmp_path).data["corpora"][0]["queries"][0]["text"] == query
        assert len(list((tmp_path / "playground").iterdir())) == 3


def test_another_sqlite_than_pythons_stops_the_build(made: Export, engine: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(engine, tmp_path / "other"))
    wasm = other / "sqlite3.wasm"
    wasm.write_bytes(wasm.read_bytes().replace(made.data["source_id"].encode(), b"0" * len(made.data["source_id"])))
    with pytest.raises(SiteError, match="is another SQLite than Python's"):
        playground.assets(made, other)


def test_without_the_engine_there_is_a_page_that_names_the_command(made: Export, tmp_path: Path) -> None:
    assert playground.assets(made, tmp_path) == {}
    text = Renderer().render(playground.page(made, {}))
    assert "make playground" in text
    assert "<button" not in text
    assert "<script" not in text
    assert made.data["corpora"][0]["example"]["query"] in text
    assert made.data["corpora"][0]["example"]["sql"].splitlines()[1] in text


def test_with_the_engine_the_page_states_sizes_and_hashes(made: Export, files: dict[str, bytes]) -> None:
    text = Renderer().render(playground.page(made, files))
    for path, content in files.items():
        assert f"]({path})" in text
        assert f"{playground.packed_size(content):,}" in text
    assert "Run it in your browser" in text


def test_vectors_keep_only_their_upper_halves() -> None:
    packed = array("f", [0.1, -0.33333334, 1.0, 0.0]).tobytes()
    numbers = array("f", rounded(packed))
    assert all(bits & 0xFFFF == 0 for bits in array("I", numbers.tobytes()))
    assert all(abs(one - other) <= abs(other) / 256 for one, other in zip(numbers, array("f", packed), strict=True))


def test_the_same_bytes_whatever_the_folder_the_day_the_zone_and_the_hashes(
    made: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SOURCE, tmp_path / "a folder elsewhere" / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "ahead").mkdir()
    (tmp_path / "ahead" / "sitecustomize.py").write_text(ELSEWHERE)
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [str(tmp_path / "ahead"), os.environ.get("PYTHONPATH")]))
    )
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    other = playground.export(tmp_path / "a folder elsewhere" / "src", corpora(), tmp_path / "cache")
    assert other.databases == made.databases
    assert other.data == made.data


def test_a_page_that_changes_changes_the_database(tmp_path: Path, made: Export) -> None:
    notes = corpora()[0]
    path = next(iter(notes.pages))
    changed = dataclasses.replace(notes, pages={**notes.pages, path: notes.pages[path] + "\nOne more line.\n"})
    other = playground.export(SOURCE, [changed], tmp_path)
    assert other.databases["notes"] != made.databases["notes"]


def test_what_has_not_changed_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus("few", "few", {"one.md": "# One\n\nA log.\n", "two.md": "# Two\n\nA reader.\n"}, queries=("log",))
    first = playground.export(SOURCE, [corpus], tmp_path)

    def run(*_: object) -> None:
        raise AssertionError("a fresh interpreter was started")

    monkeypatch.setattr(playground, "_run", run)
    began = time.perf_counter()
    assert playground.export(SOURCE, [corpus], tmp_path) == first
    assert time.perf_counter() - began < 1
    with pytest.raises(AssertionError, match="was started"):
        playground.export(SOURCE, [dataclasses.replace(corpus, queries=("reader",))], tmp_path)


def test_a_library_that_cannot_be_imported_stops_the_build(tmp_path: Path) -> None:
    broken = tmp_path / "src"
    shutil.copytree(SOURCE, broken, ignore=shutil.ignore_patterns("__pycache__"))
    (broken / "rankfold" / "constants.py").write_text("raise RuntimeError('planted')\n")
    with pytest.raises(SiteError, match="planted"):
        playground.export(broken, corpora()[:1], tmp_path / "cache")


def test_the_bundle_is_the_same_wherever_it_is_made(engine: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copytree(SOURCES, tmp_path / "sources elsewhere"))
    other = bundle(elsewhere, tmp_path / "another folder")
    assert {file.name: file.read_bytes() for file in other.iterdir()} == {
        file.name: file.read_bytes() for file in engine.iterdir()
    }

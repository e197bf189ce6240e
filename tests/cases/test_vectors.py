"""Field cases FC-V01 to FC-V10: vectors that are missing, broken, mixed up or cut off."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from rankfold.errors import EmbedderMismatchError
from rankfold.storage.connection import open_reader
from support import Open, TableEmbedder, paths, records

TEXTS = {"A": "alpha text", "B": "beta text", "C": "gamma text"}


def fan(count: int) -> dict[str, Sequence[float]]:
    """Texts `doc 000x` whose vectors turn away from (1, 0) step by step."""
    step = math.pi / 2 / count
    return {f"doc {number:05}.": [math.cos(step * number), math.sin(step * number)] for number in range(count)}


@pytest.mark.parametrize("library", ["/nowhere/vec0", sys.executable])
def test_an_extension_that_does_not_load_costs_one_arm_and_says_so_each_time(
    opened: Open, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    """FC-V01 and FC-V02: a missing file, and a file of the wrong kind."""
    opened("index.db", embedder=TableEmbedder()).index(records(TEXTS))
    monkeypatch.setenv("RANKFOLD_VEC", library)
    notes = opened("index.db", embedder=TableEmbedder())
    answer = notes.search("alpha")
    assert paths(answer)[0] == "A"
    assert answer.degraded
    (dropped,) = (item for item in answer.dropped if item.arm == "vector")
    assert dropped.reason.startswith("sqlite-vec does not load")
    assert dropped.fix
    assert any("sqlite-vec does not load" in problem for problem in notes.status().problems)


def test_the_requirements_exclude_the_broken_wheel() -> None:
    """FC-V02: the 0.1.6 wheel held a library for another processor."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert "sqlite-vec>=0.1.9" in text


def test_a_scope_far_from_the_query_gets_its_true_nearest(opened: Open) -> None:
    """FC-V03 and FC-V04: there is no most number of neighbours, and the scope comes before the window."""
    count = 5000
    notes = opened(embedder=TableEmbedder({**fan(count), "query": [1.0, 0.0]}, dimension=2))
    notes.index(
        {"id": f"{'b' if number >= count - 100 else 'a'}/{number:05}", "text": f"doc {number:05}."}
        for number in range(count)
    )
    answer = notes.search("query", arms=["vector"], path="b/", limit=10)
    assert paths(answer) == [f"b/{number:05}" for number in range(count - 100, count - 90)]
    assert paths(notes.search("query", arms=["vector"], path="b/", limit=3)) == paths(answer)[:3]
    wide = notes.search("query", arms=["vector"], limit=1000, window=5000)
    assert paths(wide) == [f"a/{number:05}" for number in range(1000)]


def test_pages_join_up_to_the_long_list(opened: Open) -> None:
    """FC-V05."""
    notes = opened(embedder=TableEmbedder())
    notes.index(records({f"n{number:02}": f"common text {number}" for number in range(30)}))
    pages = [path for start in (0, 10, 20) for path in paths(notes.search("common", limit=10, offset=start))]
    assert pages == paths(notes.search("common", limit=30))
    assert len(set(pages)) == 30


def test_a_limit_beyond_the_window_says_that_it_was_cut(opened: Open) -> None:
    notes = opened()
    notes.index(records({f"n{number:02}": f"common text {number}" for number in range(60)}))
    answer = notes.search("common", limit=50)
    assert len(answer) == answer.window == 40
    assert any("--window" in warning for warning in answer.warnings)
    assert not notes.search("common", limit=40).warnings


@pytest.mark.parametrize("dimension", [8, 6], ids=["another model of the same size", "another size"])
def test_another_embedder_is_refused_and_nothing_is_compared(opened: Open, dimension: int) -> None:
    """FC-V06 and FC-V07."""
    opened("index.db", embedder=TableEmbedder(name="m1")).index(records(TEXTS))
    notes = opened("index.db", embedder=TableEmbedder(name="m2", dimension=dimension))
    answer = notes.search("alpha")
    assert paths(answer)[0] == "A"
    (dropped,) = (item for item in answer.dropped if item.arm == "vector")
    for word in ("m1", "m2", "(8 values)", f"({dimension} values)"):
        assert word in dropped.reason
    assert dropped.fix == "rankfold embed --all"
    with pytest.raises(EmbedderMismatchError, match="nothing was written") as caught:
        notes.index(records({"A": "changed text"}))
    assert caught.value.suggestions == ("rankfold embed --all",)
    assert paths(notes.search("changed")) == []
    notes.embed(everything=True)
    assert not notes.search("alpha").degraded
    report = notes.status().capabilities
    assert (report.dimension, report.embedded) == (dimension, 3)


def test_zero_and_nan_vectors_count_as_not_embedded(opened: Open) -> None:
    """FC-V08."""
    table = {"zero": [0.0, 0.0], "nan": [math.nan, 1.0], "near": [1.0, 0.0], "far": [0.0, 1.0], "query": [1.0, 0.1]}
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    report = notes.index(records({"z": "zero word", "n": "nan word", "a": "near word", "b": "far word"}))
    assert sum("not embedded" in warning for warning in report.warnings) == 2
    assert {warning.split(":")[0] for warning in report.warnings} == {"z", "n"}
    for limit in (1, 2, 3, 10):
        assert paths(notes.search("query", arms=["vector"], limit=limit)) == ["a", "b"][:limit]
    assert set(paths(notes.search("word query", query_form="any"))) == {"z", "n", "a", "b"}
    answer = notes.search("zero")
    assert paths(answer) == ["z"]
    assert any("the query's vector is all zeros" in item.reason for item in answer.dropped)
    assert notes.status().capabilities.refused == 2


def test_a_run_that_was_killed_while_embedding_is_taken_up(tmp_path: Path) -> None:
    """FC-V09."""
    code = textwrap.dedent(
        """
        import os, signal, sys
        sys.path.insert(0, {tests!r})
        import rankfold
        from support import TableEmbedder, records

        class Killed(TableEmbedder):
            def embed_documents(self, texts):
                if len(self.asked) >= 64:
                    os.kill(os.getpid(), signal.SIGKILL)
                return super().embed_documents(texts)

        with rankfold.open({database!r}, embedder=Killed()) as notes:
            notes.index(records({{f"n{{i}}": f"note {{i}}" for i in range(100)}}))
        """
    ).format(tests=str(Path(__file__).parents[1]), database=str(tmp_path / "index.db"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env={**os.environ})
    assert done.returncode == -signal.SIGKILL, done.stderr
    import rankfold

    embedder = TableEmbedder()
    with rankfold.open(tmp_path / "index.db", embedder=embedder) as notes:
        assert notes.status().capabilities.embedded == 64
        notes.index(records({f"n{number}": f"note {number}" for number in range(100)}))
        assert notes.status().capabilities.embedded == 100
        assert len(embedder.asked) == 36, "only what was missing is embedded"
        for _ in range(2):
            assert notes.embed(everything=True).embedded == 100


def test_the_distance_is_cosine_and_says_so(opened: Open) -> None:
    """FC-V10."""
    table = {"same": [1.0, 0.0], "longer": [3.0, 0.0], "square": [0.0, 1.0], "query": [1.0, 0.0]}
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    notes.index(records({name: f"{name} text" for name in ("same", "longer", "square")}))
    raws = {hit.path: hit.contributions[0].raw for hit in notes.search("query", arms=["vector"])}
    assert raws == {"longer": 0.0, "same": 0.0, "square": 1.0}
    assert notes.registries.arms["vector"].raw.name == "cosine distance"


def test_an_embedder_that_fails_on_one_text_is_asked_again_by_the_next_run(opened: Open) -> None:
    """FC-I12."""

    class Failing(TableEmbedder):
        failures = 0

        def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
            if any("three" in text for text in texts) and self.failures < 2:
                self.failures += 1
                raise RuntimeError("out of memory")
            return super().embed_documents(texts)

    embedder = Failing()
    notes = opened(embedder=embedder)
    texts = records({"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"})
    first = notes.index(texts)
    assert (first.embedded, first.failed) == (4, 1)
    assert any(warning.startswith("3: not embedded") for warning in first.warnings)
    assert "3" in paths(notes.search("three", arms=["fts"]))
    embedder.asked.clear()
    second = notes.index(texts)
    assert (second.embedded, second.failed, second.unchanged) == (1, 0, 5)
    assert embedder.asked == ["three"]


def test_equal_text_shares_a_vector_and_a_rename_costs_nothing(opened: Open, tmp_path: Path) -> None:
    embedder = TableEmbedder()
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text("the same text", encoding="utf-8")
    (folder / "c.md").write_text("another text", encoding="utf-8")
    notes = opened(embedder=embedder)
    notes.index(folder)
    assert sorted(embedder.asked) == ["another text", "the same text"]
    (folder / "c.md").rename(folder / "d.md")
    report = notes.index(folder)
    assert (report.renamed, report.embedded) == (1, 0)
    assert len(embedder.asked) == 2
    connection = open_reader(tmp_path / "index.db").connection
    assert connection.execute("SELECT count(*) FROM vector").fetchall() == [(2,)]
    connection.close()

"""Field cases FC-V01 to FC-V10: vectors that are missing, wrong, foreign, many or far away."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

import pytest

import rankfold
from rankfold.errors import BadValueError, EmbedderMismatchError
from support import Open, TableEmbedder, ask, in_child, paths, records, require_sound

NEAR = 9_000
FAR = 1_100


class Numbered(TableEmbedder):
    """`item 7` points a little further away from the query than `item 6`."""

    def __init__(self) -> None:
        super().__init__(dimension=2)

    def _vector(self, text: str) -> Sequence[float]:
        angle = int(text.split()[-1]) / 20_000 if text.startswith("item") else 0.0
        return [math.cos(angle), math.sin(angle)]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rankfold.Collection]:
    """10,100 vectors, of which the 9,000 in folder `x` are all nearer than those in folder `y`."""
    with rankfold.open(tmp_path_factory.mktemp("many") / "index.db", embedder=Numbered()) as collection:
        collection.index(
            {
                "id": f"{'x' if number < NEAR else 'y'}/{number:05}",
                "text": f"item {number}",
                "date": "2020-01-01" if number < NEAR else "2024-01-01",
            }
            for number in range(NEAR + FAR)
        )
        yield collection


def without_vec(monkeypatch: pytest.MonkeyPatch, library: Path) -> None:
    library.write_bytes(b"\x7fELF of another processor")
    monkeypatch.setenv("RANKFOLD_VEC", str(library))


def test_an_extension_that_does_not_load_costs_the_vector_arm_and_is_named_each_time(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FC-V01 and FC-V02: importing the package proves nothing, so it is loaded and asked."""
    without_vec(monkeypatch, tmp_path / "vec0.so")
    notes = opened(embedder=TableEmbedder())
    assert notes.index(records({"A": "quayside", "B": "harbour"})).embedded == 2
    for _ in range(2):
        answer = notes.search("quayside")
        assert paths(answer) == ["A"]
        assert answer.degraded
        (dropped,) = (item for item in answer.dropped if item.arm == "vector")
        assert dropped.precondition == "query_vector"
        assert "sqlite-vec does not load" in dropped.reason
        assert dropped.fix is not None
    assert any("sqlite-vec does not load" in problem for problem in notes.status().problems)


def test_the_requirements_exclude_the_broken_wheel() -> None:
    """FC-V02: the 0.1.6 wheel held a library for another processor."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert "sqlite-vec>=0.1.9" in text


def test_a_missing_extension_file_is_no_traceback(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FC-V01."""
    monkeypatch.setenv("RANKFOLD_VEC", str(tmp_path / "nowhere"))
    notes = opened(embedder=TableEmbedder())
    notes.index(records({"A": "quayside"}))
    assert paths(notes.search("quayside")) == ["A"]
    assert notes.status().capabilities.vec_version is None


def test_a_scope_gets_its_true_nearest_among_more_than_4096_that_are_nearer(many: rankfold.Collection) -> None:
    """FC-V03 and FC-V04: the scope comes before the cut, and a shorter list begins a longer one."""
    nearest = [f"y/{number:05}" for number in range(NEAR, NEAR + 10)]
    for scope in ({"path": "y"}, {"since": "2024-01-01"}):
        assert paths(many.search("query", arms=["vector"], limit=10, **scope)) == nearest
        assert paths(many.search("query", arms=["vector"], limit=3, **scope)) == nearest[:3]


def test_more_candidates_than_the_extension_takes_are_all_there(many: rankfold.Collection) -> None:
    """FC-V03: a window beyond 4,096 is served exactly, a limit beyond the documented one is refused."""
    answer = many.search("query", arms=["vector"], limit=1000, offset=4000, window=5000)
    assert paths(answer) == [f"x/{number:05}" for number in range(4000, 5000)]
    with pytest.raises(BadValueError, match="from 1 to 1000"):
        many.search("query", limit=5000)


def test_pages_join_up_to_the_long_list(many: rankfold.Collection) -> None:
    """FC-V05."""
    whole = paths(many.search("item", limit=40, window=60))
    pages = [paths(many.search("item", limit=10, offset=start, window=60)) for start in range(0, 40, 10)]
    assert len(set(whole)) == 40
    assert [path for page in pages for path in page] == whole


def test_a_window_that_ends_the_list_is_mentioned(many: rankfold.Collection) -> None:
    """FC-V05: the last page is short for a reason that the answer gives."""
    answer = many.search("query", arms=["vector"], limit=50, window=40)
    assert len(answer) == 40
    assert any("window of 40" in warning for warning in answer.warnings)


def test_another_vector_size_is_refused_before_anything_is_written(opened: Open, tmp_path: Path) -> None:
    """FC-V06: search goes on by words, index writes nothing, and embedding everything again mends it."""
    old, new = TableEmbedder(name="four", dimension=4), TableEmbedder(name="six", dimension=6)
    opened(embedder=old).index(records({"A": "alpha", "B": "beta"}))
    notes = opened(embedder=new)
    answer = notes.search("alpha")
    assert paths(answer) == ["A"]
    (dropped,) = (item for item in answer.dropped if item.arm == "vector")
    for part in ("four", "4 values", "six", "6 values"):
        assert part in dropped.reason
    before = ask(tmp_path / "index.db", "SELECT * FROM document ORDER BY id")
    with pytest.raises(EmbedderMismatchError, match="nothing was written") as refused:
        notes.index(records({"A": "alpha changed", "C": "gamma"}))
    assert refused.value.suggestions == ("rankfold embed --all",)
    assert ask(tmp_path / "index.db", "SELECT * FROM document ORDER BY id") == before
    assert notes.embed(everything=True).embedded == 2
    notes.index(records({"A": "alpha changed"}))
    assert ask(tmp_path / "index.db", "SELECT DISTINCT length(embedding) FROM vector") == [(24,)]
    assert not notes.search("alpha").degraded


def test_vectors_of_another_model_of_the_same_size_are_never_compared(opened: Open, tmp_path: Path) -> None:
    """FC-V07."""
    opened(embedder=TableEmbedder(name="m1")).index(records({f"n{n}": f"note {n}" for n in range(10)}))
    notes = opened(embedder=TableEmbedder(name="m2"))
    with pytest.raises(EmbedderMismatchError, match="m1"):
        notes.index(records({"n3": "an edited note"}))
    with pytest.raises(EmbedderMismatchError, match="m1"):
        notes.embed()
    answer = notes.search("note 3")
    assert "vector" not in [used.arm for used in answer.arms]
    assert any("m1" in problem and "m2" in problem for problem in notes.status().problems)
    (identity,) = ask(tmp_path / "index.db", "SELECT identity FROM space")
    assert "m1" in identity[0]
    assert "dimension 8" in identity[0]
    notes.index(records({"n3": "an edited note"}), embed=False)
    assert paths(notes.search("edited")) == ["n3"]


def test_zero_and_nan_vectors_count_as_not_embedded_and_never_move_the_order(opened: Open, tmp_path: Path) -> None:
    """FC-V08."""
    table = {
        "zero": [0.0, 0.0],
        "nan": [math.nan, 1.0],
        "endless": [math.inf, 1.0],
        "one": [1.0, 0.1],
        "two": [1.0, 0.2],
        "query": [1.0, 0.0],
    }
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    texts = {"A": "zero common", "B": "nan common", "C": "endless common", "D": "one common", "E": "two common"}
    report = notes.index(records(texts))
    assert report.embedded == 2
    for name in "ABC":
        assert any(warning.startswith(f"{name}: not embedded") for warning in report.warnings)
    assert paths(notes.search("query", arms=["vector"])) == ["D", "E"]
    whole = paths(notes.search("query common", limit=10))
    assert set(whole) == set(texts)
    for limit in (1, 2, 3):
        assert paths(notes.search("query common", limit=limit)) == whole[:limit]
    unembedded = {hit.path for hit in notes.search("common") if not hit.is_embedded}
    assert unembedded == {"A", "B", "C"}
    assert notes.index(records(texts)).embedded == 0, "a refused text is not asked for again"
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM vector WHERE embedding IS NULL") == [(3,)]


@pytest.mark.parametrize("text", ["zero", "nan", "short"])
def test_an_unusable_query_vector_switches_the_arm_off_for_that_search(opened: Open, text: str) -> None:
    """FC-V08."""
    table = {"zero": [0.0, 0.0], "nan": [math.nan, 0.0], "short": [1.0], "word": [1.0, 0.0]}
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    notes.index(records({"A": "word"}))
    answer = notes.search(text)
    assert not answer.hits
    (dropped,) = (item for item in answer.dropped if item.arm == "vector")
    assert dropped.reason.startswith("the query's vector ")
    assert not notes.search("word").degraded


class Dying(TableEmbedder):
    """Ends its process in the second batch."""

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self.asked:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_documents(texts)


def test_a_run_killed_while_embedding_is_finished_by_the_next_one(opened: Open, tmp_path: Path) -> None:
    """FC-V09."""
    database = tmp_path / "index.db"
    texts = records({f"n{number:03}": f"note {number}" for number in range(100)})
    assert in_child(lambda: rankfold.open(database, embedder=Dying()).index(texts)) == -signal.SIGKILL
    notes = opened(embedder=TableEmbedder())
    interrupted = notes.status()
    assert interrupted.capabilities.embedded == 64
    assert any("36 of 100 chunks are not embedded yet" in problem for problem in interrupted.problems)
    assert paths(notes.search("note 99", arms=["fts"])) == ["n099"]
    report = notes.index(texts)
    assert (report.unchanged, report.embedded) == (100, 36)
    for _ in range(2):
        assert notes.embed(everything=True).embedded == 100
    assert ask(database, "SELECT count(*), count(DISTINCT text_hash), count(embedding) FROM vector") == [(100,) * 3]
    require_sound(database)


def test_the_metric_is_named_and_length_does_not_count(opened: Open) -> None:
    """FC-V10: cosine distance, so [3, 0] is where [1, 0] is."""
    table = {"short": [1.0, 0.0], "long": [3.0, 0.0], "across": [0.0, 1.0], "against": [-2.0, 0.0], "query": [1.0, 0.0]}
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    notes.index(records({name: name for name in ("short", "long", "across", "against")}))
    answer = notes.search("query", arms=["vector"])
    raws = {hit.path: hit.contributions[0].raw for hit in answer}
    assert raws == {"short": 0.0, "long": 0.0, "across": 1.0, "against": 2.0}
    assert paths(answer) == ["long", "short", "across", "against"], "equal distances go by path"
    assert notes.registries.arms["vector"].raw.name == "cosine distance"


def test_ten_thousand_small_records_are_searched_at_once(many: rankfold.Collection) -> None:
    answer = many.search("item 77")  # opens the file
    assert answer[0].path == "x/00077"
    start = process_time()
    for number in range(5):
        many.search(f"item {number}")
    assert (process_time() - start) / 5 < 0.5  # a guard against growth, not a measurement

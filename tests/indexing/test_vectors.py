"""Vectors for the texts that have none: once for each text, and one bad text harms no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from rankfold.errors import EmbedderError, EmbedderMismatchError
from support import Open, TableEmbedder, ask, paths, records


class Odd(TableEmbedder):
    """Does something of its own with each call."""

    def __init__(self, answer: Callable[[Sequence[str], list[Sequence[float]]], object], name: str = "odd") -> None:
        super().__init__(name=name)
        self.answer = answer

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return self.answer(texts, super().embed_documents(texts))  # type: ignore[return-value]


def test_equal_texts_share_a_vector_and_an_edit_embeds_its_chunk_alone(
    opened: Open, folder: Path, tmp_path: Path
) -> None:
    embedder = TableEmbedder()
    notes = opened(embedder=embedder)
    parts = [f"# Part {n}\n\n" + f"word{n} " * 140 for n in range(4)]
    notes.index(records({"a": "same", "b": "same", "c": "other"}))
    assert len(embedder.asked) == 2
    (folder / "long.md").write_text("\n\n".join(parts), encoding="utf-8")
    notes.index(folder)
    embedder.asked.clear()
    parts[2] = parts[2].replace("word2", "changed", 1)
    (folder / "long.md").write_text("\n\n".join(parts), encoding="utf-8")
    assert notes.index(folder).embedded == 1
    assert len(embedder.asked) == 1
    assert "changed" in embedder.asked[0]
    assert ask(tmp_path / "index.db", "SELECT count(*) FROM vector") == ask(
        tmp_path / "index.db", "SELECT count(DISTINCT vector_id) FROM chunk"
    )


def test_the_title_is_embedded_with_each_chunk(opened: Open) -> None:
    embedder = TableEmbedder()
    opened(embedder=embedder).index([{"id": "a", "title": "Kettles", "text": "lid"}, {"id": "b", "text": "lid"}])
    assert sorted(embedder.asked) == ["Kettles\nlid", "lid"]


def test_embedding_can_wait(opened: Open) -> None:
    embedder = TableEmbedder()
    notes = opened(embedder=embedder)
    assert notes.index(records({"a": "kettle", "b": "lid"}), embed=False).embedded == 0
    assert embedder.asked == []
    assert notes.search("kettle").degraded
    assert notes.embed().embedded == 2
    assert notes.embed().embedded == 0
    assert not notes.search("kettle").degraded


def test_progress_counts_up_to_the_whole(opened: Open) -> None:
    seen: list[tuple[str, int, int]] = []
    texts = records({f"n{number}": f"text {number}" for number in range(150)})
    opened(embedder=TableEmbedder()).index(texts, progress=lambda *step: seen.append(step))
    vectors = [(done, total) for what, done, total in seen if what == "vectors"]
    assert vectors[-1] == (150, 150)
    assert [done for done, _ in vectors] == sorted(done for done, _ in vectors)
    assert ("records", 150, 150) in seen


def test_an_embedder_that_always_fails_is_given_up_and_founds_no_space(opened: Open, tmp_path: Path) -> None:
    def fail(*_: object) -> object:
        raise RuntimeError("no memory")

    notes = opened(embedder=Odd(fail))
    report = notes.index(records({f"n{number}": f"text {number}" for number in range(100)}))
    assert (report.embedded, report.failed) == (0, 100)
    assert report.warnings[-1] == "embedding was given up after 3 failures; 100 texts are left"
    assert len(report.warnings) == 4
    assert ask(tmp_path / "index.db", "SELECT * FROM space") == []
    other = opened(embedder=TableEmbedder())
    assert other.index().embedded == 100, "another embedder may found it"


@pytest.mark.parametrize(
    "answer",
    [
        lambda _, vectors: vectors[:-1],
        lambda _, vectors: [*vectors, vectors[0]],
        lambda *_: [],
    ],
    ids=["one too few", "one too many", "none"],
)
def test_another_number_of_vectors_than_texts_is_never_paired_up(
    opened: Open, tmp_path: Path, answer: Callable[[Sequence[str], list[Sequence[float]]], object]
) -> None:
    notes = opened(embedder=Odd(answer))
    report = notes.index(records({"a": "kettle", "b": "lid"}))
    assert (report.embedded, report.failed) == (0, 2)
    assert ask(tmp_path / "index.db", "SELECT count(embedding) FROM vector") == [(0,)]
    assert paths(notes.search("kettle")) == ["a"]


def test_arrays_and_tuples_and_whole_numbers_are_vectors(opened: Open, tmp_path: Path) -> None:
    def mixed(_: Sequence[str], vectors: list[Sequence[float]]) -> object:
        return [np.asarray(vectors[0], dtype=np.float64), tuple(vectors[1]), [1, 0, 0, 0, 0, 0, 0, 0]]

    notes = opened(embedder=Odd(mixed))
    assert notes.index(records({"a": "kettle", "b": "lid", "c": "steam"})).embedded == 3
    assert ask(tmp_path / "index.db", "SELECT DISTINCT typeof(embedding), length(embedding) FROM vector") == [
        ("blob", 32)
    ]
    assert paths(notes.search("kettle", arms=["vector"]))[0] == "a"


@pytest.mark.parametrize("bad", [[1.0] * 7, [0.0] * 8, [float("nan")] * 8, [1e38] * 8, "12345678", None, 7, ["x"] * 8])
def test_a_vector_that_cannot_be_compared_costs_its_text_alone(opened: Open, bad: object) -> None:
    def spoil(texts: Sequence[str], vectors: list[Sequence[float]]) -> object:
        return [bad if "kettle" in text else vector for text, vector in zip(texts, vectors, strict=True)]

    notes = opened(embedder=Odd(spoil))
    report = notes.index(records({"a": "kettle", "b": "lid"}))
    assert report.embedded == 1
    assert any(warning.startswith("a: not embedded") for warning in report.warnings)
    answer = notes.search("kettle lid")
    assert {hit.path: hit.is_embedded for hit in answer} == {"a": False, "b": True}


def test_a_refused_text_is_tried_again_only_with_everything(opened: Open) -> None:
    bad = TableEmbedder({"kettle": [0.0] * 8})
    notes = opened(embedder=bad)
    notes.index(records({"a": "kettle", "b": "lid"}))
    assert notes.status().capabilities.refused == 1
    bad.table = {}
    assert notes.embed().embedded == 0
    assert notes.embed(everything=True).embedded == 2
    assert notes.status().capabilities.refused == 0


def test_cuts_are_counted(opened: Open) -> None:
    class Short(TableEmbedder):
        def is_cut(self, texts: Sequence[str]) -> list[bool]:
            return [len(text) > 10 for text in texts]

    assert opened(embedder=Short()).index(records({"a": "short", "b": "rather a long text"})).cut == 1


def test_a_broken_embedder_of_the_collection_is_an_error_only_when_vectors_are_asked_for(opened: Open) -> None:
    notes = opened(embedder=None)
    notes.index(records({"a": "kettle"}))
    with pytest.raises(EmbedderError, match="without an embedder"):
        notes.embed()
    other = opened(embedder=TableEmbedder(name="one"))
    other.embed()
    with pytest.raises(EmbedderMismatchError, match="nothing was written"):
        opened(embedder=TableEmbedder(name="two")).embed()

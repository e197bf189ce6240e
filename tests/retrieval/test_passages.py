"""What is shown of a document: its best chunk, cut to size, with matches as offsets of the text as it stands."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankfold.retrieval.passages import ChunkText, Highlighter, Stemmer, best_passage
from rankfold.retrieval.profiles import PORTER
from rankfold.retrieval.query import forms
from rankfold.storage.connection import stemmer
from support import Open, write


@pytest.fixture(scope="module")
def stem() -> Iterator[Stemmer]:
    connection = apsw.Connection(":memory:")
    yield stemmer(connection, PORTER)
    connection.close()


def highlights(stem: Stemmer, query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in Highlighter(forms(query).terms, stem).matches(text)]


@pytest.mark.parametrize(
    ("query", "text", "shown"),
    [
        ("warehouse", "All Warehouses, warehouse-wide", ["Warehouses", "warehouse"]),
        ("resume", "Re\u0301sume\u0301 and résumé", ["Re\u0301sume\u0301", "résumé"]),
        ("résumé", "the resume", ["resume"]),
        ("don't", "don’t, I don't", ["don", "t", "don", "t"]),
        ("[fox] *fox*", "<b>fox</b> [fox]", ["fox", "fox"]),
        ("仓库", "本周完成仓库搬迁，仓库。", ["仓库", "仓库"]),
        ("仓库搬迁", "本周完成仓库搬迁", ["仓库搬迁"]),
        ("京", "東京都庁", ["京"]),
        ("sqlite", "我们使用SQLite数据库", ["SQLite"]),
        ("数据库 sqlite", "我们使用SQLite数据库", ["SQLite", "数据库"]),
        ("abc", "ＡＢＣ and abc", ["ＡＢＣ", "abc"]),
        ("カタカナ", "ｶﾀｶﾅ と カタカナ", ["ｶﾀｶﾅ", "カタカナ"]),
        ("ガム", "ｶﾞﾑ か\u3099 カ\u3099ム", ["ｶﾞﾑ", "カ\u3099ム"]),
        ("file", "the ﬁle", ["ﬁle"]),
        ("창고", unicodedata.normalize("NFD", "창고를 옮겼다"), [unicodedata.normalize("NFD", "창고")]),
        ("हिन्दी", "में हिन्दी है", ["हिन्दी"]),
        ("กรุงเทพ", "คลังสินค้าในกรุงเทพ", ["กรุงเทพ"]),
        ("star", "star\ufe0f and ⭐️star", ["star", "star"]),
        ("rocket", "🚀rocket🚀", ["rocket"]),
        ("nothing", "else", []),
        ("...", "else", []),
        ('"many readers"', "many a reader, many readers", ["many", "reader", "many", "readers"]),
    ],
)
def test_what_matches_is_marked_in_the_text_as_it_stands(
    stem: Stemmer, query: str, text: str, shown: list[str]
) -> None:
    found = highlights(stem, query, text)
    assert [piece.rstrip("\ufe0f") for piece in found] == shown


ALPHABET = st.sampled_from("kettle 仓库ｶﾞＡéё\u0301\u3099ﬁ각\u1100\u1161\ufe0f🚀\u200d\n。.\"'")


@given(st.text(ALPHABET, max_size=200), st.text(ALPHABET, max_size=20), st.integers(80, 120))
def test_every_offset_is_inside_and_every_cut_is_marked(text: str, query: str, characters: int) -> None:
    connection = apsw.Connection(":memory:")
    highlighter = Highlighter(forms(query).terms, stemmer(connection, PORTER))
    lines = list(range(7, 7 + text.count("\n") + 1))
    passage = best_passage([ChunkText(0, text, lines)], highlighter, characters=characters)
    connection.close()
    assert passage is not None
    assert len(passage.text) <= characters
    assert passage.text.strip("…").strip() in text
    last = 0
    for start, end in passage.highlights:
        assert last <= start < end <= len(passage.text)
        last = end
        assert "…" not in passage.text[start:end]
    assert lines[0] <= passage.start_line <= passage.line <= passage.end_line <= lines[-1]
    if len(text) <= characters:
        assert passage.text == text


def test_the_chunk_with_most_different_terms_is_shown_else_the_nearest_else_the_first(stem: Stemmer) -> None:
    def best(query: str, *chunks: tuple[str, float | None]) -> str:
        made = [ChunkText(place, text, [place + 1], distance) for place, (text, distance) in enumerate(chunks)]
        passage = best_passage(made, Highlighter(forms(query).terms, stem), characters=700)
        assert passage is not None
        return passage.text

    assert best("kettle lid", ("kettle kettle", 0.1), ("a lid, a kettle", 0.9), ("lid", 0.0)) == "a lid, a kettle"
    assert best("kettle", ("one", 0.5), ("two", 0.2), ("three", None)) == "two"
    assert best("kettle", ("kettle one", 0.5), ("kettle two", 0.2)) == "kettle two"
    assert best("kettle", ("one", None), ("two", None)) == "one"
    assert best("仓库", ("nothing", 0.1), ("本周仓库", 0.5)) == "本周仓库"
    assert best("カタカナ", ("nothing", 0.1), ("ｶﾀｶﾅ", 0.5)) == "ｶﾀｶﾅ"


def test_a_long_chunk_is_cut_around_most_of_the_matches(stem: Stemmer) -> None:
    text = "kettle " + "filler " * 200 + "lid and kettle and steam " + "filler " * 200
    passage = best_passage(
        [ChunkText(0, text, [1])], Highlighter(forms("kettle lid steam").terms, stem), characters=200
    )
    assert passage is not None
    assert len(passage.text) <= 200
    assert passage.text.startswith("…")
    assert passage.text.endswith("…")
    assert [passage.text[start:end] for start, end in passage.highlights] == ["lid", "kettle", "steam"]


def test_a_character_of_several_code_points_is_never_torn(stem: Stemmer) -> None:
    family = "👩‍👩‍👧‍👦"
    for shift in range(len(family)):
        text = "a" * shift + family * 100
        passage = best_passage([ChunkText(0, text, [1])], Highlighter(forms("x").terms, stem), characters=100)
        assert passage is not None
        body = passage.text.rstrip("…")
        assert body == "a" * shift + family * ((len(body) - shift) // len(family))


def test_the_line_is_the_one_of_the_first_match_in_the_file(stem: Stemmer) -> None:
    text = "one\n\ntwo kettle\nthree"
    passage = best_passage(
        [ChunkText(0, text, [5, 6, 9, 10])], Highlighter(forms("kettle").terms, stem), characters=700
    )
    assert passage is not None
    assert (passage.start_line, passage.line, passage.end_line) == (5, 9, 10)


def test_a_document_without_text_has_no_passage(opened: Open, stem: Stemmer) -> None:
    assert best_passage([], Highlighter(forms("kettle").terms, stem), characters=700) is None
    notes = opened()
    notes.index([{"id": "A", "title": "Kettle", "text": ""}])
    (hit,) = notes.search("kettle")
    assert (hit.passage, hit.snippet, hit.title) == (None, "", "Kettle")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("alpha beta gamma " * 60_000 + "needle", "needle"),
        ("alpha beta gamma " * 60_000, "alpha"),
        ("仓库搬迁" * 80_000, "搬迁"),
        ("ｶﾀｶﾅ" * 80_000, "カタ"),
        (" ".join(f"word{number}" for number in range(100_000)), "word99999"),
    ],
    ids=["needle", "everywhere", "Chinese", "half width", "all different"],
)
def test_a_megabyte_on_one_line_is_shown_at_once(opened: Open, folder: object, text: str, query: str) -> None:
    notes = opened()
    notes.index(write(folder, {"long.md": text}))  # type: ignore[arg-type]
    notes.search(query)
    start = time.process_time()
    (hit,) = notes.search(query)
    assert time.process_time() - start < 1  # a guard against growth, not a measurement
    assert hit.passage is not None
    assert len(hit.passage.text) <= 700
    assert hit.passage.highlights

"""Field cases FC-Q01 to FC-Q11: any text is a safe query."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from support import Open, paths, records

FILES = Path(__file__).parent / "files"


def test_an_apostrophe_of_either_kind_is_harmless(opened: Open) -> None:
    """FC-Q01."""
    notes = opened()
    notes.index(records({"A": "We don't ship on Fridays", "B": "Ship day checklist"}))
    straight, curly = notes.search("don't ship"), notes.search("don’t ship")
    assert paths(straight)[0] == "A"
    assert paths(straight) == paths(curly)
    assert paths(notes.search("ship '")) == paths(notes.search("ship"))


def test_a_hyphen_is_neither_a_column_nor_an_exclusion(opened: Open) -> None:
    """FC-Q02."""
    notes = opened()
    far = "cross the yard and wait there until somebody waves you into docking bay two"
    notes.index(records({"A": "cross-docking schedule", "B": far}))
    assert paths(notes.search("cross-docking"))[0] == "A"
    for query in ("-docking", "docking -"):
        assert set(paths(notes.search(query))) == {"A", "B"}


def test_a_colon_never_becomes_a_column_filter(opened: Open) -> None:
    """FC-Q03."""
    notes = opened()
    notes.index([{"id": "A", "title": "Plans", "text": "the title: roadmap for spring"}])
    for query in ("title:roadmap", "body : roadmap", "roadmap", "id:roadmap"):
        assert paths(notes.search(query)) == ["A"], query
    assert paths(notes.search("crypto::aes")) == []


def test_dots_and_slashes_are_plain_text(opened: Open) -> None:
    """FC-Q04."""
    notes = opened()
    notes.index(records({"A": "tested on fedora 40.1", "B": "see etc/relay/settings.ini", "C": "fedora 38.9"}))
    assert paths(notes.search("fedora 40.1"))[0] == "A"
    assert paths(notes.search("etc/relay/settings.ini"))[0] == "B"
    assert paths(notes.search("settings.ini"))[0] == "B"
    assert paths(notes.search("7.3.2")) == []


@pytest.mark.parametrize("query", ["@example", "#budget", "50%", "a=b", "why?", "[done]", "x\\y", "<x>", "a;b", "hi!"])
def test_punctuation_is_never_a_false_nothing_found(opened: Open, query: str) -> None:
    """FC-Q05."""
    notes = opened()
    notes.index(records({"A": "mail ops@example.org about #budget, 50% done, a=b, x, y, hi, why?"}))
    assert paths(notes.search(query)) == ["A"]


@pytest.mark.parametrize("query", ["", "   ", "...", "-", '""', "*", "()", '"', "\0", "\ufe0f", "👩‍👩‍👧‍👦"])
def test_a_query_without_a_term_finds_nothing_and_says_so(opened: Open, query: str) -> None:
    """FC-Q06: in the profile `documents` no arm fills the page; in `memory` hits say that they do not match."""
    notes = opened()
    notes.index([{"id": name, "text": "some text", "date": "2024-05-01"} for name in "ABC"])
    answer = notes.search(query)
    assert not answer.hits
    assert "the query has no searchable term" in answer.warnings
    assert not answer.degraded
    recent = notes.search(query, profile="memory")
    assert len(recent) == 3
    assert not any(hit.matched for hit in recent)


def test_emoji_are_separators(opened: Open) -> None:
    """FC-Q07."""
    notes = opened()
    notes.index(FILES / "emoji.md")
    for query in ("🚀 rocket", "rocket🚀", "rocket"):
        assert paths(notes.search(query)) == ["emoji.md"], query
    assert "no searchable term" in notes.search("🚀").warnings[0]


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"w{number}" for number in range(20_000)),
        " ".join(f"w{number}" for number in range(100_000)),
        "x" * 1_000_000,
        "word " * 40_000,
    ],
    ids=["20,000 words", "100,000 words", "a word of 1 MB", "one word repeated"],
)
def test_a_pasted_page_is_answered_quickly(opened: Open, query: str) -> None:
    """FC-Q08."""
    notes = opened()
    notes.index(records({name: f"word w{name} text" for name in "0123456789"}))
    start = time.process_time()
    answer = notes.search(query)
    assert time.process_time() - start < 5  # a guard against growth, not a measurement
    is_many = query.startswith("w0 ")
    assert any("distinct terms" in warning for warning in answer.warnings) == is_many
    assert bool(answer.hits) == (not query.startswith("x"))


def test_a_question_in_plain_words_finds_its_document(opened: Open) -> None:
    """FC-Q09."""
    notes = opened()
    texts = {f"note{number}": f"if I say how much the gym is early {number}" for number in range(20)}
    notes.index(records({"A": "Cancellation fee: two monthly payments", **texts}))
    assert paths(notes.search("cancellation fee"))[0] == "A"
    assert paths(notes.search("how much is the cancellation fee if I leave the gym early", query_form="any"))[0] == "A"
    assert "A" in paths(notes.search("how much is the cancellation fee if I leave the gym early"))


@pytest.mark.parametrize("query", ["仓库", "仓库搬迁", "東京", "タワー", "塔", "ﾀﾜｰ"])
def test_a_word_inside_an_unspaced_sentence_is_found(opened: Open, query: str) -> None:
    """FC-Q10."""
    notes = opened()
    notes.index(FILES / "cjk.md")
    assert bool(paths(notes.search(query))) == (query != "塔")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("창고를 옮겼다", "창고"),
        ("คลังสินค้าในกรุงเทพ", "กรุงเทพ"),
        ("हिन्दी में लिखा", "हिन्दी"),
        ("ＡＢＣ ｶﾀｶﾅ ﬁle", "abc"),
        ("ＡＢＣ ｶﾀｶﾅ ﬁle", "カタカナ"),
        ("ＡＢＣ ｶﾀｶﾅ ﬁle", "file"),
        ("東京", "京"),
        ("all the warehouses", "warehouse"),
        ("star ⭐️word", "word"),
    ],
)
def test_every_script_is_found_at_once(opened: Open, text: str, query: str) -> None:
    """FC-Q10 and FC-Q11, beyond Chinese and Japanese."""
    notes = opened()
    notes.index(records({"A": text}))
    assert paths(notes.search(query)) == ["A"]


@pytest.mark.parametrize("query", ["resume", "résumé", "re\u0301sume\u0301", "economie", "tieng viet", "nandu"])
def test_accents_match_in_either_normal_form(opened: Open, query: str) -> None:
    """FC-Q11."""
    notes = opened()
    notes.index(FILES / "diacritics_nfd.md")
    assert paths(notes.search(query)) == ["diacritics_nfd.md"]


def test_an_accent_folds_but_letters_stay(opened: Open) -> None:
    """FC-Q11."""
    notes = opened()
    notes.index(records({"A": "caffè"}))
    assert paths(notes.search("caffe")) == ["A"]


def test_a_phrase_in_double_quotes_wants_its_words_together(opened: Open) -> None:
    notes = opened()
    notes.index(records({"A": "one writer many readers", "B": "many a writer has one of the readers"}))
    assert paths(notes.search('"many readers"')) == ["A"]
    assert set(paths(notes.search('"many readers'))) == {"A", "B"}


@pytest.mark.parametrize(
    "query", ["AND", "or", "NEAR(", "NOT wal", "wal*", "^wal", "{x}", "a AND", "\ud800wal", "'; --"]
)
def test_no_operator_of_fts5_can_be_typed(opened: Open, query: str) -> None:
    notes = opened()
    notes.index(records({"A": "wal and or near not x a"}))
    assert paths(notes.search(query, query_form="any")) in ([], ["A"])

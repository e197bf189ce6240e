"""Any text becomes terms and MATCH forms that FTS5 accepts, or none."""

from __future__ import annotations

import time
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankfold.derivation import derive
from rankfold.retrieval.profiles import PORTER
from rankfold.retrieval.query import forms


@pytest.fixture(scope="module")
def table() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5 (title, body, tokenize = "{PORTER}")').fetchall()
    connection.execute("INSERT INTO t VALUES ('Plans', 'one kettle and a lid NEAR the quay 仓库搬迁')").fetchall()
    yield connection
    connection.close()


ODD = st.text(st.sampled_from("ab\"'*:^()-+{}[]\\ \0\n仓库é\u0301\ufe0f🚀\ud800") | st.characters(), max_size=40)


@given(ODD)
@example('"')
@example("NEAR(a b, 2)")
@example("title : body")
@example("\u0301")
@example("\U0001fae0 \U00031350 \ua7f0")  # newer than the tables of the tokenizer
def test_no_text_is_refused_by_fts5(table: apsw.Connection, text: str) -> None:
    made = forms(text)
    for match in {made.all, made.any} - {""}:
        table.execute("SELECT count(*) FROM t WHERE t MATCH ?", (match,)).fetchall()
    assert bool(made.all) == bool(made.any) == bool(made.terms)


@given(ODD)
def test_what_is_printed_is_read_again_as_the_same_terms(text: str) -> None:
    """No operator is made of what a person typed, however often it is read."""
    made = forms(text)
    again = forms(" ".join(term.text for term in made.terms))
    assert {token for term in again.terms for token in term.tokens} == {
        token for term in made.terms for token in term.tokens
    }


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x17F), min_size=1, max_size=20))
def test_a_word_finds_the_text_that_holds_it(word: str) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5 (body, tokenize = "{PORTER}")').fetchall()
    connection.execute("INSERT INTO t VALUES (?)", (derive(f"before {word}, after"),)).fetchall()
    assert connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (forms(word).all,)).fetchall() == [(1,)]
    connection.close()


@given(st.text(st.sampled_from("仓库搬迁東京タワーのabc 。"), min_size=1, max_size=12), st.data())
def test_a_piece_of_an_unspaced_sentence_finds_it(sentence: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sentence) - 1))
    end = data.draw(st.integers(start + 1, len(sentence)))
    query = forms(sentence[start:end])
    is_inside_a_word = any(
        0 < place < len(sentence)
        and sentence[place - 1 : place + 1].isascii()
        and sentence[place - 1 : place + 1].isalpha()
        for place in (start, end)
    )
    if not query.terms or is_inside_a_word:
        return
    connection = apsw.Connection(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE t USING fts5 (body, tokenize = "{PORTER}")').fetchall()
    connection.execute("INSERT INTO t VALUES (?)", (derive(sentence),)).fetchall()
    found = connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (query.all,)).fetchall()
    connection.close()
    assert found == [(1,)], (sentence, query.all)


@pytest.mark.parametrize(
    ("text", "all_terms"),
    [
        ("kettle lid", '"kettle" AND "lid"'),
        ("don't ship", '"don" AND "t" AND "ship"'),
        ("cross-docking", '"cross" AND "docking"'),
        ("title:roadmap", '"title" AND "roadmap"'),
        ("kettle kettle Kettle", '"kettle"'),
        ('"many readers" writer', '"many readers" AND "writer"'),
        ('"many readers', '"many" AND "readers"'),
        ('""', ""),
        ("AND OR NOT", '"AND" AND "OR" AND "NOT"'),
        ("仓库", '"仓库"'),
        ("仓库搬迁", '"仓库 库搬 搬迁"'),
        ("京", '"京"*'),
        ("ＡＢＣ ｶﾞ", '"ABC" AND "ガ"*'),
        ("v1.2", '"v1" AND "2"'),
        ("a\0b", '"a" AND "b"'),
    ],
)
def test_a_text_becomes_quoted_terms(text: str, all_terms: str) -> None:
    made = forms(text)
    assert made.all == all_terms
    assert made.any == all_terms.replace(" AND ", " OR ")


def test_terms_are_cut_and_counted() -> None:
    made = forms(" ".join(f"w{number}" for number in range(100)) + " w1 w2")
    assert (len(made.terms), made.distinct, made.is_cut) == (64, 100, True)
    assert made.terms[0].text == "w0"
    assert not forms("w1 w2", most_terms=2).is_cut


@pytest.mark.parametrize("text", ["仓库" * 100_000, "a" * 1_000_000, "e" + "\u0301" * 200_000, '"' * 100_001])
def test_a_megabyte_is_read_in_time(text: str) -> None:
    start = time.process_time()
    forms(text)
    assert time.process_time() - start < 2  # a guard against growth, not a measurement

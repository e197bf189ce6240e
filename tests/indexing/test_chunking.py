from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.case_files import case_file
from rankfold.indexing.chunking import chunk
from rankfold.indexing.formats import markdown, text
from rankfold.indexing.source_document import Block, SourceDocument


def document(*blocks: Block) -> SourceDocument:
    return SourceDocument(key="", ordinal=0, blocks=blocks)


def plain(source: str) -> SourceDocument:
    return text.parse(source.encode()).documents[0]


def marked_down(source: str) -> SourceDocument:
    return markdown.parse(source.encode()).documents[0]


def sentences(count: int) -> str:
    return " ".join(f"Sentence number {number} has just eight words here." for number in range(count))


WORDS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    [
        "word",
        "End.",
        "仓库搬迁。",
        "👩\u200d👩\u200d👧\u200d👦",
        "🇳🇴",
        "e\u0301",
        "x" * 300,
        "\n",
        "\n- item",
        " ",
        "ไทย",
    ]
)


@st.composite
def consecutive_blocks(draw: st.DrawFn) -> list[Block]:
    blocks: list[Block] = []
    line = 1
    for _ in range(draw(st.integers(0, 8))):
        content = " ".join(draw(st.lists(WORDS, max_size=60)))
        end = line + content.count("\n")
        blocks.append(Block(content, line, end, draw(st.booleans())))
        line = end + 2
    return blocks


BLOCKS = consecutive_blocks()


@given(BLOCKS, st.integers(1, 40))
def test_no_word_is_lost_and_none_is_repeated(blocks: list[Block], words: int) -> None:
    source = document(*blocks)
    pieces = chunk(source, words=words)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(
        "".join(block.text.split()) for block in blocks
    )
    assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))
    assert all(piece.text == piece.text.rstrip() != "" for piece in pieces)
    assert all(piece.start_line <= piece.end_line for piece in pieces)
    assert pieces == chunk(source, words=words)


@given(BLOCKS, st.integers(20, 60))
def test_no_chunk_is_much_larger_than_wanted(blocks: list[Block], words: int) -> None:
    for piece in chunk(document(*blocks), words=words):
        assert len(piece.text.split()) <= words * 1.2


def test_an_empty_document_has_no_chunk() -> None:
    assert chunk(document(), words=150) == []
    assert chunk(document(Block(" \n ", 1, 2)), words=150) == []


@pytest.mark.parametrize(("words", "chunks"), [(180, 1), (181, 2), (1000, 7)])
def test_a_document_that_is_not_much_longer_than_a_chunk_is_one(words: int, chunks: int) -> None:
    pieces = chunk(plain("word " * words), words=150)
    assert len(pieces) == chunks
    sizes = [len(piece.text.split()) for piece in pieces]
    assert max(sizes) - min(sizes) <= 10


def test_long_text_is_cut_where_sentences_end() -> None:
    pieces = chunk(plain(sentences(100)), words=150)
    assert len(pieces) > 4
    assert all(piece.text.endswith("here.") for piece in pieces)
    assert all(120 <= len(piece.text.split()) <= 180 for piece in pieces)


def test_a_heading_begins_a_chunk_of_fair_size_and_stays_with_its_text() -> None:
    sections = [f"## Section {number}\n\n{sentences(12)}" for number in range(6)]
    pieces = chunk(marked_down("\n\n".join(sections)), words=150)
    assert len(pieces) == 6
    assert all(piece.text.startswith("## Section") for piece in pieces)


def test_small_sections_share_a_chunk() -> None:
    sections = [f"## Section {number}\n\nA few words." for number in range(60)]
    pieces = chunk(marked_down("\n\n".join(sections)), words=150)
    assert len(pieces) < 6
    assert not any(piece.text.split("\n")[-1].startswith("## ") for piece in pieces)


def test_a_heading_stays_with_text_that_fills_a_chunk_by_itself() -> None:
    body = "word " * 175
    pieces = chunk(marked_down(f"{body}\n\n# Heading of {'many ' * 20}\n\n{body}\n"), words=150)
    (holder,) = [piece for piece in pieces if "# Heading" in piece.text]
    assert holder.text.count("word") >= 50
    assert all(len(piece.text.split()) <= 180 for piece in pieces)


def test_a_file_of_headings_alone_is_cut_too() -> None:
    pieces = chunk(marked_down("# just a heading\n" * 500), words=150)
    assert all(len(piece.text.split()) <= 180 for piece in pieces)


def test_lists_and_code_are_cut_between_lines() -> None:
    items = "\n".join(f"- item {number} of a long list without any stop" for number in range(100))
    assert all(piece.text.startswith("- item") for piece in chunk(marked_down(items), words=150))
    code = "```\n" + "\n".join(f"value_{number} = call(first, second)" for number in range(200)) + "\n```\n"
    pieces = chunk(marked_down(code), words=150)
    assert len(pieces) > 3
    assert all(piece.text.startswith("value_") for piece in pieces[1:])


def test_each_chunk_knows_its_lines() -> None:
    """FC-I14"""
    lines = [f"Line {number} is a sentence of its own." for number in range(1, 201)]
    lines[9] = lines[99] = ""
    for piece in chunk(plain("\n".join(lines)), words=50):
        first, last = piece.text.split("\n")[0], piece.text.split("\n")[-1]
        assert lines[piece.start_line - 1].endswith(first)
        assert lines[piece.end_line - 1].startswith(last)


def test_text_that_was_folded_into_one_line_has_the_lines_of_its_block() -> None:
    pieces = chunk(document(Block(sentences(60), 7, 19)), words=150)
    assert {(piece.start_line, piece.end_line) for piece in pieces} == {(7, 19)}


def test_blocks_are_joined_by_blank_lines() -> None:
    (piece,) = chunk(document(Block("a\n b", 1, 2), Block("c", 9, 9)), words=150)
    assert (piece.text, piece.start_line, piece.end_line) == ("a\n b\n\nc", 1, 9)


@pytest.mark.parametrize(
    "character",
    [
        "👩\u200d👩\u200d👧\u200d👦",
        "🇳🇴",
        "👍🏽",
        "e\u0301",
        "क्षि",
        "각",
        "\u0e01\u0e33",
        "🏴\U000e0067\U000e0062\U000e007f",
    ],
)
def test_a_character_of_several_code_points_is_never_torn(character: str) -> None:
    """FC-Q07"""
    for words in range(20, 40):
        pieces = chunk(plain(character * 900), words=words)
        assert len(pieces) > 1
        assert all(len(piece.text) % len(character) == 0 for piece in pieces)


def test_scripts_without_spaces_are_cut_into_chunks_too() -> None:
    """FC-Q10"""
    pieces = chunk(plain("货架编号也重新排过。" * 300), words=150)
    assert all(250 <= len(piece.text) <= 360 and piece.text.endswith("。") for piece in pieces)
    assert len(chunk(plain("货" * 3000), words=150)) >= 9


@pytest.mark.parametrize("name", ["cjk.md", "emoji.md", "diacritics_nfd.md"])
def test_short_files_in_any_script_are_one_chunk(name: str) -> None:
    """FC-Q07, FC-Q10, FC-Q11"""
    (piece,) = chunk(markdown.parse(case_file(name)).documents[0], words=150)
    assert piece.text == case_file(name).decode().rstrip("\n")


@pytest.mark.parametrize(
    "source", ["x" * 300_000, "仓" * 100_000, "word " * 60_000, "e" + "\u0301" * 150_000, "🇳" * 75_000]
)
def test_a_huge_line_is_cut_quickly(source: str) -> None:
    start = time.process_time()
    pieces = chunk(plain(source), words=150)
    assert len(pieces) > 100
    assert time.process_time() - start < 5

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.case_files import case_file
from rankfold.indexing.chunking import chunk
from rankfold.indexing.formats.markdown import parse
from rankfold.indexing.source_document import SourceDocument


def only(data: bytes) -> SourceDocument:
    (document,) = parse(data).documents
    return document


def test_a_mark_and_crlf_change_nothing() -> None:
    """FC-I01"""
    data = case_file("bom_crlf.md")
    parsed = parse(data)
    assert parsed == parse(data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n"))
    assert parsed.doubts == ()
    (document,) = parsed.documents
    assert document.fields == {
        "title": "Harbour checklist",
        "tags": ["boats", "winter"],
        "event_at": 1709596800.0,
    }
    heading, body = document.blocks
    assert heading.is_heading
    assert heading.text == "# Harbour checklist"
    assert (body.start_line, body.end_line) == (8, 9)
    assert body.text.split("\n")[1] == "The word quayside is on line 9."


def test_a_letterhead_between_rules_is_text() -> None:
    """FC-I02"""
    parsed = parse(case_file("letterhead.md"))
    assert parsed.doubts == ()
    text = "\n".join(block.text for block in parsed.documents[0].blocks)
    assert "BLUE HERON SURVEYORS" in text
    assert "hedge between the two plots" in text
    assert parsed.documents[0].fields == {"title": "Boundary letter"}


def test_broken_front_matter_is_doubted_and_the_body_is_read() -> None:
    """FC-I03"""
    parsed = parse(case_file("bad_yaml_colon.md"))
    (doubt,) = parsed.doubts
    assert doubt.line == 2
    (document,) = parsed.documents
    assert document.fields == {"title": "Pump manual"}
    assert [(block.start_line, block.text) for block in document.blocks] == [
        (5, "# Pump manual"),
        (7, "Bleed the impeller housing before starting the motor."),
    ]
    mended = case_file("bad_yaml_colon.md").replace(b"Pump manual: part two", b"'Pump manual: part two'")
    mended = mended.replace(b"@workshop", b"workshop")
    assert only(mended).fields == {"title": "Pump manual: part two", "attributes": {"owner": "workshop"}}


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("naive", 1714557600.0), ("aware", 1714550400.0), ("dateonly", 1714521600.0), ("future", 4070908800.0)],
)
def test_times_with_and_without_zone_are_read(name: str, seconds: float) -> None:
    """FC-I04"""
    parsed = parse(case_file(f"dates/{name}.md"))
    assert parsed.doubts == ()
    assert parsed.documents[0].fields["event_at"] == seconds


def test_a_bad_date_is_doubted_on_its_line_and_costs_nothing_else() -> None:
    parsed = parse(b"---\ntitle: T\ndate: 2024-02-30\n---\nbody\n")
    assert parsed.documents[0].fields == {"title": "T"}
    assert [doubt.line for doubt in parsed.doubts] == [3]


def test_picture_data_is_in_no_block() -> None:
    """FC-I11"""
    picture = base64.b64encode(random.Random(11).randbytes(180_000)).decode()
    source = f"# Plan\n\nThe pantry.\n\n![plan](data:image/png;base64,{picture})\n\nThe cellar door.\n"
    document = only(source.encode())
    assert [block.text for block in document.blocks] == [
        "# Plan",
        "The pantry.",
        "![plan](…)",
        "The cellar door.",
    ]
    assert [block.start_line for block in document.blocks] == [1, 3, 5, 7]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_from_the_top_of_the_file(line_end: str) -> None:
    """FC-I14"""
    lines = [
        "---",
        "title: T",
        "tags: a",
        "date: 2024-01-01",
        "---",
        "",
        "# T",
        "",
        "First.",
        "",
        "Second.",
        "The hit.",
    ]
    block = only(line_end.join(lines).encode()).blocks[-1]
    assert block.text.split("\n")[12 - block.start_line] == "The hit."
    assert block.end_line == 12


def test_text_stays_as_it_was_written() -> None:
    """FC-F06"""
    text = only(case_file("snippet_html.md")).blocks[1].text
    assert text == case_file("snippet_html.md").decode().split("\n")[2]
    assert only(case_file("snippet_html.md")).fields == {"title": "Cooking <fast>"}


@pytest.mark.parametrize("name", ["cjk.md", "emoji.md", "diacritics_nfd.md"])
def test_every_word_of_the_world_stays_as_it_was_written(name: str) -> None:
    """FC-Q07, FC-Q10, FC-Q11"""
    source = case_file(name).decode()
    assert "\n\n".join(block.text for block in only(source.encode()).blocks) == source.rstrip("\n")


def test_a_gap_of_zero_bytes_parts_two_words() -> None:
    """FC-F05"""
    parsed = parse(case_file("nul_run.md"))
    text = parsed.documents[0].blocks[1].text
    assert text.split() == ["before-gap", "after-gap", "walrus"]


def test_a_fence_holds_no_heading_and_setext_is_one() -> None:
    source = (
        "Intro\n\n```\n# not a heading\n\nmore\n```\n\nSetext\n======\n\n"
        "    # code\n\n> # quoted\n\n[ref]: a.md\n\n***\n"
    )
    blocks = only(source.encode()).blocks
    assert [(block.text, block.start_line, block.end_line) for block in blocks if block.is_heading] == [
        ("Setext\n======", 9, 10)
    ]
    assert [block.text for block in blocks if not block.is_heading] == [
        "Intro",
        "```\n# not a heading\n\nmore\n```",
        "    # code",
        "> # quoted",
        "[ref]: a.md",
    ]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("## Second\n\n# *First* of `all` [links](a.md)", "First of all links"),
        ("## Only\n\ntext", "Only"),
        ("# <img src=x.png> Logo <br/> here &amp; now", "Logo here & now"),
        ("# [Named][n]\n\n[n]: a.md", "Named"),
        ("#\n\n# Real", "Real"),
    ],
)
def test_the_title_is_what_a_reader_sees_of_the_heading(source: str, title: str) -> None:
    assert only(source.encode()).fields == {"title": title}


def test_a_document_without_heading_or_field_has_no_title() -> None:
    assert only(b"just text").fields == {}
    assert only(b"").blocks == ()


def test_comments_that_fill_a_block_are_silent() -> None:
    assert [block.text for block in only(b"<!-- lint off -->\n\ntext <!-- inline -->").blocks] == [
        "text <!-- inline -->"
    ]


FRAGMENTS = st.sampled_from(
    [
        "# h\n",
        "---\n",
        "===\n",
        "```\n",
        "- a\n",
        "> ",
        "| a | b |\n",
        "|-|-|\n",
        "\n",
        "\r\n",
        "\t",
        "[a]: b\n",
        "<!--",
        "x",
    ]
)


@given(st.binary() | st.lists(FRAGMENTS).map(lambda parts: "".join(parts).encode()))
def test_parsing_never_fails_and_every_block_is_on_its_lines(data: bytes) -> None:
    for document in parse(data).documents:
        last = 0
        for block in document.blocks:
            assert last < block.start_line <= block.end_line
            assert block.text.strip()
            assert block.text.count("\n") == block.end_line - block.start_line
            last = block.end_line


@given(st.lists(FRAGMENTS).map("".join))
def test_each_line_of_a_chunk_is_the_line_of_the_file(source: str) -> None:
    lines = source.replace("\r\n", "\n").split("\n")
    for document in parse(source.encode()).documents:
        for piece in chunk(document, words=20):
            assert piece.text.split("\n")[0].strip() == lines[piece.start_line - 1].strip()
            assert piece.text.split("\n")[-1].strip() == lines[piece.end_line - 1].strip()

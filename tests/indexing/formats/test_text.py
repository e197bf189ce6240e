from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankfold.indexing.formats.text import paragraphs, parse
from rankfold.indexing.source_document import Block


def test_blank_lines_part_paragraphs_and_lines_stay() -> None:
    assert paragraphs("\na\n b \n \n\nc") == (Block("a\n b", 2, 3), Block("c", 6, 6))
    assert paragraphs("") == ()


def test_a_text_file_is_one_document_without_fields() -> None:
    parsed = parse(b"# not Markdown\r\n\r\n---\r\n")
    (document,) = parsed.documents
    assert document.fields == {}
    assert document.blocks == (Block("# not Markdown", 1, 1), Block("---", 3, 3))


@given(st.binary())
def test_parsing_never_fails(data: bytes) -> None:
    parsed = parse(data)
    assert parsed.documents or parsed.doubts

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rankfold.indexing.formats.jsonl import parse
from rankfold.indexing.source_document import Block


def test_a_line_is_a_document_with_fields_and_attributes() -> None:
    parsed = parse(
        b'{"id": "a", "title": "T", "text": "One.\\n\\nTwo.", "tags": ["x"], "colour": "red"}\n\n{"text": ""}\n'
    )
    first, second = parsed.documents
    assert parsed.doubts == ()
    assert (first.key, first.ordinal) == ("a", 0)
    assert first.blocks == (Block("One.", 1, 1), Block("Two.", 1, 1))
    assert first.fields == {"title": "T", "tags": ["x"], "attributes": {"colour": "red"}}
    assert (second.key, second.ordinal, second.blocks, second.fields) == ("3", 2, (), {})


def test_bad_lines_are_doubted_by_their_number_and_the_others_stay() -> None:
    lines = [
        '{"text": "kept"}',
        "{broken",
        "[1]",
        '{"id": "no text"}',
        '{"text": 3}',
        "[" * 100_000,
        '{"text": "x", "n": ' + "9" * 5000 + "}",
        '{"text": "kept too", "date": "soon", "id": [1]}',
    ]
    parsed = parse("\n".join(lines).encode())
    assert [document.key for document in parsed.documents] == ["1", "8"]
    assert [doubt.line for doubt in parsed.doubts] == [2, 3, 4, 5, 6, 7, 8, 8]


def test_an_id_counts_once_and_the_doubt_names_both_lines() -> None:
    parsed = parse(b'{"id": 1, "text": "a"}\n{"text": "b"}\n{"id": "1", "text": "c"}')
    assert [(document.key, document.ordinal) for document in parsed.documents] == [("1", 0), ("2", 1)]
    (doubt,) = parsed.doubts
    assert doubt.line == 3
    assert "line 1" in doubt.message


def test_other_keys_can_be_the_id_and_the_text() -> None:
    record = {"key": "C-b", "description": "Send the prefix.", "id": "i", "text": "t", "title": "T"}
    (document,) = parse(json.dumps(record).encode(), id_field="key", text_field="description").documents
    assert document.key == "C-b"
    assert [block.text for block in document.blocks] == ["Send the prefix."]
    assert document.fields == {"title": "T", "attributes": {"id": "i", "text": "t"}}


def test_another_key_can_be_the_title() -> None:
    (document,) = parse(b'{"heading": "H", "text": "t"}', title_field="heading").documents
    assert document.fields == {"title": "H"}


def test_a_file_of_something_else_is_no_document() -> None:
    assert not parse(b"\0\1\2\3" * 100).documents


@given(
    st.binary()
    | st.lists(st.dictionaries(st.sampled_from(["id", "text", "title", "date"]), st.text())).map(
        lambda records: "\n".join(map(json.dumps, records)).encode()
    )
)
def test_parsing_never_fails_and_keys_never_repeat(data: bytes) -> None:
    documents = parse(data).documents
    assert len({document.key for document in documents}) == len(documents)

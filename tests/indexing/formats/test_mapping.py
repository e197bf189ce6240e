from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankfold.indexing.formats.mapping import from_mapping
from rankfold.indexing.source_document import Block


def test_a_dictionary_counts_the_lines_of_its_own_text() -> None:
    document, doubts = from_mapping({"text": "One\r\n\r\nTwo", "pinned": True}, 4)
    assert document is not None
    assert (document.key, document.ordinal) == ("5", 4)
    assert document.blocks == (Block("One", 1, 1), Block("Two", 3, 3))
    assert document.fields == {"pinned": True}
    assert doubts == []


def test_a_record_without_text_is_no_document() -> None:
    document, doubts = from_mapping({"id": "a"}, 0)
    assert document is None
    assert [(doubt.message, doubt.line) for doubt in doubts] == [("text is missing, record left out", None)]


@given(st.dictionaries(st.text() | st.integers(), st.text() | st.none() | st.floats() | st.binary()), st.text())
def test_reading_a_record_never_fails(record: dict[str, object], text: str) -> None:
    document, _ = from_mapping({**record, "text": text}, 0)
    assert document is not None
    document.key.encode()

from __future__ import annotations

import pytest

from rankfold.indexing.formats import FORMATS, format_for


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("a.md", "markdown"),
        ("notes/B.MARKDOWN", "markdown"),
        ("a.xhtml", "html"),
        ("a.b.rst", "text"),
        ("a.ndjson", "jsonl"),
        ("a.pdf", None),
        ("md", None),
        (".md", None),
        ("", None),
    ],
)
def test_the_suffix_decides(name: str, format_name: str | None) -> None:
    found = format_for(name)
    assert (found.name if found else None) == format_name


def test_no_suffix_belongs_to_two_formats() -> None:
    suffixes = [suffix for format_ in FORMATS for suffix in format_.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)
def test_each_format_reads_a_file_without_options(format_) -> None:  # type: ignore[no-untyped-def]
    assert format_.parse(b"").doubts == ()

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.case_files import case_file
from rankfold.indexing.formats.decoding import decode, without_embedded_data


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_with_or_without_a_mark_is_read_as_it_was_written(encoding: str) -> None:
    """FC-I01"""
    decoded = decode("---\r\nname: né 🚀\r\n".encode(encoding))
    assert decoded.text == "---\nname: né 🚀\n"
    assert decoded.doubts == ()


def test_a_big_endian_mark_is_known() -> None:
    assert decode(b"\xfe\xff" + "né".encode("utf-16-be")).text == "né"


def test_text_that_is_not_utf_8_is_read_as_windows_1252_and_says_so() -> None:
    """FC-I05"""
    decoded = decode(case_file("latin1.md"))
    assert decoded.text is not None
    assert "crème brûlée recipe needs twelve egg yolks" in decoded.text
    assert [(doubt.message, doubt.line) for doubt in decoded.doubts] == [("not UTF-8, read as windows-1252", 1)]


def test_one_broken_byte_does_not_spoil_a_text_in_utf_8() -> None:
    decoded = decode("東京タワー\n写真".encode() + b"\xff")
    assert decoded.text == "東京タワー\n写真\ufffd"
    assert [(doubt.message, doubt.line) for doubt in decoded.doubts] == [
        ("not all of it is UTF-8, characters replaced: 1", 2)
    ]


def test_a_run_of_zero_bytes_is_a_gap_in_a_text() -> None:
    """FC-F05"""
    decoded = decode(case_file("nul_run.md"))
    assert decoded.text is not None
    assert "\0" not in decoded.text
    assert "before-gap" in decoded.text
    assert "walrus" in decoded.text
    assert decoded.text.count("\n") == case_file("nul_run.md").count(b"\n")


@pytest.mark.parametrize(
    "data",
    [
        random.Random(1).randbytes(5000),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0\\r\xa8f\0\0\0\1sRGB\0\xae\xce\x1c\xe9",
        b"\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0",
        "UTF-16 without a mark".encode("utf-16-le"),
    ],
)
def test_what_is_no_text_looks_binary(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.text is None
    assert [doubt.message for doubt in decoded.doubts] == ["looks binary, not indexed"]


def test_the_declared_encoding_is_used_as_browsers_use_it() -> None:
    assert decode(b"\x93caf\xe9\x94", declared="iso-8859-1").text == "“café”"
    assert decode("кошка".encode("koi8-r"), declared="KOI8-R").text == "кошка"


@pytest.mark.parametrize("declared", ["unicode_escape", "idna", "base64", "nonsense", "", "a\0b", "utf-16"])
def test_a_declared_encoding_that_cannot_be_is_passed_over(declared: str) -> None:
    assert decode("né \\ud800".encode(), declared=declared).text == "né \\ud800"


@given(st.binary(), st.none() | st.sampled_from(["utf-8", "shift_jis", "gb2312", "iso-2022-jp"]))
def test_decoding_never_fails_and_leaves_nothing_that_others_cannot_take(data: bytes, declared: str | None) -> None:
    decoded = decode(data, declared=declared)
    if decoded.text is None:
        assert decoded.doubts
    else:
        decoded.text.encode()
        assert not set("\r\0") & set(decoded.text)


def test_data_written_into_text_is_cut_out_and_talk_of_it_is_not() -> None:
    payload = "QUJD" * 40
    assert without_embedded_data(f"![a](data:image/png;base64,{payload}) b") == "![a](…) b"
    assert without_embedded_data("as in data:image/png;base64,AAAA") == "as in data:image/png;base64,AAAA"

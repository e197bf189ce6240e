from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankfold.indexing.formats.front_matter import read_front_matter


def test_yaml_scalars_stay_as_they_were_written() -> None:
    found = read_front_matter("---\nid: 007\nv: 1.10\ncountry: no\nat: 12:30\nday: 2024-02-30\nnone: ~\nempty:\n---\nx")
    assert found.values == {
        "id": "007",
        "v": "1.10",
        "country": "no",
        "at": "12:30",
        "day": "2024-02-30",
        "none": None,
        "empty": None,
    }
    assert found.lines["country"] == 4
    assert found.doubts == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("+++\ntitle = 'T'\n[extra]\nn = 1\n+++\nbody", {"title": "T", "extra": {"n": 1}}),
        ('{\n"title": "T"\n}\nbody', {"title": "T"}),
        ("---\n---\nbody", {}),
        ("---\ntags:\n- a\n- b\n---\nbody", {"tags": ["a", "b"]}),
    ],
)
def test_each_language_of_front_matter_is_read(text: str, values: dict[str, object]) -> None:
    found = read_front_matter(text)
    assert found.values == values
    assert text[found.body_start :].strip() == "body"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "",
        "---\n**BLUE HERON**\nUnit 4\n---\ntext",
        "---\nonly words\n---\ntext",
        "---\n- a\n- list\n---\ntext",
        "---\ntitle: never closed\n",
        "\n---\ntitle: not at the top\n---\n",
        "+++\nThree pluses.\n+++\ntext",
        "{\n  a macro\n}\ntext",
        "{% raw %}\n",
    ],
)
def test_what_only_looks_like_front_matter_is_text(text: str) -> None:
    """FC-I02"""
    found = read_front_matter(text)
    assert (found.values, found.body_start, found.doubts) == ({}, 0, ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nowner: me\ntitle: a: b\n---\nbody", 3),
        ("---\n\n\ntitle: a: b\n---\nbody", 4),
        ("---\ntitle: {{ title }}\n---\nbody", 2),
        ("---\na: &a [*a]\n---\nbody", 2),
        ("---\na: " + "[" * 900 + "]" * 900 + "\n---\nbody", 1),
        ("+++\na = 1\nb =\n+++\nbody", 3),
        ('{\n"a": 1\n"b": 2\n}\nbody', 3),
    ],
)
def test_broken_front_matter_is_left_out_with_its_line(text: str, line: int) -> None:
    """FC-I03"""
    found = read_front_matter(text)
    assert found.values == {}
    assert text[found.body_start :].strip() == "body"
    assert len(found.doubts) == 1
    assert "left out" in found.doubts[0].message
    assert abs((found.doubts[0].line or 0) - line) <= 1


@given(st.sampled_from(["---", "+++", "{"]), st.text(), st.sampled_from(["---", "+++", "}"]), st.text())
def test_reading_front_matter_never_fails(opening: str, block: str, closing: str, rest: str) -> None:
    text = f"{opening}\n{block}\n{closing}\n{rest}"
    assert 0 <= read_front_matter(text).body_start <= len(text)

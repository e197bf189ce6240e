from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankfold.fields import FIELDS
from rankfold.indexing.field_values import clean_text, read_fields
from rankfold.times import is_bare_date, time_value

MAY_FIRST = 1714521600.0  # 2024-05-01T00:00:00Z

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from([key for field in FIELDS for key in field.keys]) | st.text(max_size=8)
TYPES = {"text": str, "texts": list, "time": float, "number": float, "flag": bool, "pairs": dict}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01", 0.0),
        ("2024-05-01", MAY_FIRST),
        (" 2024-05-01\n", MAY_FIRST),
        ("20240501", MAY_FIRST),
        ("2024-05-01 10:00:00", MAY_FIRST + 36000),
        ("2024-05-01T10:00", MAY_FIRST + 36000),
        ("2024-05-01T10:00:00Z", MAY_FIRST + 36000),
        ("2024-05-01t10:00:00z", MAY_FIRST + 36000),
        ("2024-05-01T10:00:00+02:00", MAY_FIRST + 28800),
        ("2024-05-01 10:00:00 +0200", MAY_FIRST + 28800),
        ("2024-05-01 10:00:00.500", MAY_FIRST + 36000.5),
        ("1714521600", MAY_FIRST),
        ("-1714521600.5", -MAY_FIRST - 0.5),
    ],
)
def test_dates_and_times_are_seconds_in_utc(text: str, seconds: float) -> None:
    assert time_value(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "soon", "2024", "2024-05", "2024-02-30", "2024-13-01", "01.05.2024", "nan", "inf", "9" * 400]
)
def test_what_is_no_date_is_nothing(text: str) -> None:
    assert time_value(text) is None


@given(st.text())
def test_reading_a_time_never_fails(text: str) -> None:
    seconds = time_value(text)
    assert seconds is None or math.isfinite(seconds)
    assert not is_bare_date(text) or seconds is not None


@given(st.datetimes(timezones=st.none() | st.just(UTC) | st.just(timezone(timedelta(hours=14)))))
def test_every_time_that_python_knows_can_be_read_and_written_again(moment: datetime) -> None:
    seconds = time_value(moment.isoformat())
    assert seconds is not None
    values, doubts = read_fields({"date": moment})
    assert values == {"event_at": seconds}
    assert doubts == []
    assert 1 <= (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).year <= 9999


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("2024-05-01", True),
        ("20240501", True),
        ("2024-05-01T00:00", False),
        ("2024-02-30", False),
        ("2024", False),
    ],
)
def test_a_bare_date_names_a_day_and_no_time(text: str, bare: bool) -> None:
    assert is_bare_date(text) is bare


@pytest.mark.parametrize(
    "value",
    [
        "2024-05-01",
        date(2024, 5, 1),
        datetime(2024, 5, 1),
        datetime(2024, 5, 1, 2, tzinfo=timezone(timedelta(hours=2))),
        1714521600,
        1714521600.0,
    ],
)
def test_naive_and_aware_and_bare_times_meet_on_one_scale(value: object) -> None:
    """FC-I04"""
    assert read_fields({"date": value}) == ({"event_at": MAY_FIRST}, [])


def test_keys_mean_their_field_in_any_case_and_by_the_fields_own_name() -> None:
    values, doubts = read_fields({"TITLE": "A", "Keywords": "x", "event_at": "2024-05-01", "LastMod": 0})
    assert values == {"title": "A", "tags": ["x"], "event_at": MAY_FIRST, "updated_at": 0.0}
    assert doubts == []


def test_a_second_key_for_a_field_becomes_an_attribute() -> None:
    values, _ = read_fields({"name": "loses", "title": "wins"})
    assert values == {"title": "wins", "attributes": {"name": "loses"}}


def test_the_next_key_counts_where_the_first_states_nothing_or_nonsense() -> None:
    assert read_fields({"updated": None, "modified": "2024-05-01"}) == ({"updated_at": MAY_FIRST}, [])
    values, doubts = read_fields({"updated": "lately", "modified": "2024-05-01"})
    assert values == {"updated_at": MAY_FIRST}
    assert [doubt.message for doubt in doubts] == ["updated: lately is not a date or time in ISO 8601"]


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("boats, winter", ["boats", "winter"]),
        (["boats", "winter", "boats", None, " "], ["boats", "winter"]),
        ("#boats #winter", ["boats", "winter"]),
        (["#boats", "a b"], ["boats", "a b"]),
        ({"winter", "boats"}, ["boats", "winter"]),
        ([["nested"], 7, True], ["nested", "7", "true"]),
        (2024, ["2024"]),
    ],
)
def test_tags_come_as_lists_or_texts(value: object, tags: list[str]) -> None:
    assert read_fields({"tags": value}) == ({"tags": tags}, [])


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (True, True),
        ("yes", True),
        ("On", True),
        (1, True),
        ("false", False),
        ("no", False),
        ("0", False),
        (0.0, False),
    ],
)
def test_flags_are_read_as_people_write_them(value: object, flag: bool) -> None:
    assert read_fields({"pinned": value}) == ({"pinned": flag}, [])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pinned", "perhaps"),
        ("date", "soon"),
        ("date", True),
        ("date", 1e300),
        pytest.param("date", 10**400, id="no time is so late"),
        ("confidence", "high"),
        ("confidence", math.nan),
        pytest.param("confidence", 10**400, id="no float is so large"),
        ("confidence", True),
        ("tags", {"a": "b"}),
        ("title", ["a"]),
        ("attributes", 3),
        pytest.param("anything", 10**5000, id="too many digits to write"),
    ],
)
def test_a_bad_value_is_a_doubt_that_names_the_key_and_its_line(key: str, value: object) -> None:
    values, doubts = read_fields({key: value, "summary": "kept"}, lines={key: 3})
    assert values == {"summary": "kept"}
    assert len(doubts) == 1
    assert doubts[0].message.startswith(f"{key}: ")
    assert doubts[0].line == 3


def test_what_is_no_field_is_an_attribute_with_a_text() -> None:
    raw = {"draft": False, "version": 1.5, "on": date(2024, 5, 1), "aliases": ["é", 1], "empty": None}
    assert read_fields({**raw, "nested": {"a": None}}) == (
        {
            "attributes": {
                "draft": "false",
                "version": "1.5",
                "on": "2024-05-01",
                "aliases": '["é",1]',
                "nested": '{"a":null}',
            }
        },
        [],
    )


def test_attributes_are_pairs_and_meet_those_that_are_no_field() -> None:
    values, _ = read_fields({"attributes": {"depth": 3, "gone": None}, "colour": "red"})
    assert values == {"attributes": {"depth": "3", "colour": "red"}}
    values, doubts = read_fields({"attributes": ["depth=3", "no value"]})
    assert values == {"attributes": {"depth": "3"}}
    assert len(doubts) == 1


def test_numbers_keep_their_value_whatever_carries_them() -> None:
    for value in (0.5, "0.5", Decimal("0.5")):
        assert read_fields({"confidence": value}) == ({"confidence": 0.5}, [])


def test_an_object_that_refuses_to_be_text_costs_its_key_only() -> None:
    class Stubborn:
        def __str__(self) -> str:
            raise RuntimeError

    values, doubts = read_fields({"title": "kept", "odd": Stubborn(), "tags": ["a", Stubborn()]})
    assert values == {"title": "kept", "tags": ["a"]}
    assert len(doubts) == 2


def test_a_value_that_stands_for_more_than_memory_holds_is_refused() -> None:
    value: list[object] = ["x"]
    for _ in range(40):
        value = [value, value]
    values, doubts = read_fields({"bomb": value, "tags": value})
    assert values == {}
    assert [doubt.message for doubt in doubts] == [
        "tags: is too large or too deeply nested",
        "bomb: is too large or too deeply nested",
    ]


@given(st.dictionaries(KEYS, JSON_VALUES | st.binary() | st.dates() | st.complex_numbers(), max_size=6))
def test_reading_fields_never_fails_and_always_gives_the_declared_types(raw: dict[str, object]) -> None:
    values, _ = read_fields(raw)
    types = {field.name: TYPES[field.type] for field in FIELDS}
    for name, value in values.items():
        assert type(value) is types[name]
    json.dumps(values, ensure_ascii=False, allow_nan=False).encode()  # no lone surrogate, nothing infinite


def test_text_is_cleaned_of_what_other_programs_cannot_take() -> None:
    assert clean_text("\ufeffa\0\0b\r\nc\rd\ud800") == "a b\nc\nd\ufffd"
    assert clean_text("\ud83d\ude80") == "🚀"

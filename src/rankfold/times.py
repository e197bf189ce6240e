"""Moments as people write them, read the same way in front matter, on the command line and in Python.

Times are seconds since 1970-01-01 UTC. A time without a zone, and a bare date, are read as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST: Final = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()
_LATEST: Final = (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - _EPOCH).total_seconds()

_BARE_DATE: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}-?\d", re.ASCII)
# Fewer digits are more likely a year or a date written without hyphens than a moment in 1970.
_EPOCH_SECONDS: Final = re.compile(r"[+-]?\d{9,}(?:\.\d+)?", re.ASCII)
_SPACE_BEFORE_ZONE: Final = re.compile(r"\s+(?=[+-]\d\d:?\d\d$|[Zz]$)", re.ASCII)


def time_value(text: str) -> float | None:
    """Seconds since 1970-01-01 UTC for a date or time written as text; nothing where it cannot be read.

    ISO 8601 dates and times are read, with a space in place of `T` too. Without a zone they are UTC, and a
    bare date is its first second. Nine or more digits are seconds since 1970 themselves. Years 1 to 9999 are
    understood.
    """
    text = _SPACE_BEFORE_ZONE.sub("", text.strip())
    try:
        if _EPOCH_SECONDS.fullmatch(text):
            return _in_years(float(text))
        return _seconds(datetime.fromisoformat(text.upper()))
    except ValueError:
        return None


def is_bare_date(text: str) -> bool:
    """Whether the text names a day and no time of day, so that a bound may mean the whole day."""
    return _BARE_DATE.fullmatch(text.strip()) is not None and time_value(text) is not None


def moment(value: object) -> float | None:
    """Seconds since 1970-01-01 UTC for a date, a time, a text or a number; nothing where it is none of these."""
    try:
        if isinstance(value, datetime):
            return _seconds(value)
        if isinstance(value, date):
            return _seconds(datetime(value.year, value.month, value.day))
        if isinstance(value, str):
            return time_value(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _in_years(float(value))
    except (ValueError, OverflowError, TypeError):
        pass
    return None


def iso(seconds: float | None) -> str | None:
    """A moment in ISO 8601 with its zone, UTC; nothing for nothing."""
    if seconds is None:
        return None
    written = (_EPOCH + timedelta(seconds=min(max(seconds, _EARLIEST), _LATEST))).isoformat()
    return written.replace("+00:00", "Z")


def _seconds(moment: datetime) -> float:
    """Subtracting never overflows, as converting a time in year 1 or 9999 would."""
    if moment.utcoffset() is None:
        moment = moment.replace(tzinfo=UTC)
    # A zone may carry the first or last hours beyond the years that can be written again.
    return min(max((moment - _EPOCH).total_seconds(), _EARLIEST), _LATEST)


def _in_years(seconds: float) -> float:
    if not _EARLIEST <= seconds <= _LATEST:
        raise ValueError("outside the years 1 to 9999")
    return seconds

"""The one shape that JSON has: an envelope around every answer and every error, in ASCII."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Literal

from rankfold.cli.payloads import PAYLOADS
from rankfold.cli.terminal import say_raw

API_VERSION: Literal["1"] = "1"


@dataclass(frozen=True, kw_only=True)
class SuccessEnvelope:
    """A command that did what it was asked, also where it found nothing."""

    api_version: Literal["1"] = API_VERSION
    """Version of these shapes. It changes when a field goes or changes its meaning, not when one is added."""
    type: str
    """What `data` is."""
    data: object
    """The answer."""
    warnings: tuple[str, ...] = ()
    """What the reader should know, one sentence each."""


@dataclass(frozen=True, kw_only=True)
class FailureEnvelope:
    """A command that could not do what it was asked; the exit status is not 0."""

    api_version: Literal["1"] = API_VERSION
    """Version of these shapes. It changes when a field goes or changes its meaning, not when one is added."""
    error: str
    """What went wrong, for people."""
    code: str
    """What went wrong, for programs: the stable code of an error."""
    suggestions: tuple[str, ...] = ()
    """Commands that run as they are."""


def write_json(data: object, warnings: Sequence[str] = ()) -> None:
    """Print the envelope of a success.

    Args:
        data: one of the types in `PAYLOADS`, which also tells the kind.
        warnings: what the reader should know.
    """
    kind = next(name for name, payload in PAYLOADS.items() if type(data) is payload)
    _print(SuccessEnvelope(type=kind, data=data, warnings=tuple(warnings)))


def write_json_error(message: str, code: str, suggestions: Sequence[str]) -> None:
    """Print the envelope of a failure.

    Args:
        message: what went wrong.
        code: name of the `Error` record.
        suggestions: commands that run as they are.
    """
    _print(FailureEnvelope(error=message, code=code, suggestions=tuple(suggestions)))


def plain(value: object) -> Any:
    """A record as JSON can hold it: bytes in hexadecimal, numbers that are none as null."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _print(envelope: SuccessEnvelope | FailureEnvelope) -> None:
    # ASCII alone is valid in every encoding that a console may have.
    say_raw(json.dumps(plain(envelope), ensure_ascii=True, allow_nan=False) + "\n")

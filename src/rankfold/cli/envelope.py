"""The one shape that JSON has: an envelope around every answer and every error, in ASCII."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from rankfold.cli.terminal import say_raw

API_VERSION = "1"


def write_json(kind: str, data: object, warnings: Sequence[str] = ()) -> None:
    """Print the envelope of a success.

    Args:
        kind: what `data` is.
        data: values that JSON has; see `plain`.
        warnings: what the reader should know.
    """
    _print({"api_version": API_VERSION, "type": kind, "data": data, "warnings": list(warnings)})


def write_json_error(message: str, code: str, suggestions: Sequence[str]) -> None:
    """Print the envelope of a failure.

    Args:
        message: what went wrong.
        code: name of the `Error` record.
        suggestions: commands that run as they are.
    """
    _print({"api_version": API_VERSION, "error": message, "code": code, "suggestions": list(suggestions)})


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


def _print(envelope: Mapping[str, object]) -> None:
    # ASCII alone is valid in every encoding that a console may have.
    say_raw(json.dumps(envelope, ensure_ascii=True, allow_nan=False, default=str) + "\n")

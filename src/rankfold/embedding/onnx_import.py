"""Importing onnxruntime so that it neither reports to its maker nor writes on standard error."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType

from rankfold.environment import TELEMETRY, set_unless_set

__all__ = ["import_onnxruntime"]


def import_onnxruntime() -> ModuleType:
    """Import onnxruntime with its telemetry off and its import-time warnings dropped.

    Since 1.29 its published builds send events about sessions and models to a server of Microsoft, and keep a
    device id and a queue in the user's cache folder, unless the variable `TELEMETRY` is set before the import.
    It is set here, for this process and its children, unless the environment already has a value: whoever
    wants the telemetry sets it to 0. Its thread would also keep a forked child from exiting.

    Raises:
        Exception: whatever the import raises; for a compiled module that is not always an ImportError.
    """
    choice = set_unless_set(TELEMETRY, "1")
    if "onnxruntime" in sys.modules:
        onnxruntime = importlib.import_module("onnxruntime")
    else:
        # It looks for graphics cards when imported and warns about those that it does not know, before any
        # severity can be set.
        with _without_lines(b"onnxruntime:"):
            onnxruntime = importlib.import_module("onnxruntime")
    if choice != "0":
        # Covers what the variable does not: an import by others before this one, and the events of Windows.
        onnxruntime.disable_telemetry_events()
    return onnxruntime


@contextlib.contextmanager
def _without_lines(marker: bytes) -> Iterator[None]:
    """Drop the lines with `marker` that anything writes to file descriptor 2 meanwhile; pass on all others.

    A compiled library writes past `sys.stderr`, so only the descriptor itself can be watched. What others
    write meanwhile arrives after the block, so keep the block short. Without a descriptor 2 nothing is done.
    """
    try:
        original = os.dup(2)
    except OSError:
        yield
        return
    try:
        with tempfile.TemporaryFile() as caught:
            _flush()
            os.dup2(caught.fileno(), 2)
            try:
                yield
            finally:
                _flush()
                os.dup2(original, 2)
                caught.seek(0)
                kept = b"".join(line for line in caught if marker not in line)
                if kept:
                    os.write(2, kept)
    finally:
        os.close(original)


def _flush() -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, replaced or None
        sys.stderr.flush()

"""One indexer at a time: an advisory lock beside the index that names its process.

Two busy writers starve each other whatever their timeout, so the second one is told at once who holds the lock. The
operating system lets go of it when the process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from rankfold.errors import BusyError, ReadOnlyError


@contextlib.contextmanager
def indexing_lock(database: Path) -> Iterator[None]:
    """Hold the index's lock.

    Raises:
        BusyError: another process holds it; the message names it where it can be read.
        ReadOnlyError: the lock file cannot be written.
    """
    real = database.resolve()  # one lock, by whatever name the index is known
    path = real.with_name(real.name + ".lock")
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise BusyError(f"another index run is active on {database}{_holder(path)}") from None
    except OSError as problem:
        raise ReadOnlyError(f"{database} cannot be written: {problem.strerror or problem}") from None
    try:
        with contextlib.suppress(OSError):  # only the message of others is poorer for it
            path.with_name(path.name + ".pid").write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        path.with_name(path.name + ".pid").unlink(missing_ok=True)
        lock.release()


def _holder(path: Path) -> str:
    try:
        return f" (pid {int(path.with_name(path.name + '.pid').read_text(encoding='ascii'))})"
    except (OSError, ValueError):
        return ""

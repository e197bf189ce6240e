"""What a file is, from its first hundred bytes and without opening it.

See https://sqlite.org/fileformat2.html#the_database_header.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rankfold.errors import (
    CorruptIndexError,
    IndexNotFoundError,
    NewerIndexError,
    NotAnIndexError,
    ReadOnlyError,
)

APPLICATION_ID = int.from_bytes(b"RKFD", "big")
"""Marks a database as ours, so that nobody else's is ever written to."""

_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Header:
    """The part of a database header that says whose it is."""

    application_id: int
    user_version: int
    """How many migrations it has seen."""


def is_there(path: Path) -> bool:
    """Whether something is at a place, as far as this user may know."""
    try:
        return path.exists()
    except OSError:  # a folder above it may not be entered
        return False


def read_header(path: Path) -> Header | None:
    """Read a file's header.

    Returns:
        The header, or None for an empty file, which SQLite takes for a new database.

    Raises:
        IndexNotFoundError: there is no such file.
        NotAnIndexError: it is a folder or no SQLite database.
        CorruptIndexError: it ends within the header.
        ReadOnlyError: it may not be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        raise IndexNotFoundError(
            f"there is no index at {path}", suggestions=[f"rankfold index FOLDER --db {path}"]
        ) from None
    except IsADirectoryError:
        raise NotAnIndexError(f"{path} is a folder, not an index") from None
    except PermissionError:
        raise ReadOnlyError(f"{path} may not be read") from None
    if not head:
        return None
    if not head.startswith(_MAGIC[: len(head)]) or len(head) < len(_MAGIC):
        raise NotAnIndexError(f"{path} is not a rankfold index and was left untouched")
    if len(head) < 100:
        raise CorruptIndexError(f"{path} is damaged: it ends within its header. {CorruptIndexError.record.fix}")
    return Header(application_id=int.from_bytes(head[68:72], "big"), user_version=int.from_bytes(head[60:64], "big"))


def require_ours(path: Path, header: Header | None, *, newest: int) -> None:
    """Refuse a file that is not an index of a version that this one knows.

    Raises:
        NotAnIndexError: empty, or another program's database.
        NewerIndexError: it has seen more migrations than this version knows.
    """
    if header is None or header.application_id != APPLICATION_ID:
        raise NotAnIndexError(f"{path} is not a rankfold index and was left untouched")
    if header.user_version > newest:
        raise NewerIndexError(
            f"{path} was made by a newer version of rankfold (schema {header.user_version}, this one knows {newest})",
            suggestions=["pip install --upgrade rankfold"],
        )

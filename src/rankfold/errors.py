"""What can go wrong, as records and as exceptions.

    RankfoldError
    ├── UsageError              the call itself is wrong (exit 2)
    │   ├── BadValueError       a value outside its range or of the wrong form
    │   └── UnknownNameError    a name that is not registered; the message lists the known ones
    ├── IndexNotFoundError      no index at that place
    ├── NotAnIndexError         the file is something else, and was left untouched
    ├── NewerIndexError         made by a newer version
    ├── CorruptIndexError       the file is damaged; delete it and index again, nothing is lost
    ├── ReadOnlyError           the index cannot be written here
    ├── BusyError               another index run holds the lock
    ├── SourceError             a folder or file to index is missing, unreadable or suspiciously empty
    ├── PathClashError          two documents with one path
    ├── EmbedderMismatchError   the index holds vectors of another embedding space
    ├── EmbedderError           the embedder failed
    ├── RegistryError           a record is malformed or clashes with another
    └── SearchError             SQLite refused the statement

Every exception carries the `Error` record that documents it, and the `suggestions` that are commands to run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rankfold.records import Error

USAGE = Error(
    name="usage",
    doc="An option, argument or combination of them that the command does not take.",
    fix="See `--help` of the command.",
    exit_code=2,
    since="0.1",
)

BAD_VALUE = Error(
    name="bad_value",
    doc="A value outside its range or of the wrong form: a limit of 0, a weight that is not a number, a date that "
    "cannot be read. Raised before the index is opened.",
    fix="Use a value in the range that the message names.",
    exit_code=2,
    since="0.1",
)

UNKNOWN_NAME = Error(
    name="unknown_name",
    doc="An arm, profile, scope axis or adjustment that is not registered.",
    fix="Use one of the names that the message lists.",
    exit_code=2,
    since="0.1",
)

INDEX_NOT_FOUND = Error(
    name="index_not_found",
    doc="There is no file at the place given by the option, the environment or the nearest `.rankfold` folder.",
    fix="Make one with `rankfold index FOLDER`, or name another with `--db FILE`.",
    exit_code=1,
    since="0.1",
)

NOT_AN_INDEX = Error(
    name="not_an_index",
    doc="The file is not a rankfold index: another SQLite database, or no database at all. It was left untouched.",
    fix="Name another file with `--db FILE`.",
    exit_code=1,
    since="0.1",
)

NEWER_INDEX = Error(
    name="newer_index",
    doc="The index was made by a newer version of rankfold, whose schema this one does not know.",
    fix="Upgrade with `pip install --upgrade rankfold`, or index again into another file.",
    exit_code=1,
    since="0.1",
)

CORRUPT_INDEX = Error(
    name="corrupt_index",
    doc="The file is a damaged or truncated database.",
    fix="Delete the file and index again. It is made from your files, so nothing is lost.",
    exit_code=1,
    since="0.1",
)

READ_ONLY = Error(
    name="read_only",
    doc="The index, or the folder it is in, cannot be written. Searching it still works.",
    fix="Index into a place that can be written, with `--db FILE`.",
    exit_code=1,
    since="0.1",
)

BUSY = Error(
    name="busy",
    doc="Another index run holds the lock on this index. Searching is never blocked.",
    fix="Wait for it to end; the message names its process.",
    exit_code=1,
    since="0.1",
)

SOURCE = Error(
    name="source",
    doc="A folder or file to index is missing, unreadable, or holds so much less than before that it looks like a "
    "drive that is not there. Nothing was removed.",
    fix="Check the path; if documents are meant to be gone, confirm it with `--prune`.",
    exit_code=1,
    since="0.1",
)

PATH_CLASH = Error(
    name="path_clash",
    doc="Two documents from two sources would have the same path.",
    fix="Index one of them with `--prefix NAME`.",
    exit_code=1,
    since="0.1",
)

EMBEDDER_MISMATCH = Error(
    name="embedder_mismatch",
    doc="The index holds vectors of another embedding space. Vectors of two spaces are never compared, and nothing "
    "was written.",
    fix="Embed everything again with `rankfold embed --all`, or index with `--no-embed`.",
    exit_code=1,
    since="0.1",
)

EMBEDDER = Error(
    name="embedder",
    doc="The embedder could not be loaded, or failed on some texts. Documents stay searchable by their words.",
    fix="Finish the vectors with `rankfold embed`.",
    exit_code=1,
    since="0.1",
)

REGISTRY = Error(
    name="registry",
    doc="A record is malformed, or its name or slot is taken.",
    fix="Mend or remove the package that registers it.",
    exit_code=1,
    since="0.1",
)

SEARCH = Error(
    name="search",
    doc="SQLite refused or interrupted the statement. This is a fault, never an empty answer.",
    fix="Look at the statement with `rankfold sql QUERY`, and report it.",
    exit_code=1,
    since="0.1",
)

INTERNAL = Error(
    name="internal",
    doc="Something that no other error stands for: the system refused a file, or rankfold has a defect. Details are "
    "on standard error.",
    fix="Report it with what standard error says.",
    exit_code=1,
    since="0.1",
)

ERRORS: tuple[Error, ...] = (
    USAGE,
    BAD_VALUE,
    UNKNOWN_NAME,
    INDEX_NOT_FOUND,
    NOT_AN_INDEX,
    NEWER_INDEX,
    CORRUPT_INDEX,
    READ_ONLY,
    BUSY,
    SOURCE,
    PATH_CLASH,
    EMBEDDER_MISMATCH,
    EMBEDDER,
    REGISTRY,
    SEARCH,
    INTERNAL,
)


class RankfoldError(Exception):
    """Root of everything that rankfold raises on purpose.

    Attributes:
        record: the `Error` that documents it, with its stable code and exit status.
        suggestions: commands that can be run as they are.
    """

    record: ClassVar[Error] = SEARCH

    def __init__(self, message: str, *, suggestions: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.suggestions = tuple(suggestions)


class UsageError(RankfoldError):
    """The call itself is wrong."""

    record = USAGE


class BadValueError(UsageError, ValueError):
    """A value outside its range or of the wrong form."""

    record = BAD_VALUE


class UnknownNameError(UsageError, LookupError):
    """A name that is not registered; the message lists the known ones."""

    record = UNKNOWN_NAME


class IndexNotFoundError(RankfoldError, FileNotFoundError):
    """There is no index at that place."""

    record = INDEX_NOT_FOUND


class NotAnIndexError(RankfoldError):
    """The file is something else, and was left untouched."""

    record = NOT_AN_INDEX


class NewerIndexError(RankfoldError):
    """The index was made by a newer version."""

    record = NEWER_INDEX


class CorruptIndexError(RankfoldError):
    """The file is damaged."""

    record = CORRUPT_INDEX


class ReadOnlyError(RankfoldError, PermissionError):
    """The index cannot be written here."""

    record = READ_ONLY


class BusyError(RankfoldError):
    """Another index run holds the lock."""

    record = BUSY


class SourceError(RankfoldError):
    """A folder or file to index is missing, unreadable or suspiciously empty."""

    record = SOURCE


class PathClashError(RankfoldError):
    """Two documents with one path."""

    record = PATH_CLASH


class EmbedderMismatchError(RankfoldError):
    """The index holds vectors of another embedding space."""

    record = EMBEDDER_MISMATCH


class EmbedderError(RankfoldError):
    """The embedder could not be loaded or failed.

    Attributes:
        reason: what failed.
        fix: a command to run, or what else to do; None where no remedy is known.
    """

    record = EMBEDDER

    def __init__(self, reason: str, fix: str | None = None) -> None:
        """Make the message of both: reason, then fix."""
        super().__init__(reason if fix is None else f"{reason}. Fix: {fix}", suggestions=[fix] if fix else [])
        self.reason = reason
        self.fix = fix


class RegistryError(RankfoldError):
    """A record is malformed or clashes with another."""

    record = REGISTRY


class SearchError(RankfoldError):
    """SQLite refused the statement."""

    record = SEARCH

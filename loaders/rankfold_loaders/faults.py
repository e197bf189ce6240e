"""What is wrong, where, and in one sentence: everything that checks the site reports in this form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong."""

    place: str
    """A file, a file with its line, or a page."""
    message: str
    """What is wrong, as a sentence without a full stop."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class SiteError(Exception):
    """The site cannot be made as it should be; carries every fault, not only the first."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


def error(place: str, message: str) -> SiteError:
    """A `SiteError` of one fault."""
    return SiteError([Fault(place, message)])

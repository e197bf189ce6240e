"""What the collection at hand says to commands that work without one too."""

from __future__ import annotations

import rankfold
from rankfold.cli.names import named
from rankfold.cli.place import is_named, place
from rankfold.cli.terminal import warn
from rankfold.collection import Status
from rankfold.errors import IndexNotFoundError
from rankfold.records import Profile
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import Registries


def status_at_hand() -> Status | None:
    """The status of the index that a search would use; nothing where there is none, with a warning if it was named.

    Raises:
        RankfoldError: the index is damaged, or the file is something else.
    """
    try:
        with rankfold.open(place()) as collection:
            return collection.status()
    except IndexNotFoundError as error:
        if is_named():
            warn([str(error)])
        return None


def profile_at_hand(registries: Registries, name: str | None, status: Status | None) -> Profile:
    """The profile of that name; without a name, the one that a search would use.

    Args:
        registries: whose profiles count.
        name: as typed, None if it was not.
        status: of the index at hand, if there is one.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name is None:
        name = status.profile if status else DEFAULT_PROFILE
    return named(registries.profiles, name)

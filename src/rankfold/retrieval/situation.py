"""What preconditions read: one search's query forms and the collection's capabilities, as values."""

from __future__ import annotations

from dataclasses import dataclass

from rankfold.records import Profile
from rankfold.retrieval.query import QueryForms
from rankfold.storage.capabilities import Capabilities


@dataclass(frozen=True, kw_only=True)
class QueryVector:
    """The query in the collection's embedding space, or why it is not there."""

    packed: bytes | None
    """Little-endian float32 values, or None."""
    reason: str = ""
    """Why there is none."""
    fix: str | None = None
    """What to do about it."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Everything that decides which arms may fire."""

    forms: QueryForms
    """The query text as terms and MATCH forms."""
    vector: QueryVector
    """The query as a vector."""
    capabilities: Capabilities
    """What the open collection can do."""
    profile: Profile
    """The profile of this search."""
    query_arms: tuple[str, ...] = ()
    """Names of the arms that read the query and may fire; filled before the other arms are asked."""

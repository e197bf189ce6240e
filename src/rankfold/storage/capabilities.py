"""What an open collection can do, as a value: preconditions, `status` and explain read this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """The report that opening a collection yields."""

    sqlite_version: str
    """Version of the SQLite library in use."""
    vec_version: str | None
    """Version of sqlite-vec when it loaded and answered a query, else None."""
    vec_problem: str = ""
    """Why sqlite-vec is not there."""
    documents: int = 0
    """Documents in the collection, archived ones included."""
    chunks: int = 0
    """Chunks of those documents."""
    embedded: int = 0
    """Chunks with a vector in the collection's space."""
    refused: int = 0
    """Chunks whose vector was zero, not a number or of the wrong size; they are not asked for again."""
    space: str | None = None
    """Identity of the collection's embedding space, None before the first vector."""
    dimension: int | None = None
    """Values per vector in that space."""
    has_dates: bool = False
    """Whether any document states when it happened or was updated."""
    state_path: str | None = None
    """The state plane's file, None where there is none (an empty one stands in for it)."""
    opened: str = "read-only"
    """How the file is open: `read-only`, `immutable` or `read-write`."""

    @property
    def pending(self) -> int:
        """Chunks that are still to be embedded."""
        return self.chunks - self.embedded - self.refused

    @property
    def coverage(self) -> float:
        """Share of the chunks that can have a vector and do, 0 to 1; 1 for a collection without chunks."""
        possible = self.chunks - self.refused
        return self.embedded / possible if possible else 1.0

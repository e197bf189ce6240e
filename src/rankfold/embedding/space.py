"""The space that a collection's vectors are in: who made them, and of what."""

from __future__ import annotations

from rankfold.embedding.protocol import Embedder

EMBEDDED_TEXT = "title, newline, chunk"
"""Names the recipe of `embedded_text` in a space's identity."""


def embedded_text(title: str | None, text: str) -> str:
    """What is embedded for a chunk: its document's title in front, where there is one."""
    return f"{title}\n{text}" if title else text


def space_identity(embedder: Embedder) -> str:
    """The identity of a collection's space: the embedder's, and what it is given."""
    return f"{embedder.identity}; of {EMBEDDED_TEXT}"


def space_mismatch(identity: str, dimension: int, embedder: Embedder) -> str | None:
    """Why an embedder's vectors may not be compared with those of a space, or None if they may.

    Args:
        identity: the space's.
        dimension: values per vector in it.
        embedder: whose vectors are to be compared.
    """
    if identity == space_identity(embedder) and dimension == embedder.dimension:
        return None
    return (
        f"the index holds vectors of {identity!r} ({dimension} values), "
        f"the embedder makes {space_identity(embedder)!r} ({embedder.dimension} values)"
    )

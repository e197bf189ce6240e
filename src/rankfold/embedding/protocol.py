"""What an embedder is, how a vector is stored, and when a vector may not be used.

Nothing here needs numpy: an index without a vector arm never imports it.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from rankfold.errors import EmbedderError

__all__ = ["Embedder", "EmbedderError", "ReportsCuts", "defect", "pack"]


class Embedder(Protocol):
    """Turns texts into vectors of one space.

    An embedder must be deterministic, must treat every text on its own (the other texts of a call never
    change a vector) and must be usable from several threads at once. It need not normalise: vectors are
    compared by cosine. It may return a vector that `defect` refuses; the caller then counts the text as not
    embedded.
    """

    @property
    def identity(self) -> str:
        """Name of the vector space: one line of stable text.

        It holds everything that changes a vector: the embedder's name, a hash or revision of the weights, the
        dimension, pooling, prefixes and normalisation. Vectors are compared only where identities are equal.
        Reading it loads nothing.
        """
        ...

    @property
    def dimension(self) -> int:
        """How many numbers each vector holds, at least 1. Reading it loads nothing."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Embed texts that are to be found.

        Args:
            texts: any number of texts, also none, each of any length.

        Returns:
            One vector of `dimension` numbers for each text, in the order of `texts`.

        Raises:
            EmbedderError: the embedder could not be loaded or could not embed. No partial result is returned.
        """
        ...

    def embed_query(self, text: str) -> Sequence[float]:
        """Embed the text of a search.

        Args:
            text: of any length.

        Returns:
            A vector of `dimension` numbers, in the same space as those of `embed_documents`.

        Raises:
            EmbedderError: the embedder could not be loaded or could not embed.
        """
        ...


@runtime_checkable
class ReportsCuts(Protocol):
    """An embedder that can tell which texts are too long for it, so that a cut is counted and reported."""

    def is_cut(self, texts: Sequence[str]) -> Sequence[bool]:
        """Tell for each text, in order, whether its vector leaves out the end of the text.

        Raises:
            EmbedderError: the embedder could not be loaded.
        """
        ...


# The vector functions sum the squared length in 32-bit floats. Outside these bounds it becomes infinite or
# loses its digits, and a cosine is then NULL or wrong: 2**-126 is the smallest number with full precision.
_SMALLEST_SQUARED_LENGTH = 2.0**-126
_LARGEST_SQUARED_LENGTH = 2.0**127


def pack(vector: Sequence[float]) -> bytes:
    """Write a vector as little-endian 32-bit floats, the form in which an index stores it.

    Args:
        vector: numbers, each rounded to the nearest 32-bit float. Nothing is checked: call `defect` first.

    Returns:
        Four bytes for each number.

    Raises:
        TypeError: an item is not a number.
    """
    packed = array("f", vector)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def defect(vector: object, dimension: int) -> str | None:
    """Say why a vector cannot be compared by cosine, or None if it can.

    Total: whatever an embedder returned may be passed, and nothing is raised. The numbers are judged as they
    would be stored, rounded to 32-bit floats.

    Args:
        vector: what the embedder returned for one text.
        dimension: how many numbers a vector of this space holds.

    Returns:
        A plain reason that follows "the vector", as in "has 6 numbers where 4 are expected", or None.
    """
    numbers = _as_floats(vector)
    if numbers is None:
        return f"is no sequence of numbers but {type(vector).__name__}"
    if len(numbers) != dimension:
        return f"has {len(numbers)} numbers where {dimension} are expected"
    squared_length = 0.0
    for position, number in enumerate(numbers, start=1):
        if math.isnan(number):
            return f"is not finite: number {position} is NaN"
        if math.isinf(number):
            return f"is not finite: number {position} is infinite in 32 bits"
        squared_length += number * number
    if not any(numbers):
        return "is all zeros, so it has no direction"
    if squared_length < _SMALLEST_SQUARED_LENGTH:
        return "is too short to have a direction in 32-bit floats"
    if squared_length > _LARGEST_SQUARED_LENGTH:
        return "is too long for 32-bit floats"
    return None


def _as_floats(vector: object) -> array[float] | None:
    """The vector in 32-bit floats, or None if it is no sequence of numbers."""
    # array() would read bytes as machine values, and a set has no order.
    if isinstance(vector, str | bytes | bytearray | set | frozenset | dict) or not hasattr(vector, "__len__"):
        return None
    try:
        return array("f", vector)  # type: ignore[call-overload, no-any-return]  # the very thing to find out
    except Exception:  # an embedder's own sequence type may raise anything
        return None

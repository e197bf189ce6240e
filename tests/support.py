"""What tests share: a small embedder whose vectors are known, and short ways to say what an answer holds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import rankfold

Open = Callable[..., rankfold.Collection]


class TableEmbedder:
    """Vectors from a table of words; any other text gets one from its hash. Deterministic."""

    def __init__(
        self,
        table: Mapping[str, Sequence[float]] | None = None,
        *,
        name: str = "table",
        dimension: int = 8,
    ) -> None:
        self.table = dict(table or {})
        self.identity = f"{name}; dimension {dimension}"
        self.dimension = dimension
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self.asked += texts
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        return self._vector(text)

    def _vector(self, text: str) -> Sequence[float]:
        for word, vector in self.table.items():
            if word in text:
                return vector
        digest = hashlib.blake2b(text.encode(), digest_size=self.dimension).digest()
        return [byte / 255 + 0.01 for byte in digest]


def records(texts: Mapping[str, str]) -> list[dict[str, object]]:
    """Records by id."""
    return [{"id": name, "text": text} for name, text in texts.items()]


def paths(answer: rankfold.Answer) -> list[str]:
    """The paths of an answer's hits, best first."""
    return [hit.path for hit in answer]

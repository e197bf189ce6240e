"""What tests share: a small embedder whose vectors are known, and short ways to say what an answer holds."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import apsw

import rankfold

T = TypeVar("T")
Open = Callable[..., rankfold.Collection]

NOBODY = 65534
"""A user who owns nothing."""


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


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with files in it, by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def as_json(answer: rankfold.Answer) -> bytes:
    """Everything in an answer, so that two of them can be compared to the last bit."""
    return json.dumps(dataclasses.asdict(answer), default=bytes.hex, ensure_ascii=False).encode()


def ask(database: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Run one statement on a database from outside, on a connection of its own."""
    connection = apsw.Connection(str(database))
    try:
        connection.set_busy_timeout(1000)
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def require_sound(database: Path) -> None:
    """File, foreign keys and full-text index agree; only rank 1 compares the index with the text it was made from."""
    assert ask(database, "PRAGMA integrity_check") == [("ok",)]
    assert ask(database, "PRAGMA foreign_key_check") == []
    ask(database, "INSERT INTO document_fts (document_fts, rank) VALUES ('integrity-check', 1)")


def in_child(work: Callable[[], object]) -> int:
    """Run something in a process of its own. How that ended: an exit status, or minus the number of a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def as_nobody(work: Callable[[], T]) -> T:
    """Run something as a user for whom permissions count, which they do not for root."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            result = (True, work())
        except BaseException:
            result = (False, traceback.format_exc())
        with os.fdopen(send, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        done, value = pickle.load(pipe)
    os.waitpid(child, 0)
    assert done, value
    return value

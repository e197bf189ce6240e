"""A sample corpus, indexed by the library itself, so that pages can show what a search does on real documents.

Beside a folder of notes there may be a file of the same name with `-use.jsonl` at its end, which tells how documents
were used: one object a line with `path` and any of `access_count`, `reinforcement_count`, `outcome` and
`last_accessed`. Ages are counted from the newest moment that notes and use state, never from the clock.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
import tempfile
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import apsw

from rankfold import Answer, Collection
from rankfold.embedding import Embedder, Unavailable, default_embedder, defect, pack
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import Registries, installed
from rankfold.storage.connection import fetch, open_reader, open_state, transaction
from rankfold.times import moment
from rankfold_loaders.faults import error

Wanted = Embedder | Literal["default"] | None
"""What makes the vectors, as `rankfold.open` takes it."""

_DIGEST = 16
"""Bytes of the hash that names a kept vector, and of the one that stands before its values."""


def build(
    notes: Path,
    folder: Path,
    *,
    use: Path | None = None,
    registries: Registries | None = None,
    embedder: Wanted = "default",
    cache: Path | None = None,
) -> Sample:
    """Index a sample corpus.

    Args:
        notes: its folder; the folder's name begins the paths of its documents.
        folder: where the indexes are made; it is left to the caller to remove.
        use: how documents were used; None takes the file beside the notes, if it is there.
        registries: whose arms and profiles are asked; the installed ones if None.
        embedder: `"default"` is the embedded model where it is installed.
        cache: where vectors are kept, so that the model is loaded only for a text that is new; None keeps none.

    Raises:
        SiteError: the file of use is malformed, or names a document that is not there.
        RankfoldError: the notes cannot be indexed.
    """
    beside = notes.with_name(f"{notes.name}-use.jsonl")
    found = default_embedder() if embedder == "default" else embedder
    if cache is not None and found is not None and not isinstance(found, Unavailable):
        embedder = KeptVectors(found, cache)
    sample = Sample(
        notes=notes,
        folder=folder,
        use=use or (beside if beside.is_file() else None),
        registries=registries or installed(),
        embedder=embedder,
    )
    sample.database(DEFAULT_PROFILE)
    return sample


@dataclass(frozen=True)
class Sample:
    """A corpus that can be searched under every profile. There is an index for each tokenizer, made when asked for."""

    notes: Path
    folder: Path
    use: Path | None
    registries: Registries
    embedder: Wanted
    _open: dict[Path, Collection] = field(default_factory=dict, repr=False)
    _connections: dict[Path, apsw.Connection] = field(default_factory=dict, repr=False)

    def under(self, registries: Registries) -> Sample:
        """The same indexes, asked by other registries."""
        return replace(self, registries=registries, _open={}, _connections={})

    def close(self) -> None:
        """Close every connection. The sample may be used again, and then opens new ones."""
        for collection in self._open.values():
            collection.close()
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def database(self, profile: str) -> Path:
        """The index that the profile searches; its state plane is beside it."""
        tokenizer = self.registries.profiles[profile].tokenizer
        path = self.folder / f"{hashlib.blake2b(tokenizer.encode(), digest_size=4).hexdigest()}.db"
        if path not in self._open:
            is_new = not path.exists()
            self._open[path] = Collection(path, registries=self.registries, embedder=self.embedder)
            if is_new:
                self._open[path].index(self.notes, profile=profile, progress=_in_silence)
                if self.use is not None:
                    _fill_state(path, self.use)
        return path

    def collection(self, profile: str = DEFAULT_PROFILE) -> Collection:
        """The collection that the profile searches."""
        return self._open[self.database(profile)]

    def search(self, query: str, *, profile: str = DEFAULT_PROFILE, **asked: Any) -> Answer:
        """Search as `Collection.search` does, at the sample's own moment."""
        return self.collection(profile).search(query, profile=profile, **{"now": self.now, **asked})

    def connection(self, profile: str = DEFAULT_PROFILE) -> apsw.Connection:
        """A reading connection with sqlite-vec and the state plane, on which any statement of an answer runs."""
        path = self.database(profile)
        if path not in self._connections:
            self._connections[path] = open_reader(path).connection
        return self._connections[path]

    @functools.cached_property
    def now(self) -> float:
        """The newest moment that the corpus states, in seconds since 1970-01-01 UTC; 0 where it states none."""
        newest: float | None = fetch(
            self.connection(),
            "SELECT max(moment) FROM (SELECT dated_at AS moment FROM document"
            " UNION ALL SELECT updated_at FROM document UNION ALL SELECT last_accessed FROM state.access)",
        )[0][0]
        return newest or 0.0


class KeptVectors:
    """An embedder whose vectors are kept in files, each under the hash of its text and of the vector space.

    Whoever writes a file writes it whole, and whoever reads one checks it: one that is broken is made again.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.embedder = embedder
        self.folder = folder

    @property
    def identity(self) -> str:
        """The embedder's own."""
        return self.embedder.identity

    @property
    def dimension(self) -> int:
        """The embedder's own."""
        return self.embedder.dimension

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """The vectors of texts, each made by itself so that none depends on which others were kept."""
        return [self._read("document", text) or self._make("document", text) for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a query."""
        return self._read("query", text) or self._make("query", text)

    def _file(self, role: str, text: str) -> Path:
        named = f"{self.identity}\0{role}\0{text}".encode("utf-8", "surrogatepass")
        return self.folder / f"{hashlib.blake2b(named, digest_size=_DIGEST).hexdigest()}.vector"

    def _read(self, role: str, text: str) -> Sequence[float] | None:
        try:
            kept = self._file(role, text).read_bytes()
        except OSError:
            return None
        digest, packed = kept[:_DIGEST], kept[_DIGEST:]
        if digest != _hash(packed) or len(packed) != 4 * self.dimension:
            return None
        vector = array("f", packed)
        if sys.byteorder == "big":
            vector.byteswap()
        return vector

    def _make(self, role: str, text: str) -> Sequence[float]:
        if role == "query":
            vector = self.embedder.embed_query(text)
        else:
            (vector,) = self.embedder.embed_documents([text])
        if defect(vector, self.dimension) is None:
            packed = pack(vector)
            with contextlib.suppress(OSError):  # a cache that cannot be written costs time and nothing else
                _write_whole(self._file(role, text), _hash(packed) + packed)
        return vector


def _hash(packed: bytes) -> bytes:
    return hashlib.blake2b(packed, digest_size=_DIGEST).digest()


def _write_whole(file: Path, content: bytes) -> None:
    """Write a file so that no reader ever sees a part of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
        part.write(content)
    Path(part.name).replace(file)


def _fill_state(database: Path, use: Path) -> None:
    """Write the state plane beside an index.

    Raises:
        SiteError: a line is malformed, or names a document that is not there.
    """
    reader = open_reader(database).connection
    hashes = dict(fetch(reader, "SELECT path, content_hash FROM document"))
    reader.close()
    state = open_state(database)
    try:
        with transaction(state):
            for number, line in enumerate(use.read_text(encoding="utf-8").splitlines(), start=1):
                if line.strip():
                    _write_use(state, hashes, f"{use.name}:{number}", line)
        fetch(state, "PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        state.close()


def _write_use(state: apsw.Connection, hashes: dict[str, bytes], place: str, line: str) -> None:
    try:
        stated = json.loads(line)
        path = stated.pop("path")
        last = stated.pop("last_accessed", None)
        counts = {name: stated.pop(name, 0) for name in ("access_count", "reinforcement_count", "outcome")}
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise error(place, f"it is no object with a path ({problem})") from None
    if stated:
        raise error(place, f"{', '.join(sorted(stated))} is nothing that use can tell")
    if path not in hashes:
        raise error(place, f"there is no document {path}")
    if last is not None and moment(last) is None:
        raise error(place, f"last_accessed is {last!r}, which is no ISO 8601 time")
    try:
        fetch(
            state,
            "INSERT INTO access (path, content_hash, access_count, reinforcement_count, outcome, last_accessed)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (path, hashes[path], *counts.values(), moment(last)),
        )
    except (apsw.Error, TypeError) as problem:
        raise error(place, f"it cannot be kept ({problem})") from None


def _in_silence(what: str, done: int, total: int) -> None:
    """No progress is shown while a site is built."""

"""One SQLite file of documents that can be searched: open, index, search, status."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

import apsw

from rankfold.derivation import DERIVATION
from rankfold.embedding import Embedder, Unavailable, default_embedder
from rankfold.embedding.space import space_mismatch
from rankfold.errors import BadValueError, EmbedderError, IndexNotFoundError, SourceError
from rankfold.indexing.formats import format_for
from rankfold.indexing.sync import IndexReport, Progress, Source, known_sources, sync, sync_records
from rankfold.indexing.vectors import embed_pending, require_space, restart
from rankfold.models import Answer
from rankfold.progress import progress_bar
from rankfold.records import Arm
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.registry import Registries, installed
from rankfold.retrieval.request import read_request
from rankfold.retrieval.search import answer
from rankfold.storage.capabilities import Capabilities
from rankfold.storage.connection import (
    Reader,
    fetch,
    make_folder,
    open_reader,
    open_writer,
    require_index,
    require_writable,
    settings,
    snapshot,
    transaction,
    translated,
)
from rankfold.storage.header import is_there
from rankfold.storage.lock import indexing_lock

Sources = str | Path | Iterable[Mapping[str, object]]
"""What can be indexed: a folder, a file, or dictionaries with `text` and perhaps `id`, `title` and fields."""


@dataclass(frozen=True)
class Status:
    """What a collection holds and can do."""

    database: str
    """The index file."""
    profile: str
    """The profile that a search goes by unless it names another."""
    tokenizer: str
    """The FTS5 tokenizer that the collection was made with."""
    sources: tuple[str, ...]
    """Folders and files that `index` alone brings into step."""
    capabilities: Capabilities
    """What the open index holds and can do."""
    problems: tuple[str, ...]
    """What stands in the way of some arm, and what to do about it."""
    embedder: str | None
    """Identity of the embedder that would be used, None where there is none."""


def open(  # the name that people expect of a module with files in it
    database: str | Path,
    *,
    arms: Sequence[Arm] = (),
    embedder: Embedder | Literal["default"] | None = "default",
) -> Collection:
    """Open a collection. Nothing is read or written before it is used.

    Args:
        database: the SQLite file, which need not exist before the first `index`.
        arms: arms of your own, beside the registered ones.
        embedder: `"default"` is the embedded model where it is installed; None does without vectors.

    Raises:
        RegistryError: one of `arms` is malformed or its name is taken.
    """
    return Collection(Path(database), registries=installed().plus_arms(arms), embedder=embedder)


class Collection:
    """Documents with one tokenizer, one embedding space and one profile, in one file.

    It may be used from many threads. Searching writes nothing and is never blocked by an index run.
    """

    def __init__(
        self, database: Path, *, registries: Registries, embedder: Embedder | Literal["default"] | None
    ) -> None:
        self.database = database
        """The index file."""
        self.registries = registries
        """The registered arms, profiles and other records, with the arms that were given to `open`."""
        self._wanted = embedder
        self._readers: list[Reader] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Collection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. The collection may be used again, and then opens new ones."""
        with self._lock:
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.connection.close()

    # ── indexing ──────────────────────────────────────────────────────────────────────────────────────────────────

    def index(
        self,
        *sources: Sources,
        prefix: str | None = None,
        profile: str | None = None,
        prune: bool = False,
        embed: bool = True,
        id_field: str = "id",
        text_field: str = "text",
        title_field: str = "title",
        progress: Progress | None = None,
    ) -> IndexReport:
        """Bring sources and index into step: only what is new, changed, renamed or gone is touched.

        Args:
            sources: folders, files, or iterables of dictionaries; none means everything indexed before.
            prefix: first part of the documents' paths, in place of the name of the folder or file.
            profile: what the collection is for; its tokenizer counts when the collection is made.
            prune: believe a source that is gone or lost most of its files; of dictionaries, remove those not given.
            embed: make vectors too, where there is an embedder.
            id_field: key that identifies a record of JSONL or a dictionary.
            text_field: key of its text.
            title_field: key of its title.
            progress: called as the run goes on; None shows a bar on a terminal.

        Returns:
            What was done, with a warning for every file that was read with a doubt or not read.

        Raises:
            SourceError: a source is missing, unreadable, or suspiciously empty.
            EmbedderMismatchError: the vectors are of another space; nothing was written.
            BusyError: another index run is active.
        """
        chosen = self.registries.profiles[profile or DEFAULT_PROFILE]
        named = {"id_field": id_field, "text_field": text_field, "title_field": title_field}
        for item in sources:
            _require_kind_of_source(item)
        places = [Source.at(item, prefix, named) for item in sources if isinstance(item, str | Path)]
        if prefix is not None and len(sources) > 1:
            raise BadValueError("prefix names one source; index the others in calls of their own")
        report = IndexReport()
        with contextlib.ExitStack() as stack:
            if is_there(self.database):
                require_writable(self.database)  # before a lock is left beside somebody else's file
            else:
                if not sources:
                    raise self._not_found()
                for place in places:  # before a file is made for nothing
                    _require_source(place)
                make_folder(self.database.parent)
            stack.enter_context(indexing_lock(self.database))
            show = progress or stack.enter_context(progress_bar())
            connection = open_writer(self.database, tokenizer=chosen.tokenizer)
            stack.callback(connection.close)
            with translated(self.database):
                report.warnings += _remember(connection, profile, chosen.name, chosen.tokenizer)
                embedder = self.embedder if embed else None
                if embed and not isinstance(embedder, Unavailable) and embedder is not None:
                    require_space(connection, embedder)
                wanted = places if sources else known_sources(connection)
                sync(connection, wanted, prune=prune, report=report, progress=show)
                for item in sources:
                    if not isinstance(item, str | Path):
                        sync_records(
                            connection,
                            item,
                            prefix=prefix,
                            options=named,
                            prune=prune,
                            report=report,
                            progress=show,
                        )
                if isinstance(embedder, Unavailable):
                    report.warnings.append(f"no vectors were made: {embedder.reason}. Fix: {embedder.fix}")
                elif embedder is not None:
                    embed_pending(connection, embedder, report=report, progress=show)
                fetch(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        return report

    def embed(self, *, everything: bool = False, progress: Progress | None = None) -> IndexReport:
        """Make the vectors that are missing.

        Args:
            everything: forget all vectors first, to change the embedder or to try refused texts again.
            progress: called as the run goes on; None shows a bar on a terminal.

        Raises:
            EmbedderError: there is no embedder.
            EmbedderMismatchError: the vectors are of another space and `everything` is not set.
        """
        if not is_there(self.database):
            raise self._not_found()
        require_index(self.database)
        embedder = self.embedder
        if embedder is None:
            raise EmbedderError("the collection was opened without an embedder")
        if isinstance(embedder, Unavailable):
            raise EmbedderError(embedder.reason, embedder.fix)
        report = IndexReport()
        with contextlib.ExitStack() as stack:
            stack.enter_context(indexing_lock(self.database))
            show = progress or stack.enter_context(progress_bar())
            connection = open_writer(self.database, tokenizer="")
            stack.callback(connection.close)
            with translated(self.database):
                if everything:
                    restart(connection)
                embed_pending(connection, embedder, report=report, progress=show)
                fetch(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        return report

    # ── searching ─────────────────────────────────────────────────────────────────────────────────────────────────

    def search(
        self,
        query: str,
        *,
        profile: str | None = None,
        limit: object = None,
        offset: object = None,
        window: object = None,
        rank_constant: object = None,
        query_form: str | None = None,
        arms: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        now: object = None,
        **scope: object,
    ) -> Answer:
        """Search. Any text is a safe query.

        Args:
            query: what is looked for; double quotes make a phrase.
            profile: a registered profile; the collection's own if None.
            limit: hits, 1 to 1000.
            offset: hits to pass over.
            window: most candidates per arm.
            rank_constant: the constant of reciprocal rank fusion.
            query_form: `auto`, `any` or `all`.
            arms: only these arms.
            weights: weights of this call, by arm.
            now: the moment ages are counted from; the clock if None.
            scope: values for scope axes, by name: `path="notes/"`, `type=["task"]`, `since="2024-05-01"`.

        Raises:
            BadValueError: a value outside its range.
            UnknownNameError: a profile, arm or scope axis that is not registered.
            IndexNotFoundError: there is no index.
        """
        ask = functools.partial(
            read_request,
            self.registries,
            query,
            limit=limit,
            offset=offset,
            window=window,
            rank_constant=rank_constant,
            query_form=query_form,
            arms=arms,
            weights=weights,
            now=now,
            scope=scope,
        )
        ask(profile=profile or DEFAULT_PROFILE)  # whatever is wrong with the call is said before the index is opened
        with self._reader() as reader, translated(self.database), snapshot(reader.connection):
            known = settings(reader.connection)
            request = ask(profile=profile or known.get("profile", DEFAULT_PROFILE))
            return answer(reader, request, self.registries, self.embedder, tokenizer=known["tokenizer"])

    def status(self) -> Status:
        """What the collection holds and can do.

        Raises:
            IndexNotFoundError: there is no index.
        """
        with self._reader() as reader, translated(self.database), snapshot(reader.connection):
            report = reader.capabilities()
            known = settings(reader.connection)
            sources = tuple(str(source.root) for source in known_sources(reader.connection))
            embedder = self.embedder
            problems = [str(problem) for problem in self.registries.problems]
            if report.vec_version is None:
                problems.append(f"{report.vec_problem}. Fix: pip install 'sqlite-vec>=0.1.9'")
            if isinstance(embedder, Unavailable):
                problems.append(f"{embedder.reason}. Fix: {embedder.fix}")
            elif embedder is not None and report.space is not None and report.dimension is not None:
                mismatch = space_mismatch(report.space, report.dimension, embedder)
                if mismatch is not None:
                    problems.append(f"{mismatch}. Fix: rankfold embed --all")
            if report.pending:
                problems.append(f"{report.pending} of {report.chunks} chunks are not embedded yet. Fix: rankfold embed")
            identity = embedder.identity if embedder is not None and not isinstance(embedder, Unavailable) else None
            return Status(
                database=str(self.database),
                profile=known.get("profile", DEFAULT_PROFILE),
                tokenizer=known["tokenizer"],
                sources=sources,
                capabilities=report,
                problems=tuple(problems),
                embedder=identity,
            )

    @functools.cached_property
    def embedder(self) -> Embedder | Unavailable | None:
        """The embedder in use, or why there is none."""
        return default_embedder() if self._wanted == "default" else self._wanted

    @contextlib.contextmanager
    def _reader(self) -> Iterator[Reader]:
        """A connection of this thread's own while it is used."""
        if not is_there(self.database):
            raise self._not_found()
        with self._lock:
            reader = self._readers.pop() if self._readers else None
        if reader is not None and reader.is_stale:
            reader.connection.close()
            reader = None
        reader = reader or open_reader(self.database)
        try:
            yield reader
        finally:
            with self._lock:
                self._readers.append(reader)

    def _not_found(self) -> IndexNotFoundError:
        return IndexNotFoundError(
            f"there is no index at {self.database}", suggestions=[f"rankfold index . --db {self.database}"]
        )


def _remember(connection: apsw.Connection, asked: str | None, profile: str, tokenizer: str) -> list[str]:
    """Write a new collection's settings; of one that has them, say what differs."""
    known = settings(connection)
    if "profile" not in known:
        with transaction(connection):
            for name, value in (("profile", profile), ("derivation", DERIVATION)):
                fetch(connection, "INSERT INTO setting VALUES (?, ?)", (name, value))
    elif asked is None or asked == known["profile"]:
        return []
    else:
        fetch(connection, "UPDATE setting SET value = ? WHERE name = 'profile'", (asked,))
    if known["tokenizer"] != tokenizer:
        return [
            f"the profile is now {profile}, but the collection keeps the tokenizer it was made with "
            f"({known['tokenizer']}); delete {connection.filename} and index again to change it"
        ]
    return []


def _require_kind_of_source(item: object) -> None:
    if not isinstance(item, str | Path | Iterable) or isinstance(item, Mapping | bytes):
        raise BadValueError(
            f"a source is a folder, a file or an iterable of dictionaries, not {type(item).__name__}"
            + ("; put it into a list" if isinstance(item, Mapping) else "")
        )


def _require_source(source: Source) -> None:
    if not is_there(source.root):
        raise SourceError(f"{source.root} does not exist")
    if source.root.is_file() and format_for(source.root.name) is None:
        raise SourceError(f"{source.root} is of no format that can be read")

"""One SQLite file of documents that can be searched: open, index, search, status."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal

import apsw

from rankfold.embedding import Embedder, Unavailable, default_embedder, defect, pack
from rankfold.errors import BadValueError, IndexNotFoundError
from rankfold.indexing.rows import DERIVATION
from rankfold.indexing.sync import IndexReport, Progress, Source, known_sources, sync, sync_records
from rankfold.indexing.vectors import embed_pending, require_space, restart, space_identity
from rankfold.models import Answer, ArmUsed, Hit
from rankfold.progress import progress_bar
from rankfold.records import STAGES, Arm, Effect
from rankfold.retrieval.activation import activate
from rankfold.retrieval.hydration import hits_of, with_passages
from rankfold.retrieval.passages import Highlighter
from rankfold.retrieval.profiles import DEFAULT_PROFILE
from rankfold.retrieval.query import QueryForms, forms, normalise, words
from rankfold.retrieval.registry import Registries, installed
from rankfold.retrieval.request import Request, read_request
from rankfold.retrieval.situation import QueryVector, Situation
from rankfold.retrieval.statement import ActiveArm, Statement, fold, probe
from rankfold.storage.capabilities import Capabilities
from rankfold.storage.connection import Reader, open_reader, open_writer, settings, stemmer, translated
from rankfold.storage.lock import indexing_lock

Sources = str | Path | Iterable[Mapping[str, object]]
"""What can be indexed: a folder, a file, or dictionaries with `text` and perhaps `id`, `title` and fields."""


@dataclass(frozen=True)
class Status:
    """What a collection holds and can do."""

    database: str
    profile: str
    tokenizer: str
    sources: tuple[str, ...]
    """Folders and files that `index` alone brings into step."""
    capabilities: Capabilities
    problems: tuple[str, ...]
    """What stands in the way of some arm, and what to do about it."""
    embedder: str | None
    """Identity of the embedder that would be used, None where there is none."""


def open(  # the name that people expect of a module with files in it
    database: str | Path,
    *,
    arms: Sequence[Arm] = (),
    embedder: Embedder | None | Literal["default"] = "default",
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
        self, database: Path, *, registries: Registries, embedder: Embedder | None | Literal["default"]
    ) -> None:
        self.database = database
        self.registries = registries
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
            prune: believe a folder that lost most of its files; of dictionaries, remove those not given.
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
        places = [Source.at(Path(item), prefix, named) for item in sources if isinstance(item, str | Path)]
        if prefix is not None and len(sources) > 1:
            raise BadValueError("prefix names one source; index the others in calls of their own")
        report = IndexReport()
        with contextlib.ExitStack() as stack:
            if not self.database.exists():
                if not sources:
                    raise self._not_found()
                for place in places:  # before a file is made for nothing
                    _require_source(place)
                self.database.parent.mkdir(parents=True, exist_ok=True)
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
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
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
        from rankfold.errors import EmbedderError

        if not self.database.exists():
            raise self._not_found()
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
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
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
            scope: a value for each scope axis to use, by its name: `path="notes/"`, `type=["task"]`, `since="2024-05-01"`.

        Raises:
            BadValueError: a value outside its range.
            UnknownNameError: a profile, arm or scope axis that is not registered.
            IndexNotFoundError: there is no index.
        """
        stated = dict(
            limit=limit, offset=offset, window=window, rank_constant=rank_constant, query_form=query_form, arms=arms,
            weights=weights, now=now, scope=scope,
        )  # fmt: skip
        if profile is not None:  # whatever is wrong with the call is said before the index is opened
            read_request(self.registries, query, profile=profile, **stated)  # type: ignore[arg-type]
        else:
            read_request(self.registries, query, profile=DEFAULT_PROFILE, **stated)  # type: ignore[arg-type]
        with self._reader() as reader, translated(self.database):
            known = settings(reader.connection)
            request = read_request(
                self.registries, query, profile=profile or known.get("profile", DEFAULT_PROFILE), **stated  # type: ignore[arg-type]
            )
            return _answer(reader, request, self.registries, self._embedder_for(request), known)

    def status(self) -> Status:
        """What the collection holds and can do.

        Raises:
            IndexNotFoundError: there is no index.
        """
        with self._reader() as reader, translated(self.database):
            report = reader.capabilities()
            known = settings(reader.connection)
            sources = tuple(str(source.root) for source in known_sources(reader.connection))
            embedder = self.embedder
            problems = [str(problem) for problem in self.registries.problems]
            if report.vec_version is None:
                problems.append(f"{report.vec_problem}. Fix: pip install 'sqlite-vec>=0.1.9'")
            if isinstance(embedder, Unavailable):
                problems.append(f"{embedder.reason}. Fix: {embedder.fix}")
            elif embedder is not None and report.space not in (None, space_identity(embedder)):
                problems.append(f"{_mismatch(report, embedder)}. Fix: rankfold embed --all")
            elif report.pending:
                problems.append(
                    f"{report.pending} of {report.chunks} chunks are not embedded yet. Fix: rankfold embed"
                )
            identity = embedder.identity if embedder is not None and not isinstance(embedder, Unavailable) else None
            return Status(
                database=str(self.database),
                profile=known.get("profile", DEFAULT_PROFILE),
                tokenizer=known.get("tokenizer", ""),
                sources=sources,
                capabilities=report,
                problems=tuple(problems),
                embedder=identity,
            )

    @property
    def embedder(self) -> Embedder | Unavailable | None:
        """The embedder in use, or why there is none."""
        if self._wanted == "default":
            self._wanted_default = getattr(self, "_wanted_default", None) or default_embedder()
            return self._wanted_default
        return self._wanted

    def _embedder_for(self, request: Request) -> Embedder | Unavailable | None:
        return self.embedder

    @contextlib.contextmanager
    def _reader(self) -> Iterator[Reader]:
        """A connection of this thread's own while it is used."""
        if not self.database.exists():
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


def _answer(
    reader: Reader,
    request: Request,
    registries: Registries,
    embedder: Embedder | Unavailable | None,
    known: Mapping[str, str],
) -> Answer:
    """Query text → forms → active arms → one statement → fused rows → hits → adjustments → passages."""
    query = forms(request.query)
    vector = _query_vector(reader.capabilities(), request, registries, query, embedder)
    situation = Situation(
        forms=query, vector=vector, capabilities=reader.capabilities(), profile=request.profile
    )
    active, dropped = activate(registries, request.weights, situation)
    if not query.terms and request.profile.without_terms == "nothing":
        active = []
    statement = fold(
        active,
        registries=registries,
        profile=request.profile,
        rank_constant=request.rank_constant,
        scope=request.scope,
    )
    degrading = {precondition.name for precondition in registries.preconditions if precondition.degrades}
    answer = Answer(
        query=request.query,
        profile=request.profile.name,
        limit=request.limit,
        offset=request.offset,
        hits=(),
        arms=(),
        dropped=tuple(dropped),
        degraded=bool(query.terms) and any(item.precondition in degrading for item in dropped),
        sql=None,
        parameters=(),
        window=request.window,
        rank_constant=request.rank_constant,
        now=request.now,
        warnings=tuple(_warnings_about(query, registries)),
    )
    if statement is None:
        return answer
    match, form = _match_text(reader.connection, query, request, registries, active)
    values = _values(request, registries, match, vector, query)
    return _run(reader, request, registries, statement, values, active, query, vector, known, replace(answer, query_form=form))


def _run(
    reader: Reader,
    request: Request,
    registries: Registries,
    statement: Statement,
    values: dict[int, object],
    active: Sequence[ActiveArm],
    query: QueryForms,
    vector: QueryVector,
    known: Mapping[str, str],
    answer: Answer,
) -> Answer:
    wanted = request.offset + request.limit
    adjustments = sorted(
        (registries.adjustments[name] for name in request.profile.adjustments),
        key=lambda adjustment: STAGES.index(adjustment.stage),
    )
    fused_limit = wanted * (request.profile.pool_factor if adjustments else 1)
    weights = {item.arm.name: item.weight for item in active}
    while True:
        parameters = statement.bind({**values, 3: fused_limit})
        rows = reader.connection.execute(statement.text, parameters).fetchall()  # type: ignore[arg-type]
        hits: list[Hit] = hits_of(reader.connection, rows, statement, weights, registries)
        effects: list[Effect] = []
        for adjustment in adjustments:
            hits, done = adjustment.apply(hits)
            effects += done
        if len(hits) >= wanted or len(rows) < fused_limit:
            break
        fused_limit *= 4  # adjustments took away more than the pool had to spare
    page = hits[request.offset : wanted]
    stem = stemmer(reader.connection, known["tokenizer"])
    page = with_passages(
        reader.connection,
        page,
        Highlighter(query.terms, stem),
        query_vector=vector.packed if reader.vec_version else None,
        characters=request.profile.passage_characters,
    )
    touched = {path for hit in page for path in (hit.path, *hit.twins)}
    page = [replace(hit, adjustments=tuple(e for e in effects if e.path in (hit.path, *hit.twins))) for hit in page]
    columns = {name: 2 + 3 * index for index, name in enumerate(statement.arms)}
    used = tuple(
        ArmUsed(name, weights[name], sum(row[column] is not None for row in rows)) for name, column in columns.items()
    )
    warnings = [*answer.warnings, *_warnings_after(reader.connection, request, registries, rows, columns, page, wanted)]
    return replace(
        answer,
        hits=tuple(page),
        arms=used,
        sql=statement.text,
        parameters=parameters,
        effects=tuple(effect for effect in effects if effect.path in touched),
        warnings=tuple(warnings),
    )


def _query_vector(
    report: Capabilities,
    request: Request,
    registries: Registries,
    query: QueryForms,
    embedder: Embedder | Unavailable | None,
) -> QueryVector:
    """The query's vector, made only if some arm could use it."""
    readers = [arm for arm in registries.arms if "?4" in arm.sql and request.weights[arm.name] > 0]
    if not readers:
        return QueryVector(packed=None, reason="no arm asks for it")
    if not query.terms:
        return QueryVector(packed=None, reason="text without a searchable term is not embedded")
    if report.vec_version is None:
        return QueryVector(packed=None, reason=report.vec_problem, fix="pip install 'sqlite-vec>=0.1.9'")
    if embedder is None:
        return QueryVector(packed=None, reason="the collection was opened without an embedder")
    if isinstance(embedder, Unavailable):
        return QueryVector(packed=None, reason=embedder.reason, fix=embedder.fix)
    if report.space is None:
        return QueryVector(packed=None, reason="no document is embedded yet", fix="rankfold embed")
    if report.space != space_identity(embedder) or report.dimension != embedder.dimension:
        return QueryVector(packed=None, reason=_mismatch(report, embedder), fix="rankfold embed --all")
    try:
        vector = embedder.embed_query(request.query)
    except Exception as problem:  # an embedder may raise anything; the other arms still answer
        return QueryVector(packed=None, reason=f"the embedder failed: {problem}", fix="rankfold status --check")
    problem = defect(vector, embedder.dimension)
    if problem is not None:
        return QueryVector(packed=None, reason=f"the query's vector {problem}")
    return QueryVector(packed=pack(vector))


def _mismatch(report: Capabilities, embedder: Embedder) -> str:
    return (
        f"the index holds vectors of {report.space!r} ({report.dimension} values), "
        f"the embedder makes {space_identity(embedder)!r} ({embedder.dimension} values)"
    )


def _match_text(
    connection: apsw.Connection,
    query: QueryForms,
    request: Request,
    registries: Registries,
    active: Sequence[ActiveArm],
) -> tuple[str | None, str | None]:
    """The MATCH text and its form: all terms where some document in scope holds them all, else any."""
    if not query.terms or not any("?1" in item.arm.sql for item in active):
        return None, None
    if request.query_form == "any" or (request.query_form == "auto" and query.all == query.any):
        return query.any, "any"
    if request.query_form == "all":
        return query.all, "all"
    test = probe(request.scope, registries)
    values = _scope_values(request, registries)
    found = connection.execute(test.text, test.bind({**values, 1: query.all})).fetchall()  # type: ignore[arg-type]
    return (query.all, "all") if found else (query.any, "any")


def _scope_values(request: Request, registries: Registries) -> dict[int, object]:
    return {registries.slots[name].number: value for name, value in request.scope.values.items()}


def _values(
    request: Request, registries: Registries, match: str | None, vector: QueryVector, query: QueryForms
) -> dict[int, object]:
    names = list(dict.fromkeys(word.lower() for word in words(normalise(query.text))))[: len(query.terms)]
    return {
        1: match,
        2: request.window,
        4: vector.packed,
        5: request.now,
        6: json.dumps(names, ensure_ascii=False),
        **_scope_values(request, registries),
    }


def _warnings_about(query: QueryForms, registries: Registries) -> Iterator[str]:
    if not query.terms:
        yield "the query has no searchable term"
    if query.is_cut:
        yield f"only the first {len(query.terms)} of {query.distinct} distinct terms were searched"
    for problem in registries.problems:
        yield str(problem)


def _warnings_after(
    connection: apsw.Connection,
    request: Request,
    registries: Registries,
    rows: Sequence[Sequence[object]],
    columns: Mapping[str, int],
    page: Sequence[Hit],
    wanted: int,
) -> Iterator[str]:
    is_window_full = any(sum(row[column] is not None for row in rows) >= request.window for column in columns.values())
    if len(rows) < wanted and is_window_full:
        yield (
            f"each arm stops at its window of {request.window}, so there are only {len(rows)} documents to list; "
            f"a larger --window finds more"
        )
    if not rows:
        if not connection.execute("SELECT EXISTS (SELECT 1 FROM document)").fetchall()[0][0]:
            yield "the index holds no document"
        elif request.scope.axes:
            predicate = request.scope.predicate(registries.scopes.records)
            test = Statement(f"SELECT EXISTS (SELECT 1 FROM document AS d WHERE {predicate})", ())
            values = test.bind(_scope_values(request, registries))
            if not connection.execute(test.text, values).fetchall()[0][0]:  # type: ignore[arg-type]
                yield "no document is in scope"


def _remember(
    connection: apsw.Connection, asked: str | None, profile: str, tokenizer: str
) -> list[str]:
    """Write a new collection's settings; of one that has them, say what differs."""
    known = settings(connection)
    if "profile" not in known:
        for name, value in (("profile", profile), ("tokenizer", tokenizer), ("derivation", DERIVATION)):
            connection.execute("INSERT INTO setting VALUES (?, ?)", (name, value)).fetchall()
        return []
    if asked is None or asked == known["profile"]:
        return []
    connection.execute("UPDATE setting SET value = ? WHERE name = 'profile'", (asked,)).fetchall()
    if known["tokenizer"] != tokenizer:
        return [
            f"the profile is now {asked}, but the collection keeps the tokenizer it was made with "
            f"({known['tokenizer']}); delete {connection.filename} and index again to change it"
        ]
    return []


def _require_source(source: Source) -> None:
    from rankfold.errors import SourceError
    from rankfold.indexing.formats import format_for

    if not source.root.exists():
        raise SourceError(f"{source.root} does not exist")
    if source.root.is_file() and format_for(source.root.name) is None:
        raise SourceError(f"{source.root} is of no format that can be read")

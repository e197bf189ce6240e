"""One search, from the query text to the answer."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import apsw

from rankfold.derivation import normalise, words
from rankfold.embedding import Embedder, Unavailable
from rankfold.errors import SearchError
from rankfold.models import Answer, ArmUsed, Dropped, Hit
from rankfold.records import STAGES, Effect
from rankfold.retrieval.activation import activate
from rankfold.retrieval.hydration import hits_of, with_passages
from rankfold.retrieval.passages import Highlighter
from rankfold.retrieval.query import QueryForms, forms
from rankfold.retrieval.query_vector import query_vector
from rankfold.retrieval.registry import Registries
from rankfold.retrieval.request import Request
from rankfold.retrieval.situation import QueryVector, Situation
from rankfold.retrieval.statement import ActiveArm, Statement, fold, probe
from rankfold.storage.connection import Reader, fetch, stemmer


def answer(
    reader: Reader,
    request: Request,
    registries: Registries,
    embedder: Embedder | Unavailable | None,
    *,
    tokenizer: str,
) -> Answer:
    """Query text → forms → active arms → one statement → fused rows → hits → adjustments → passages.

    Args:
        reader: a connection of this thread's own.
        request: the call, checked.
        registries: whose arms, preconditions, scopes and adjustments count.
        embedder: the one in use, or why there is none.
        tokenizer: the collection's.
    """
    query = forms(request.query)
    vector = _vector(reader, request, registries, query, embedder)
    situation = Situation(forms=query, vector=vector, capabilities=reader.capabilities(), profile=request.profile)
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
    found = _Found()
    if statement is not None:
        match, form = _match_text(reader, query, request, registries, active)
        values = _values(request, registries, match, vector, query)
        found = replace(_run(reader, request, registries, statement, values, active), query_form=form)
    highlighter = Highlighter(query.terms, stemmer(reader.connection, tokenizer))
    page = found.hits[request.offset : request.offset + request.limit]
    hits = with_passages(
        reader.connection,
        [_with_effects(hit, found.effects) for hit in page],
        highlighter,
        query_vector=vector.packed if reader.vec_version else None,
        characters=request.profile.passage_characters,
    )
    return Answer(
        query=request.query,
        profile=request.profile.name,
        limit=request.limit,
        offset=request.offset,
        hits=tuple(hits),
        arms=found.arms,
        dropped=tuple(dropped),
        degraded=_is_degraded(registries, query, dropped),
        sql=statement.text if statement else None,
        parameters=found.parameters,
        query_form=found.query_form,
        window=request.window,
        rank_constant=request.rank_constant,
        now=request.now,
        effects=tuple(effect for hit in hits for effect in hit.adjustments),
        warnings=tuple(_warnings(reader, request, registries, query, found)),
    )


@dataclass(frozen=True)
class _Found:
    """What the statement gave, after the adjustments."""

    hits: tuple[Hit, ...] = ()
    effects: tuple[Effect, ...] = ()
    arms: tuple[ArmUsed, ...] = ()
    parameters: tuple[object, ...] = ()
    rows: int = 0
    query_form: str | None = None


def _run(
    reader: Reader,
    request: Request,
    registries: Registries,
    statement: Statement,
    values: Mapping[int, object],
    active: Sequence[ActiveArm],
) -> _Found:
    wanted = request.offset + request.limit
    adjustments = sorted(
        (registries.adjustments[name] for name in request.profile.adjustments),
        key=lambda adjustment: STAGES.index(adjustment.stage),
    )
    fused_limit = wanted * (request.profile.pool_factor if adjustments else 1)
    weights = {item.arm.name: item.weight for item in active}
    while True:
        parameters = statement.bind({**values, 3: fused_limit})
        try:
            rows = fetch(reader.connection, statement.text, parameters)
        except apsw.SQLError as problem:
            refused = _refused(reader, request, registries, values, active)
            raise SearchError(f"{refused} cannot be run; SQLite says: {problem}") from problem
        _require_sound(rows, statement)
        hits: list[Hit] = hits_of(reader.connection, rows, statement, weights, registries)
        effects: list[Effect] = []
        for adjustment in adjustments:
            hits, done = adjustment.apply(hits)
            effects += done
        if len(hits) >= wanted or len(rows) < fused_limit:
            break
        fused_limit *= 4  # adjustments took away more than the pool had to spare
    used = tuple(
        ArmUsed(name, weights[name], sum(row[2 + 3 * place] is not None for row in rows))
        for place, name in enumerate(statement.arms)
    )
    return _Found(tuple(hits), tuple(effects), used, parameters, len(rows))


def _refused(
    reader: Reader,
    request: Request,
    registries: Registries,
    values: Mapping[int, object],
    active: Sequence[ActiveArm],
) -> str:
    """Whose SQL an error comes from: the arms that fail without the others, or all where none does."""
    guilty = []
    for item in active:
        alone = fold(
            [item],
            registries=registries,
            profile=request.profile,
            rank_constant=request.rank_constant,
            scope=request.scope,
        )
        assert alone is not None  # there is an arm
        try:
            fetch(reader.connection, alone.text, alone.bind({**values, 3: 1}))
        except apsw.SQLError:
            guilty.append(item.arm.name)
    names = guilty or [item.arm.name for item in active]
    return f"the SQL of {'the arm' if len(names) == 1 else 'one of the arms'} {', '.join(names)}"


def _require_sound(rows: Sequence[Sequence[Any]], statement: Statement) -> None:
    """Refuse rows whose contributions do not add up: then some arm gave a document twice, or a rank below 1.

    Raises:
        SearchError: it names the arms of the statement.
    """
    for path, score, *cells in rows:
        ranks, shares = cells[0::3], cells[2::3]
        is_ranked = all(rank is None or (isinstance(rank, int) and rank >= 1) for rank in ranks)
        if not is_ranked or score != math.fsum(share for share in shares if share is not None):
            raise SearchError(
                f"the contributions to {path} do not add up: one of {', '.join(statement.arms)} gave it more than one "
                "row, or a rank that is no whole number from 1"
            )


def _vector(
    reader: Reader,
    request: Request,
    registries: Registries,
    query: QueryForms,
    embedder: Embedder | Unavailable | None,
) -> QueryVector:
    """The query's vector, made only if an arm of this search could read it."""
    if any("?4" in arm.sql and request.weights[arm.name] > 0 for arm in registries.arms):
        return query_vector(query, reader.capabilities(), embedder)
    return QueryVector(packed=None, reason="no arm of this search asks for it")


def _match_text(
    reader: Reader, query: QueryForms, request: Request, registries: Registries, active: Sequence[ActiveArm]
) -> tuple[str | None, str | None]:
    """The MATCH text and its form: all terms where some document in scope holds them all, else any."""
    if not query.terms or not any("?1" in item.arm.sql for item in active):
        return None, None
    if request.query_form == "all":
        return query.all, "all"
    if request.query_form == "auto" and query.all != query.any:
        test = probe(request.scope, registries)
        if fetch(reader.connection, test.text, test.bind({**_scope_values(request, registries), 1: query.all})):
            return query.all, "all"
    return query.any, "any"


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


def _with_effects(hit: Hit, effects: Sequence[Effect]) -> Hit:
    paths = (hit.path, *hit.twins)
    return replace(hit, adjustments=tuple(effect for effect in effects if effect.path in paths))


def _is_degraded(registries: Registries, query: QueryForms, dropped: Sequence[Dropped]) -> bool:
    return bool(query.terms) and any(registries.preconditions[item.precondition].degrades for item in dropped)


def _warnings(
    reader: Reader, request: Request, registries: Registries, query: QueryForms, found: _Found
) -> Iterator[str]:
    yield from (str(problem) for problem in registries.problems)
    if not query.terms:
        yield "the query has no searchable term"
    if query.is_cut:
        yield f"only the first {len(query.terms)} of {query.distinct} distinct terms were searched"
    is_window_full = any(arm.candidates >= request.window for arm in found.arms)
    if found.rows < request.offset + request.limit and is_window_full:
        yield (
            f"each arm stops at its window of {request.window}, so there are only {found.rows} documents to list; "
            "a larger --window finds more"
        )
    if not found.rows and query.terms:
        if not _exists(reader, "SELECT 1 FROM document", ()):
            yield "the index holds no document"
        elif request.scope.axes:
            predicate = request.scope.predicate(registries.scopes.records)
            test = Statement(f"SELECT 1 FROM document AS d WHERE {predicate} LIMIT 1", ())
            if not _exists(reader, test.text, test.bind(_scope_values(request, registries))):
                yield "no document is in scope"


def _exists(reader: Reader, sql: str, values: Sequence[Any]) -> bool:
    return bool(fetch(reader.connection, f"SELECT EXISTS ({sql})", values)[0][0])

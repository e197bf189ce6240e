"""The query in the collection's embedding space, or the reason why it cannot be there. Never raises."""

from __future__ import annotations

from rankfold.embedding import Embedder, Unavailable, defect, pack
from rankfold.embedding.space import space_mismatch
from rankfold.retrieval.query import QueryForms
from rankfold.retrieval.situation import QueryVector
from rankfold.storage.capabilities import Capabilities


def query_vector(query: QueryForms, report: Capabilities, embedder: Embedder | Unavailable | None) -> QueryVector:
    """Embed the query, if everything that takes is there.

    Args:
        query: text without a searchable term is not embedded.
        report: whether sqlite-vec loads, and which space the collection is in.
        embedder: the one in use, or why there is none.
    """
    if not query.terms:
        return _none("text without a searchable term is not embedded")
    if report.vec_version is None:
        return _none(report.vec_problem, "pip install 'sqlite-vec>=0.1.9'")
    if embedder is None:
        return _none("the collection was opened without an embedder")
    if isinstance(embedder, Unavailable):
        return _none(embedder.reason, embedder.fix)
    if report.space is None or report.dimension is None:
        return _none("no document is embedded yet", "rankfold embed")
    mismatch = space_mismatch(report.space, report.dimension, embedder)
    if mismatch is not None:
        return _none(mismatch, "rankfold embed --all")
    try:
        vector = embedder.embed_query(query.text)
    except Exception as problem:  # an embedder may raise anything; the other arms still answer
        return _none(f"the embedder failed: {problem}", "rankfold status --check")
    unusable = defect(vector, embedder.dimension)
    if unusable is not None:
        return _none(f"the query's vector {unusable}")
    return QueryVector(packed=pack(vector))


def _none(reason: str, fix: str | None = None) -> QueryVector:
    return QueryVector(packed=None, reason=reason, fix=fix)

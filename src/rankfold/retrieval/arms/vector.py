"""Nearness: which documents mean what the query means, by exact cosine distance."""

from __future__ import annotations

from rankfold.records import Arm, RawValue

VECTOR = Arm(
    name="vector",
    title="Nearness",
    weight=1.0,
    reads="query",
    preconditions=("query_vector", "embedded_documents"),
    raw=RawValue(name="cosine distance", unit="0 (same direction) to 2", better="lower"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT nearest.document_id, nearest.raw, d.file, d.ordinal
  FROM (
    SELECT c.document_id, min(vec_distance_cosine(v.embedding, ?4)) AS raw
    FROM chunk AS c INDEXED BY chunk_document CROSS JOIN vector AS v ON v.id = c.vector_id
    WHERE v.embedding IS NOT NULL AND +c.document_id IN (SELECT document_id FROM {scope})
    GROUP BY c.document_id
  ) AS nearest CROSS JOIN document AS d ON d.id = nearest.document_id
  ORDER BY nearest.raw, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="""
Ranks documents by the cosine distance between the query's vector and the document's nearest chunk, computed by
[sqlite-vec](https://alexgarcia.xyz/sqlite-vec/) over every chunk in scope: exact, without an approximate index, and
without a most number of neighbours. A document takes one place however many of its chunks are near.

It finds other words for the same thing, and it always finds something: the nearest document to nonsense is still the
nearest. Names, numbers and rare words are where full text is better.
""",
    example="several programs reading while one is writing",
    since="0.1",
)

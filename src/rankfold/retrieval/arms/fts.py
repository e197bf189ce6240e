"""Full text: which documents hold the query's words, the rare ones counting most."""

from __future__ import annotations

from rankfold.records import Arm, RawValue

FTS = Arm(
    name="fts",
    title="Full text",
    weight=1.0,
    reads="query",
    preconditions=("query_terms",),
    raw=RawValue(name="bm25", unit="none", better="lower"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, bm25(document_fts, {column_weights}) AS raw, d.file, d.ordinal
  FROM document_fts CROSS JOIN document AS d ON d.id = document_fts.rowid
  WHERE document_fts MATCH ?1 AND +document_fts.rowid IN (SELECT document_id FROM {scope})
  ORDER BY raw, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="""
Ranks documents by [bm25](https://sqlite.org/fts5.html#the_bm25_function) over their title and text: a document is
better the more of the query's terms it holds, the rarer those are, and the shorter it is. SQLite's value is negative,
so lower is better.

The ordering and the window are inside, the numbering outside, so that ranks count only what the window let through.
The unary plus keeps SQLite from asking the full-text index row by row.

It is blind to words that mean the same. Where the query is a question, most of its words are common ones; they cost
little, because a term that is in nearly every document is worth next to nothing.
""",
    example="write-ahead log checkpoint",
    since="0.1",
)

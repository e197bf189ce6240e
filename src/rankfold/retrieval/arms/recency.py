"""Recency: what happened or was written last."""

from __future__ import annotations

from rankfold.records import Arm, RawValue

RECENCY = Arm(
    name="recency",
    title="Recency",
    weight=0.5,
    reads="corpus",
    preconditions=("dated_documents", "candidates"),
    raw=RawValue(name="date", unit="seconds since 1970-01-01 UTC", better="higher"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, min(d.dated_at, ?5) AS raw, d.file, d.ordinal
  FROM {scope} AS s CROSS JOIN document AS d ON d.id = s.document_id
  WHERE d.dated_at IS NOT NULL
  ORDER BY raw DESC, d.file, d.ordinal
  LIMIT ?2
)
""",
    fast_sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
FROM (
  SELECT * FROM (
    SELECT d.id AS document_id, ?5 AS raw, d.file, d.ordinal
    FROM document AS d INDEXED BY document_dated
    WHERE d.dated_at > ?5 AND +d.id IN (SELECT document_id FROM {scope})
    ORDER BY d.file, d.ordinal
    LIMIT ?2
  )
  UNION ALL
  SELECT * FROM (
    SELECT d.id AS document_id, d.dated_at AS raw, d.file, d.ordinal
    FROM document AS d INDEXED BY document_dated
    WHERE d.dated_at <= ?5 AND +d.id IN (SELECT document_id FROM {scope})
    ORDER BY d.dated_at DESC, d.file, d.ordinal
    LIMIT ?2
  )
)
ORDER BY raw DESC, file, ordinal
LIMIT ?2
""",
    doc="""
Ranks documents by when what they tell of happened, else by when they were updated, newest first. A document that
states neither is not ranked. A date later than now counts as now, so a plan for next year does not outrank today.

It reads no query. Over the default scope it runs in its fast form: the dates to come and the dates past are each in the
order of an index, which makes it as quick over a large collection as over a small one.
""",
    example="what changed lately",
    since="0.1",
)

"""Salience: what has proved useful, by its use."""

from __future__ import annotations

from rankfold.records import Arm, RawValue

SALIENCE = Arm(
    name="salience",
    title="Salience",
    weight=0.4,
    reads="corpus",
    preconditions=("state_plane", "candidates"),
    raw=RawValue(name="salience", unit="none", better="higher"),
    exclusions=("d.type IS NOT 'task'", "instr('/' || d.path, '/resources/people/') = 0"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, moment DESC, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, d.file, d.ordinal, min(coalesce(a.last_accessed, d.updated_at), ?5) AS moment,
    coalesce(exp(-{salience_decay} * ((?5 - min(coalesce(a.last_accessed, d.updated_at), ?5)) / 3600.0)), 0.0)
      + coalesce(a.popularity, 0.0) AS raw
  FROM {scope} AS s CROSS JOIN document AS d ON d.id = s.document_id
  LEFT JOIN state.access AS a ON a.path = coalesce(
    (SELECT own.path FROM state.access AS own WHERE own.path = d.path),
    (SELECT moved.path FROM state.access AS moved
      WHERE moved.content_hash = d.content_hash
        AND NOT EXISTS (SELECT 1 FROM document AS kept WHERE kept.path = moved.path)
      ORDER BY moved.popularity DESC, moved.path LIMIT 1)
  )
  WHERE {exclusions} AND (a.path IS NOT NULL OR d.updated_at IS NOT NULL)
  ORDER BY raw DESC, moment DESC, d.file, d.ordinal
  LIMIT ?2
)
""",
    fast_sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, moment DESC, file, ordinal) AS rank, raw
FROM (
  WITH used AS NOT MATERIALIZED (
    SELECT d.id AS document_id, d.file, d.ordinal, a.popularity, a.last_accessed,
      min(coalesce(a.last_accessed, d.updated_at), ?5) AS moment
    FROM state.access AS a INDEXED BY access_popularity
    LEFT JOIN document AS same ON same.path = a.path
    LEFT JOIN document AS moved ON same.id IS NULL AND moved.content_hash = a.content_hash
      AND NOT EXISTS (SELECT 1 FROM state.access AS own WHERE own.path = moved.path)
      AND NOT EXISTS (
        SELECT 1 FROM state.access AS other
        WHERE other.content_hash = a.content_hash AND (other.popularity, a.path) > (a.popularity, other.path)
          AND NOT EXISTS (SELECT 1 FROM document AS kept WHERE kept.path = other.path)
      )
    CROSS JOIN document AS d ON d.id = coalesce(same.id, moved.id)
    WHERE d.id IN (SELECT document_id FROM {scope}) AND {exclusions}
  ),
  bar AS MATERIALIZED (
    SELECT CASE WHEN count(*) = ?2 THEN min(popularity) ELSE -1.0 END AS popularity
    FROM (SELECT popularity FROM used ORDER BY popularity DESC LIMIT ?2)
  )
  SELECT * FROM (
    SELECT document_id, file, ordinal, moment,
      coalesce(exp(-{salience_decay} * ((?5 - moment) / 3600.0)), 0.0) + used.popularity AS raw
    FROM bar CROSS JOIN used
    WHERE used.popularity >= bar.popularity - 1.000001
      AND (used.last_accessed IS NULL OR bar.popularity - 0.000001 <=
        used.popularity + exp(-{salience_decay} * ((?5 - min(used.last_accessed, ?5)) / 3600.0)))
    ORDER BY raw DESC, moment DESC, file, ordinal
    LIMIT ?2
  )
  UNION ALL
  SELECT * FROM (
    SELECT d.id, d.file, d.ordinal, ?5, 1.0
    FROM document AS d INDEXED BY document_updated
    WHERE d.updated_at >= ?5 AND +d.id IN (SELECT document_id FROM {scope}) AND {exclusions}
      AND NOT EXISTS (SELECT 1 FROM state.access AS own WHERE own.path = d.path)
      AND NOT EXISTS (
        SELECT 1 FROM state.access AS other
        WHERE other.content_hash = d.content_hash
          AND NOT EXISTS (SELECT 1 FROM document AS kept WHERE kept.path = other.path)
      )
    ORDER BY d.file, d.ordinal
    LIMIT ?2
  )
  UNION ALL
  SELECT * FROM (
    SELECT d.id, d.file, d.ordinal, d.updated_at, exp(-{salience_decay} * ((?5 - d.updated_at) / 3600.0))
    FROM document AS d INDEXED BY document_updated
    WHERE d.updated_at < ?5 AND +d.id IN (SELECT document_id FROM {scope}) AND {exclusions}
      AND NOT EXISTS (SELECT 1 FROM state.access AS own WHERE own.path = d.path)
      AND NOT EXISTS (
        SELECT 1 FROM state.access AS other
        WHERE other.content_hash = d.content_hash
          AND NOT EXISTS (SELECT 1 FROM document AS kept WHERE kept.path = other.path)
      )
    ORDER BY d.updated_at DESC, d.file, d.ordinal
    LIMIT ?2
  )
)
ORDER BY raw DESC, moment DESC, file, ordinal
LIMIT ?2
""",
    doc="""
Ranks documents by how they were used: how lately, how often, and with what outcome.

    exp(-decay * hours since the last access, else since the update) + ln(1 + accesses) + max(outcome, 0)

Use fades by the hour (the constant `salience_decay`), popularity grows slowly, and an outcome that was bad gives no
boost and no penalty. A document that nobody has opened has only the first term, by its date; one without a date is
not ranked. Tasks and people are left out, whatever the scope: they are opened all the time without being an answer.

What is known of a document belongs to its path; when the path is gone, to the document with the same content, so that
a renamed document keeps it.

Over the default scope it runs in its fast form: the term that fades is at most 1, so only documents whose popularity
comes within 1 of the last one that can still win are looked at, and the documents that nobody has opened are taken in
the order of an index.
""",
    example="notes I keep coming back to",
    since="0.1",
)

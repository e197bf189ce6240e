WITH
arm_fts(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
  FROM (
    SELECT d.id AS document_id, bm25(document_fts, 1.0, 1.0) AS raw, d.file, d.ordinal
    FROM document_fts CROSS JOIN document AS d ON d.id = document_fts.rowid
    WHERE document_fts MATCH ?1 AND +document_fts.rowid IN (SELECT document_id FROM live)
    ORDER BY raw, d.file, d.ordinal
    LIMIT ?2
  )
),
candidates(document_id) AS MATERIALIZED (
  SELECT document_id FROM arm_fts
),
arm_recency(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
  FROM (
    SELECT d.id AS document_id, min(d.dated_at, ?5) AS raw, d.file, d.ordinal
    FROM candidates AS s CROSS JOIN document AS d ON d.id = s.document_id
    WHERE d.dated_at IS NOT NULL
    ORDER BY raw DESC, d.file, d.ordinal
    LIMIT ?2
  )
),
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'fts', rank, raw, 1.0 / (60 + rank)
  FROM arm_fts
  UNION ALL
  SELECT document_id, 'recency', rank, raw, 0.05 / (60 + rank)
  FROM arm_recency
)
SELECT
  d.path,
  sum(r.contribution) AS score,
  max(r.rank) FILTER (WHERE r.arm = 'fts') AS fts_rank,
  max(r.raw) FILTER (WHERE r.arm = 'fts') AS fts_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'fts') AS fts_contribution,
  max(r.rank) FILTER (WHERE r.arm = 'recency') AS recency_rank,
  max(r.raw) FILTER (WHERE r.arm = 'recency') AS recency_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'recency') AS recency_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

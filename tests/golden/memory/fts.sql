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
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'fts', rank, raw, 1.0 / (60 + rank)
  FROM arm_fts
)
SELECT
  d.path,
  sum(r.contribution) AS score,
  max(r.rank) FILTER (WHERE r.arm = 'fts') AS fts_rank,
  max(r.raw) FILTER (WHERE r.arm = 'fts') AS fts_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'fts') AS fts_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

WITH
arm_recency(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
  FROM (
    SELECT * FROM (
      SELECT d.id AS document_id, ?5 AS raw, d.file, d.ordinal
      FROM document AS d INDEXED BY document_dated
      WHERE d.dated_at > ?5 AND +d.id IN (SELECT document_id FROM live)
      ORDER BY d.file, d.ordinal
      LIMIT ?2
    )
    UNION ALL
    SELECT * FROM (
      SELECT d.id AS document_id, d.dated_at AS raw, d.file, d.ordinal
      FROM document AS d INDEXED BY document_dated
      WHERE d.dated_at <= ?5 AND +d.id IN (SELECT document_id FROM live)
      ORDER BY d.dated_at DESC, d.file, d.ordinal
      LIMIT ?2
    )
  )
  ORDER BY raw DESC, file, ordinal
  LIMIT ?2
),
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'recency', rank, raw, 0.5 / (60 + rank)
  FROM arm_recency
)
SELECT
  d.path,
  sum(r.contribution) AS score,
  max(r.rank) FILTER (WHERE r.arm = 'recency') AS recency_rank,
  max(r.raw) FILTER (WHERE r.arm = 'recency') AS recency_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'recency') AS recency_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

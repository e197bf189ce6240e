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
arm_vector(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
  FROM (
    SELECT nearest.document_id, nearest.raw, d.file, d.ordinal
    FROM (
      SELECT c.document_id, min(vec_distance_cosine(v.embedding, ?4)) AS raw
      FROM chunk AS c INDEXED BY chunk_document CROSS JOIN vector AS v ON v.id = c.vector_id
      WHERE v.embedding IS NOT NULL AND +c.document_id IN (SELECT document_id FROM live)
      GROUP BY c.document_id
    ) AS nearest CROSS JOIN document AS d ON d.id = nearest.document_id
    ORDER BY nearest.raw, d.file, d.ordinal
    LIMIT ?2
  )
),
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'fts', rank, raw, 1.0 / (60 + rank)
  FROM arm_fts
  UNION ALL
  SELECT document_id, 'vector', rank, raw, 1.0 / (60 + rank)
  FROM arm_vector
)
SELECT
  d.path,
  sum(r.contribution) AS score,
  max(r.rank) FILTER (WHERE r.arm = 'fts') AS fts_rank,
  max(r.raw) FILTER (WHERE r.arm = 'fts') AS fts_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'fts') AS fts_contribution,
  max(r.rank) FILTER (WHERE r.arm = 'vector') AS vector_rank,
  max(r.raw) FILTER (WHERE r.arm = 'vector') AS vector_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'vector') AS vector_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

WITH
scope(document_id) AS MATERIALIZED (
  SELECT d.id FROM document AS d
  WHERE d.id IN (
    SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside
    WHERE inside.file >= prefix.value || '/' AND inside.file < prefix.value || '0'
    UNION ALL
    SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside WHERE inside.file = prefix.value
    UNION ALL
    SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside WHERE inside.path = prefix.value
  )
    AND d.archived = 0
),
arm_fts(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
  FROM (
    SELECT d.id AS document_id, bm25(document_fts, 1.0, 1.0) AS raw, d.file, d.ordinal
    FROM document_fts CROSS JOIN document AS d ON d.id = document_fts.rowid
    WHERE document_fts MATCH ?1 AND +document_fts.rowid IN (SELECT document_id FROM scope)
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
      WHERE v.embedding IS NOT NULL AND +c.document_id IN (SELECT document_id FROM scope)
      GROUP BY c.document_id
    ) AS nearest CROSS JOIN document AS d ON d.id = nearest.document_id
    ORDER BY nearest.raw, d.file, d.ordinal
    LIMIT ?2
  )
),
arm_recency(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
  FROM (
    SELECT d.id AS document_id, min(d.dated_at, ?5) AS raw, d.file, d.ordinal
    FROM scope AS s CROSS JOIN document AS d ON d.id = s.document_id
    WHERE d.dated_at IS NOT NULL
    ORDER BY raw DESC, d.file, d.ordinal
    LIMIT ?2
  )
),
arm_salience(document_id, rank, raw) AS MATERIALIZED (
  SELECT document_id, row_number() OVER (ORDER BY raw DESC, moment DESC, file, ordinal) AS rank, raw
  FROM (
    SELECT d.id AS document_id, d.file, d.ordinal, min(coalesce(a.last_accessed, d.updated_at), ?5) AS moment,
      coalesce(exp(-0.01 * ((?5 - min(coalesce(a.last_accessed, d.updated_at), ?5)) / 3600.0)), 0.0)
        + coalesce(a.popularity, 0.0) AS raw
    FROM scope AS s CROSS JOIN document AS d ON d.id = s.document_id
    LEFT JOIN state.access AS a ON a.path = coalesce(
      (SELECT own.path FROM state.access AS own WHERE own.path = d.path),
      (SELECT moved.path FROM state.access AS moved
        WHERE moved.content_hash = d.content_hash
          AND NOT EXISTS (SELECT 1 FROM document AS kept WHERE kept.path = moved.path)
        ORDER BY moved.popularity DESC, moved.path LIMIT 1)
    )
    WHERE d.type IS NOT 'task'
      AND instr('/' || d.path, '/resources/people/') = 0 AND (a.path IS NOT NULL OR d.updated_at IS NOT NULL)
    ORDER BY raw DESC, moment DESC, d.file, d.ordinal
    LIMIT ?2
  )
),
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'fts', rank, raw, 1.0 / (60 + rank)
  FROM arm_fts
  UNION ALL
  SELECT document_id, 'vector', rank, raw, 1.0 / (60 + rank)
  FROM arm_vector
  UNION ALL
  SELECT document_id, 'recency', rank, raw, 0.5 / (60 + rank)
  FROM arm_recency
  UNION ALL
  SELECT document_id, 'salience', rank, raw, 0.4 / (60 + rank)
  FROM arm_salience
)
SELECT
  d.path,
  sum(r.contribution) AS score,
  max(r.rank) FILTER (WHERE r.arm = 'fts') AS fts_rank,
  max(r.raw) FILTER (WHERE r.arm = 'fts') AS fts_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'fts') AS fts_contribution,
  max(r.rank) FILTER (WHERE r.arm = 'vector') AS vector_rank,
  max(r.raw) FILTER (WHERE r.arm = 'vector') AS vector_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'vector') AS vector_contribution,
  max(r.rank) FILTER (WHERE r.arm = 'recency') AS recency_rank,
  max(r.raw) FILTER (WHERE r.arm = 'recency') AS recency_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'recency') AS recency_contribution,
  max(r.rank) FILTER (WHERE r.arm = 'salience') AS salience_rank,
  max(r.raw) FILTER (WHERE r.arm = 'salience') AS salience_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'salience') AS salience_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

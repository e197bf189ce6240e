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
arm_salience(document_id, rank, raw) AS MATERIALIZED (
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
      WHERE d.id IN (SELECT document_id FROM live) AND d.type IS NOT 'task'
      AND instr('/' || d.path, '/resources/people/') = 0
    ),
    bar AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ?2 THEN min(popularity) ELSE -1.0 END AS popularity
      FROM (SELECT popularity FROM used ORDER BY popularity DESC LIMIT ?2)
    )
    SELECT * FROM (
      SELECT document_id, file, ordinal, moment,
        coalesce(exp(-0.01 * ((?5 - moment) / 3600.0)), 0.0) + used.popularity AS raw
      FROM bar CROSS JOIN used
      WHERE used.popularity >= bar.popularity - 1.000001
        AND (used.last_accessed IS NULL OR bar.popularity - 0.000001 <=
          used.popularity + exp(-0.01 * ((?5 - min(used.last_accessed, ?5)) / 3600.0)))
      ORDER BY raw DESC, moment DESC, file, ordinal
      LIMIT ?2
    )
    UNION ALL
    SELECT * FROM (
      SELECT d.id, d.file, d.ordinal, ?5, 1.0
      FROM document AS d INDEXED BY document_updated
      WHERE d.updated_at >= ?5 AND +d.id IN (SELECT document_id FROM live) AND d.type IS NOT 'task'
      AND instr('/' || d.path, '/resources/people/') = 0
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
      SELECT d.id, d.file, d.ordinal, d.updated_at, exp(-0.01 * ((?5 - d.updated_at) / 3600.0))
      FROM document AS d INDEXED BY document_updated
      WHERE d.updated_at < ?5 AND +d.id IN (SELECT document_id FROM live) AND d.type IS NOT 'task'
      AND instr('/' || d.path, '/resources/people/') = 0
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
),
ranking(document_id, arm, rank, raw, contribution) AS (
  SELECT document_id, 'fts', rank, raw, 1.0 / (60 + rank)
  FROM arm_fts
  UNION ALL
  SELECT document_id, 'vector', rank, raw, 1.0 / (60 + rank)
  FROM arm_vector
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
  max(r.rank) FILTER (WHERE r.arm = 'salience') AS salience_rank,
  max(r.raw) FILTER (WHERE r.arm = 'salience') AS salience_raw,
  max(r.contribution) FILTER (WHERE r.arm = 'salience') AS salience_contribution
FROM ranking AS r JOIN document AS d ON d.id = r.document_id
GROUP BY r.document_id
ORDER BY score DESC, d.path
LIMIT ?3

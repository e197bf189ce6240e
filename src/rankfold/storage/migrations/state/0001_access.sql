-- How documents were used. This cannot be made again from anyone's files, so it lives in a file of its own.
--
-- A row belongs to the document with its path; when that path is gone, to the document with the same content, so that
-- a rename keeps what is known of it. `popularity` is the part of salience that does not change by itself; its index
-- lets the arm stop after the best, and it is stored so that another machine's logarithm cannot disagree with the index.

-- How one document was used.
CREATE TABLE access (
  path TEXT NOT NULL PRIMARY KEY, -- The document.
  content_hash BLOB NOT NULL, -- Over its content when it was last used, to know it again after a rename.
  access_count INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0), -- How often it was opened.
  reinforcement_count INTEGER NOT NULL DEFAULT 0 CHECK (reinforcement_count >= 0), -- How often its use was judged.
  outcome REAL NOT NULL DEFAULT 0.0 CHECK (outcome BETWEEN -1.0 AND 1.0), -- How that went, from bad to good.
  last_accessed REAL, -- When it was last opened, in seconds since 1970-01-01 UTC.
  popularity REAL AS (ln(1 + access_count) + max(outcome, 0.0)) STORED -- What does not fade of its salience.
);
CREATE INDEX access_popularity ON access (popularity DESC, last_accessed);
CREATE INDEX access_content ON access (content_hash, popularity DESC, path);

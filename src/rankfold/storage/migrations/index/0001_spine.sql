-- The whole index: one collection with one tokenizer, one embedding space and one profile.
--
-- It is a projection of somebody's files and can be deleted and made again. Rows that arms join are narrow: long text
-- is kept apart from them, because an arm reads one such row for every match. Document ids are never handed out twice,
-- and everything that hangs on a document goes with it.
CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE source (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('folder', 'file', 'records')),
  options TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE file (
  path TEXT NOT NULL PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  hash BLOB NOT NULL,
  doubts TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;
CREATE INDEX file_source ON file (source_id, path);

CREATE TABLE document (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  record_hash BLOB NOT NULL,
  content_hash BLOB NOT NULL,
  type TEXT,
  kind TEXT,
  tier TEXT,
  language TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  confidence REAL,
  created_at REAL,
  updated_at REAL,
  event_at REAL,
  valid_from REAL,
  valid_until REAL,
  expires_at REAL,
  dated_at REAL AS (coalesce(event_at, updated_at)) VIRTUAL
);
CREATE INDEX document_file ON document (file, ordinal);
CREATE INDEX document_source ON document (source_id);
CREATE INDEX document_type ON document (type);
CREATE INDEX document_dated ON document (dated_at DESC, file, ordinal);
CREATE INDEX document_updated ON document (updated_at DESC, file, ordinal);
CREATE INDEX document_content ON document (content_hash);

-- The default scope, ready to be joined: every document that is not archived.
CREATE TABLE live (document_id INTEGER PRIMARY KEY);
CREATE TRIGGER document_lives AFTER INSERT ON document WHEN new.archived = 0 BEGIN
  INSERT INTO live (document_id) VALUES (new.id);
END;
CREATE TRIGGER document_moves AFTER UPDATE OF archived ON document BEGIN
  DELETE FROM live WHERE document_id = new.id;
  INSERT INTO live (document_id) SELECT new.id WHERE new.archived = 0;
END;
CREATE TRIGGER document_goes BEFORE DELETE ON document BEGIN
  DELETE FROM live WHERE document_id = old.id;
  DELETE FROM full_text WHERE id = old.id;
END;

CREATE TABLE document_text (
  id INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
  title TEXT,
  summary TEXT
);
CREATE TABLE document_tag (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_tag_tag ON document_tag (tag, document_id);
CREATE TABLE document_entity (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  type TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  PRIMARY KEY (document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_entity_name ON document_entity (name, document_id);
CREATE TABLE document_attribute (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (document_id, name)
) WITHOUT ROWID;
CREATE INDEX document_attribute_value ON document_attribute (name, value, document_id);
CREATE TABLE document_link (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  relation TEXT NOT NULL CHECK (relation IN ('links', 'supersedes')),
  target TEXT NOT NULL,
  PRIMARY KEY (document_id, relation, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_link_target ON document_link (target, document_id);

-- What is embedded, once for each distinct text. Neither an embedding nor a problem: still to be embedded.
CREATE TABLE space (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  identity TEXT NOT NULL,
  dimension INTEGER NOT NULL
);
CREATE TABLE vector (
  id INTEGER PRIMARY KEY,
  text_hash BLOB NOT NULL UNIQUE,
  embedding BLOB,
  problem TEXT
);
CREATE INDEX vector_pending ON vector (id) WHERE embedding IS NULL AND problem IS NULL;

CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  vector_id INTEGER NOT NULL REFERENCES vector (id)
);
CREATE INDEX chunk_document ON chunk (document_id, vector_id);
CREATE INDEX chunk_vector ON chunk (vector_id);
CREATE TABLE chunk_text (
  id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  lines TEXT
);

-- The derived text that FTS5 indexes, kept because FTS5 must be told exactly what to forget.
CREATE TABLE full_text (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE document_fts USING fts5 (
  title, body, content = 'full_text', content_rowid = 'id', tokenize = "{tokenizer}"
);
CREATE TRIGGER full_text_comes AFTER INSERT ON full_text BEGIN
  INSERT INTO document_fts (rowid, title, body) VALUES (new.id, new.title, new.body);
END;
CREATE TRIGGER full_text_goes AFTER DELETE ON full_text BEGIN
  INSERT INTO document_fts (document_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
END;
CREATE TRIGGER full_text_changes AFTER UPDATE ON full_text BEGIN
  INSERT INTO document_fts (document_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
  INSERT INTO document_fts (rowid, title, body) VALUES (new.id, new.title, new.body);
END;

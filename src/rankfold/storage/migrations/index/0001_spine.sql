-- The whole index: one collection with one tokenizer, one embedding space and one profile.
--
-- It is a projection of somebody's files and can be deleted and made again. Rows that arms join are narrow: long text
-- is kept apart from them, because an arm reads one such row for every match. Document ids are never handed out twice,
-- and everything that hangs on a document goes with it.

-- What the index was made with, by name: its profile, its tokenizer, and how text becomes what is indexed.
CREATE TABLE setting (
  name TEXT NOT NULL PRIMARY KEY, -- What is set.
  value TEXT NOT NULL -- What it is set to.
) WITHOUT ROWID;

-- A folder, a file or a caller's dictionaries, brought into step as one.
CREATE TABLE source (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- Never handed out twice.
  root TEXT NOT NULL UNIQUE, -- Absolute path; for dictionaries a name of their own.
  label TEXT NOT NULL, -- First part of the paths of its documents.
  kind TEXT NOT NULL CHECK (kind IN ('folder', 'file', 'records')), -- What it is.
  options TEXT NOT NULL DEFAULT '{}' -- How its JSONL is read, as a JSON object.
);

-- A file that was read, so that the next run reads only what changed.
CREATE TABLE file (
  path TEXT NOT NULL PRIMARY KEY, -- Its path in the collection.
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE, -- Where it was found.
  hash BLOB NOT NULL, -- Over its bytes and everything that decides what its documents are.
  doubts TEXT NOT NULL DEFAULT '[]' -- What was doubtful when it was read, as a JSON array.
) WITHOUT ROWID;
CREATE INDEX file_source ON file (source_id, path);

-- A document, with what arms and scopes ask of it.
CREATE TABLE document (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- Never handed out twice; no order depends on it.
  path TEXT NOT NULL UNIQUE, -- Identifies it in the collection, and decides between equal scores.
  file TEXT NOT NULL, -- The file that holds it.
  ordinal INTEGER NOT NULL, -- Its place in that file, from 0; with `file` it decides between equal values in an arm.
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE, -- Where it was found.
  record_hash BLOB NOT NULL, -- Over everything that is stored of it.
  content_hash BLOB NOT NULL, -- Over title, summary and text: documents with the same one read the same.
  type TEXT, -- What kind of document it is, in its owner's own words.
  kind TEXT, -- What role it plays.
  tier TEXT, -- How settled it is.
  language TEXT, -- The language it is written in.
  pinned INTEGER NOT NULL DEFAULT 0, -- 1 if its owner holds it up.
  archived INTEGER NOT NULL DEFAULT 0, -- 1 if it is put away.
  confidence REAL, -- How sure its owner is of it, 0 to 1.
  created_at REAL, -- When it was first written, in seconds since 1970-01-01 UTC, like the times below.
  updated_at REAL, -- When it was last written.
  event_at REAL, -- When what it tells of happened.
  valid_from REAL, -- From when on it holds.
  valid_until REAL, -- Until when it holds.
  expires_at REAL, -- When it may be forgotten.
  dated_at REAL AS (coalesce(event_at, updated_at)) VIRTUAL -- Its date: when it happened, else when it was written.
);
CREATE INDEX document_file ON document (file, ordinal);
CREATE INDEX document_source ON document (source_id);
CREATE INDEX document_type ON document (type);
CREATE INDEX document_dated ON document (dated_at DESC, file, ordinal);
CREATE INDEX document_updated ON document (updated_at DESC, file, ordinal);
CREATE INDEX document_content ON document (content_hash);

-- The default scope, ready to be joined: every document that is not archived.
CREATE TABLE live (
  document_id INTEGER PRIMARY KEY -- The document.
);
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

-- What a document calls itself, kept apart because no arm ranks by it as it is written.
CREATE TABLE document_text (
  id INTEGER PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE, -- The document.
  title TEXT, -- Its title, as written.
  summary TEXT -- Its summary, as written.
);

-- Words that a document is filed under.
CREATE TABLE document_tag (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, -- The document.
  ordinal INTEGER NOT NULL, -- Place among its tags, from 0.
  tag TEXT NOT NULL, -- The word.
  PRIMARY KEY (document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_tag_tag ON document_tag (tag, document_id);

-- People, places and programs that a document is about.
CREATE TABLE document_entity (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, -- The document.
  ordinal INTEGER NOT NULL, -- Place among its entities, from 0.
  type TEXT NOT NULL DEFAULT '', -- What it is, empty if the document does not say.
  name TEXT NOT NULL, -- What it is called.
  PRIMARY KEY (document_id, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_entity_name ON document_entity (name, document_id);

-- Names with values of the owner's own choosing.
CREATE TABLE document_attribute (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, -- The document.
  name TEXT NOT NULL, -- The name.
  value TEXT NOT NULL, -- The value, as text.
  PRIMARY KEY (document_id, name)
) WITHOUT ROWID;
CREATE INDEX document_attribute_value ON document_attribute (name, value, document_id);

-- Where a document points.
CREATE TABLE document_link (
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, -- The document that points.
  ordinal INTEGER NOT NULL, -- Place among its links of this relation, from 0.
  relation TEXT NOT NULL CHECK (relation IN ('links', 'supersedes')), -- What the link means.
  target TEXT NOT NULL, -- What it points to, as written; there need be no such document.
  PRIMARY KEY (document_id, relation, ordinal)
) WITHOUT ROWID;
CREATE INDEX document_link_target ON document_link (target, document_id);

-- The embedding space that all vectors are of. There is one, or none before the first vector.
CREATE TABLE space (
  only INTEGER PRIMARY KEY CHECK (only = 1), -- Always 1, so that there is one row.
  identity TEXT NOT NULL, -- What the embedder calls it; vectors of another are never compared.
  dimension INTEGER NOT NULL -- Values per vector.
);

-- What is embedded, once for each distinct text. Neither an embedding nor a problem: still to be embedded.
CREATE TABLE vector (
  id INTEGER PRIMARY KEY, -- What chunks refer to.
  text_hash BLOB NOT NULL UNIQUE, -- Over the text that is embedded.
  embedding BLOB, -- The vector, as little-endian 32-bit floats.
  problem TEXT -- Why the vector cannot be used; the text is not embedded again.
);
CREATE INDEX vector_pending ON vector (id) WHERE embedding IS NULL AND problem IS NULL;

-- A piece of a document, narrow because the vector arm reads every one in scope.
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY, -- What its text refers to.
  document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE, -- The document.
  ordinal INTEGER NOT NULL, -- Its place in the document, from 0.
  start_line INTEGER NOT NULL, -- Line of the file on which it begins, from 1.
  end_line INTEGER NOT NULL, -- Line of the file on which it ends.
  vector_id INTEGER NOT NULL REFERENCES vector (id) -- The vector of its text.
);
CREATE INDEX chunk_document ON chunk (document_id, vector_id);
CREATE INDEX chunk_vector ON chunk (vector_id);

-- The text of a chunk, read only for the hits that are shown.
CREATE TABLE chunk_text (
  id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE, -- The chunk.
  text TEXT NOT NULL, -- Its text, as passages are cut from it.
  lines TEXT -- The line of the file for each of its lines, as a JSON array; null where they follow one another.
);

-- The derived text that FTS5 indexes, kept because FTS5 must be told exactly what to forget.
CREATE TABLE full_text (
  id INTEGER PRIMARY KEY, -- The document.
  title TEXT NOT NULL, -- Its title in the form that is indexed.
  body TEXT NOT NULL -- Its summary and text in the form that is indexed.
);

-- The full-text index. It holds no text of its own and reads `full_text` where it needs some.
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

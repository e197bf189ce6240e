"""(b): the four-arm search as one would first write it in SQL, with nothing made faster.

Text paths join everything, every embedding of the scope goes through `vec_distance_cosine`, recency and salience sort
the whole corpus, and SQLite runs with its own page size and cache and without a memory map. It is the yardstick for
speed, and a second, independent statement of the same answer: paths, scores and order must be equal.

What is added to the plain form is only what an answer needs to be the same on every run: the time comes from a
parameter, dates ahead count as now, and each arm breaks ties by the document's place. In this corpus every file holds
one document, so its place is its path. The tables are those of the memory search that this statement comes from: hashes
as text, one wide row for a file, and fields in it that the statement does not read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import apsw
import sqlite_vec

from corpus import Corpus, Document

SCHEMA = """
PRAGMA journal_mode = wal;
CREATE TABLE files (
  path TEXT PRIMARY KEY, file_hash TEXT, content_hash TEXT, type TEXT NOT NULL, title TEXT, body TEXT, summary TEXT,
  fts_text TEXT, shown_text TEXT, kind TEXT, tier TEXT, confidence REAL, importance INTEGER, archived INTEGER NOT NULL,
  created_at REAL, updated_at REAL NOT NULL, event_at REAL, valid_from REAL, valid_until REAL, archived_at REAL
);
CREATE TABLE chunks (
  chunk_id TEXT PRIMARY KEY, path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE, ordinal INTEGER, text TEXT
);
CREATE INDEX chunks_path ON chunks (path, ordinal);
CREATE TABLE embeddings (
  chunk_id TEXT PRIMARY KEY REFERENCES chunks (chunk_id), model TEXT, dimension INTEGER, embedding BLOB
);
CREATE VIRTUAL TABLE files_fts USING fts5 (fts_text, content = 'files', content_rowid = 'rowid');
CREATE TABLE state.access (
  path TEXT PRIMARY KEY, access_count INTEGER NOT NULL, reinforcement_count INTEGER, outcome REAL NOT NULL,
  last_accessed REAL
);
"""

_STATEMENT = """
WITH
fts AS (
  SELECT path, row_number() OVER (ORDER BY raw, path) AS rank FROM (
    SELECT f.path AS path, bm25(files_fts) AS raw
    FROM files_fts JOIN files AS f ON f.rowid = files_fts.rowid
    WHERE files_fts MATCH ?1 AND {scope}
    ORDER BY raw, f.path LIMIT ?2)),
vector AS (
  SELECT path, row_number() OVER (ORDER BY raw, path) AS rank FROM (
    SELECT c.path AS path, min(vec_distance_cosine(e.embedding, ?4)) AS raw
    FROM embeddings AS e JOIN chunks AS c ON c.chunk_id = e.chunk_id JOIN files AS f ON f.path = c.path
    WHERE {scope}
    GROUP BY c.path ORDER BY raw, c.path LIMIT ?2)),
recency AS (
  SELECT path, row_number() OVER (ORDER BY raw DESC, path) AS rank FROM (
    SELECT f.path AS path, min(coalesce(f.event_at, f.updated_at), ?5) AS raw
    FROM files AS f
    WHERE {ranked}
    ORDER BY raw DESC, f.path LIMIT ?2)),
salience AS (
  SELECT path, row_number() OVER (ORDER BY raw DESC, moment DESC, path) AS rank FROM (
    SELECT f.path AS path, min(coalesce(a.last_accessed, f.updated_at), ?5) AS moment,
      exp(-0.01 * ((?5 - min(coalesce(a.last_accessed, f.updated_at), ?5)) / 3600.0))
        + ln(1 + coalesce(a.access_count, 0)) + max(coalesce(a.outcome, 0.0), 0.0) AS raw
    FROM files AS f LEFT JOIN state.access AS a ON a.path = f.path
    WHERE {ranked} AND f.type IS NOT 'task' AND instr('/' || f.path, '/resources/people/') = 0
    ORDER BY raw DESC, moment DESC, f.path LIMIT ?2))
SELECT path, sum(contribution) AS score FROM (
  SELECT path, {weights[0]!r} / (60 + rank) AS contribution FROM fts
  UNION ALL SELECT path, {weights[1]!r} / (60 + rank) FROM vector
  UNION ALL SELECT path, {weights[2]!r} / (60 + rank) FROM recency
  UNION ALL SELECT path, {weights[3]!r} / (60 + rank) FROM salience)
GROUP BY path ORDER BY score DESC, path LIMIT ?3
"""


def statement(weights: Sequence[float], *, matched_only: bool = False, narrow: bool = False) -> str:
    """The text of (b). Slots: 1 MATCH text, 2 window, 3 limit, 4 query vector, 5 now, and 6 if it is narrow.

    Args:
        weights: of full text, nearness, recency and salience.
        matched_only: recency and salience rank only what the other two arms found.
        narrow: the scope is the paths in the JSON array `?6`.
    """
    scope = "f.archived = 0" + (" AND f.path IN (SELECT value FROM json_each(?6))" if narrow else "")
    ranked = "f.path IN (SELECT path FROM fts UNION SELECT path FROM vector)" if matched_only else scope
    return _STATEMENT.format(scope=scope, ranked=ranked, weights=[float(weight) for weight in weights])


def connect(folder: Path) -> apsw.Connection:
    """Open the two files of (b) with SQLite's own settings."""
    connection = apsw.Connection(str(folder / "literal.db"))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.enable_load_extension(False)
    connection.execute("ATTACH ? AS state", (str(folder / "literal-state.db"),)).fetchall()
    return connection


def build(folder: Path, corpus: Corpus) -> None:
    """Write the corpus into the tables of (b), in an empty folder."""
    connection = connect(folder)
    connection.execute(SCHEMA).fetchall()
    with connection:
        connection.executemany(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'area', 'home', 0.8, 5, ?, ?, ?, ?, NULL, NULL,"
            " NULL)",
            map(_row, corpus.documents),
        )
        for document in corpus.documents:
            for ordinal, text in enumerate(document.chunks):
                name = _chunk_id(document, ordinal)
                vector = corpus.vector(document, ordinal)
                connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", (name, document.path, ordinal, text))
                connection.execute(
                    "INSERT INTO embeddings VALUES (?, 'synthetic', ?, ?)", (name, len(vector) // 4, vector)
                )
        connection.execute("INSERT INTO files_fts (rowid, fts_text) SELECT rowid, fts_text FROM files").fetchall()
        connection.executemany(
            "INSERT INTO state.access VALUES (?, ?, 0, ?, ?)",
            ((use.path, use.access_count, use.outcome, use.last_accessed) for use in corpus.uses),
        )
    connection.execute("ANALYZE").fetchall()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def _row(document: Document) -> tuple[object, ...]:
    digest = hashlib.sha256(document.content_hash).hexdigest()
    texts = (document.title, document.body, document.title, f"{document.title}\n{document.body}", document.title)
    times = (document.updated_at, document.updated_at, document.event_at)
    return (document.path, digest, digest, document.type, *texts, int(document.archived), *times)


def _chunk_id(document: Document, ordinal: int) -> str:
    """A hash of content and position, as long as such ids are."""
    return hashlib.sha256(document.content_hash + b"\x1f%d" % ordinal).hexdigest()

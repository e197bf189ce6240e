"""Ranking arms that look at a document as a librarian would."""

from __future__ import annotations

from rankfold import Arm, RawValue

TITLED = Arm(
    name="titled",
    title="By its title",
    weight=0.6,
    reads="query",
    preconditions=("query_terms",),
    raw=RawValue(name="title length", unit="characters", better="lower"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, length(t.title) AS raw, d.file, d.ordinal
  FROM document_fts CROSS JOIN document AS d ON d.id = document_fts.rowid JOIN document_text AS t ON t.id = d.id
  WHERE document_fts MATCH 'title : (' || ?1 || ')' AND +document_fts.rowid IN (SELECT document_id FROM {scope})
  ORDER BY raw, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="""
Ranks documents whose title alone answers the query, the shortest title first: whoever types `wal mode` means the page
that is called so, and not the one that is called so among other things.

It asks the full-text index that `fts` asks, so it finds the same forms of a word. It knows nothing of what a document
says below its title.
""",
    example="wal mode",
    since="0.1",
)

FILED = Arm(
    name="filed",
    title="By its tags",
    weight=0.4,
    reads="query",
    preconditions=("query_terms",),
    raw=RawValue(name="tags", unit="tags that the query names", better="higher"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, count(*) AS raw, d.file, d.ordinal
  FROM document_tag AS t JOIN document AS d ON d.id = t.document_id
  WHERE lower(t.tag) IN (SELECT value FROM json_each(?6)) AND d.id IN (SELECT document_id FROM {scope})
  GROUP BY d.id
  ORDER BY raw DESC, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="""
Ranks documents by how many of their tags the query names. Somebody chose those words with care, which is more than can
be said of most words in a text.

A tag counts where it is one word of the query, as it is written; `lower` knows only the letters of English.
""",
    example="backup of a database",
    since="0.1",
)

COMPLETE = Arm(
    name="complete",
    title="By its card",
    weight=0.1,
    reads="corpus",
    preconditions=("candidates",),
    raw=RawValue(name="entries", unit="entries of the card that are filled in", better="higher"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw DESC, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, d.file, d.ordinal,
    (t.title IS NOT NULL) + (t.summary IS NOT NULL) + (d.dated_at IS NOT NULL) + (d.type IS NOT NULL)
      + EXISTS (SELECT 1 FROM document_tag AS g WHERE g.document_id = d.id) AS raw
  FROM document AS d JOIN document_text AS t ON t.id = d.id
  WHERE d.id IN (SELECT document_id FROM {scope})
  ORDER BY raw DESC, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="""
Ranks documents by how much their front matter says: a title, a summary, a date, a type, tags. A card that is filled in
was looked at by somebody.

It reads no query, so its weight is small: it decides between documents that the other arms like equally.
""",
    example="wal mode",
    since="0.2",
)

ARMS: tuple[Arm, ...] = (TITLED, FILED, COMPLETE)
"""What the entry point hands to rankfold."""

"""The synthetic corpus in a rankfold index: the shipped migrations, and rows as an index run lays them out.

Only reading files, cutting chunks and making vectors are left out, because the corpus already has chunks and vectors.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from corpus import DIMENSIONS, Corpus
from rankfold.derivation import DERIVATION, derive
from rankfold.embedding.space import embedded_text
from rankfold.retrieval.profiles import MEMORY
from rankfold.storage.connection import fetch, open_state, open_writer, transaction


def build(database: Path, corpus: Corpus) -> None:
    """Write the corpus into an index that does not exist yet, with its state plane beside it.

    Args:
        database: the index's file.
        corpus: what to write.
    """
    index = open_writer(database, tokenizer=MEMORY.tokenizer)
    with transaction(index):
        settings = [("profile", MEMORY.name), ("derivation", DERIVATION)]
        index.executemany("INSERT INTO setting VALUES (?, ?)", settings)
        fetch(index, "INSERT INTO space VALUES (1, 'synthetic', ?)", (DIMENSIONS,))
        fetch(index, "INSERT INTO source (id, root, label, kind) VALUES (1, 'synthetic', 'notes', 'records')")
        for document in corpus.documents:
            digest = document.content_hash
            fetch(index, "INSERT INTO file (path, source_id, hash) VALUES (?, 1, ?)", (document.path, digest))
            fetch(
                index,
                "INSERT INTO document (path, file, ordinal, source_id, record_hash, content_hash, type, archived,"
                " created_at, updated_at, event_at) VALUES (?1, ?1, 0, 1, ?2, ?2, ?3, ?4, ?5, ?5, ?6)",
                (document.path, digest, document.type, document.archived, document.updated_at, document.event_at),
            )
            row = index.last_insert_rowid()
            fetch(index, "INSERT INTO document_text VALUES (?, ?, NULL)", (row, document.title))
            fetch(index, "INSERT INTO full_text VALUES (?, ?, ?)", (row, derive(document.title), derive(document.body)))
            for ordinal, text in enumerate(document.chunks):
                told_apart = f"{document.path}\n{ordinal}\n{embedded_text(document.title, text)}"
                text_hash = hashlib.blake2b(told_apart.encode(), digest_size=16).digest()
                fetch(
                    index,
                    "INSERT INTO vector (text_hash, embedding) VALUES (?, ?)",
                    (text_hash, corpus.vector(document, ordinal)),
                )
                fetch(
                    index,
                    "INSERT INTO chunk (document_id, ordinal, start_line, end_line, vector_id)"
                    " VALUES (?, ?, 1, 1, last_insert_rowid())",
                    (row, ordinal),
                )
                fetch(index, "INSERT INTO chunk_text VALUES (last_insert_rowid(), ?, NULL)", (text,))
    fetch(index, "PRAGMA wal_checkpoint(TRUNCATE)")
    index.close()
    state = open_state(database)
    with transaction(state):
        state.executemany(
            "INSERT INTO access (path, content_hash, access_count, outcome, last_accessed) VALUES (?, ?, ?, ?, ?)",
            ((use.path, use.content_hash, use.access_count, use.outcome, use.last_accessed) for use in corpus.uses),
        )
    fetch(state, "PRAGMA wal_checkpoint(TRUNCATE)")
    state.close()

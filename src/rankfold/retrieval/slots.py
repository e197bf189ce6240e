"""The numbered parameters of the statement.

A slot's number never changes, whichever arms are active, so a statement can be read beside its values. The values are
cut to the highest slot that the text names, because SQLite takes exactly that many; a slot that the text skips is
bound to NULL and never read. See https://sqlite.org/lang_expr.html#varparam.
"""

from __future__ import annotations

from rankfold.records import Slot

MATCH_TEXT = Slot(
    number=1,
    name="match_text",
    type="TEXT",
    unit="FTS5 MATCH text",
    supplied_by="the query text",
    doc="The query's terms, each in double quotes, joined by AND or by OR.",
    since="0.1",
)

WINDOW = Slot(
    number=2,
    name="window",
    type="INTEGER",
    unit="candidates",
    supplied_by="the profile or the call",
    doc="Most candidates of each arm; -1 means all of them.",
    since="0.1",
)

LIMIT = Slot(
    number=3,
    name="limit",
    type="INTEGER",
    unit="rows",
    supplied_by="the profile or the call",
    doc="Most fused rows.",
    since="0.1",
)

QUERY_VECTOR = Slot(
    number=4,
    name="query_vector",
    type="BLOB",
    unit="float32 values, little-endian",
    supplied_by="the embedder",
    doc="The query in the collection's embedding space.",
    since="0.1",
)

NOW = Slot(
    number=5,
    name="now",
    type="REAL",
    unit="seconds since 1970-01-01 UTC",
    supplied_by="the call, else the clock",
    doc="The moment that ages are counted from. Whatever is later counts as now.",
    since="0.1",
)

QUERY_NAMES = Slot(
    number=6,
    name="query_names",
    type="TEXT",
    unit="JSON array of strings",
    supplied_by="the query text",
    doc="The query's words in lower case, for arms that look names up.",
    since="0.1",
)

SCOPE_PATH = Slot(
    number=7,
    name="scope_path",
    type="TEXT",
    unit="JSON array of strings",
    supplied_by="the scope axis `path`",
    doc="Folders, files or documents to keep.",
    since="0.1",
)

SCOPE_TYPE = Slot(
    number=8,
    name="scope_type",
    type="TEXT",
    unit="JSON array of strings",
    supplied_by="the scope axis `type`",
    doc="Types to keep.",
    since="0.1",
)

SCOPE_SINCE = Slot(
    number=9,
    name="scope_since",
    type="REAL",
    unit="seconds since 1970-01-01 UTC",
    supplied_by="the scope axis `since`",
    doc="The first moment to keep.",
    since="0.1",
)

SCOPE_UNTIL = Slot(
    number=10,
    name="scope_until",
    type="REAL",
    unit="seconds since 1970-01-01 UTC",
    supplied_by="the scope axis `until`",
    doc="The first moment no longer kept.",
    since="0.1",
)

SLOTS: tuple[Slot, ...] = (
    MATCH_TEXT,
    WINDOW,
    LIMIT,
    QUERY_VECTOR,
    NOW,
    QUERY_NAMES,
    SCOPE_PATH,
    SCOPE_TYPE,
    SCOPE_SINCE,
    SCOPE_UNTIL,
)

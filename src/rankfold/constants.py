"""The numbers that matter, each with its unit, its range and where it comes from.

Code reads `RANK_CONSTANT.value`; an arm's SQL writes `{salience_decay}`; authored pages look them up by name.
"""

from __future__ import annotations

from rankfold.records import Constant

RANK_CONSTANT = Constant(
    name="rank_constant",
    value=60,
    unit="ranks",
    minimum=0,
    maximum=10000,
    doc="Added to every rank before the division, so that the first few ranks of one arm do not outvote all others.",
    source="Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning "
    "Methods, SIGIR 2009",
    set_by="profile",
    flag="--rank-constant",
    since="0.1",
)

WEIGHT = Constant(
    name="weight",
    value=1.0,
    unit="none",
    minimum=0.000001,
    maximum=1000000.0,
    doc="How much an arm counts. A weight is 0.0, which leaves the arm out, or in this range: within it contributions "
    "add up to the score to the last bit, while a weight a hundred digits smaller could tip a rounding.",
    source="The precision of a double, 53 bits",
    set_by="call",
    flag="--weight",
    since="0.1",
)

WINDOW = Constant(
    name="window",
    value=40,
    unit="candidates per arm",
    minimum=1,
    maximum=10000,
    doc="Most candidates that an arm may return. It never depends on the limit, so a longer list begins with the "
    "shorter one.",
    source="Measured: windows of 20 to 50 lose .003 nDCG@10 against 100, a window of 10 loses .013",
    set_by="profile",
    flag="--window",
    since="0.1",
)

LIMIT = Constant(
    name="limit",
    value=10,
    unit="hits",
    minimum=1,
    maximum=1000,
    doc="Hits per answer.",
    source="A page of results",
    set_by="profile",
    flag="--limit",
    since="0.1",
)

OFFSET = Constant(
    name="offset",
    value=0,
    unit="hits",
    minimum=0,
    maximum=100000,
    doc="Hits to pass over before the first one shown.",
    source="The first page",
    set_by="call",
    flag="--offset",
    since="0.1",
)

POOL_FACTOR = Constant(
    name="pool_factor",
    value=3,
    unit="times the wanted hits",
    minimum=1,
    maximum=100,
    doc="How many rows are fused for each hit wanted, so that adjustments have something to choose from. Where they "
    "take away more than that, the statement runs again with a larger limit.",
    source="The pool that MMR needs in practice",
    set_by="profile",
    since="0.1",
)

QUERY_TERMS = Constant(
    name="query_terms",
    value=64,
    unit="distinct terms",
    minimum=1,
    maximum=1000,
    doc="Most distinct terms of a query that reach the full text; the answer says so when a query was cut.",
    source="Measured: the cost of an any-terms query grows faster than its length",
    set_by="fixed",
    since="0.1",
)

SALIENCE_DECAY = Constant(
    name="salience_decay",
    value=0.01,
    unit="1 / hour",
    minimum=0.0,
    maximum=1.0,
    doc="How quickly use is forgotten: after 100 hours its share has fallen to 1/e.",
    source="The four-arm memory search that this arm reproduces",
    set_by="fixed",
    since="0.1",
)

COVERAGE_FLOOR = Constant(
    name="coverage_floor",
    value=0.95,
    unit="share of chunks",
    minimum=0.0,
    maximum=1.0,
    doc="Share of the chunks that must have a vector before nearness may vote. Below it the few embedded documents "
    "would be the only candidates and win every query.",
    source="The four-arm memory search: sparse vectors made the newest files win",
    set_by="fixed",
    since="0.1",
)

CHUNK_WORDS = Constant(
    name="chunk_words",
    value=150,
    unit="words",
    minimum=20,
    maximum=1000,
    doc="Size that chunks aim at. A document that is not much longer is one chunk.",
    source="Measured on two public collections: 60-word chunks lose .005 nDCG@10 and more",
    set_by="fixed",
    since="0.1",
)

PASSAGE_CHARACTERS = Constant(
    name="passage_characters",
    value=700,
    unit="code points",
    minimum=80,
    maximum=100000,
    doc="Longest passage shown with a hit.",
    source="The four-arm memory search",
    set_by="profile",
    since="0.1",
)

WRITE_BATCH = Constant(
    name="write_batch",
    value=200,
    unit="files per transaction",
    minimum=1,
    maximum=100000,
    doc="How many files one transaction takes in; between two of them others may write.",
    source="A choice: large enough to be quick, small enough that little is redone after a crash",
    set_by="fixed",
    since="0.1",
)

EMBED_BATCH = Constant(
    name="embed_batch",
    value=64,
    unit="texts per transaction",
    minimum=1,
    maximum=10000,
    doc="How many vectors are kept at a time; an interrupted run loses fewer than these.",
    source="A choice: about a second of work",
    set_by="fixed",
    since="0.1",
)

BUSY_TIMEOUT = Constant(
    name="busy_timeout",
    value=5000,
    unit="milliseconds",
    minimum=0,
    maximum=600000,
    doc="How long a connection waits for another one's write.",
    source="https://sqlite.org/pragma.html#pragma_busy_timeout",
    set_by="fixed",
    since="0.1",
)

PAGE_SIZE = Constant(
    name="page_size",
    value=8192,
    unit="bytes",
    minimum=512,
    maximum=65536,
    doc="Size of the pages of a new index file. Exact nearness reads every vector, and large pages hold more of them.",
    source="Measured over 33,000 chunks: a tenth quicker than SQLite's own size; larger ones are slower again",
    set_by="fixed",
    since="0.1",
)

LOSS_GUARD_FILES = Constant(
    name="loss_guard_files",
    value=20,
    unit="files",
    minimum=1,
    maximum=1000000,
    doc="From this many known files on, a folder that lost more than the tolerated share of them is not believed.",
    source="A choice: in a smaller folder a clear-out is ordinary",
    set_by="fixed",
    since="0.1",
)

LOSS_GUARD_SHARE = Constant(
    name="loss_guard_share",
    value=0.5,
    unit="share of known files",
    minimum=0.0,
    maximum=1.0,
    doc="Share of its known files that a folder may lose at once without being asked about it.",
    source="A choice: a drive that is not there loses all of them",
    set_by="fixed",
    since="0.1",
)

CONSTANTS: tuple[Constant, ...] = (
    RANK_CONSTANT,
    WEIGHT,
    WINDOW,
    LIMIT,
    OFFSET,
    POOL_FACTOR,
    QUERY_TERMS,
    SALIENCE_DECAY,
    COVERAGE_FLOOR,
    CHUNK_WORDS,
    PASSAGE_CHARACTERS,
    WRITE_BATCH,
    EMBED_BATCH,
    BUSY_TIMEOUT,
    PAGE_SIZE,
    LOSS_GUARD_FILES,
    LOSS_GUARD_SHARE,
)

"""Named ways to search. A profile is data: no code asks which profile it is."""

from __future__ import annotations

from rankfold.constants import LIMIT, PASSAGE_CHARACTERS, POOL_FACTOR, RANK_CONSTANT, WINDOW
from rankfold.records import Profile

PORTER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
"""English stems over words without their accents. The categories keep combining marks inside words, which Thai, Hindi
and vowelled Arabic need. See https://sqlite.org/fts5.html#porter_tokenizer."""

PLAIN = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
"""The same words without stemming, for collections that are not English."""

DOCUMENTS = Profile(
    name="documents",
    title="Folders of files",
    doc="""What people expect of a search over a folder of files, and the default. Full text and nearness decide;
recency and salience only nudge what one of them found, because on questions they cost accuracy when they may bring
in documents of their own.""",
    weights={"recency": 0.05, "salience": 0.05},
    window=int(WINDOW.value),
    rank_constant=int(RANK_CONSTANT.value),
    limit=int(LIMIT.value),
    pool_factor=int(POOL_FACTOR.value),
    query_form="auto",
    tokenizer=PORTER,
    matched_only=True,
    without_terms="nothing",
    adjustments=("folding",),
    passage_characters=int(PASSAGE_CHARACTERS.value),
    since="0.1",
)

MEMORY = Profile(
    name="memory",
    title="Four-arm memory search",
    doc="""A store of short notes that are written and used over time. Every arm counts by its own weight, and the
arms that do not read the query may bring in documents of their own; a query without a searchable term still gets what
is recent and useful, each such hit marked as not matched.

It reproduces the arms, weights and statement of an existing memory search, and departs from it where that one left
something open:

- equal values inside an arm go by the document's place in its source, so the order never depends on row ids;
- ages are counted from a moment that the call may state, not from the database's clock;
- the score is the fused sum and not one divided by the place, so that contributions add up to it;
- a document without a date is not ranked by recency, where the other one had the time of writing for every document;
- what happens after fusion there, demotion of contradicting twins and diversification, is not part of it yet.""",
    window=int(WINDOW.value),
    rank_constant=int(RANK_CONSTANT.value),
    limit=int(LIMIT.value),
    pool_factor=int(POOL_FACTOR.value),
    query_form="auto",
    tokenizer=PLAIN,
    matched_only=False,
    without_terms="corpus",
    adjustments=(),
    passage_characters=int(PASSAGE_CHARACTERS.value),
    since="0.1",
)

PROFILES: tuple[Profile, ...] = (DOCUMENTS, MEMORY)
DEFAULT_PROFILE = DOCUMENTS.name

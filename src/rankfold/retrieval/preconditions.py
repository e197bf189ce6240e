"""What arms need: an ordered registry of records.

The columns of the table of weights, the activation rule and every "dropped because" note come from these records.
"""

from __future__ import annotations

import math

from rankfold.constants import COVERAGE_FLOOR
from rankfold.records import Precondition, Unmet
from rankfold.retrieval.situation import Situation


def _query_terms(situation: Situation) -> Unmet | None:
    if situation.forms.terms:
        return None
    return Unmet("the query has no searchable term", "use at least one letter or digit")


def _query_vector(situation: Situation) -> Unmet | None:
    if situation.vector.packed is not None:
        return None
    return Unmet(situation.vector.reason, situation.vector.fix)


def _embedded_documents(situation: Situation) -> Unmet | None:
    report = situation.capabilities
    if report.embedded and report.coverage >= COVERAGE_FLOOR.value:
        return None
    share = math.floor(report.coverage * 1000) / 10 if report.chunks else 0.0
    return Unmet(
        f"{report.embedded} of {report.chunks - report.refused} chunks have a vector ({share:g} %), "
        f"fewer than {COVERAGE_FLOOR.value:.0%}",
        "rankfold embed",
    )


def _state_plane(situation: Situation) -> Unmet | None:
    if situation.capabilities.state_path is not None:
        return None
    return Unmet("the collection has no state plane, so nothing is known of use", None)


def _dated_documents(situation: Situation) -> Unmet | None:
    if situation.capabilities.has_dates:
        return None
    return Unmet("no document states a date", "state `date:` or `updated:` in front matter and index again")


def _candidates(situation: Situation) -> Unmet | None:
    if not situation.profile.matched_only or situation.query_arms:
        return None
    return Unmet(
        f"profile {situation.profile.name} ranks only documents that an arm which reads the query found, "
        "and no such arm could run",
        None,
    )


QUERY_TERMS = Precondition(
    name="query_terms",
    title="Query terms",
    heading="Needs query terms",
    doc="""The query text holds at least one searchable term: a letter, a number, or a mark of a script that has them.
An empty text, spaces, punctuation and emoji hold none. Full text cannot be asked about nothing, so its arm is left
out, and the answer says that there was nothing to look for.""",
    holds=_query_terms,
    since="0.1",
)

QUERY_VECTOR = Precondition(
    name="query_vector",
    title="Query vector",
    heading="Needs the query vector",
    doc="""The query could be embedded into the space that the collection's vectors are in. It does not hold where
sqlite-vec does not load, where no embedder is installed or it belongs to another space, where embedding failed, where
the vector came out zero or not a number, and where the text has no searchable term (such text is not embedded).""",
    holds=_query_vector,
    degrades=True,
    since="0.1",
)

EMBEDDED_DOCUMENTS = Precondition(
    name="embedded_documents",
    title="Embedded documents",
    heading="Needs embedded documents",
    doc="""Nearly all chunks have a vector (the constant `coverage_floor` says how many). With fewer, the few embedded
documents would be the only candidates for nearness and win every query; after an interrupted run `rankfold embed`
finishes the rest. Chunks whose vector was refused do not count.""",
    holds=_embedded_documents,
    degrades=True,
    since="0.1",
)

STATE_PLANE = Precondition(
    name="state_plane",
    title="State plane",
    heading="Needs the state plane",
    doc="""The collection has a state plane: a second file beside it, attached as `state`, that remembers how documents
were used. Unlike the index it cannot be made again from the files, which is why it is a file of its own.""",
    holds=_state_plane,
    since="0.1",
)

DATED_DOCUMENTS = Precondition(
    name="dated_documents",
    title="Dated documents",
    heading="Needs dated documents",
    doc="""At least one document states when it happened (`event_at`) or when it was updated (`updated_at`). Without
any, an order by date would be noise.""",
    holds=_dated_documents,
    since="0.1",
)

CANDIDATES = Precondition(
    name="candidates",
    title="Candidates",
    heading="Needs candidates",
    doc="""Under a profile that is `matched_only`, some arm that reads the query can run; its candidates are then all
that the other arms rank. Under any other profile it always holds. Every arm that does not read the query declares
it.""",
    holds=_candidates,
    since="0.1",
)

PRECONDITIONS: tuple[Precondition, ...] = (
    QUERY_TERMS,
    QUERY_VECTOR,
    EMBEDDED_DOCUMENTS,
    STATE_PLANE,
    DATED_DOCUMENTS,
    CANDIDATES,
)

"""A small package that adds to rankfold's registries, as another distribution would."""

from __future__ import annotations

from dataclasses import replace

from rankfold import Arm, Precondition, RawValue, Unmet
from rankfold.retrieval.arms import ARMS


def _full_moon(situation: object) -> Unmet | None:
    return None if situation else Unmet("the moon is not full")


FULL_MOON = Precondition(
    name="full_moon",
    title="Full moon",
    heading="Needs a full moon",
    doc="The moon is full.",
    holds=_full_moon,
    since="1",
)

LENGTH = Arm(
    name="length",
    title="Length",
    weight=0.25,
    reads="corpus",
    preconditions=("full_moon", "candidates"),
    raw=RawValue(name="characters", unit="code points", better="lower"),
    sql="""
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, length(t.body) AS raw, d.file, d.ordinal
  FROM {scope} AS s CROSS JOIN document AS d ON d.id = s.document_id JOIN full_text AS t ON t.id = d.id
  ORDER BY raw, d.file, d.ordinal
  LIMIT ?2
)
""",
    doc="Ranks documents by how short they are.",
    example="short",
    since="1",
)

CLASH = replace(ARMS[0], doc="An arm whose name is taken.")

"""Arms as another package may make them: by a decorator, by a factory, and one as a plain record.

None of them can be found by reading the source, and one of them holds every character that breaks a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankfold.records import Arm, RawValue

MADE: list[Arm] = []

SQL = """
SELECT document_id, row_number() OVER (ORDER BY raw, file, ordinal) AS rank, raw
FROM (
  SELECT d.id AS document_id, {expression} AS raw, d.file, d.ordinal
  FROM document AS d WHERE d.id IN (SELECT document_id FROM {scope}) AND {exclusions}
  ORDER BY raw, d.file, d.ordinal
  LIMIT ?2
)
"""


def arm(weight: float) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Make an arm of a function that gives the SQL of its raw value."""

    def register(function: Callable[[], str]) -> Callable[[], str]:
        MADE.append(
            Arm(
                name=function.__name__,
                title=function.__name__.capitalize(),
                doc=function.__doc__ or "",
                weight=weight,
                reads="corpus",
                preconditions=("candidates",),
                raw=RawValue(name="value", unit="none", better="lower"),
                sql=SQL.replace("{expression}", function()),
                example="anything",
                since="1.0",
            )
        )
        return function

    return register


@arm(weight=0.25)
def depth() -> str:
    """Ranks documents by how deep their folder is, nearest to the root first."""
    return "length(d.path) - length(replace(d.path, '/', ''))"


def make(name: str, weight: float) -> Arm:
    """An arm without documentation, which its maker sets afterwards."""
    return replace(MADE[0], name=name, title=name.capitalize(), weight=weight, doc="to be said")


BREVITY = replace(make("brevity", 0.125), doc="Ranks documents by the length of their path, shortest first.")

HOSTILE = replace(
    make("hostile", 0.5),
    title="use a|b alternation <T> {{ name }} {% raw %}",
    doc="Closes </td><b>early, matches __init__ and *args, needs List<int>, and `a|b` in code. {{ name }} | end",
    raw=RawValue(
        name="`tick` ``two`` שלום <script>alert(1)</script>", unit="half-life\nin days { .x }", better="higher"
    ),
    exclusions=("d.type IS NOT 'a|b'", "d.kind <> '`x`'"),
    example="# not a heading | [x][y] \\ end",
)

FROM_FACTORY = [BREVITY, HOSTILE]

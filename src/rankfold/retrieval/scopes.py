"""The ways to narrow what a search may see, and the values given to them as one scope.

Every arm obeys the scope before its own window, so a narrow scope gets its true best documents.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankfold.records import ScopeAxis

PATH = ScopeAxis(
    name="path",
    title="Path",
    doc="""Documents in a folder, in a file, or one document. `notes/2024` and `notes/2024/` both mean that folder
with everything below it. Compared exactly, letter case included; nothing in it is a wildcard. Several widen.""",
    kind="prefix",
    value="PREFIX",
    sql="""d.id IN (
  SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside
  WHERE inside.file >= prefix.value || '/' AND inside.file < prefix.value || '0'
  UNION ALL
  SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside WHERE inside.file = prefix.value
  UNION ALL
  SELECT inside.id FROM json_each(?7) AS prefix CROSS JOIN document AS inside WHERE inside.path = prefix.value
)""",
    slot="scope_path",
    flag="--path",
    vocabulary="open",
    index="document_file",
    since="0.1",
)

TYPE = ScopeAxis(
    name="type",
    title="Type",
    doc="Documents of one of these types. Compared exactly, letter case included. Several widen.",
    kind="any_of",
    value="TYPE",
    sql="d.type IN (SELECT value FROM json_each(?8))",
    slot="scope_type",
    flag="--type",
    vocabulary="open",
    index="document_type",
    since="0.1",
)

SINCE = ScopeAxis(
    name="since",
    title="Since",
    doc="""Documents dated at this moment or later. A document's date is when it happened, else when it was updated,
else when it was created; one without a date is left out. A bare date means its first moment, UTC.""",
    kind="since",
    value="TIME",
    sql="coalesce(d.event_at, d.updated_at, d.created_at) >= ?9",
    slot="scope_since",
    flag="--since",
    vocabulary="ISO 8601 date or time",
    index="none",
    since="0.1",
)

UNTIL = ScopeAxis(
    name="until",
    title="Until",
    doc="""Documents dated before this moment; one without a date is left out. A bare date includes that whole day,
UTC.""",
    kind="until",
    value="TIME",
    sql="coalesce(d.event_at, d.updated_at, d.created_at) < ?10",
    slot="scope_until",
    flag="--until",
    vocabulary="ISO 8601 date or time",
    index="none",
    since="0.1",
)

ARCHIVED = ScopeAxis(
    name="archived",
    title="Archived",
    doc="Whether documents that are put away may be found too.",
    kind="flag",
    value="",
    sql="",
    default_sql="d.archived = 0",
    flag="--archived",
    vocabulary="yes or no",
    index="live",
    since="0.1",
)

SCOPES: tuple[ScopeAxis, ...] = (PATH, TYPE, SINCE, UNTIL, ARCHIVED)


@dataclass(frozen=True)
class Scope:
    """Values for some scope axes, checked and of their bound type."""

    axes: tuple[ScopeAxis, ...] = ()
    """The axes that were given, in registry order."""
    values: Mapping[str, str | float] = field(default_factory=dict)
    """What each of them binds, by slot name: a JSON array, or seconds since 1970-01-01 UTC."""
    stated: Mapping[str, object] = field(default_factory=dict)
    """What the caller gave, by axis name, for the answer to repeat."""

    @property
    def narrows(self) -> bool:
        """Whether any axis keeps documents out beyond the defaults."""
        return any(axis.sql for axis in self.axes)

    def predicate(self, known: Sequence[ScopeAxis]) -> str:
        """The SQL predicate on the document `d`: the given axes, and the defaults of the others."""
        parts = []
        for axis in known:
            text = axis.sql if axis in self.axes else axis.default_sql
            if text:
                parts.append(text)
        return "\n  AND ".join(parts) or "true"


def json_array(values: Sequence[str]) -> str:
    """Values as one JSON array, so that the statement never varies with their number."""
    return json.dumps(list(dict.fromkeys(values)), ensure_ascii=False)

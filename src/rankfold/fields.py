"""What a document may state about itself: one record per field, read by the parsers, the schema and the scopes."""

from __future__ import annotations

from rankfold.records import Field

TITLE = Field(
    name="title",
    keys=("title", "name"),
    type="text",
    unit="none",
    column="document_text.title",
    doc="What the document is called. It is searched with the body and stands in front of each chunk that is embedded. "
    "Without it, Markdown and HTML use their first heading or title; a JSONL record without one adds none.",
    since="0.1",
)

SUMMARY = Field(
    name="summary",
    keys=("summary", "description", "abstract"),
    type="text",
    unit="none",
    column="document_text.summary",
    doc="A few sentences that say what is in it. It is searched with the body.",
    since="0.1",
)

TYPE = Field(
    name="type",
    keys=("type",),
    type="text",
    unit="none",
    column="document.type",
    doc="What kind of document it is in its owner's own words. Scopes use it, and the salience arm leaves out `task`.",
    since="0.1",
)

KIND = Field(
    name="kind",
    keys=("kind",),
    type="text",
    unit="none",
    column="document.kind",
    doc="What role it plays, such as `decision` or `session`.",
    since="0.1",
)

TIER = Field(
    name="tier",
    keys=("tier",),
    type="text",
    unit="none",
    column="document.tier",
    doc="How settled it is, such as `working` or `semantic`.",
    since="0.1",
)

PINNED = Field(
    name="pinned",
    keys=("pinned", "pin"),
    type="flag",
    unit="none",
    column="document.pinned",
    doc="Whether its owner holds it up.",
    since="0.1",
)

TAGS = Field(
    name="tags",
    keys=("tags", "tag", "keywords"),
    type="texts",
    unit="none",
    column="document_tag.tag",
    doc="Words that it is filed under. Repeats count once.",
    since="0.1",
)

ENTITIES = Field(
    name="entities",
    keys=("entities", "entity"),
    type="texts",
    unit="name or type:name",
    column="document_entity.name",
    doc="What it is about: people, places, programs. A name may be preceded by its type and a colon.",
    since="0.1",
)

LINKS = Field(
    name="links",
    keys=("links", "related"),
    type="texts",
    unit="path",
    column="document_link.target",
    doc="Other documents that it points to.",
    since="0.1",
)

ATTRIBUTES = Field(
    name="attributes",
    keys=("attributes",),
    type="pairs",
    unit="name and value",
    column="document_attribute.value",
    doc="Names with values of its owner's own choosing. Front-matter keys that are no field become attributes too.",
    since="0.1",
)

LANGUAGE = Field(
    name="language",
    keys=("language", "lang"),
    type="text",
    unit="BCP 47 tag",
    column="document.language",
    doc="The language it is written in.",
    since="0.1",
)

CONFIDENCE = Field(
    name="confidence",
    keys=("confidence",),
    type="number",
    unit="0 to 1",
    column="document.confidence",
    doc="How sure its owner is of it.",
    since="0.1",
)

CREATED_AT = Field(
    name="created_at",
    keys=("created_at", "created"),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.created_at",
    doc="When it was first written. A time without a zone, and a bare date, are read as UTC.",
    since="0.1",
)

UPDATED_AT = Field(
    name="updated_at",
    keys=("updated_at", "updated", "modified", "lastmod"),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.updated_at",
    doc="When it was last written, as the document itself states it. The file's own time is not used: a copy or a "
    "checkout changes it, and the same sources would then rank differently.",
    since="0.1",
)

EVENT_AT = Field(
    name="event_at",
    keys=("event_at", "date", "event"),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.event_at",
    doc="When what it tells of happened. The recency arm reads it before `updated_at`.",
    since="0.1",
)

VALID_FROM = Field(
    name="valid_from",
    keys=("valid_from",),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.valid_from",
    doc="From when on it holds.",
    since="0.1",
)

VALID_UNTIL = Field(
    name="valid_until",
    keys=("valid_until",),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.valid_until",
    doc="Until when it holds.",
    since="0.1",
)

EXPIRES_AT = Field(
    name="expires_at",
    keys=("expires_at", "expires"),
    type="time",
    unit="seconds since 1970-01-01 UTC",
    column="document.expires_at",
    doc="When it may be forgotten.",
    since="0.1",
)

ARCHIVED = Field(
    name="archived",
    keys=("archived",),
    type="flag",
    unit="none",
    column="document.archived",
    doc="Whether it is put away. Searches leave it out unless they ask for archived documents.",
    since="0.1",
)

SUPERSEDES = Field(
    name="supersedes",
    keys=("supersedes",),
    type="texts",
    unit="path",
    column="document_link.target",
    doc="Documents that it takes the place of.",
    since="0.1",
)

FIELDS: tuple[Field, ...] = (
    TITLE,
    SUMMARY,
    TYPE,
    KIND,
    TIER,
    PINNED,
    TAGS,
    ENTITIES,
    LINKS,
    ATTRIBUTES,
    LANGUAGE,
    CONFIDENCE,
    CREATED_AT,
    UPDATED_AT,
    EVENT_AT,
    VALID_FROM,
    VALID_UNTIL,
    EXPIRES_AT,
    ARCHIVED,
    SUPERSEDES,
)

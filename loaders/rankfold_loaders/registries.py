"""The table: one row per registry, saying where its records are and which page they become.

A new kind of record becomes a page by one row here. A new member of a registry needs nothing here at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

INSTALLED = "rankfold.retrieval.registry:installed"
"""What gives the live registries: a callable whose result has one attribute per kind."""

COMMANDS = "rankfold.cli:main"
"""The click group whose commands become pages."""

RECORDS_MODULE = "rankfold.records"
"""Where the record classes are, whose documented fields explain the columns."""

Show = Literal["name", "text", "code", "prose", "number", "flag", "option", "link"]
"""How a column shows its field: `name` links to the record's own section, `link` to records of another registry."""


@dataclass(frozen=True)
class Column:
    """One column of a registry's table."""

    heading: str
    field: str
    """The record's field; `raw.unit` reaches into a record inside a record."""
    show: Show = "text"
    to: str = ""
    """For `link`: the kind of the records that the field names."""


@dataclass(frozen=True, kw_only=True)
class RegistryPage:
    """One row: a registry and what becomes of it."""

    kind: str
    """The registry's name, as an attribute of the live registries and in the names of facts."""
    word: str
    """One record of it, in words; also begins the ids of its sections."""
    title: str
    """Heading of the page."""
    description: str
    """One sentence for search results and for the page's own beginning. No number in it that could be counted."""
    lead: str = ""
    """What to know before reading the table. Markdown; `{count}` is the number of records."""
    record: str
    """The record class, as the source calls it; empty where the records are made by something else."""
    modules: tuple[str, ...] = ()
    """Modules and packages whose assignments are these records."""
    uri: str
    """The page. Registries that share a page name the same."""
    template: str
    """File in `site-templates/pages`."""
    columns: tuple[Column, ...]
    """The table's columns, in order."""
    details: tuple[Column, ...] = ()
    """What a record's own section shows beside its documentation."""
    each: str = ""
    """A page of its own for every record, `{name}` being the record's; none by default."""
    each_template: str = ""
    """Template of those pages."""


TABLE: tuple[RegistryPage, ...] = (
    RegistryPage(
        kind="arms",
        word="arm",
        title="Ranking arms",
        description="Every ranking signal of a search: its weight, what it needs, its SQL, and how the arms combine.",
        record="Arm",
        modules=("rankfold.retrieval.arms",),
        uri="reference/arms.md",
        template="arms.md.jinja",
        columns=(Column("Arm", "name", "name"), Column("Default weight", "weight", "number")),
        details=(
            Column("Default weight", "weight", "number"),
            Column("Reads", "reads", "code"),
            Column("Preconditions", "preconditions", "link", "preconditions"),
            Column("Orders by", "raw.name"),
            Column("Unit", "raw.unit"),
            Column("Better is", "raw.better"),
            Column("Leaves out", "exclusions", "code"),
            Column("Try", "example"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="slots",
        word="slot",
        title="Slots",
        description="The numbered parameters of the statement.",
        record="Slot",
        modules=("rankfold.retrieval.slots",),
        uri="reference/arms.md",
        template="",
        columns=(
            Column("Slot", "number", "number"),
            Column("Name", "name", "name"),
            Column("Type", "type", "code"),
            Column("Unit", "unit"),
            Column("Supplied by", "supplied_by", "prose"),
            Column("What it is", "doc", "prose"),
        ),
    ),
    RegistryPage(
        kind="preconditions",
        word="precondition",
        title="Preconditions",
        description="What an arm needs before it may take part in a search, and what to do where it is missing.",
        lead="""Before a statement is built, each arm's preconditions are tested in the order in which the arm names
them. An arm whose preconditions all hold is active. Any other arm is dropped, and the answer says so: which arm, which
precondition, why, and the command that mends it. A search is never refused because an arm is missing.""",
        record="Precondition",
        modules=("rankfold.retrieval.preconditions",),
        uri="reference/preconditions.md",
        template="registry.md.jinja",
        columns=(
            Column("Precondition", "name", "name"),
            Column("Column in the table of weights", "heading"),
            Column("Counts as degraded", "degrades", "flag"),
        ),
        details=(Column("Counts as degraded", "degrades", "flag"), Column("Since", "since")),
    ),
    RegistryPage(
        kind="profiles",
        word="profile",
        title="Profiles",
        description="Named ways to search: which arms count, how much, and the whole statement that each profile runs.",
        lead="""A profile is data. It states where it differs from the arms' own weights and how the answer is made;
no code asks which profile it is. A collection remembers the profile that it was made with, and a call may name
another.""",
        record="Profile",
        modules=("rankfold.retrieval.profiles",),
        uri="reference/profiles.md",
        template="profiles.md.jinja",
        columns=(
            Column("Profile", "name", "name"),
            Column("Window", "window", "number"),
            Column("Rank constant", "rank_constant", "number"),
            Column("Limit", "limit", "number"),
            Column("Query form", "query_form", "code"),
            Column("Matched only", "matched_only", "flag"),
            Column("Without terms", "without_terms", "code"),
        ),
        details=(
            Column("Window", "window", "number"),
            Column("Rank constant", "rank_constant", "number"),
            Column("Limit", "limit", "number"),
            Column("Pool factor", "pool_factor", "number"),
            Column("Query form", "query_form", "code"),
            Column("Tokenizer", "tokenizer", "code"),
            Column("Column weights", "column_weights", "number"),
            Column("Matched only", "matched_only", "flag"),
            Column("Without terms", "without_terms", "code"),
            Column("Adjustments", "adjustments", "link", "adjustments"),
            Column("Longest passage", "passage_characters", "number"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="scopes",
        word="scope",
        title="Scope axes",
        description="The ways to narrow what a search may see. Every arm obeys them before it picks its candidates.",
        lead="""The axes that a search names become one predicate, and every arm reads documents through it. It
applies before an arm's window, so a narrow scope gets its true best documents and not the leftovers of a wide one.
Values of one axis widen; several axes narrow.""",
        record="ScopeAxis",
        modules=("rankfold.retrieval.scopes",),
        uri="reference/scopes.md",
        template="registry.md.jinja",
        columns=(
            Column("Axis", "name", "name"),
            Column("Option", "flag", "option"),
            Column("Kind", "kind", "code"),
            Column("Allowed values", "vocabulary"),
            Column("Served by index", "index", "code"),
        ),
        details=(
            Column("Option", "flag", "option"),
            Column("Value", "value", "code"),
            Column("Kind", "kind", "code"),
            Column("Allowed values", "vocabulary"),
            Column("Slot", "slot", "link", "slots"),
            Column("Served by index", "index", "code"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="adjustments",
        word="adjustment",
        title="Adjustments",
        description="What may happen to the fused list before it is shown. Each is declared and says what it did.",
        lead="""Fusion gives a list in a total order. Adjustments run over that list, each at its stage, and every
change they make is reported with what was so before, what is so now, and why.""",
        record="Adjustment",
        modules=("rankfold.retrieval.adjustments",),
        uri="reference/adjustments.md",
        template="registry.md.jinja",
        columns=(
            Column("Adjustment", "name", "name"),
            Column("Stage", "stage"),
            Column("Works on", "works_on", "code"),
            Column("Bounds", "bounds"),
        ),
        details=(
            Column("Stage", "stage"),
            Column("Works on", "works_on", "code"),
            Column("Bounds", "bounds"),
            Column("Reads", "parameters", "link", "constants"),
            Column("Try", "example"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="constants",
        word="constant",
        title="Constants",
        description="The numbers that matter, each with its unit, its range and where it comes from.",
        lead="""A number that decides something is written once, here, and read everywhere: by the code, by the SQL of
an arm, by these pages.""",
        record="Constant",
        modules=("rankfold.constants",),
        uri="reference/constants.md",
        template="registry.md.jinja",
        columns=(
            Column("Constant", "name", "name"),
            Column("Value", "value", "number"),
            Column("Unit", "unit"),
            Column("Set by", "set_by"),
            Column("Option", "flag", "option"),
        ),
        details=(
            Column("Value", "value", "number"),
            Column("Unit", "unit"),
            Column("Smallest", "minimum", "number"),
            Column("Largest", "maximum", "number"),
            Column("Set by", "set_by"),
            Column("Option", "flag", "option"),
            Column("Source", "source"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="fields",
        word="field",
        title="Document fields",
        description="What a document may state about itself, in front matter, in JSONL or in a dictionary.",
        lead="""A field may be written under any of its keys; the first that is found wins. In JSONL and in
dictionaries the key is the field's name. A value that cannot be read is left out and reported, never guessed.""",
        record="Field",
        modules=("rankfold.fields",),
        uri="reference/fields.md",
        template="registry.md.jinja",
        columns=(
            Column("Field", "name", "name"),
            Column("Front-matter keys", "keys", "code"),
            Column("Type", "type", "code"),
            Column("Unit", "unit"),
        ),
        details=(
            Column("Front-matter keys", "keys", "code"),
            Column("Type", "type", "code"),
            Column("Unit", "unit"),
            Column("Kept in", "column", "code"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="errors",
        word="error",
        title="Errors",
        description="Everything that can go wrong, by its stable code, with what raises it and how to mend it.",
        lead="""The code is what `code` holds in the JSON envelope and on the exception. It does not change between
versions; the wording of a message may.""",
        record="Error",
        modules=("rankfold.errors",),
        uri="reference/errors.md",
        template="registry.md.jinja",
        columns=(
            Column("Code", "name", "name"),
            Column("Exit status", "exit_code", "number"),
            Column("How to mend it", "fix", "prose"),
        ),
        details=(
            Column("Exit status", "exit_code", "number"),
            Column("How to mend it", "fix", "prose"),
            Column("Since", "since"),
        ),
    ),
    RegistryPage(
        kind="commands",
        word="command",
        title="Command line",
        description="Every command, with its arguments, options, defaults and limits.",
        lead="""Results go to standard output, everything else to standard error. The exit status is 0 for success, 2
for a mistake in the call and 1 for everything else; [Errors](../errors.md) lists them.""",
        record="",
        uri="reference/cli/index.md",
        template="commands.md.jinja",
        columns=(Column("Command", "name", "name"), Column("What it does", "short_help")),
        each="reference/cli/{name}.md",
        each_template="command.md.jinja",
    ),
)

OVERVIEW_URI = "reference/index.md"
"""The page that lists the registries, each with its count."""

NAV_TITLE = "Reference"
"""Heading of the generated pages in a navigation that does not give them one."""


def row(kind: str) -> RegistryPage:
    """The row of that kind."""
    return next(candidate for candidate in TABLE if candidate.kind == kind)

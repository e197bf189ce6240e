"""The pages of a search's own registries: arms and profiles, with their weights, statements and what a sample shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankfold_loaders import figures
from rankfold_loaders import markdown_text as md
from rankfold_loaders.addresses import anchor, href, page_of, relative
from rankfold_loaders.agreement import Entry
from rankfold_loaders.page_model import Filter, Page, Section, Table
from rankfold_loaders.pages import NO, OFF, Maker
from rankfold_loaders.worked_examples import of_adjustment, of_arm, of_profile, sample


def pages(maker: Maker) -> list[Page]:
    """How the arms combine, and a page for each."""
    joined = maker.joined
    search = joined.live["search"]
    default = search["default_profile"]
    constant = int(joined.entry("profiles", default).value("rank_constant"))
    whole = search["profiles"][default]["whole"]
    overview = maker.page(
        weights=weights(maker),
        query_arms=[maker.link("arms", arm.name) for arm in maker.entries if arm.value("reads") == "query"],
        other_arms=[maker.link("arms", arm.name) for arm in maker.entries if arm.value("reads") != "query"],
        preconditions=len(joined.entries["preconditions"]),
        profiles=len(joined.entries["profiles"]),
        default_profile=maker.link("profiles", default),
        rank_constant=constant,
        figures=_figures(maker, constant),
        first=f"{1 / (constant + 1):.4f}",
        second=f"{1 / (constant + 2):.4f}",
        fold=whole[whole.rfind("\nranking(") + 1 :],
    )
    return [overview, *(_arm(maker.at(page_of(maker.row, arm.name)), arm) for arm in maker.entries)]


def pages_of_a_package(maker: Maker) -> list[Page]:
    """The arms that a package adds to those of rankfold: a table, and a page for each."""
    return [maker.page(), *(_arm(maker.at(page_of(maker.row, arm.name)), arm) for arm in maker.entries)]


def _figures(maker: Maker, rank_constant: int) -> list[figures.Figure]:
    """What a rank is worth in the default profile, and what the arms weigh in each."""
    joined = maker.joined
    default = joined.live["search"]["default_profile"]
    names = [arm.name for arm in maker.entries]
    authored = {
        profile.name: {name: _number(joined.weight(profile.name, name)) for name in names}
        for profile in joined.entries["profiles"]
    }
    window = int(joined.entry("profiles", default).value("window"))
    return [
        figures.contribution_by_rank(authored[default], rank_constant, window, prefix="figure-ranks"),
        figures.weights(authored, prefix="figure-weights"),
    ]


def _number(weight: tuple[float, str]) -> float | str:
    """A weight as its author wrote it, where that is a number."""
    value, text = weight
    return text if re.fullmatch(r"[0-9.]+", text) else value


def _arm(maker: Maker, arm: Entry) -> Page:
    filled = maker.joined.live["search"]["arm_sql"][arm.name]
    sql = [("As written", arm.value("sql").strip("\n"))]
    if arm.value("fast_sql"):
        sql.append(("Fast form, for the default scope", arm.value("fast_sql").strip("\n")))
    sql.append((f"As profile {filled['profile']} runs it", filled["sql"]))
    profiles = " · ".join(
        f"{maker.link('profiles', profile.name)} {weight_cell(maker, profile.name, arm.name)}"
        for profile in maker.joined.entries.get("profiles", ())
    )
    page = maker.record_page(
        arm, preconditions=_needs(maker, arm), example=of_arm(maker, arm.name), sample=sample(maker)
    )
    section: Section = page.context["section"]
    first, *others = section.details
    in_profiles = [("In the profiles", profiles)] if profiles else []
    section = replace(section, details=(first, *in_profiles, *others), sql=tuple(sql))
    return replace(page, context={**page.context, "section": section})


def _needs(maker: Maker, arm: Entry) -> list[tuple[str, str]]:
    """Each precondition of the arm, with what it asks for where that is documented too."""
    known = {entry.name: md.summary(entry.value("doc")) for entry in maker.joined.entries.get("preconditions", ())}
    return [(maker.link("preconditions", name), known.get(name, "")) for name in arm.value("preconditions")]


def weight_cell(maker: Maker, profile: str, arm: str) -> str:
    """An arm's weight in a profile, or that it is off."""
    value, text = maker.joined.weight(profile, arm)
    return text if value else OFF


def weights(maker: Maker) -> Table:
    """The table of weights: a row per arm, a column per precondition and per profile."""
    preconditions = maker.joined.entries["preconditions"]
    profiles = maker.joined.entries["profiles"]
    headings = [
        "Arm",
        "Default weight",
        *(f"Profile {maker.link('profiles', entry.name)}" for entry in profiles),
        *(_precondition(maker, entry, "heading") for entry in preconditions),
    ]
    rows = []
    for arm in maker.joined.entries["arms"]:
        needs = set(arm.value("preconditions"))
        rows.append(
            (
                # The id keeps the address that the arm's section had when all of them stood on one page.
                f"{maker.link('arms', arm.name)}{{#{anchor('arm', arm.name)}}}",
                arm.text("weight"),
                *(weight_cell(maker, profile.name, arm.name) for profile in profiles),
                *(_holds(entry.name, entry.name in needs) for entry in preconditions),
            )
        )
    choices = [("", "any"), *((entry.name, _lower_first(entry.value("title"))) for entry in preconditions)]
    return Table(
        "Weights and preconditions of the arms",
        "weights",
        tuple(headings),
        tuple(rows),
        frozenset(range(1, 2 + len(profiles))),
        Filter("Show arms that need", "weights", tuple((value, md.escape(label)) for value, label in choices)),
    )


def _precondition(maker: Maker, entry: Entry, words: str) -> str:
    """A link to a precondition, in the words of one of its fields."""
    row = maker.joined.reference.row("preconditions")
    return f"[{md.escape(entry.value(words))}]({href(maker.here, row, entry.name)})"


def _holds(name: str, holds: bool) -> str:
    return f'<strong data-needs="{md.attribute(name)}">yes</strong>' if holds else NO


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def profile_pages(maker: Maker) -> list[Page]:
    """The profiles side by side, a page for each, and one with all its statements."""
    made = [maker.page()]
    for entry in maker.entries:
        own = maker.at(page_of(maker.row, entry.name))
        described = maker.joined.live["search"]["profiles"][entry.name]
        statements = page_of(maker.row, f"{entry.name}-statements")
        page = own.record_page(
            entry,
            statements_link=relative(own.here, statements),
            statements=len(described["statements"]),
            example=of_profile(own, entry.name),
            sample=sample(own),
            combinations=len(described["combinations"]),
        )
        section: Section = page.context["section"]
        weighed = " · ".join(
            f"{own.link('arms', arm.name)} {weight_cell(own, entry.name, arm.name)}"
            for arm in maker.joined.entries["arms"]
        )
        section = replace(
            section,
            details=(("Weights", weighed), *section.details),
            sql=(("The whole statement, every arm active", described["whole"]),),
        )
        made.append(replace(page, context={**page.context, "section": section}))
        made.append(_statements(maker.at(statements), entry, described))
    return made


def adjustment_pages(maker: Maker) -> list[Page]:
    """The adjustments, each with what it does on the sample corpus."""
    examples = [(entry.name, of_adjustment(maker, entry.name)) for entry in maker.entries]
    return [maker.page(examples=[(maker.link("adjustments", name), example) for name, example in examples if example])]


def _statements(maker: Maker, profile: Entry, described: Mapping[str, Any]) -> Page:
    """Every combination of preconditions with the arms that fire, and every statement that follows."""
    preconditions = [
        entry
        for entry in maker.joined.entries["preconditions"]
        if any(entry.name in combination["holding"] for combination in described["combinations"])
    ]
    numbers = {statement["key"]: n for n, statement in enumerate(described["statements"], start=1)}
    rows = []
    for combination in described["combinations"]:
        number = numbers.get(combination["statement"])
        rows.append(
            (
                f"[{number}](#statement-{combination['statement']})" if number else "none",
                ", ".join(md.code(name) for name in combination["active"]) or "none",
                *(_holds(entry.name, entry.name in combination["holding"]) for entry in preconditions),
            )
        )
    table = Table(
        f"Combinations of preconditions and their statements in the profile {profile.name}",
        "combinations",
        ("Statement", "Arms that fire", *(_precondition(maker, entry, "title") for entry in preconditions)),
        tuple(rows),
        filter=Filter(
            "Show where these hold",
            "holding",
            tuple((entry.name, md.escape(_lower_first(entry.value("title")))) for entry in preconditions),
            exclusive=False,
        ),
    )
    return Page(
        maker.here,
        f"Statements of {profile.name}",
        f"Which arms fire in the profile {profile.name} under every combination of preconditions, and the statement "
        "that follows.",
        "statements.md.jinja",
        {
            "profile": maker.link("profiles", profile.name),
            "derived": _derived(maker, preconditions),
            "table": table,
            "statements": [
                (numbers[statement["key"]], statement["key"], statement["arms"], statement["sql"])
                for statement in described["statements"]
            ],
        },
        maker.origins([profile, *maker.joined.entries["arms"]]),
        repetitive=True,
    )


def _derived(maker: Maker, shown: Sequence[Entry]) -> list[str]:
    """The preconditions that follow from the others, so that no combination chooses them."""
    names = {entry.name for entry in shown}
    every = maker.joined.entries["preconditions"]
    return [maker.link("preconditions", entry.name) for entry in every if entry.name not in names]

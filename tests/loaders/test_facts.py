"""Authored pages look facts up by name; a name that is none is an error with file and line."""

from __future__ import annotations

import pytest

from rankfold_loaders.agreement import join
from rankfold_loaders.facts import facts, substitute
from rankfold_loaders.faults import SiteError
from rankfold_loaders.live import Live
from rankfold_loaders.project import Project

KNOWN = {
    "arms.count": "4",
    "arms.fts.weight": "1.0",
    "profiles.x.tokenizer": "a_b | {c}",
    "statements.x": "SELECT 1\nFROM x",
}


def test_a_fact_is_looked_up_in_prose_and_made_literal() -> None:
    text = "{{ arms.count }} arms, {{arms.fts.weight}}, {{ profiles.x.tokenizer }}"
    assert substitute(text, KNOWN, "docs/a.md") == "4 arms, 1.0, a\\_b \\| \\{c\\}"


def test_code_is_left_alone_unless_it_asks() -> None:
    text = "`{{ arms.count }}` `{{= arms.count }}`\n\n```sql\n{{ arms.count }}\n{{= statements.x }}\n```\n"
    assert (
        substitute(text, KNOWN, "docs/a.md")
        == "`{{ arms.count }}` `4`\n\n```sql\n{{ arms.count }}\nSELECT 1\nFROM x\n```\n"
    )


def test_headings_with_ids_and_template_blocks_are_left_alone() -> None:
    text = "## Title {#id}\n\n{% raw %} {# comment #}\n"
    assert substitute(text, KNOWN, "docs/a.md") == text


def test_an_unknown_fact_names_file_line_and_the_nearest_name() -> None:
    with pytest.raises(SiteError) as caught:
        substitute("one\n\n`{{ code }}` and\n{{ arms.fts.wieght }}\n\n{{ nothing.like.it }}\n", KNOWN, "docs/a.md", 5)
    said = str(caught.value)
    assert "docs/a.md:8: there is no fact 'arms.fts.wieght'; did you mean 'arms.fts.weight'?" in said
    assert "docs/a.md:10: there is no fact 'nothing.like.it'" in said


def test_facts_are_the_registries(project: Project, live_registries: Live) -> None:
    joined, faults = join(project, live_registries)
    assert not faults
    known = facts(joined, project.facts())
    arms = live_registries["registries"]["arms"]
    assert known["arms.count"] == str(len(arms))
    assert known["arms.fts.weight"] == "1.0"
    assert known["constants.rank_constant.value"] == "60"
    assert known["profiles.documents.window"] == "40"
    assert known["profiles.documents.weight.recency"] == "0.05"
    assert known["profiles.memory.weight.recency"] == "0.5"
    assert known["arms.fts.raw.name"] == "bm25"
    assert known["package.version"]
    assert known["statements.documents"].startswith("WITH")

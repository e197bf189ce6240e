"""Authored pages cannot retype a fact: each numeral and each quoted name is looked up, compared or marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from loaders.site_trees import REPOSITORY
from rankfold_loaders.authored import Page, read_pages
from rankfold_loaders.project import Project
from rankfold_loaders.site import read_registries
from rankfold_loaders.vocabulary import Vocabulary

KNOWN = {
    "arms.count": "4",
    "slots.window.number": "2",
    "arms.fts.weight": "1.0",
    "arms.fts.title": "Full text",
    "arms.vector.title": "Nearness",
    "profiles.documents.window": "40",
    "profiles.memory.window": "40",
    "profiles.documents.rank_constant": "60",
    "default.profile": "documents",
    "package.python": "3.11",
}
NAMES = Vocabulary(
    frozenset({"fts", "--limit", "rankfold", "search", "QUERY", "rank", "rank_constant", "{scope}"}),
    {"rankfold": frozenset({"search"})},
    (Path(__file__).parent,),
)


def said(text: str, *, looks_up: bool = True) -> list[str]:
    return [str(fault) for fault in Page(text, "page.md", KNOWN, NAMES, looks_up=looks_up).read().faults]


@pytest.mark.parametrize(
    "text",
    [
        "In the default profile the window is {{ profiles.documents.window }}.",
        "The arm `fts` reads `{scope}`; see `rankfold search QUERY --limit`.",
        "It keeps to the window through the slot with the number `?{{= slots.window.number }}`.",
        "Pages of 8 KiB[^8-KiB] are faster.\n\n[^8-KiB]: the size that was measured\n",
        "On 2024-03-01[^2024-03-01] it was so.\n\n[^2024-03-01]: a day in an example\n",
        "Copy it with `VACUUM INTO`[^VACUUM-INTO].\n\n[^VACUUM-INTO]: a statement of SQLite\n",
        "## 1. First {#first}\n\n1. one\n2. two\n\n## 2. Second {#second}\n\n1. one again\n",
        "It needs FTS5 and UTF-8, as nDCG@10 shows; see [this](page-1.md#step-2) and <https://example.org/8>.",
        "---\ndate: 2026-12-01\n---\n\n# A page\n",
        "| Arm | Weight |\n| --- | ---: |\n| [Full text](arms.md#arm-fts) | {{ arms.fts.weight }} |\n",
        "An argument `test_authored.py` is a file that is there.",
        "A page writes `{{ arms.none.weight }}` where it looks something up.",
    ],
)
def test_what_is_looked_up_known_or_marked_passes(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The window is 40.", "page.md:1: the numeral 40 is typed; look it up, {{ profiles.documents.window }}"),
        ("One.\n\nIt takes 7 days.", "page.md:3: the numeral 7 is typed; mark it as free, 7[^7]"),
        ("It takes `7` days.", "'7' is no name of this project"),
        ("| a | b |\n| - | - |\n| 40 | c |", "page.md:3: the numeral 40 is typed"),
        ("```text\nwindow 40\n```", "page.md:2: the numeral 40 is typed in a block that does not run"),
        ("Pages of 9 KiB[^8-KiB].\n\n[^8-KiB]: it was measured", "the numeral 9 is typed"),
        ("Pages of 8 KiB[^8-KiB].", "the numeral 8 is typed"),
        ("Pages of 8 KiB[^8-KiB].\n\n[^8-KiB]: so", "the numeral 8 is typed"),
        ("A note[^why].", "page.md:1: the mark [^why] has no reason"),
        ("---\ntitle: 40 arms\n---\n\n# Arms", "page.md:2: front matter can neither look up nor mark 40"),
        ("The arm `ftsx` reads.", "page.md:1: 'ftsx' is no name of this project"),
        ("It goes through `?2`.", "'?2' is no name of this project"),
        ("Type `--limits`.", "'--limits' is no name of this project"),
        ("Type --limits there.", "'--limits' is no name of this project"),
        ("The constant rank_constants counts.", "'rank_constants' is no name of this project"),
        ("Type `rankfold serch`.", "'serch'"),
        ("Type `rankfold fts`.", "'rankfold fts' is no name of this project"),
        ("The file `no/such.py`.", "'no/such.py' is no name of this project"),
        ("There are {{ arms.cout }} arms.", "page.md:1: there is no fact 'arms.cout'; did you mean 'arms.count'?"),
        ("There are four arms.", "'four arms' counts a registry; look it up, {{ arms.count }}"),
        ("There are four ranking arms.", "counts a registry"),
        ("## 1. One\n\n## 3. Three\n", "page.md:3: ## 3. should be number 2"),
        ("1. one\n3. three\n", "page.md:2: 3. should be number 2"),
        ("2. one\n", "2. should be number 1"),
        ("1. one\n1. one\n", "page.md:2: 1. should be number 2"),
    ],
)
def test_what_is_typed_is_found_with_its_line(text: str, fault: str) -> None:
    found = said(text)
    assert any(fault in line for line in found), found


def test_a_look_up_of_something_else_than_the_sentence_says_is_found() -> None:
    right = (
        "In the profile `memory`[^memory] the window is {{ profiles.memory.window }}.\n\n[^memory]: an example here\n"
    )
    assert said(right) == []
    (fault,) = said(right.replace("profiles.memory.window", "profiles.documents.window"))
    assert "profiles.documents.window is looked up where nothing says “documents”" in fault
    (fault,) = said(right.replace("the window is", "it is"))
    assert "nothing says “window”" in fault


def test_a_look_up_in_the_wrong_column_of_a_table_is_found() -> None:
    table = "| Arm | Title | Weight |\n| --- | --- | --- |\n| [it](arms.md#arm-fts) | x | {{ arms.fts.weight }} |\n"
    assert said(table) == []
    assert (
        "nothing says “weight”" in said(table.replace("| x | {{ arms.fts.weight }}", "| {{ arms.fts.weight }} | x"))[0]
    )


def test_a_look_up_is_not_said_by_itself() -> None:
    table = "| Arm |\n| --- |\n| [{{ arms.fts.title }}](arms.md#arm-fts) |\n"
    assert said(table) == []
    assert "nothing says “vector”" in said(table.replace("arms.fts.title", "arms.vector.title"))[0]


def test_a_page_that_cannot_look_up_names_the_fact_and_is_compared() -> None:
    assert said("Python 3.11<!-- package.python --> is needed.", looks_up=False) == []
    (fault,) = said("Python 3.12<!-- package.python --> is needed.", looks_up=False)
    assert "3.12 is written, but package.python is 3.11" in fault
    (fault,) = said("Python 3.11<!-- package.pythn --> is needed.", looks_up=False)
    assert "package.pythn is no fact" in fault
    (fault,) = said("Python 3.11 is needed.", looks_up=False)
    assert "name its fact, 3.11<!-- package.python -->" in fault
    assert "nothing fills in arms.count here" in said("{{ arms.count }} arms", looks_up=False)[0]


def test_names_that_the_pages_own_code_makes_are_known() -> None:
    page = "```python\nBREVITY = dict(name='brevity')\n```\n\nThe arm `brevity`.\n"
    assert said(page) == []
    assert said(page.replace("`brevity`", "`brevitx`")) != []


def test_free_numerals_are_counted() -> None:
    text = "8 KiB[^8-KiB] and {{ arms.count }} arms, `fts` too.\n\n[^8-KiB]: the size that was measured\n"
    found = Page(text, "page.md", KNOWN, NAMES).read()
    assert (found.free, found.looked_up, found.verified) == (1, 1, 1)


def test_a_record_renamed_stops_the_pages_that_quote_it(own_tree: Path) -> None:
    page = own_tree / "docs" / "how-a-search-runs.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nThe constant `coverage_floor`.\n", encoding="utf-8")
    constants = own_tree / "src/rankfold/constants.py"
    project = Project.at(own_tree)
    made = read_registries(project)
    before = {fault.message for fault in read_pages(project, made.facts, made.joined.entries).faults}
    assert not any("coverage_floor" in message for message in before)
    text = constants.read_text(encoding="utf-8")
    constants.write_text(text.replace('name="coverage_floor"', 'name="floor_of_coverage"'), encoding="utf-8")
    made = read_registries(project)
    after = [str(fault) for fault in read_pages(project, made.facts, made.joined.entries).faults]
    assert any("docs/how-a-search-runs.md" in fault and "'coverage_floor' is no name" in fault for fault in after)


def test_the_projects_own_pages_pass() -> None:
    project = Project.at(REPOSITORY)
    made = read_registries(project)
    found = read_pages(project, made.facts, made.joined.entries)
    assert [str(fault) for fault in found.faults] == []
    assert found.looked_up > 20
    assert found.verified > 20
    assert found.free > 0

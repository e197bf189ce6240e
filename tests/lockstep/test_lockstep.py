"""The harness itself: what is in step passes, and a deaf page, a blind check or a typed number is reported."""

from __future__ import annotations

import io
import os
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from lockstep import mutations
from lockstep.__main__ import LEFT_OUT, REPOSITORY, Survivor, Task, run, show, tasks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return Path(shutil.copytree(REPOSITORY, tmp_path / "project", ignore=LEFT_OUT))


def changes(tree: Path, only: str, how: str = "pages") -> list[Task]:
    found = list(dict.fromkeys(task.mutation for task in tasks(tree, only)))
    assert found
    return [Task(mutation, how) for mutation in found]


def lost(tree: Path, only: str, how: str = "pages") -> list[str]:
    survivors = run(tree, changes(tree, only, how), 2)
    return [f"{survivor.mutation.what}: {survivor.reason}" for survivor in survivors]


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_at_least_three_hundred_changes_of_every_group_are_made() -> None:
    found = tasks(REPOSITORY)
    groups = {task.mutation.group for task in found}
    assert len(found) >= 300
    assert groups == {"record", "docstring", "described", "option", "command", "schema", "column", "authored"}
    assert sum(task.how == "build" and task.mutation.group != "authored" for task in found) >= 50
    assert all(task.how == "build" for task in found if task.mutation.group == "authored")
    assert [task.mutation for task in found] == [task.mutation for task in tasks(REPOSITORY)]


def test_each_field_of_each_record_is_among_the_changes() -> None:
    named = {change.fact for change in mutations.records(REPOSITORY)}
    for fact in (
        ("arms", "fts", "weight"),
        ("arms", "fts", "raw.unit"),
        ("profiles", "documents", "weights.recency"),
        ("profiles", "documents", "window"),
        ("preconditions", "query_vector", "degrades"),
        ("constants", "window", "value"),
        ("errors", "bad_value", "exit_code"),
        ("fields", "title", "keys"),
    ):
        assert fact in named
    assert len(named) > 500


def test_each_table_and_column_of_each_migration_is_among_the_changes() -> None:
    named = {change.fact[1:] for change in mutations.schema(REPOSITORY)}
    for fact in (("setting", "doc"), ("document", "dated_at"), ("access", "popularity"), ("chunk", "vector_id")):
        assert fact in named


def test_public_docstrings_are_among_the_changes() -> None:
    owners = {change.fact[1] for change in mutations.docstrings(REPOSITORY) if change.fact[0] == "python"}
    assert {"Arm.sql", "Collection.search", "Hit.created_at"} <= owners


def test_no_registry_of_records_is_left_out() -> None:
    table = (REPOSITORY / "loaders/rankfold_loaders/own_reference.py").read_text(encoding="utf-8")
    stated = set(re.findall(r'kind="(\w+)"(?:(?!RegistryPage).)*?\brecord="[\w.]+:(\w+)"', table, re.DOTALL))
    assert {(kind, record) for record, kind in mutations.KINDS.items()} == stated


def test_a_change_leaves_every_other_line_where_it_was() -> None:
    for change in [*mutations.records(REPOSITORY), *mutations.commands(REPOSITORY)]:
        assert change.old.count("\n") == change.new.count("\n"), change


def test_a_tree_in_step_passes(tree: Path) -> None:
    assert lost(tree, r"record constants\.(salience_decay|window)\.(value|unit|maximum)") == []


def test_a_deaf_page_is_reported(tree: Path) -> None:
    template = tree / "site-templates/pages/registry.md.jinja"
    replace(template, "# {{ page.title", f'{{% filter replace("{mutations.WORD}", "hour") %}}\n# {{{{ page.title')
    template.write_text(template.read_text(encoding="utf-8") + "{% endfilter %}\n", encoding="utf-8")
    (found,) = lost(tree, r"record constants\.salience_decay\.unit")
    assert found == "constants.salience_decay.unit: hour → quokka: does not change reference/constants.md"


@pytest.mark.parametrize(("how", "page"), [("pages", "reference/index.md"), ("build", "reference/index.html")])
def test_a_page_that_changes_without_stating_the_fact_is_reported(tree: Path, how: str, page: str) -> None:
    template = tree / "site-templates/pages/overview.md.jinja"
    render = tree / "loaders/rankfold_loaders/render.py"
    # A digest of a file on a page makes the page change with everything in that file.
    replace(template, "{{ m.table(table) }}", "{{ m.table(table) }}\n\n{{ digest }}")
    line = "            body = self._environment.get_template(page.template).render(page.context, page=page"
    digest = ", digest=__import__('hashlib').md5(__import__('pathlib').Path('src/rankfold/fields.py').read_bytes())"
    replace(render, line, f"{line}{digest}.hexdigest()")
    (found,) = lost(tree, r"record fields\.title\.unit", how)
    assert f"changes {page}, which does not state it" in found


def test_a_template_that_types_a_number_stops_the_build(tree: Path) -> None:
    replace(tree / "site-templates/pages/arms.md.jinja", "## 1. Weights", "The window is 40.\n\n## 1. Weights")
    with pytest.raises(RuntimeError, match=r"site-templates/pages/arms\.md\.jinja types 40, 1, 0"):
        run(tree, changes(tree, r"record constants\.window\.unit"), 1)


def test_a_blind_check_is_reported(tree: Path) -> None:
    authored = tree / "loaders/rankfold_loaders/authored.py"
    replace(authored, "        for match in NUMERAL.finditer(bare):\n", "        for match in NUMERAL.finditer(''):\n")
    found = lost(tree, r"docs/decisions/0001\S+ authored .*numeral", "build")
    assert found
    assert all("the build went through" in line for line in found)


def test_a_number_in_a_docstring_that_nothing_holds_is_reported(tree: Path) -> None:
    texts = tree / "loaders/rankfold_loaders/record_texts.py"
    replace(texts, "        if stated != tuple(typed):\n", "        if False:\n")
    found = lost(tree, r"docstring python\.")
    assert found
    assert all("the build went through" in line for line in found)


def test_a_check_that_is_not_asked_is_reported(tree: Path) -> None:
    adapter = tree / "loaders/rankfold_loaders/mkdocs_adapter.py"
    replace(adapter, "transcripts.stale(", "(lambda _: [])(")
    found = lost(tree, r"docs/index\.md authored \S+\.block\.0\.0169227:", "build")
    assert found
    assert all("the build went through" in line for line in found)


def test_a_project_that_does_not_build_proves_nothing(tree: Path) -> None:
    replace(tree / "docs/index.md", "{{ arms.count }}", "{{ arms.cuont }}")
    with pytest.raises(RuntimeError, match=r"without any change .*arms\.cuont"):
        run(tree, changes(tree, r"record constants\.window\.unit"), 1)


def test_the_copies_are_changed_and_not_the_project(tree: Path) -> None:
    before = (tree / "src/rankfold/constants.py").read_bytes()
    assert lost(tree, r"record constants\.window\.unit") == []
    assert (tree / "src/rankfold/constants.py").read_bytes() == before


def test_the_score_names_every_survivor() -> None:
    change = next(mutations.records(REPOSITORY))
    written = Console(file=io.StringIO(), width=160)
    show(written, [Task(change, "pages"), Task(change, "build")], [Survivor(change, "no page changed")], 1.0, 1)
    said = written.file.getvalue()  # type: ignore[attr-defined]
    assert f"{change.file}:{change.line}" in said
    assert "no page changed" in said
    assert "1 of 2 changes noticed, 50 %" in said

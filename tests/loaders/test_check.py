"""Each check fails when what it looks for is there: a planted drift is named, in a diff, with what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from loaders.site_trees import build, environment, replace_in
from rankfold_loaders import transcripts
from rankfold_loaders.agreement import join
from rankfold_loaders.check import (
    Outcome,
    build_twice,
    code_ran,
    compare,
    facts_resolve,
    links,
    pages_match,
    report,
    same_bytes,
)
from rankfold_loaders.live import Live
from rankfold_loaders.project import Project

ARMS_PAGE = "reference/arms/index.html"
FTS_PAGE = "reference/arms/fts/index.html"


def outcome_of(project: Project, site: Path, live: Live) -> str:
    outcome = pages_match(project, site, live)
    assert not outcome.passed
    lines: list[str] = []
    assert report(iter([outcome]), lines.append) == 1
    assert "To mend it:" in "\n".join(lines)
    return "\n".join(outcome.faults)


def test_an_unchanged_site_passes(project: Project, built: Path, live_registries: Live) -> None:
    outcome = pages_match(project, built, live_registries)
    assert outcome.passed, "\n".join(outcome.faults)
    registries = live_registries["registries"]
    cells = len(registries["arms"]) * (1 + len(registries["profiles"]) + len(registries["preconditions"]))
    assert f"({cells} of them in the table of weights)" in outcome.summary
    assert links(built, project.site_url).passed


def test_a_changed_weight_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    replace_in(
        own_site / ARMS_PAGE, '<td style="text-align: right;">0.05</td>', '<td style="text-align: right;">0.06</td>'
    )
    diff = outcome_of(project, own_site, live_registries)
    assert "-weights: recency: Profile documents: 0.05" in diff
    assert "+weights: recency: Profile documents: 0.06" in diff


def test_a_weight_that_lost_its_authored_form_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    page = own_site / ARMS_PAGE
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace('<td style="text-align: right;">1.0</td>', '<td style="text-align: right;">1</td>', 1))
    assert "+weights: fts: Default weight: 1\n" in outcome_of(project, own_site, live_registries) + "\n"


def test_a_changed_precondition_cell_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    page = own_site / ARMS_PAGE
    head, _, tail = page.read_text(encoding="utf-8").partition('<td><strong data-needs="query_terms">yes</strong></td>')
    page.write_text(head + "<td>no</td>" + tail, encoding="utf-8")
    assert "-weights: fts: Needs query terms: yes" in outcome_of(project, own_site, live_registries)


def test_a_missing_row_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    page = own_site / ARMS_PAGE
    text = page.read_text(encoding="utf-8")
    start = text.index("<tr>", text.index('data-registry="weights"'))
    start = text.index("<tr>", start + 1)
    end = text.index("</tr>", start) + len("</tr>")
    page.write_text(text[:start] + text[end:], encoding="utf-8")
    assert "-weights: fts: Default weight: 1.0" in outcome_of(project, own_site, live_registries)


def test_changed_sql_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    replace_in(own_site / FTS_PAGE, "bm25", "bm26")
    diff = outcome_of(project, own_site, live_registries)
    assert "bm26" in diff
    assert "section fts: SQL 1:" in diff


def test_a_missing_page_is_found(project: Project, own_site: Path, live_registries: Live) -> None:
    (own_site / "reference/scopes/index.html").unlink()
    assert "the page reference/scopes.md" in outcome_of(project, own_site, live_registries)


def test_nothing_to_compare_is_a_failure(tmp_path: Path) -> None:
    """FC-S09."""
    assert not compare({}, {}).passed
    assert not links(tmp_path).passed
    assert not same_bytes(tmp_path, tmp_path).passed
    lines: list[str] = []
    report(iter([Outcome("empty", "", 0)]), lines.append)
    assert any("nothing was found to compare" in line for line in lines)


def test_a_dead_link_and_a_dead_anchor_are_found(own_site: Path) -> None:
    replace_in(own_site / "tutorial/index.html", 'href="../reference/arms/"', 'href="../reference/limbs/"')
    replace_in(
        own_site / "reference/arms/index.html",
        'href="../preconditions/#precondition-query_terms"',
        'href="../preconditions/#precondition-gone"',
    )
    outcome = links(own_site)
    assert not outcome.passed
    said = "\n".join(outcome.faults)
    assert "tutorial/index.html: the link '../reference/limbs/' leads nowhere" in said
    assert "leads to no section of that page" in said


def test_an_unknown_fact_is_found(own_tree: Path, project: Project, live_registries: Live) -> None:
    page = own_tree / "docs/tutorial.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n{{ arms.fts.wieght }}\n", encoding="utf-8")
    lines = len(page.read_text(encoding="utf-8").splitlines())
    joined, _ = join(project, live_registries)
    outcome = facts_resolve(Project(own_tree), joined)
    assert outcome.faults == [
        f"docs/tutorial.md:{lines}: there is no fact 'arms.fts.wieght'; did you mean 'arms.fts.weight'?"
    ]
    ran = build(own_tree, own_tree / "site")
    assert ran.returncode != 0
    assert f"docs/tutorial.md:{lines}:" in ran.stdout + ran.stderr


def test_a_build_that_differs_from_itself_is_found(own_tree: Path, tmp_path: Path) -> None:
    replace_in(
        own_tree / "loaders/rankfold_loaders/own_reference.py",
        "from __future__ import annotations\n",
        "from __future__ import annotations\n\nimport time\n",
    )
    replace_in(
        own_tree / "loaders/rankfold_loaders/own_reference.py",
        'title="Document fields",',
        'title=f"Document fields {time.time_ns()}",',
    )
    outcome = build_twice(Project(own_tree), tmp_path / "one", tmp_path / "two")
    assert outcome.passed, outcome.faults
    bytes_ = same_bytes(tmp_path / "one", tmp_path / "two")
    assert not bytes_.passed
    assert any("reference/fields/index.html" in fault and "Document fields" in fault for fault in bytes_.faults)


def run_check(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rankfold_loaders", "check", "--root", str(root)],
        env=environment(root),
        capture_output=True,
        text=True,
        check=False,
    )


def files_of(root: Path) -> Sequence[tuple[str, bytes]]:
    return sorted(
        (file.relative_to(root).as_posix(), file.read_bytes())
        for file in root.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    )


def test_the_command_passes_on_the_project_and_writes_nothing_into_it(own_tree: Path) -> None:
    """FC-S10."""
    before = files_of(own_tree)
    ran = run_check(own_tree)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "The site says what the code does."
    assert all(line.startswith("ok ") for line in ran.stdout.splitlines()[:-1])
    assert files_of(own_tree) == before


def test_the_command_finds_a_template_that_types_a_weight(own_tree: Path) -> None:
    """FC-S10."""
    replace_in(
        own_tree / "site-templates/partials/macros.md.jinja",
        '| {{ row | join(" | ") }} |',
        '| {{ row | join(" | ") | replace("0.05", "0.06") }} |',
    )
    ran = run_check(own_tree)
    assert ran.returncode == 1
    assert "-weights: recency: Profile documents: 0.05" in ran.stdout
    assert "+weights: recency: Profile documents: 0.06" in ran.stdout
    assert "To mend it:" in ran.stdout


def test_a_root_without_a_site_is_a_usage_error(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "rankfold_loaders", "check", "--root", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "there is no mkdocs.yml" in ran.stderr


def test_a_page_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        "<html><head><title> </title></head><body><h1>A</h1><h1>B</h1><p id=x></p><p id=x>{{ left }} [a][b]</p>"
        '<pre>{{ fine }}</pre><code>[x][y]</code><script src="https://cdn.example.org/x.js"></script></body></html>'
    )
    said = "\n".join(links(tmp_path).faults)
    expected = ["no title", "no description", "2 headings of the first level", "'x' is used 2 times"]
    expected += ["'{{ left }}'", "'[a][b]' has no target", "another host"]
    for part in expected:
        assert part in said
    assert "fine" not in said
    assert "[x][y]" not in said


def test_output_that_the_code_does_not_print_is_found_even_under_a_right_stamp(tmp_path: Path) -> None:
    page = "```console\n$ echo four\nfour\n```\n"
    (tmp_path / "README.md").write_text(transcripts.stamped(page), encoding="utf-8")
    assert code_ran(Project(tmp_path)).passed
    (tmp_path / "README.md").write_text(transcripts.stamped(page.replace("\nfour", "\nfive")), encoding="utf-8")
    (said,) = code_ran(Project(tmp_path)).faults
    assert said.startswith("README.md:2: this is not what is printed")

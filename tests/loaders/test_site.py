"""The built site: what is on it, where it leads, and what stops it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from loaders.site_trees import REPOSITORY, build, replace_in
from rankfold_loaders import configuration, live
from rankfold_loaders.addresses import anchor, page_of
from rankfold_loaders.agreement import join
from rankfold_loaders.built_site import faults_of_folder
from rankfold_loaders.check import pages_match
from rankfold_loaders.live import Live
from rankfold_loaders.own_reference import OWN
from rankfold_loaders.project import Project


def soup_of(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def test_every_registry_reaches_a_page_with_its_members_in_order(built: Path, live_registries: Live) -> None:
    for page in OWN.registries:
        names = [record["name"] for record in live_registries["registries"][page.kind]]
        assert names
        if page.each:
            for name in names:
                heading = soup_of(built / page_of(page, name).removesuffix(".md").removesuffix("/index") / "index.html")
                assert name.split("-")[-1] in str(heading.select_one("article h1"))
            continue
        file = built / page.uri.removesuffix(".md") / "index.html"
        ids = [heading["id"] for heading in soup_of(file).select("h3[id]")]
        assert ids == [anchor(page.word, name) for name in names]


def test_headings_are_numbered_without_gaps(built: Path) -> None:
    for file in (built / "reference").rglob("index.html"):
        if file.parent.name == "reference":
            continue
        headings = [heading.get_text().removesuffix("¶") for heading in soup_of(file).select("article h2, article h3")]
        expected: list[str] = []
        first = second = 0
        for heading in headings:
            if re.match(r"\d+\.\d+\. ", heading):
                second += 1
                expected.append(f"{first}.{second}. ")
            else:
                first, second = first + 1, 0
                expected.append(f"{first}. ")
        assert all(heading.startswith(number) for heading, number in zip(headings, expected, strict=True)), file
        assert headings[-1].endswith("Provenance")


def test_every_page_is_in_the_menu(built: Path) -> None:
    """FC-S07."""
    menu = {link["href"] for link in soup_of(built / "index.html").select(".md-nav--primary a[href]")}
    for file in built.rglob("index.html"):
        folder = file.parent.relative_to(built).as_posix()
        assert folder == "." or f"{folder}/" in menu, folder


def test_edit_links_lead_to_files_of_the_project(built: Path, tree: Path) -> None:
    """FC-S08."""
    found = 0
    for file in built.rglob("index.html"):
        for link in soup_of(file).select('a[rel="edit"]'):
            path = str(link["href"]).removeprefix("https://github.com/rankfold/rankfold/edit/main/")
            assert (tree / path).is_file(), path
            found += 1
    assert found > 5


def test_edit_links_are_right_with_a_template_too(own_tree: Path, tmp_path: Path) -> None:
    """FC-S08."""
    replace_in(own_tree / "mkdocs.yml", "edit_uri: edit/main/docs/", "edit_uri_template: 'edit/main/docs/{path}'")
    site = tmp_path / "site"
    ran = build(own_tree, site)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    link = soup_of(site / "reference/constants/index.html").select_one('a[rel="edit"]')
    assert link is not None
    assert link["href"] == "https://github.com/rankfold/rankfold/edit/main/src/rankfold/constants.py"


def test_wide_tables_can_be_scrolled_by_keyboard(built: Path) -> None:
    tables = soup_of(built / "reference/arms/index.html").select("div.rf-table")
    assert tables
    for table in tables:
        assert (table["role"], table["tabindex"]) == ("region", "0")
        assert table["aria-label"]


def test_nothing_is_asked_of_another_host(built: Path) -> None:
    assert faults_of_folder(built, "https://rankfold.github.io/rankfold/") == []
    for file in built.rglob("*.html"):
        assert 'data-md-component="source"' not in file.read_text(encoding="utf-8")


def test_a_dead_link_and_a_dead_anchor_stop_the_build_whatever_is_logged(own_tree: Path, tmp_path: Path) -> None:
    """FC-S06."""
    template = own_tree / "site-templates/pages/overview.md.jinja"
    template.write_text(
        template.read_text(encoding="utf-8")
        + "\n[gone](nowhere.md) [moved](arms/index.md#gone) <a href='../gone/'>raw</a> [x][ref] {{ '{{ left }}' }}\n\n"
        "## One {#twice}\n\n## Two {#twice}\n",
        encoding="utf-8",
    )
    for options in ((), ("--verbose",), ("--quiet",)):
        ran = build(own_tree, tmp_path / "site", *options)
        said = ran.stdout + ran.stderr
        assert ran.returncode != 0, said
        for part in ("nowhere.md", "arms/#gone", "../gone/", "[x][ref]", "{{ left }}", "'twice' is used 2 times"):
            assert part in said, (options, part)


def test_a_page_written_by_hand_where_one_is_generated_stops_the_build(own_tree: Path, tmp_path: Path) -> None:
    page = own_tree / "docs/reference/scopes.md"
    page.parent.mkdir()
    page.write_text("# Mine\n\n[gone](nowhere.md)\n", encoding="utf-8")
    ran = build(own_tree, tmp_path / "site", "--quiet")
    assert ran.returncode != 0
    said = ran.stdout + ran.stderr
    assert "docs/reference/scopes.md: is written by hand and generated too" in said
    assert "nowhere.md" in said  # every fault in one error


def test_a_page_that_is_in_no_menu_stops_the_build(own_tree: Path, tmp_path: Path) -> None:
    """FC-S07."""
    (own_tree / "docs/lost.md").write_text("---\ndescription: Lost.\n---\n# Lost\n", encoding="utf-8")
    ran = build(own_tree, tmp_path / "site", "--quiet")
    assert ran.returncode != 0
    assert "lost.md: is not in the navigation" in ran.stdout + ran.stderr


def test_arms_known_only_at_run_time_are_on_the_page(
    own_tree: Path, tmp_path: Path, example_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FC-S04, FC-S11."""
    site = tmp_path / "site"
    ran = build(own_tree, site, more=(example_path,))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = soup_of(site / "reference/arms/hostile/index.html")
    text = page.get_text()
    pages = {name: soup_of(site / f"reference/arms/{name}/index.html").get_text() for name in ("depth", "brevity")}
    assert "how deep their folder is" in pages["depth"]
    assert "shortest first" in pages["brevity"]
    assert "0.125" in soup_of(site / "reference/arms/index.html").get_text()
    for shown in (text, *pages.values()):
        assert len(re.findall(r"Added by\s+rankfold-example-arms", shown)) == 1
    # The hostile one shows exactly what it holds, in the page and in what the search finds.
    monkeypatch.setenv("PYTHONPATH", str(example_path))
    registries = live.read(Project(own_tree))
    project = Project(own_tree)
    outcome = pages_match(project, site, registries)
    assert outcome.passed, "\n".join(outcome.faults)
    joined, faults = join(project, registries)
    assert not faults
    assert joined.entry("arms", "hostile").source.origin == "rankfold-example-arms"
    assert "use a|b alternation <T> {{ name }} {% raw %}" in text
    assert "Closes </td><b>early, matches __init__ and *args, needs List<int>, and a|b in code." in text
    assert "{{ name }} | end" in text
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    assert "Closes &lt;/td&gt;&lt;b&gt;early" in index or "Closes </td><b>early" in index
    assert not page.select("script:-soup-contains('alert(1)')")


def git(root: Path, *arguments: str, date: str = "2001-02-03T04:05:06Z") -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    variables = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    command = ["git", "-C", str(root), *identity, *arguments]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.strip()


def test_dates_and_links_come_from_the_newest_commit(own_tree: Path, tmp_path: Path) -> None:
    git(own_tree, "init", "-q")
    git(own_tree, "add", "-A")
    git(own_tree, "commit", "-q", "-m", "one")
    site = tmp_path / "site"
    ran = build(own_tree, site)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert set(re.findall(r"<lastmod>(.*)</lastmod>", (site / "sitemap.xml").read_text())) == {"2001-02-03"}
    revision = git(own_tree, "rev-parse", "HEAD")
    link = soup_of(site / "reference/arms/index.html").select_one(f'a[href*="/blob/{revision}/src/"]')
    assert link is not None
    path, _, line = str(link["href"]).partition(f"/blob/{revision}/")[2].partition("#L")
    assert "Arm(" in (own_tree / path).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_line_ends_are_pinned_for_every_checkout(own_tree: Path, tmp_path: Path) -> None:
    """FC-S09."""
    git(own_tree, "init", "-q")
    git(own_tree, "add", "-A")
    git(own_tree, "commit", "-q", "-m", "one")
    clone = tmp_path / "clone"
    git(own_tree, "clone", "-q", "-c", "core.autocrlf=true", "-c", "core.eol=crlf", str(own_tree), str(clone))
    texts = [file for suffix in ("py", "md", "jinja", "yml", "css") for file in clone.rglob(f"*.{suffix}")]
    assert len(texts) > 40
    assert not [file for file in texts if b"\r\n" in file.read_bytes()]


def test_the_configuration_loads_nothing_from_elsewhere_and_hides_no_page() -> None:
    settings = configuration.read(REPOSITORY / "mkdocs.yml")
    assert settings["theme"]["font"] is False
    assert settings["watch"] == ["src", "loaders", "site-templates", "examples"]
    assert settings["validation"]["links"]["anchors"] == "warn"

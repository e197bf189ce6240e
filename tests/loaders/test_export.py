"""The export is the whole site as plain Markdown: other builders build it, and nothing but its own is touched."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

from loaders.packages import example, package, run
from loaders.site_trees import environment, replace_in
from loaders.test_plugin import DATACLASS, ROW
from rankfold_loaders.export import MARKER, Export, export, refusal, write
from rankfold_loaders.facts import FACT
from rankfold_loaders.faults import SiteError
from rankfold_loaders.markdown_text import split_code
from rankfold_loaders.project import Project


def exporting(root: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would."""
    command = [sys.executable, "-m", "rankfold_loaders", "export", str(folder), "--root", str(root), *options]
    return subprocess.run(command, env=environment(root), capture_output=True, text=True, check=False)


def zensical(folder: Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("zensical", path=str(Path(sys.executable).parent))
    assert program, "zensical is not installed beside this Python; it is in the extra `dev`"
    command = [program, "build", "--strict", "--clean", "--config-file", str(folder / "mkdocs.yml")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def exported(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This project's own site, exported; the playground is left out because making it takes long."""
    folder = tmp_path_factory.mktemp("export") / "plain"
    ran = exporting(tree, folder, "--no-playground")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"other files are in {folder}" in ran.stdout
    assert f"zensical build --strict --config-file {folder}/mkdocs.yml" in ran.stdout
    return folder


@pytest.fixture
def own_export(exported: Path, tmp_path: Path) -> Path:
    """A copy of the export for one test to change."""
    return Path(shutil.copytree(exported, tmp_path / "plain"))


def test_another_builder_builds_it_strictly(own_export: Path) -> None:
    ran = zensical(own_export)
    print(f"zensical {version('zensical')}: {ran.stdout.strip().splitlines()[-1:]}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    made = {file.parent.relative_to(own_export / "site").as_posix() for file in own_export.rglob("site/**/index.html")}
    pages = {file.relative_to(own_export / "docs").with_suffix("").as_posix() for file in own_export.rglob("*.md")}
    folders = {page.removesuffix("index").rstrip("/") or "." for page in pages}
    assert folders <= made


@pytest.mark.parametrize("link", ["[gone](nowhere.md)", "[gone](arms/index.md#gone)"])
def test_another_builder_finds_a_dead_link_in_it(own_export: Path, link: str) -> None:
    page = own_export / "docs/reference/index.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{link}\n", encoding="utf-8")
    assert zensical(own_export).returncode != 0


def test_plain_mkdocs_builds_it_strictly_without_any_of_our_code(own_export: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    variables = environment(tmp_path) | {"PYTHONPATH": ""}
    ran = subprocess.run(command, cwd=own_export, env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = BeautifulSoup((tmp_path / "site/reference/arms/fts/index.html").read_text(encoding="utf-8"), "html.parser")
    assert page.select_one(".language-sql pre code")
    assert not page.select('a[rel="edit"]')


def test_no_fact_is_left_to_be_looked_up(exported: Path, tree: Path) -> None:
    def left(folder: Path) -> list[str]:
        return [
            match.group()
            for file in folder.rglob("*.md")
            for piece, is_code in split_code(file.read_text(encoding="utf-8"))
            for match in FACT.finditer(piece)
            if match["code"] or not is_code
        ]

    assert len(left(tree / "docs")) > 10
    assert left(exported / "docs") == []


def test_its_configuration_knows_of_nothing_outside_it(exported: Path) -> None:
    text = (exported / "mkdocs.yml").read_text(encoding="utf-8")
    stated = yaml.load(text.replace("!ENV", ""), yaml.SafeLoader)
    assert not stated.keys() & {"hooks", "watch", "docs_dir", "site_dir", "INHERIT"}
    assert stated["edit_uri"] == ""
    assert stated["repo_url"] == "https://github.com/rankfold/rankfold"
    assert not [one for one in stated["theme"]["features"] if "action" in one]
    assert (exported / stated["theme"]["custom_dir"]).is_dir()

    def pages(nav: object) -> list[str]:
        if isinstance(nav, str):
            return [nav]
        items = nav.values() if isinstance(nav, dict) else nav
        return [page for item in items for page in pages(item)]  # type: ignore[attr-defined]

    listed = pages(stated["nav"])
    written = {file.relative_to(exported / "docs").as_posix() for file in exported.rglob("docs/**/*.md")}
    assert sorted(listed) == sorted(written)
    for kept in ("free-numerals.yml", "redirects.yml"):  # `exclude_docs` of the project
        assert not (exported / "docs" / kept).exists()


def test_two_exports_are_the_same_bytes_and_the_second_writes_nothing(exported: Path, tree: Path) -> None:
    before = files_of(exported)
    times = {path: (exported / path).stat().st_mtime_ns for path in before if path != MARKER}
    assert exporting(tree, exported, "--no-playground").returncode == 0
    assert files_of(exported) == before
    assert {path: (exported / path).stat().st_mtime_ns for path in times} == times


def test_only_a_new_folder_an_empty_one_or_its_own_is_written_to(tmp_path: Path) -> None:
    root = package(tmp_path / "kettles", {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    full = tmp_path / "full"
    full.mkdir()
    (full / "letters.txt").write_text("dear")
    for folder, said in (
        (full, "is not empty, and no export wrote it"),
        (full / "letters.txt", "is no folder"),
        (root, "is not empty"),
        (root / "docs/plain", "is among the authored pages"),
    ):
        ran = run(root, "rankfold_loaders", "export", str(folder))
        assert ran.returncode == 2, ran.stdout
        assert said in " ".join(ran.stderr.split())
    assert [file.name for file in full.iterdir()] == ["letters.txt"]
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty", Project.at(root)) == ""


def test_what_an_earlier_export_wrote_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    write(Export({"docs/a/old.md": b"old", "docs/kept.md": b"one", "mkdocs.yml": b"x"}, 2, 0), folder)
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("built")
    write(Export({"docs/kept.md": b"two", "docs/new.md": b"new", "mkdocs.yml": b"x"}, 2, 0), folder)
    assert {path: text for path, text in files_of(folder).items() if path != MARKER} == {
        "docs/kept.md": b"two",
        "docs/new.md": b"new",
        "mkdocs.yml": b"x",
        "site/index.html": b"built",
    }
    assert not (folder / "docs/a").exists()
    (folder / "docs/mine.md").write_text("mine")
    with pytest.raises(SiteError, match=r"docs/mine\.md: is in the way"):
        write(Export({"docs/mine.md": b"theirs"}, 1, 0), folder)
    assert (folder / "docs/mine.md").read_text() == "mine"
    assert (folder / "docs/kept.md").read_bytes() == b"two"


def test_a_marker_that_was_tampered_with_removes_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / MARKER).write_text(f"x\n../letters.txt\n{tmp_path}/letters.txt\n")
    write(Export({"mkdocs.yml": b"x"}, 0, 0), folder)
    assert (tmp_path / "letters.txt").read_text() == "dear"


def test_an_export_of_the_tea_house_needs_no_plugin(tmp_path: Path) -> None:
    root = example("other-registry", tmp_path)
    folder = tmp_path / "plain"
    ran = run(root, "rankfold_loaders", "export", str(folder))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("6 generated pages, 1 authored and ")
    assert "the leaves stay in it for\n1.50 minutes" in (folder / "docs/index.md").read_text(encoding="utf-8")
    assert "rankfold:" not in (folder / "mkdocs.yml").read_text(encoding="utf-8")
    ran = zensical(folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    table = BeautifulSoup((folder / "site/reference/teas/index.html").read_text(encoding="utf-8"), "html.parser")
    assert len(table.select('.rf-table[role="region"] tbody tr')) == 6
    assert (folder / "site/assets/rankfold-reference.css").is_file()


def test_a_project_without_a_navigation_gets_one_by_its_folders(tmp_path: Path) -> None:
    root = package(
        tmp_path / "kettles", {"kettles.py": DATACLASS}, f"registries: [{ROW}]", "# Home\n\n{{ kettles.count }}\n"
    )
    for name in ("guide/boil.md", "guide/index.md", "zoo.md", ".hidden.md"):
        (root / "docs" / name).parent.mkdir(exist_ok=True)
        (root / "docs" / name).write_text("# A page\n", encoding="utf-8")
    made = export(Project.at(root))
    assert yaml.safe_load(made.files["mkdocs.yml"])["nav"] == [
        "index.md",
        "zoo.md",
        {"Guide": ["guide/index.md", "guide/boil.md"]},
        {"Reference": ["reference/index.md", {"Kettles": "reference/kettles.md"}]},
    ]
    assert made.files["docs/index.md"] == b"# Home\n\n3\n"
    assert "docs/.hidden.md" not in made.files


def test_values_that_only_mkdocs_understands_are_kept_as_they_are_written(tmp_path: Path) -> None:
    config = """
        repo_url: !ENV [REPOSITORY, "https://example.org/kettles"]
        markdown_extensions:
          - pymdownx.emoji:
              emoji_generator: !!python/name:material.extensions.emoji.to_svg
    """
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]", config=config)
    text = export(Project.at(root)).files["mkdocs.yml"].decode()
    assert 'repo_url: !ENV [REPOSITORY, "https://example.org/kettles"]' in text
    assert "!!python/name:material.extensions.emoji.to_svg" in text
    assert "- attr_list" in text  # what the generated pages are written in


def test_every_fault_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    root = package(
        tmp_path / "kettles", {"kettles.py": DATACLASS}, f"registries: [{ROW}]", "---\na: b\n---\n\n# Home\n"
    )
    page = root / "docs/index.md"
    page.write_text(page.read_text() + "\n{{ kettles.tall.liters }}\n{{ kettles.cuont }}\n", encoding="utf-8")
    (root / "docs/reference").mkdir()
    (root / "docs/reference/kettles.md").write_text("# Mine\n", encoding="utf-8")
    ran = run(root, "rankfold_loaders", "export", str(tmp_path / "plain"))
    assert ran.returncode == 1
    for said in (
        "docs/index.md:7: there is no fact 'kettles.tall.liters'; did you mean 'kettles.tall.litres'?",
        "docs/index.md:8: there is no fact 'kettles.cuont'; did you mean 'kettles.count'?",
        "docs/reference/kettles.md: is written by hand and generated too",
    ):
        assert said in ran.stderr
    assert not (tmp_path / "plain").exists()


def test_a_page_says_when_it_last_changed(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    dated = {"GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z", "GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z"}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        variables = {**environment(root), **dated}
        subprocess.run(["git", "-C", str(root), *identity, *words], env=variables, check=True, capture_output=True)
    made = export(Project.at(root))
    assert made.files["docs/index.md"].decode() == "---\nrevision_date: '2001-02-03'\n---\n\n# Home\n"


def test_the_help_says_what_an_export_is_and_how_to_build_it(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]")
    said = run(root, "rankfold_loaders", "--help").stdout
    assert all(word in said for word in ("check", "export", "Exit status"))
    said = run(root, "rankfold_loaders", "export", "--help").stdout
    assert "zensical build --strict --config-file DIR/mkdocs.yml" in said
    ran = run(root, "rankfold_loaders", "exprot")
    assert ran.returncode == 2


def test_a_changed_fact_changes_the_export(tmp_path: Path) -> None:
    root = package(tmp_path, {"kettles.py": DATACLASS}, f"registries: [{ROW}]", "{{ kettles.tall.litres }}\n")
    assert export(Project.at(root)).files["docs/index.md"] == b"1.5\n"
    replace_in(root / "src/kettles.py", '"tall", 1.50', '"tall", 2.5')
    assert export(Project.at(root)).files["docs/index.md"] == b"2.5\n"

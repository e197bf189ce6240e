"""Templates are found where they are, and a broken one is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loaders.site_trees import REPOSITORY
from rankfold_loaders.faults import SiteError
from rankfold_loaders.page_model import Page
from rankfold_loaders.render import Renderer, templates_folder

PAGE = Page("a.md", "A: title", "What | it is.", "a.md.jinja", {"word": "one"})


def renderer(folder: Path, template: str) -> Renderer:
    (folder / "pages").mkdir()
    (folder / "pages" / "a.md.jinja").write_text(template, encoding="utf-8")
    return Renderer(folder)


def test_a_page_has_front_matter_and_body(tmp_path: Path) -> None:
    text = renderer(tmp_path, "{## word: a word. ##}\n# {{ word }} {#id}\n").render(PAGE)
    assert text == "---\ntitle: 'A: title'\ndescription: What | it is.\n---\n\n# one {#id}\n"


@pytest.mark.parametrize(
    ("template", "said"),
    [("one\n{{ missing }}\n", r"a\.md\.jinja:2: 'missing' is undefined"), ("one\n\n{% if %}\n", r"a\.md\.jinja:3: ")],
)
def test_a_broken_template_is_named_with_its_line(template: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=said):
        renderer(tmp_path, template).render(PAGE)


def test_templates_are_found_in_a_checkout() -> None:
    assert templates_folder() == REPOSITORY / "site-templates"


def test_templates_are_found_in_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "installed" / "rankfold_loaders"
    shutil.copytree(REPOSITORY / "loaders" / "rankfold_loaders", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "site-templates", package / "site-templates")
    program = "from rankfold_loaders.render import templates_folder; print(templates_folder())"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(package.parent), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(ran.stdout.strip()) == package / "site-templates"


def test_every_template_begins_by_naming_its_variables() -> None:
    for template in [*(REPOSITORY / "site-templates").rglob("*.jinja")]:
        assert template.read_text(encoding="utf-8").startswith("{##"), template.name

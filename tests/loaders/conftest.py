"""One copy of the project and one build of it, shared by the tests; those that plant a fault work on their own copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from loaders.site_trees import build, copy_project
from rankfold_loaders import live
from rankfold_loaders.live import Live
from rankfold_loaders.project import Project


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that no test changes."""
    return copy_project(tmp_path_factory.mktemp("shared") / "project")


@pytest.fixture
def own_tree(tmp_path: Path) -> Path:
    """A copy of the project for one test to change."""
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="session")
def project(tree: Path) -> Project:
    return Project.at(tree)


@pytest.fixture(scope="session")
def live_registries(project: Project) -> Live:
    return live.read(project)


@pytest.fixture(scope="session")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site built from the unchanged copy."""
    site = tmp_path_factory.mktemp("built") / "site"
    ran = build(tree, site)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return site


@pytest.fixture
def own_site(built: Path, tmp_path: Path) -> Path:
    """A copy of the built site for one test to change."""
    return Path(shutil.copytree(built, tmp_path / "site"))


@pytest.fixture(scope="session")
def example_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the example package is installed, with its entry points."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copy2(Path(__file__).parent / "example_package" / "rankfold_example_arms.py", folder)
    metadata = folder / "rankfold_example_arms-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rankfold-example-arms\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[rankfold.arms]\ndecorated = rankfold_example_arms:MADE\nfactory = rankfold_example_arms:FROM_FACTORY\n"
    )
    return folder

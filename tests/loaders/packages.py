"""Packages of other people to document: the two examples as they are installed, and small ones made for one test."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

from loaders.site_trees import REPOSITORY, environment

IGNORED = shutil.ignore_patterns("__pycache__", "site", ".pytest_cache")


def example(name: str, folder: Path) -> Path:
    """A copy of an example, for a test to change."""
    return Path(shutil.copytree(REPOSITORY / "examples" / name, folder / name, ignore=IGNORED))


def installed(root: Path, folder: Path) -> Path:
    """A folder with a package as an installer leaves it there, with its entry points."""
    wheels = folder / "wheels"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    target = folder / "installed"
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(target)
    return target


def package(folder: Path, modules: dict[str, str], options: str, index: str = "# Home\n", config: str = "") -> Path:
    """A project with a few modules and a site.

    Args:
        folder: where it goes.
        modules: the text of each module, by its path below `src`.
        options: what `plugins: - rankfold:` states, as YAML.
        index: the home page.
        config: what else `mkdocs.yml` states.
    """
    for path, text in modules.items():
        file = folder / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    (folder / "docs/index.md").write_text(index, encoding="utf-8")
    plugin = textwrap.indent(textwrap.dedent(options).strip("\n"), " " * 6)
    head = "site_name: Kettles\ntheme: {name: mkdocs, highlightjs: false}\n"
    text = f"{head}{textwrap.dedent(config)}plugins:\n  - rankfold:\n{plugin}\n"
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8")
    return folder


def run(root: Path, *command: str, more: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a project's folder, as a person would who has rankfold and that package installed."""
    variables = environment(REPOSITORY, root / "src", *more)
    line = [sys.executable, "-m", *command]
    return subprocess.run(line, cwd=root, env=variables, capture_output=True, text=True, check=False)


def built(root: Path, site: Path, *options: str, more: tuple[Path, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Build a project's site, strictly."""
    return run(root, "mkdocs", "build", "--strict", "--site-dir", str(site), *options, more=more)

"""The workflows, the action and the hook: what they run exists and does what it is there for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.utils.yaml import yaml_load

from loaders.site_trees import REPOSITORY, environment, replace_in

WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
ACTION = REPOSITORY / "action.yml"
HOOKS = REPOSITORY / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(file: Path) -> list[dict[str, Any]]:
    found = read(file)
    if "runs" in found:
        return list(found["runs"]["steps"])
    return [step for job in found["jobs"].values() for step in job["steps"]]


def step(file: Path, name: str) -> dict[str, Any]:
    return next(one for one in steps(file) if one.get("name") == name)


def scripts() -> Iterator[tuple[str, str]]:
    for file in [*WORKFLOWS, ACTION]:
        for one in steps(file):
            if "run" in one:
                yield f"{file.name}: {one.get('name')}", one["run"]


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step's script as a runner does."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def wrong_commands(script: str) -> list[str]:
    """Commands of a script that this project does not have: targets of make, modules, files."""
    targets = set(re.findall(r"(?m)^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8")))
    wrong = [f"make {name}" for name in re.findall(r"(?m)(?:^|&& *|; *)make ([a-z]+)", script) if name not in targets]
    modules = re.findall(r"python -m (rankfold_loaders\S*) (\w+)", script)
    wrong += [f"{module} {command}" for module, command in modules if not _has_command(module, command)]
    folders = re.findall(r"npm ci --prefix (\S+)", script)
    return wrong + [name for name in folders if not (REPOSITORY / name / "package-lock.json").is_file()]


def _has_command(module: str, command: str) -> bool:
    asked = [sys.executable, "-m", module, command, "--help"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def test_the_workflows_are_there() -> None:
    assert [file.name for file in WORKFLOWS] == ["site.yml", "test.yml"]


def is_shell(script: str) -> bool:
    return subprocess.run(["bash", "-n", "-c", script], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("name", "script"), list(scripts()))
def test_every_script_is_one_for_the_shell_and_its_commands_exist(name: str, script: str) -> None:
    assert is_shell(script), name
    assert wrong_commands(script) == []
    # What an outsider may have written is given as a variable; in the script it would be run as part of it.
    assert "${{" not in script


def test_a_command_that_does_not_exist_is_found() -> None:
    script = "make tests\npython -m rankfold_loaders chek --root .\nnpm ci --prefix tests/nowhere"
    assert not is_shell("if true; then")
    assert wrong_commands(script) == ["make tests", "rankfold_loaders chek", "tests/nowhere"]


@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION], ids=lambda file: file.name)
def test_every_action_is_pinned(file: Path) -> None:
    used = [one["uses"] for one in steps(file) if "uses" in one]
    assert used
    assert [name for name in used if not re.search(r"@(v\d+|[0-9a-f]{40})$", name)] == []


def test_each_job_may_do_only_what_it_needs() -> None:
    for file in WORKFLOWS:
        assert read(file)["permissions"] == {"contents": "read"}
    more = {name: job.get("permissions") for name, job in read(WORKFLOWS[0])["jobs"].items()}
    assert more == {
        "check": None,
        "publish": {"contents": "write"},
        "deploy": {"pages": "write", "id-token": "write"},
    }
    assert read(WORKFLOWS[0])["jobs"]["publish"]["if"] == "github.event_name == 'push'"


def test_the_site_is_built_strictly_and_checked_before_it_is_published() -> None:
    jobs = read(WORKFLOWS[0])["jobs"]
    assert (jobs["publish"]["needs"], jobs["deploy"]["needs"]) == ("check", "publish")
    assert [one["run"] for one in jobs["check"]["steps"] if "run" in one] == ["make site", "make check"]
    recipe = re.search(r"(?m)^site:.*\n((?:\t.*\n)+)", (REPOSITORY / "Makefile").read_text(encoding="utf-8"))
    assert recipe
    assert "mkdocs build --strict" in recipe[1]


@pytest.fixture
def published_from(tmp_path: Path) -> Path:
    """A small project in git, with a remote repository."""
    work = tmp_path / "work"
    (work / "docs").mkdir(parents=True)
    (work / "docs" / "index.md").write_text("# Home\n")
    plugins = yaml_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))["plugins"]
    mike = next(plugin for plugin in plugins if "mike" in plugin)
    config = {"site_name": "x", "site_url": "https://e.org/x/", "theme": "mkdocs", "plugins": [mike]}
    (work / "mkdocs.yml").write_text(yaml.safe_dump(config))
    for command in (
        "init -q -b main",
        "add .",
        "commit -qm first",
        "clone -q --bare . ../far",
        "remote add origin ../far",
    ):
        identity = ["-c", "user.name=n", "-c", "user.email=n@e.org"]
        subprocess.run(["git", *identity, *command.split()], cwd=work, check=True)
    return work


def test_versions_are_published_side_by_side_and_latest_is_the_newest_release(published_from: Path) -> None:
    script = step(WORKFLOWS[0], "Publish this version")["run"]

    def publish(kind: str, name: str) -> dict[str, list[str]]:
        if kind == "tag":
            subprocess.run(["git", "tag", name], cwd=published_from, check=True)
        ran = run(script, published_from, GITHUB_REF_TYPE=kind, GITHUB_REF_NAME=name, MIKE=str(BIN / "mike"))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        shown = ["git", "-C", str(published_from.parent / "far"), "show", "gh-pages:versions.json"]
        stated = json.loads(subprocess.run(shown, capture_output=True, check=True).stdout)
        assert all(one.keys() == {"version", "title", "aliases"} for one in stated)
        return {one["version"]: one["aliases"] for one in stated}

    assert publish("branch", "main") == {"dev": ["latest"]}
    assert publish("tag", "v0.1.0") == {"dev": [], "0.1": ["latest"]}
    assert publish("branch", "main") == {"dev": [], "0.1": ["latest"]}
    assert publish("tag", "v0.2.0") == {"dev": [], "0.2": ["latest"], "0.1": []}
    assert publish("tag", "v0.1.1") == {"dev": [], "0.2": ["latest"], "0.1": []}

    script = step(WORKFLOWS[0], "Put the published versions into one folder")["run"]
    ran = run(script, published_from)
    assert ran.returncode == 0, ran.stderr
    folder = published_from / "published"
    assert {"index.html", "404.html", "versions.json", "latest", "dev", "0.1", "0.2"} <= {
        file.name for file in folder.iterdir()
    }
    assert "url=latest/" in (folder / "index.html").read_text(encoding="utf-8")
    for version in ("0.1", "0.2", "dev", "latest"):
        page = (folder / version / "index.html").read_text(encoding="utf-8")
        assert '<link rel="canonical" href="https://e.org/x/latest/">' in page


def test_the_hook_is_complete() -> None:
    for hook in read(HOOKS):
        assert {"id", "name", "entry", "language", "files"} <= hook.keys()
        assert wrong_commands(hook["entry"]) == []
        for name in ("src/a.py", "docs/a.md", "mkdocs.yml", "site-templates/pages/arms.md.jinja"):
            assert re.search(hook["files"], name)
        assert not re.search(hook["files"], "picture.png")


def test_the_hook_passes_in_a_project_that_agrees_and_fails_in_one_that_drifted(own_tree: Path) -> None:
    entry = read(HOOKS)[0]["entry"]
    variables = {name: value for name, value in environment(own_tree).items() if name.startswith("PYTHON")}
    ran = run(entry, own_tree, **variables)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    replace_in(own_tree / "docs" / "index.md", "{{ arms.count }}", "{{ arms.cuont }}")
    ran = run(entry, own_tree, **variables)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "did you mean 'arms.count'?" in ran.stdout


def test_every_input_of_the_action_reaches_what_it_is_for() -> None:
    action = read(ACTION)
    text = ACTION.read_text(encoding="utf-8")
    for name in action["inputs"]:
        assert f"inputs.{name}" in text.split("runs:", 1)[1]
    for one in action["runs"]["steps"]:
        for variable in one.get("env", {}):
            assert f"${variable}" in one["run"]
        assert "uses" in one or one["shell"] == "bash"


def test_the_action_checks_the_folder_that_it_is_given(own_tree: Path, tmp_path: Path) -> None:
    script = step(ACTION, "Check that the site says what the code does")["run"]
    replace_in(own_tree / "docs" / "index.md", "{{ arms.count }}", "{{ arms.cuont }}")
    variables = {name: value for name, value in environment(own_tree).items() if name.startswith("PYTHON")}
    ran = run(script, tmp_path, ROOT=str(own_tree), **variables)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "did you mean 'arms.count'?" in ran.stdout
    ran = run(script, tmp_path, ROOT=str(tmp_path), **variables)
    assert ran.returncode == 2
    assert "there is no mkdocs.yml" in ran.stderr


def test_the_action_installs_itself_and_then_what_it_is_asked_for(tmp_path: Path) -> None:
    script = step(ACTION, "Install")["run"]
    said = tmp_path / "said"
    fake = tmp_path / "bin" / "python"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\nprintf "%s|" "$PWD" "$@" >> {said}\necho >> {said}\n')
    fake.chmod(0o755)
    (tmp_path / "site").mkdir()
    given = {"ROOT": "site", "PACKAGES": "--editable . 'x y'", "GITHUB_ACTION_PATH": "/the action"}
    for packages, expected in ((given["PACKAGES"], 2), ("", 1)):
        said.write_text("")
        path = f"{fake.parent}{os.pathsep}{os.environ['PATH']}"
        command = ["bash", "-eo", "pipefail", "-c", script]
        variables = {**os.environ, **given, "PATH": path, "PACKAGES": packages}
        subprocess.run(command, cwd=tmp_path, env=variables, check=True)
        lines = said.read_text().splitlines()
        assert len(lines) == expected
        assert lines[0].endswith("|/the action[docs]|")
    said_last = f"{tmp_path / 'site'}|-m|pip|install|--quiet|--disable-pip-version-check|--editable|.|x y|"
    said.write_text("")
    subprocess.run(command, cwd=tmp_path, env={**variables, "PACKAGES": given["PACKAGES"]}, check=True)
    assert said.read_text().splitlines()[-1] == said_last

"""`index`, `embed`, `status`, `arms` and `profiles`, where the index is, and what `--help` says."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from rankfold.cli import main
from rankfold.constants import WEIGHT
from rankfold.embedding import Unavailable, default_embedder
from rankfold.indexing.sync import IndexReport
from rankfold.retrieval.registry import installed

from .running import CASES, asked_json, program, run

needs_model = pytest.mark.skipif(isinstance(default_embedder(), Unavailable), reason="the model is not installed")


def flat(text: str) -> str:
    return " ".join(text.split())


# ── index ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_index_run_says_what_it_did(folder: Path) -> None:
    (folder / "notes" / "wal.md").write_text("# WAL\n\nchanged\n", encoding="utf-8")
    (folder / "notes" / "locks.md").rename(folder / "notes" / "locking.md")
    (folder / "notes" / "backup.md").unlink()
    (folder / "notes" / "more.md").write_text("more", encoding="utf-8")
    (folder / "notes" / "picture.bin").write_bytes(b"\x00\x01")
    data = asked_json("index", "--no-embed")["data"]
    assert {name: data[name] for name in ("added", "updated", "renamed", "removed", "unchanged")} == {
        "added": 1, "updated": 1, "renamed": 1, "removed": 1, "unchanged": 0,
    }  # fmt: skip
    assert set(data) == {"database", *IndexReport().__dict__} - {"warnings"}
    assert sum(data["skipped"].values()) == 1
    again = run("index", "--no-embed").stdout
    assert "3 unchanged" in " ".join(again.split())
    assert "passed over: 1" in again


def test_a_file_that_was_read_with_a_doubt_is_named_on_a_line_of_its_own(empty: Path) -> None:
    shutil.copytree(CASES, empty / "files")
    first = asked_json("index", "files", "--no-embed", "--db", "other.db")["warnings"]
    done = run("index", "files", "--no-embed")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [f"warning: {warning}" for warning in first]
    assert any(warning.startswith("files/latin1.md") for warning in first)
    assert any(warning.startswith("files/bad_yaml_colon.md:2") for warning in first)
    assert "warning" not in done.stdout


@pytest.mark.usefixtures("folder")
def test_texts_that_failed_to_embed_make_the_exit_status_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> IndexReport:
        return IndexReport(added=1, chunks=2, embedded=1, failed=1, warnings=["one text failed"])

    monkeypatch.setattr("rankfold.collection.Collection.index", failing)
    done = run("index", "notes", "--db", "x.db")
    assert done.exit_code == 1
    assert "1 texts have no vector" in done.stdout
    assert "rankfold --db x.db embed" in done.stdout
    assert run("index", "notes", "--json").exit_code == 1
    assert asked_json("index", "notes")["data"]["failed"] == 1


def test_records_are_read_by_the_keys_that_are_named(empty: Path) -> None:
    (empty / "k.jsonl").write_text('{"key": "C-b l", "description": "last window", "name": "last"}\n', encoding="utf-8")
    run("index", "k.jsonl", "--no-embed", "--id-field", "key", "--text-field", "description", "--title-field", "name",
        "--prefix", "keys")  # fmt: skip
    (hit,) = asked_json("search", "window")["data"]["hits"]
    assert hit["title"] == "last"
    assert "C-b l" in hit["path"]
    assert hit["path"].startswith("keys")


# ── where the index is ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_index_is_named_by_option_then_environment_then_the_nearest_above(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("near", "environment", "before", "after"):
        (empty / name).mkdir()
        (empty / name / f"{name}.md").write_text("kettle", encoding="utf-8")
    run("index", "near", "--no-embed")
    for name in ("environment", "before", "after"):
        run("index", name, "--no-embed", "--db", f"{name}.db")
    assert (empty / ".rankfold" / "index.db").is_file()

    def found(*words: str, env: dict[str, str | None] | None = None) -> str:
        done = run(*words, "--tsv", env=env)
        assert done.exit_code == 0
        return done.stdout.splitlines()[1].split("\t")[-3].split("/")[0]

    below = empty / "near" / "deep"
    below.mkdir()
    variable: dict[str, str | None] = {"RANKFOLD_DB": str(empty / "environment.db")}
    before, after = str(empty / "before.db"), str(empty / "after.db")
    monkeypatch.chdir(below)
    assert found("search", "kettle") == "near"
    assert found("search", "kettle", env={"RANKFOLD_DB": ""}) == "near"
    assert found("search", "kettle", env=variable) == "environment"
    assert found("--db", before, "search", "kettle", env=variable) == "before"
    assert found("--db", before, "search", "kettle", "--db", after, env=variable) == "after"


def test_an_environment_that_names_a_folder_is_a_mistake_that_says_so(folder: Path) -> None:
    done = run("search", "readers", env={"RANKFOLD_DB": str(folder)})
    assert done.exit_code == 2
    assert "is a folder" in done.stderr


def test_index_makes_one_here_only_if_there_is_none_above(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (empty / "d").mkdir()
    (empty / "d" / "a.md").write_text("kettle", encoding="utf-8")
    run("index", "d", "--no-embed")
    monkeypatch.chdir(empty / "d")
    assert run("index", ".", "--no-embed").exit_code == 0
    assert not (empty / "d" / ".rankfold").exists()


# ── arms and profiles ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_arms_and_profiles_need_no_index_and_make_none(empty: Path) -> None:
    for words in (("arms",), ("arms", "fts"), ("profiles",), ("profiles", "memory")):
        done = run(*words)
        assert (done.exit_code, done.stderr) == (0, "")
    data = asked_json("arms")["data"]
    assert data["database"] is None
    assert all(item["met"] is None for arm in data["arms"] for item in arm["preconditions"])
    assert not (empty / ".rankfold").exists()


@pytest.mark.usefixtures("folder")
def test_arms_says_what_each_lacks_in_the_index_at_hand() -> None:
    by_name = {arm["name"]: arm for arm in asked_json("arms")["data"]["arms"]}
    assert list(by_name) == list(installed().arms.names)
    lacking = {item["name"]: item for item in by_name["vector"]["preconditions"]}["embedded_documents"]
    assert (lacking["met"], lacking["fix"]) == (False, "rankfold embed")
    assert all(item["met"] for item in by_name["fts"]["preconditions"])
    assert all(item["met"] for item in by_name["recency"]["preconditions"])
    shown = run("arms").stdout
    assert "embedded_documents  lacking" in shown
    assert "0 of 3 chunks have a vector" in shown
    assert all(title in shown for title in (arm.title for arm in installed().arms))


@pytest.mark.usefixtures("folder")
def test_weights_are_those_of_the_profile_that_is_asked_for() -> None:
    for profile in installed().profiles:
        for arm in asked_json("arms", "--profile", profile.name)["data"]["arms"]:
            record = installed().arms[arm["name"]]
            assert arm["weight"] == profile.weights.get(record.name, record.weight)
            assert arm["default_weight"] == record.weight
    run("index", "--profile", "memory", "--no-embed")
    assert asked_json("arms")["data"]["profile"] == "memory"


@pytest.mark.usefixtures("folder")
def test_one_arm_and_one_profile_are_shown_whole() -> None:
    for arm in installed().arms:
        shown = run("arms", arm.name).stdout
        assert flat(arm.sql) in flat(shown)
        assert flat(arm.doc) in flat(shown)
    for profile in installed().profiles:
        shown = run("profiles", profile.name).stdout
        assert flat(profile.doc) in flat(shown)
        assert profile.tokenizer in flat(shown)


# ── embed and status ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("folder")
def test_status_says_how_far_the_vectors_are_and_how_to_finish() -> None:
    shown = run("status")
    assert shown.exit_code == 0
    assert "0 of 3 chunks (0%); finish with: rankfold embed" in shown.stdout
    assert "problem" in shown.stdout
    assert run("status", "--check").exit_code == 1
    data = asked_json("status")["data"]
    assert (data["profile"], data["capabilities"]["pending"]) == ("documents", 3)
    assert data["problems"]


@pytest.mark.usefixtures("folder")
@needs_model
def test_with_the_real_model_embed_finishes_and_the_check_finds_nothing() -> None:
    done = run("embed")
    assert (done.exit_code, done.stdout) == (0, "3 new vectors; 3 of 3 chunks have one\n")
    again = asked_json("embed", "--all")["data"]
    assert (again["embedded"], again["pending"], again["chunks"]) == (3, 0, 3)
    checked = run("status", "--check")
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert "no problems" in checked.stdout


@pytest.mark.usefixtures("folder")
def test_the_check_uses_the_embedder_and_the_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Unavailable("the weights are damaged", "pip install --force-reinstall weights")
    module = sys.modules["rankfold.cli.status"]  # the package's attribute of that name is the command
    monkeypatch.setattr(module, "default_embedder", lambda **_: broken)
    done = run("status", "--check", "--json")
    assert done.exit_code == 1
    assert "the weights are damaged" in done.stdout
    assert "the weights are damaged" not in run("status", "--json").stdout


# ── help ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("name", [None, *main.commands])
def test_help_teaches_with_a_summary_and_an_example(name: str | None) -> None:
    done = run(*filter(None, [name]), "--help")
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"\n  rankfold {name or 'index'}" in done.stdout
    assert "--json" in done.stdout
    assert run(*filter(None, [name]), "-h").stdout == done.stdout


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("name", ["search", "sql"])
def test_help_names_every_scope_axis_and_every_range(name: str) -> None:
    shown = flat(run(name, "--help").stdout)
    for axis in installed().scopes:
        assert f"{axis.flag} {axis.value}".strip() in shown
    for constant in installed().constants:
        if constant.flag:
            assert f"{constant.flag} {'ARM=W' if constant is WEIGHT else 'N'}" in shown
            written = f"{constant.minimum:f} to {constant.maximum:g}"
            assert f"{constant.minimum} to {constant.maximum}" in shown or written in shown


@pytest.mark.usefixtures("empty")
def test_the_version_is_printed() -> None:
    import rankfold

    assert run("--version").stdout == f"rankfold {rankfold.__version__}\n"


# ── other packages ────────────────────────────────────────────────────────────────────────────────────────────────────

AXIS = """
from rankfold.records import ScopeAxis, Slot

SLOT = Slot(number=20, name="scope_titled", type="TEXT", unit="JSON array", supplied_by="the axis", doc="Titles.",
    since="1")
AXIS = ScopeAxis(name="titled", title="Titled", doc="Documents with one of these titles. Exactly.", kind="any_of",
    value="TITLE", slot="scope_titled", flag="--titled", vocabulary="open", index="none", since="1",
    sql="d.id IN (SELECT t.id FROM document_text AS t WHERE t.title IN (SELECT value FROM json_each(?20)))")
"""


def test_a_scope_axis_of_another_package_is_an_option_like_any_other(folder: Path, tmp_path: Path) -> None:
    package = tmp_path / "package"
    about = package / "axis_package-1.dist-info"
    about.mkdir(parents=True)
    (package / "axis_package.py").write_text(AXIS, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: axis-package\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[rankfold.slots]\ntitled = axis_package:SLOT\n[rankfold.scopes]\ntitled = axis_package:AXIS\n",
        encoding="utf-8",
    )
    env = {"PYTHONPATH": str(package)}
    shown = flat(program("search", "--help", cwd=folder, env=env).stdout.decode())
    assert "--titled TITLE Scope: Documents with one of these titles. Repeatable." in shown
    done = program("search", "readers", "--titled", "Locks", "--tsv", cwd=folder, env=env)
    assert [line.split("\t")[-1] for line in done.stdout.decode().splitlines()[1:]] == ["Locks"]

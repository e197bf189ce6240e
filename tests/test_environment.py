"""The environment: the source reads no variable that is not a record, and every record tells what really happens."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.conftest import NOTES
from cli.running import environment, program
from rankfold import environment as variables
from rankfold.cli.place import DEFAULT_PLACE
from rankfold.environment import (
    COLUMNS,
    COMPLETION,
    DATABASE,
    FORCE_COLOR,
    NO_COLOR,
    TELEMETRY,
    TERMINAL,
    VARIABLES,
    VEC_LIBRARY,
)
from rankfold.errors import RegistryError
from rankfold.retrieval.registry import built_in

SOURCE = Path(variables.__file__).parent
STYLED = {FORCE_COLOR.name: "1", TERMINAL.name: "xterm", NO_COLOR.name: ""}
PLAIN = {FORCE_COLOR.name: "", NO_COLOR.name: "", TERMINAL.name: "xterm", COLUMNS.name: "90", DATABASE.name: ""}


def reads_of_the_environment(file: Path) -> Iterator[str]:
    """Every use of `os.environ` and `os.getenv` in a file, also under another name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        used = {node.attr} if isinstance(node, ast.Attribute) else set()
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            used = {name.name for name in node.names}
        if used & {"environ", "environb", "getenv", "getenvb", "putenv"}:
            yield f"{file}:{node.lineno}"


def names_typed(file: Path) -> Iterator[str]:
    """Names of variables that a file holds as text of its own, comments aside."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (item.name for item in VARIABLES if item.name in node.value.split())


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three notes, indexed without vectors."""
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert program("index", ".", "--no-embed", cwd=folder, env=PLAIN).returncode == 0
    return folder


def said(notes: Path, *words: str, **env: str) -> str:
    done = program(*words, cwd=notes, env={**PLAIN, **env})
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_one_module_alone_reads_the_environment() -> None:
    found = [place for file in SOURCE.rglob("*.py") for place in reads_of_the_environment(file)]
    assert found
    assert {place.rpartition(":")[0] for place in found} == {str(SOURCE / "environment.py")}


@pytest.mark.parametrize("line", ["import os\nos.environ['X']", "from os import getenv\ngetenv('X')", "os.getenv('X')"])
def test_a_module_that_reads_the_environment_by_itself_is_found(line: str, tmp_path: Path) -> None:
    (tmp_path / "stray.py").write_text(line, encoding="utf-8")
    assert list(reads_of_the_environment(tmp_path / "stray.py"))


def test_no_variable_is_named_twice() -> None:
    typed = {str(file): list(names_typed(file)) for file in SOURCE.rglob("*.py") if file.name != "environment.py"}
    assert {file: names for file, names in typed.items() if names} == {}


def test_a_variable_is_upper_case_and_everything_else_is_not() -> None:
    registries = built_in()
    assert registries.variables.records == VARIABLES
    with pytest.raises(RegistryError, match="upper-case"):
        registries.plus("variables", replace(DATABASE, name="rankfold_db"))
    with pytest.raises(RegistryError, match="lower-case"):
        registries.plus("fields", replace(registries.fields["title"], name="TITLE"))


def test_the_index_is_the_one_that_the_variable_names(notes: Path, tmp_path: Path) -> None:
    assert DEFAULT_PLACE.as_posix() in DATABASE.default
    place = {DATABASE.name: str(notes / DEFAULT_PLACE)}
    assert b"locks.md" in program("search", "readers", cwd=tmp_path, env={**PLAIN, **place}).stdout
    assert program("search", "readers", cwd=tmp_path, env=PLAIN).returncode == 1
    by_option = program("search", "x", DATABASE.flag, "other.db", cwd=tmp_path, env={**PLAIN, **place})
    assert b"other.db" in by_option.stderr


def test_the_library_of_sqlite_vec_is_the_one_that_the_variable_names(notes: Path) -> None:
    assert "no such.so" in said(notes, "status", **{VEC_LIBRARY.name: "no such.so"})
    assert "not loaded" not in said(notes, "status")


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("0", "0")])
def test_telemetry_is_off_unless_the_variable_has_a_value(before: str | None, after: str, tmp_path: Path) -> None:
    # A module of that name stands in for the real one, which need not be installed.
    (tmp_path / "onnxruntime.py").write_text("def disable_telemetry_events(): print('off')\n", encoding="utf-8")
    code = (
        "import os; from rankfold.embedding.onnx_import import import_onnxruntime as load\n"
        f"load(); print(os.environ[{TELEMETRY.name!r}])"
    )
    env = environment({"PYTHONPATH": str(tmp_path)})
    env.pop(TELEMETRY.name, None)
    env |= {TELEMETRY.name: before} if before else {}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == (["off"] if after == "1" else []) + [after]


def test_styles_go_into_a_pipe_only_if_they_are_forced(notes: Path) -> None:
    assert "\x1b[" not in said(notes, "search", "readers")
    assert "\x1b[1;36m" in said(notes, "search", "readers", **STYLED)
    assert "\x1b" not in said(notes, "search", "readers", "--json", **STYLED)
    assert "\x1b" not in said(notes, "search", "readers", "--tsv", **STYLED)


def test_without_colours_bold_text_stays(notes: Path) -> None:
    text = said(notes, "search", "readers", **{**STYLED, NO_COLOR.name: "1"})
    assert "\x1b[1m" in text
    assert "\x1b[1;3" not in text


@pytest.mark.parametrize("terminal", ["dumb", "unknown"])
def test_a_terminal_without_styles_gets_none(terminal: str, notes: Path) -> None:
    assert "\x1b" not in said(notes, "search", "readers", **{**STYLED, TERMINAL.name: terminal})


def test_prose_is_as_wide_as_the_variable_says(notes: Path) -> None:
    def widest(columns: str) -> int:
        return max(map(len, said(notes, "profiles", "memory", **{COLUMNS.name: columns}).splitlines()))

    assert 40 < widest("60") <= 60 < widest("100") <= 100
    assert widest("500") < 200


@pytest.mark.parametrize("shell", ["bash_source", "zsh_source", "fish_source"])
def test_the_script_for_completion_is_printed(shell: str, notes: Path) -> None:
    assert shell in COMPLETION.value
    script = said(notes, **{COMPLETION.name: shell})
    assert "rankfold" in script
    assert "COMP_WORDS" in script

"""What a terminal gets: styles only where there is one, no sequence from a document, and an end without noise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankfold.cli.terminal import printable

from .running import command, environment, program, run

STYLE = re.compile(r"\x1b\[[0-9;]*m")
PROGRESS = re.compile(r"\r|\x1b\[(?:2K|1A|\?25[lh])")
HOSTILE = "\x1b]0;owned\x07\x1b[2J \x9b31m \u202egnp.exe \r overwritten \x08 kettle"

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")


def in_terminal(*words: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """What the program writes to a terminal."""
    import pty

    ours, theirs = pty.openpty()
    more = {"TERM": "xterm-256color", "COLUMNS": "80", **(env or {})}
    with subprocess.Popen(command(*words), cwd=cwd, env=environment(more), stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        got = b""
        try:
            while piece := os.read(ours, 65536):
                got += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(ours)
        assert running.wait() == 0
    return got.decode("utf-8").replace("\r\n", "\n")


@posix
def test_matches_are_marked_on_a_terminal_and_colours_can_be_turned_off(folder: Path) -> None:
    shown = in_terminal("search", "readers", cwd=folder)
    assert re.search(r"\x1b\[1;33mreaders\x1b\[0m", shown)
    plain = in_terminal("search", "readers", cwd=folder, env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", plain)
    assert re.search(r"\x1b\[1mreaders\x1b\[0m", plain)


@pytest.mark.usefixtures("field_cases")
def test_nothing_is_inserted_where_there_is_no_terminal() -> None:
    shown = run("search", "fox").stdout
    assert "The fox soup & <mark>not a hit</mark> needs [fox]" in shown
    assert "**fox** bones and 2 < 3 carrots." in shown
    assert "\x1b" not in shown
    assert run("search", "fox", env={"FORCE_COLOR": "1"}).stdout.count("\x1b[1;33mfox\x1b") == 3


@posix
def test_no_document_can_send_anything_to_a_terminal(empty: Path) -> None:
    (empty / "d").mkdir()
    (empty / "d" / "hostile.md").write_text(f"# Title \x1b[31m\n\n{HOSTILE}\n", encoding="utf-8")
    (empty / "d" / "na\x1b[95mme.md").write_text("kettle", encoding="utf-8")
    (empty / "d" / "no\x1b[96mtext.md").write_bytes(b"kettle \xe9\n")
    shown = in_terminal("index", "d", "--no-embed", cwd=empty)
    shown += in_terminal("search", "kettle", cwd=empty)
    shown += in_terminal("search", "kettle", "--tsv", cwd=empty)
    left = STYLE.sub("", PROGRESS.sub("", shown))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)
    for colour in ("31", "95", "96"):
        assert f"\x1b[{colour}m" not in shown
        assert f"\u241b[{colour}m" in shown
    assert "overwritten" in left


def test_printable_text_keeps_its_length_so_that_offsets_stay_true() -> None:
    for text in (HOSTILE, "a\tb\nc\u2028d", "\ud800", "日本 🚀 e\u0301"):
        assert len(printable(text)) == len(text)
    assert printable("日本 🚀 e\u0301") == "日本 🚀 e\u0301"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_that_lacks_a_character_shows_another_one(encoding: str, field_cases: Path) -> None:
    for words in (("search", "rocket"), ("search", "rocket", "--tsv"), ("search", "仓库"), ("arms",), ("status",)):
        done = program(*words, cwd=field_cases, env={"PYTHONIOENCODING": encoding})
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
    assert b"Launch day ?" in program("search", "rocket", cwd=field_cases, env={"PYTHONIOENCODING": encoding}).stdout


@posix
def test_a_closed_pipe_ends_quietly(folder: Path) -> None:
    for words in (("search", "readers"), ("search", "readers", "--json"), ("arms",), ("--help",), ("sql", "readers")):
        with subprocess.Popen(
            command(*words), cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            assert (running.wait(), running.stderr.read()) == (0, b""), words
    line = subprocess.run(
        f'"{sys.executable}" -m rankfold.cli search readers | head -1',
        cwd=folder, env=environment(), shell=True, capture_output=True, check=True,
    )  # fmt: skip
    assert line.stdout.startswith(b" 1  notes/")
    assert line.stderr == b""


@posix
def test_a_failure_stays_one_where_nobody_reads_what_it_says(folder: Path) -> None:
    for words in (("search",), ("search", "x", "--db", "nowhere.db")):
        with subprocess.Popen(
            command(*words), cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        ) as running:
            assert running.stderr is not None
            running.stderr.close()
            assert running.wait() in (1, 2)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_answer_that_could_not_be_written_is_a_failure(folder: Path) -> None:
    for words in (("search", "readers"), ("search", "readers", "--json"), ("--help",)):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                command(*words), cwd=folder, env=environment(), stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [("search", "x"), ("search", "x", "--json"), ("index",)])
def test_control_c_ends_with_130_and_says_nothing(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rankfold.collection.Collection.search", interrupted)
    monkeypatch.setattr("rankfold.collection.Collection.index", interrupted)
    done = run(*words)
    assert (done.exit_code, done.stdout, done.stderr.strip()) == (130, "", "")


def test_lines_keep_to_the_width_of_the_terminal(folder: Path) -> None:
    (folder / "notes" / "long.md").write_text("# Long\n\n" + "kettle and steam " * 60, encoding="utf-8")
    (folder / "notes" / "cjk.md").write_text("kettle " + "漢字" * 300, encoding="utf-8")
    run("index", "--no-embed")
    from rich.cells import cell_len

    for columns in (60, 80, 120):
        for words in (("search", "kettle"), ("arms",), ("profiles",), ("status",)):
            for line in run(*words, env={"COLUMNS": str(columns)}).stdout.splitlines():
                is_copied = "/" in line or "--" in line or "'" in line
                assert cell_len(line) <= columns or is_copied, line
    passage = [line for line in run("search", "kettle").stdout.splitlines() if line.startswith("    kettle and steam")]
    assert passage

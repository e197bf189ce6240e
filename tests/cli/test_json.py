"""`--json`: one envelope on standard output, whatever the command and however it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankfold.cli.place import quoted
from rankfold.errors import ERRORS
from rankfold.retrieval.registry import installed

from .running import asked_json, envelope_of, program, run, suggested

ANSWERS = {
    "index": ("index", "--no-embed"),
    "search": ("search", "readers"),
    "sql": ("sql", "readers"),
    "arms": ("arms",),
    "arm": ("arms", "fts"),
    "profiles": ("profiles",),
    "profile": ("profiles", "memory"),
    "status": ("status",),
}

MISTAKES = {
    "a limit that is too small": (("search", "x", "--limit", "0"), "bad_value"),
    "a weight without a number": (("search", "x", "--weight", "fts"), "bad_value"),
    "a weight below nothing": (("search", "x", "--weight", "fts=-1"), "bad_value"),
    "arms that name none": (("search", "x", "--arms", ","), "bad_value"),
    "a date that is none": (("search", "x", "--since", "soon"), "bad_value"),
    "a prefix that leads out": (("index", "notes", "--prefix", "../up"), "bad_value"),
    "an unknown arm": (("search", "x", "--arms", "fts,nearness"), "unknown_name"),
    "a weight for an unknown arm": (("sql", "x", "--weight", "ftss=1"), "unknown_name"),
    "an unknown arm to show": (("arms", "ftss"), "unknown_name"),
    "an unknown profile": (("search", "x", "--profile", "wiki2"), "unknown_name"),
    "an unknown profile to show": (("profiles", "memories"), "unknown_name"),
    "an unknown profile to index with": (("index", "notes", "--profile", "memories"), "unknown_name"),
    "an unknown query form": (("search", "x", "--query-form", "most"), "usage"),
    "an unknown option": (("search", "x", "--lmit", "3"), "usage"),
    "an option of another command": (("search", "x", "--prune"), "usage"),
    "an option without its value": (("search", "x", "--limit"), "usage"),
    "words that look like options": (("search", "-docking"), "usage"),
    "an unknown command": (("serch", "x"), "usage"),
    "no command": ((), "usage"),
    "no query": (("search",), "usage"),
    "two forms at once": (("search", "x", "--tsv"), "usage"),
    "values without a query": (("sql", "--expanded"), "usage"),
    "a database without a name": (("search", "x", "--db", ""), "usage"),
    "a database that is a folder": (("search", "x", "--db", "notes"), "usage"),
    "a database that is not there": (("search", "x", "--db", "no where/x.db"), "index_not_found"),
    "a database that is something else": (("search", "x", "--db", "notes/wal.md"), "not_an_index"),
    "a folder that is not there": (("index", "nowhere"), "source"),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_answer_is_one_envelope_and_nothing_else(kind: str) -> None:
    done = run(*ANSWERS[kind], "--json")
    envelope = envelope_of(done.stdout)
    assert done.exit_code == 0
    assert list(envelope) == ["api_version", "type", "data", "warnings"]
    assert envelope["type"] == kind
    assert isinstance(envelope["data"], dict)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_failure_is_one_envelope_with_its_code_and_suggestions_that_run(mistake: str) -> None:
    words, code = MISTAKES[mistake]
    done = run("--json", *words)
    envelope = envelope_of(done.stdout)
    assert list(envelope) == ["api_version", "error", "code", "suggestions"]
    assert envelope["code"] == code
    assert envelope["error"]
    assert "Traceback" not in done.stderr
    assert done.exit_code == next(record.exit_code for record in ERRORS if record.name == code)
    if done.exit_code == 2:
        assert envelope["suggestions"]
    for suggestion in suggested(envelope):
        assert run(*suggestion).exit_code != 2, suggestion


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_same_failure_in_words_leaves_standard_output_empty(mistake: str) -> None:
    words, code = MISTAKES[mistake]
    done = run(*words)
    if mistake == "two forms at once":
        assert done.exit_code == 0
        return
    assert done.stdout == ""
    assert done.exit_code == next(record.exit_code for record in ERRORS if record.name == code)
    assert done.stderr.startswith("Usage: " if not words else "error: ")


@pytest.mark.usefixtures("folder")
def test_an_unknown_name_is_answered_with_the_known_ones_and_the_nearest() -> None:
    arm = asked_json("search", "x", "--weight", "ftss=1")
    profile = asked_json("search", "x", "--profile", "documentz")
    assert all(name in arm["error"] for name in installed().arms.names)
    assert "did you mean 'fts'" in arm["error"]
    assert arm["suggestions"] == ["rankfold arms"]
    assert all(name in profile["error"] for name in installed().profiles.names)
    assert profile["suggestions"] == ["rankfold profiles"]


@pytest.mark.usefixtures("folder")
def test_the_nearest_option_and_command_are_named_and_the_command_that_has_it() -> None:
    assert "--limit" in asked_json("search", "x", "--lmit", "3")["error"]
    assert "'search'" in asked_json("serch")["error"]
    assert "`rankfold index`" in asked_json("search", "x", "--prune")["error"]
    assert asked_json("search", "-docking")["suggestions"][0] == "rankfold search -- -docking"


@pytest.mark.usefixtures("folder")
def test_json_after_two_dashes_is_a_word_of_the_query() -> None:
    assert not run("search", "--", "--json", "readers").stdout.startswith("{")


def test_a_missing_index_names_the_command_that_makes_one(empty: Path) -> None:
    for words in (("search", "x"), ("sql", "x"), ("status",), ("embed",)):
        envelope = asked_json(*words)
        assert envelope["code"] == "index_not_found"
        assert "rankfold index" in envelope["error"]
        assert envelope["suggestions"] == ["rankfold index ."]
        assert run(*words).exit_code == 1
    named = asked_json("--db", "a folder/x.db", "status")
    assert named["suggestions"] == [f"rankfold --db {quoted(str(Path('a folder/x.db')))} index ."]
    assert not (empty / "a folder").exists()


@pytest.mark.usefixtures("folder")
def test_a_defect_is_an_envelope_too_and_its_traceback_is_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr("rankfold.collection.Collection.search", broken)
    done = run("search", "x", "--json")
    envelope = envelope_of(done.stdout)
    assert (done.exit_code, envelope["code"]) == (1, "internal")
    assert "out of order" in envelope["error"]
    assert "Traceback" in done.stderr


def test_a_remedy_reaches_the_index_of_the_call(folder: Path) -> None:
    (folder / "x").mkdir()
    run("index", "notes", "--no-embed", "--db", "x/my notes.db")
    data = asked_json("--db", "x/my notes.db", "search", "readers")["data"]
    assert data["degraded"] is True
    fixes = {item["arm"]: item["fix"] for item in data["dropped"]}
    remedy = f"rankfold --db {quoted(str(Path('x/my notes.db')))} embed"
    assert fixes["vector"] == remedy
    assert remedy in run("--db", "x/my notes.db", "search", "readers").stdout
    assert remedy in asked_json("--db", "x/my notes.db", "status")["data"]["problems"][0]


@pytest.mark.usefixtures("folder")
def test_a_hit_has_every_field_that_is_promised() -> None:
    data = asked_json("search", "readers", "--limit", "1", "--now", "2024-06-01")["data"]
    assert set(data) == {
        "query", "profile", "limit", "offset", "window", "rank_constant", "query_form", "now", "hits", "arms",
        "dropped", "degraded",
    }  # fmt: skip
    assert (data["query"], data["limit"], data["now"]) == ("readers", 1, "2024-06-01T00:00:00Z")
    (hit,) = data["hits"]
    assert set(hit) == {
        "path", "file", "title", "score", "matched", "contributions", "passage", "tags", "created_at", "updated_at",
        "event_at", "adjustments", "twins", "is_embedded",
    }  # fmt: skip
    assert set(hit["passage"]) == {"text", "start_line", "end_line", "line", "highlights"}
    assert hit["path"] == "notes/locks.md"
    assert [hit["passage"]["text"][start:end] for start, end in hit["passage"]["highlights"]] == ["Readers"]
    assert hit["passage"]["line"] == 6
    assert hit["score"] == pytest.approx(sum(share["contribution"] for share in hit["contributions"]), abs=1e-15)
    assert set(hit["contributions"][0]) == {"arm", "rank", "weight", "contribution", "raw"}
    assert "2023-11-20T00:00:00Z" in (hit["created_at"], hit["updated_at"], hit["event_at"])
    assert set(data["dropped"][0]) == {"arm", "precondition", "reason", "fix"}


def test_standard_output_of_the_program_is_the_envelope_under_every_encoding(field_cases: Path) -> None:
    for encoding in ("cp1252", "ascii", "utf-16"):
        done = program("search", "rocket", "--json", cwd=field_cases, env={"PYTHONIOENCODING": encoding})
        assert done.returncode == 0
        data = envelope_of(done.stdout.decode(encoding).replace("\r\n", "\n"))["data"]
        assert "\U0001f680" in data["hits"][0]["passage"]["text"]


@pytest.mark.usefixtures("folder")
def test_bytes_in_the_query_that_are_no_text_do_no_harm() -> None:
    done = run("search", "readers \udcff", "--json")
    assert done.exit_code == 0
    assert envelope_of(done.stdout)["data"]["hits"]
    assert run("search", "readers \udcff", "--path", "notes\udcff").exit_code == 0

"""Index and sources in step: what is new, changed, renamed or gone, and what is not believed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankfold
from rankfold.errors import BadValueError, SourceError
from rankfold.indexing.sync import IndexReport, Source
from support import Open, TableEmbedder, as_json, ask, paths, records, require_sound, write

NOW = "2026-01-01"


def counts(report: IndexReport) -> dict[str, int]:
    named = ("added", "updated", "renamed", "removed", "unchanged")
    return {name: getattr(report, name) for name in named if getattr(report, name)}


def jsonl(items: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(item) + "\n" for item in items)


def ids(database: Path) -> dict[str, int]:
    return dict(ask(database, "SELECT path, id FROM document"))


def test_only_what_changed_is_touched(opened: Open, folder: Path) -> None:
    notes = opened()
    write(folder, {"a.md": "one", "b.md": "two", "c.md": "three"})
    assert counts(notes.index(folder)) == {"added": 3}
    assert counts(notes.index(folder)) == {"unchanged": 3}
    write(folder, {"b.md": "two, changed", "d.md": "four"})
    (folder / "c.md").unlink()
    assert counts(notes.index(folder)) == {"added": 1, "updated": 1, "removed": 1, "unchanged": 1}


def test_index_alone_brings_every_source_of_before_into_step(opened: Open, tmp_path: Path) -> None:
    one = write(tmp_path / "one", {"a.md": "kettle"})
    two = write(tmp_path / "two", {"b.jsonl": jsonl([{"key": "k", "body": "kettle two"}])})
    notes = opened()
    notes.index(one)
    notes.index(two, prefix="second", id_field="key", text_field="body")
    notes.index(records({"r": "kettle of a record"}))
    write(one, {"c.md": "kettle three"})
    write(two, {"b.jsonl": jsonl([{"key": "k", "body": "kettle changed"}])})
    assert counts(notes.index()) == {"added": 1, "updated": 1, "unchanged": 1}
    assert set(paths(notes.search("kettle"))) == {"one/a.md", "one/c.md", "second/b.jsonl#k", "r"}
    assert notes.status().sources == (str(one), str(two))


def test_a_current_folder_is_named_as_it_is(opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(folder, {"a.md": "kettle"}))
    notes = opened()
    for here in (".", "./", "../notes", folder):
        notes.index(here)
    assert paths(notes.search("kettle")) == ["notes/a.md"]
    assert notes.status().sources == (str(folder),)


def test_the_root_of_a_file_system_needs_a_prefix() -> None:
    with pytest.raises(BadValueError, match="give a prefix"):
        Source.at(Path("/"), None, {})
    assert Source.at(Path("/"), "all", {}).label == "all"


def test_a_new_prefix_renames_and_reads_nothing_twice(opened: Open, folder: Path, tmp_path: Path) -> None:
    notes = opened(embedder=TableEmbedder())
    notes.index(write(folder, {f"{number}.md": f"kettle {number}" for number in range(30)}))
    before = ids(tmp_path / "index.db")
    report = notes.index(folder, prefix="old\\papers/")
    assert counts(report) == {"renamed": 30}
    assert report.embedded == 0
    assert ids(tmp_path / "index.db") == {
        path.replace("notes/", "old/papers/"): number for path, number in before.items()
    }


def test_a_single_file_is_a_source(opened: Open, folder: Path) -> None:
    write(folder, {"a.md": "kettle", "b.md": "kettle"})
    notes = opened()
    notes.index(folder / "a.md")
    assert paths(notes.search("kettle")) == ["a.md"]
    write(folder, {"a.md": "lid"})
    assert counts(notes.index()) == {"updated": 1}
    (folder / "a.md").unlink()
    with pytest.raises(SourceError, match="does not exist; nothing was removed"):
        notes.index()
    assert paths(notes.search("lid")) == ["a.md"]


def test_a_rename_that_changes_the_format_is_read_again(opened: Open, folder: Path) -> None:
    """The same bytes are other documents as Markdown than as plain text."""
    notes = opened()
    notes.index(write(folder, {"a.md": "---\ntitle: Kettle\n---\nlid\n", "b.md": "other"}))
    assert notes.search("lid")[0].title == "Kettle"
    (folder / "a.md").rename(folder / "a.txt")
    assert counts(notes.index(folder)) == {"added": 1, "removed": 1, "unchanged": 1}
    (hit,) = notes.search("lid")
    assert (hit.path, hit.title) == ("notes/a.txt", None)
    assert "title: Kettle" in hit.snippet


def test_two_files_that_swap_their_texts_swap_their_answers(opened: Open, folder: Path) -> None:
    embedder = TableEmbedder()
    notes = opened(embedder=embedder)
    notes.index(write(folder, {"a.md": "kettle", "b.md": "lid"}))
    report = notes.index(write(folder, {"a.md": "lid", "b.md": "kettle"}))
    assert counts(report) == {"updated": 2}
    assert report.embedded == 0, "their texts have vectors already"
    assert paths(notes.search("kettle", arms=["fts"])) == ["notes/b.md"]
    assert paths(notes.search("kettle", arms=["vector"]))[0] == "notes/b.md"


def test_renamed_copies_of_one_text_are_renamed_one_for_one(opened: Open, folder: Path, tmp_path: Path) -> None:
    notes = opened()
    notes.index(write(folder, {"a.md": "same", "b.md": "same", "c.md": "other"}))
    for name in ("a", "b"):
        (folder / f"{name}.md").rename(folder / f"new-{name}.md")
    report = notes.index(folder)
    assert report.renamed + report.added == 2
    assert report.added == report.removed
    assert set(ids(tmp_path / "index.db")) == {"notes/new-a.md", "notes/new-b.md", "notes/c.md"}
    require_sound(tmp_path / "index.db")


def test_a_renamed_jsonl_keeps_its_records_and_their_ids(opened: Open, folder: Path, tmp_path: Path) -> None:
    items = [{"id": f"r#{number}", "text": f"kettle {number}"} for number in range(5)]
    notes = opened(embedder=TableEmbedder())
    notes.index(write(folder, {"a.jsonl": jsonl(items), "other.md": "other"}))
    before = ids(tmp_path / "index.db")
    (folder / "sub").mkdir()
    (folder / "a.jsonl").rename(folder / "sub" / "b.jsonl")
    report = notes.index(folder)
    assert counts(report) == {"renamed": 5, "unchanged": 1}
    assert report.embedded == 0
    after = ids(tmp_path / "index.db")
    assert after["notes/sub/b.jsonl#r#3"] == before["notes/a.jsonl#r#3"]
    assert counts(notes.index(folder)) == {"unchanged": 6}
    items[3]["text"] = "lid"
    assert counts(notes.index(write(folder, {"sub/b.jsonl": jsonl(items)})))["updated"] >= 1
    assert paths(notes.search("lid", arms=["fts"])) == ["notes/sub/b.jsonl#r#3"]


def test_edits_inside_a_jsonl_touch_their_records_alone(opened: Open, folder: Path, tmp_path: Path) -> None:
    items = [{"id": f"r{number}", "text": f"kettle {number}"} for number in range(5)]
    notes = opened(embedder=TableEmbedder())
    notes.index(write(folder, {"a.jsonl": jsonl(items)}))
    before = ids(tmp_path / "index.db")
    items[1] = {"id": "r1", "text": "lid"}
    assert counts(notes.index(write(folder, {"a.jsonl": jsonl(items)}))) == {"updated": 1, "unchanged": 4}
    items[2]["id"] = "renamed"
    report = notes.index(write(folder, {"a.jsonl": jsonl(items)}))
    assert counts(report) == {"added": 1, "removed": 1, "unchanged": 4}
    assert report.embedded == 0, "its text has a vector already"
    report = notes.index(write(folder, {"a.jsonl": jsonl(items[:-1])}))
    assert counts(report) == {"removed": 1, "unchanged": 4}
    report = notes.index(write(folder, {"a.jsonl": jsonl(reversed(items[:-1]))}))
    assert report.added == report.removed == 0
    assert ids(tmp_path / "index.db")["notes/a.jsonl#r1"] == before["notes/a.jsonl#r1"]
    require_sound(tmp_path / "index.db")


def test_of_equal_ids_in_a_jsonl_the_first_stays_and_the_other_is_named(opened: Open, folder: Path) -> None:
    items = [{"id": "same", "text": "kettle"}, {"id": "same", "text": "lid"}, {"text": "steam"}, {"id": 3, "text": "x"}]
    report = opened().index(write(folder, {"a.jsonl": jsonl(items)}))
    assert report.added == 2
    assert [warning.partition(": ")[0] for warning in report.warnings] == ["notes/a.jsonl:2", "notes/a.jsonl:4"]


def test_records_are_known_by_their_ids_and_stay_until_they_are_pruned(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    assert counts(notes.index(records({"a": "kettle", "b": "lid"}))) == {"added": 2}
    assert counts(notes.index(records({"b": "lid", "c": "steam"}))) == {"added": 1, "unchanged": 1}
    assert counts(notes.index(records({"c": "steam, changed"}))) == {"updated": 1}
    assert counts(notes.index(records({"c": "steam, changed"}), prune=True)) == {"unchanged": 1, "removed": 2}
    notes.index(records({"c": "of another prefix"}), prefix="p")
    assert set(ids(tmp_path / "index.db")) == {"c", "p/c"}
    notes.index([], prefix="p", prune=True)
    assert set(ids(tmp_path / "index.db")) == {"c"}


def test_a_folder_in_place_of_a_file_and_the_other_way_round(opened: Open, folder: Path) -> None:
    notes = opened()
    notes.index(write(folder, {"x.md": "kettle", "y.md": "other"}))
    (folder / "x.md").unlink()
    assert counts(notes.index(write(folder, {"x.md/a.md": "lid"}))) == {"added": 1, "removed": 1, "unchanged": 1}
    assert paths(notes.search("lid")) == ["notes/x.md/a.md"]
    shutil.rmtree(folder / "x.md")
    notes.index(write(folder, {"x.md": "kettle"}))
    assert paths(notes.search("kettle")) == ["notes/x.md"]
    assert paths(notes.search("lid")) == []


def test_a_root_that_becomes_a_file_is_not_believed_either(opened: Open, tmp_path: Path) -> None:
    root = write(tmp_path / "root.md", {f"{number}.md": f"kettle {number}" for number in range(30)})
    notes = opened()
    notes.index(root)
    shutil.rmtree(root)
    root.write_text("a file", encoding="utf-8")
    with pytest.raises(SourceError, match=r"30 of the 30 files .* are gone; nothing was removed"):
        notes.index()
    assert len(notes.search("kettle", limit=50, window=50)) == 30


@pytest.mark.parametrize(
    ("known", "lost", "believed"),
    [(1, 1, False), (5, 4, True), (5, 5, False), (19, 18, True), (20, 10, True), (20, 11, False), (40, 21, False)],
)
def test_a_great_loss_is_believed_only_when_it_is_confirmed(
    opened: Open, folder: Path, known: int, lost: int, believed: bool
) -> None:
    notes = opened()
    notes.index(write(folder, {f"{number}.md": f"kettle {number}" for number in range(known)}))
    for number in range(lost):
        (folder / f"{number}.md").unlink()
    if not believed:
        with pytest.raises(SourceError, match=rf"{lost} of the {known} files .* --prune") as refused:
            notes.index(folder)
        assert refused.value.suggestions == (f"rankfold index {folder} --prune",)
        assert len(notes.search("kettle", limit=100, window=100)) == known
    assert counts(notes.index(folder, prune=True)).get("removed") == lost


def test_a_great_move_is_no_loss(opened: Open, folder: Path) -> None:
    notes = opened()
    notes.index(write(folder, {f"{number}.md": f"kettle {number}" for number in range(30)}))
    (folder / "archive").mkdir()
    for number in range(30):
        (folder / f"{number}.md").rename(folder / "archive" / f"{number}.md")
    assert counts(notes.index(folder)) == {"renamed": 30}


def test_a_file_that_disappears_while_the_run_is_on_stays_as_it_was(
    opened: Open, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = opened()
    notes.index(write(folder, {"a.md": "kettle", "b.md": "lid"}))
    read = Path.read_bytes

    def vanishing(path: Path) -> bytes:
        if path.name == "a.md":
            raise FileNotFoundError(2, "No such file or directory")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", vanishing)
    report = notes.index(folder)
    assert report.warnings == ["notes/a.md: cannot be read (No such file or directory); left as it was"]
    assert paths(notes.search("kettle")) == ["notes/a.md"]


def test_a_binary_file_under_a_name_of_text_is_named_and_holds_nobody_up(opened: Open, folder: Path) -> None:
    report = opened().index(write(folder, {"a.md": bytes(range(32)) * 100, "b.md": "kettle", "empty.md": ""}))
    assert report.warnings == ["notes/a.md: looks binary, not indexed"]
    assert report.added == 2


TEXTS = [
    "kettle",
    "# Lid\n\nsteam",
    "---\ntags: [x]\n---\nquay",
    jsonl([{"id": "1", "text": "kettle"}, {"id": "2", "text": "lid"}, {"id": "3", "text": "kettle"}]),
    jsonl([{"id": "3", "text": "kettle"}, {"id": "1", "text": "lid"}, {"text": "quay"}]),
    None,
    "move",
]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md", "d/a.md", "d/e.txt", "r.jsonl", "d/r.jsonl"]),
        st.sampled_from(TEXTS),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=3))
def test_any_edits_end_where_a_new_index_begins(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[tuple[str, str | None]]]
) -> None:
    """Written, moved, deleted in any order and indexed in between: the answers are those of a rebuild, bit for bit."""
    root = tmp_path_factory.mktemp("edits")
    folder = write(root / "n", {"stays.md": "kettle steam"})
    with (
        rankfold.open(root / "kept.db", embedder=TableEmbedder()) as kept,
        rankfold.open(root / "new.db", embedder=TableEmbedder()) as new,
    ):
        for edits in runs:
            for name, text in edits:
                path = folder / name
                if text == "move":
                    if path.exists():
                        path.rename(folder / f"moved-{path.name}")
                elif text is None:
                    path.unlink(missing_ok=True)
                else:
                    write(folder, {name: text})
            kept.index(folder)
        new.index(folder)
        for query in ("kettle", "lid steam", "quay"):
            assert as_json(kept.search(query, now=NOW)) == as_json(new.search(query, now=NOW))
        for table in ("file", "document", "chunk", "vector", "full_text", "document_tag", "live"):
            sql = f"SELECT count(*) FROM {table}"
            assert ask(root / "kept.db", sql) == ask(root / "new.db", sql), table
    require_sound(root / "kept.db")

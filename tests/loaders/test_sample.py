"""The sample corpus: its notes, their use, the index made of them, and the vectors that are kept."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import rankfold
from loaders.site_trees import REPOSITORY
from rankfold.indexing import sync
from rankfold.indexing.walk import Found, walk
from rankfold.retrieval.registry import installed
from rankfold.times import moment
from rankfold_loaders.faults import SiteError
from rankfold_loaders.observations import observe
from rankfold_loaders.sample import KeptVectors, Sample, build
from support import TableEmbedder, ask, write

NOTES = REPOSITORY / "examples" / "notes"
NOW = moment("2026-05-29T09:40:00Z")
RESTORE = "notes/database/restore-a-backup.md"
COPY = "notes/team/on-call/restore-a-backup.md"


def corpus(folder: Path) -> Path:
    """A copy of the notes and of their use, for a test to change."""
    notes = Path(shutil.copytree(NOTES, folder / "notes"))
    shutil.copy2(NOTES.with_name("notes-use.jsonl"), folder)
    return notes


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two notes."""
    return write(tmp_path / "notes", {"a.md": "# A\n\nkettle\n", "b.md": "# B\n\nteapot\n"})


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where indexes are made."""
    made = tmp_path / "made"
    made.mkdir()
    return made


@pytest.fixture
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another place for indexes, in another folder."""
    return tmp_path_factory.mktemp("elsewhere")


# ── the notes ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_note_is_read_without_a_doubt_and_is_as_long_as_a_note(tmp_path: Path) -> None:
    with rankfold.open(tmp_path / "index.db", embedder=None) as collection:
        report = collection.index(NOTES, progress=lambda *_: None)
    assert not report.warnings
    assert not report.skipped
    assert report.added == len(list(NOTES.rglob("*.md"))) >= 30
    for note in NOTES.rglob("*.md"):
        length = len(re.findall(r"\S+", note.read_text(encoding="utf-8").split("\n---\n", 1)[1]))
        assert 40 <= length <= 110, f"{note} has {length} words"


def test_one_text_is_there_twice_and_no_other_is(tmp_path: Path) -> None:
    with rankfold.open(tmp_path / "index.db", embedder=None) as collection:
        collection.index(NOTES, progress=lambda *_: None)
    same = "SELECT group_concat(path, ' ' ORDER BY path) FROM document GROUP BY content_hash HAVING count(*) > 1"
    assert ask(tmp_path / "index.db", same) == [(f"{RESTORE} {COPY}",)]


def test_the_corpus_has_something_of_everything_that_an_arm_may_leave_out(tmp_path: Path) -> None:
    with rankfold.open(tmp_path / "index.db", embedder=None) as collection:
        collection.index(NOTES, progress=lambda *_: None)
    database = tmp_path / "index.db"
    assert ask(database, "SELECT path FROM document WHERE archived") == [("notes/archive/two-copies.md",)]
    assert len(ask(database, "SELECT path FROM document WHERE dated_at IS NULL")) >= 3
    assert len(ask(database, "SELECT path FROM document WHERE type = 'task'")) >= 2
    assert len(ask(database, "SELECT path FROM document WHERE path LIKE 'notes/resources/people/%'")) >= 2


# ── the index ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_everything_observed_is_the_same_in_any_order_folder_and_time_zone(
    tmp_path: Path, place: Path, again: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "vectors"
    first = observed(NOTES, place, cache)
    dice = random.Random(3)

    def shuffled(root: Path) -> Found:
        found = walk(root)
        files = list(found.files.items())
        dice.shuffle(files)
        return replace(found, files=dict(files))

    monkeypatch.setattr(sync, "walk", shuffled)
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    time.tzset()
    try:
        assert observed(corpus(tmp_path), again, cache) == first
    finally:
        monkeypatch.undo()
        time.tzset()
    ids = "SELECT path FROM document ORDER BY id"
    (one,), (other,) = ([ask(file, ids) for file in sorted(made.glob("????????.db"))[:1]] for made in (place, again))
    assert one != other, "the second index was made in the same order"


def test_one_changed_date_changes_what_is_observed(tmp_path: Path, place: Path, again: Path) -> None:
    cache = tmp_path / "vectors"
    notes = corpus(tmp_path)
    first = observed(notes, place, cache)
    note = notes / "team" / "trip.md"
    note.write_text(note.read_text(encoding="utf-8").replace("2026-05-15", "2026-05-14"), encoding="utf-8")
    assert observed(notes, again, cache) != first


def observed(notes: Path, folder: Path, cache: Path) -> bytes:
    sample = build(notes, folder, cache=cache)
    return json.dumps(observe(installed(), sample), ensure_ascii=False, allow_nan=False).encode()


def test_ages_are_counted_from_the_newest_moment_of_the_corpus(place: Path, again: Path, small: Path) -> None:
    sample = build(NOTES, place, embedder=None)
    assert sample.now == NOW
    assert sample.search("checkpoint").now == NOW
    assert sample.search("checkpoint", now="2030-01-01").now == moment("2030-01-01")
    assert build(small, again, embedder=None).now == 0.0, "nothing in it has a date, and the clock is not asked"


def test_each_profile_searches_an_index_with_its_own_tokenizer(place: Path) -> None:
    sample = build(NOTES, place, embedder=None)
    for profile in installed().profiles:
        assert sample.collection(profile.name).status().tokenizer == profile.tokenizer
    stemmed, plain = (sample.search("checkpoints", profile=name) for name in ("documents", "memory"))
    assert len(stemmed) > sum(hit.matched for hit in plain)


def test_the_arms_of_other_registries_are_asked_of_the_same_index(place: Path) -> None:
    sample = build(NOTES, place, embedder=None)
    name = replace(installed().arms["recency"], name="age")
    asked = sample.under(installed().plus_arms([name])).search("checkpoint")
    assert [used.arm for used in asked.arms] == ["fts", "recency", "salience", "age"]
    assert "age" not in [used.arm for used in sample.search("checkpoint").arms]


# ── how documents were used ───────────────────────────────────────────────────────────────────────────────────────────


def test_use_reaches_the_state_plane(place: Path) -> None:
    sample = build(NOTES, place, embedder=None)
    stated = [json.loads(line) for line in NOTES.with_name("notes-use.jsonl").read_text().splitlines()]
    row = "SELECT access_count, reinforcement_count, outcome, last_accessed FROM state.access WHERE path = ?"
    for use in stated:
        (found,) = sample.connection().execute(row, (use["path"],)).fetchall()
        assert found == (
            use["access_count"],
            use["reinforcement_count"],
            use["outcome"],
            moment(use["last_accessed"]),
        )


def test_without_use_there_is_no_state_plane_and_the_arm_says_so(small: Path, place: Path) -> None:
    dropped = {item.arm: item.precondition for item in build(small, place, embedder=None).search("kettle").dropped}
    assert dropped["salience"] == "state_plane"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no object with a path"),
        ('["notes/a.md"]', "no object with a path"),
        ('{"access_count": 1}', "no object with a path"),
        ('{"path": "notes/c.md"}', "there is no document notes/c.md"),
        ('{"path": "notes/a.md", "count": 1}', "count is nothing that use can tell"),
        ('{"path": "notes/a.md", "last_accessed": "soon"}', "no ISO 8601 time"),
        ('{"path": "notes/a.md", "access_count": -1}', "cannot be kept"),
        ('{"path": "notes/a.md"}\n{"path": "notes/a.md"}', "cannot be kept"),
    ],
)
def test_a_line_of_use_that_cannot_be_right_is_refused_with_its_place(
    small: Path, place: Path, line: str, message: str
) -> None:
    use = small.with_name("notes-use.jsonl")
    use.write_text(f'{{"path": "notes/b.md", "access_count": 3}}\n{line}\n', encoding="utf-8")
    with pytest.raises(SiteError, match=message) as caught:
        build(small, place, embedder=None)
    assert caught.value.faults[0].place.startswith("notes-use.jsonl:")


# ── kept vectors ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_second_build_embeds_nothing_but_what_is_new(small: Path, place: Path, again: Path, tmp_path: Path) -> None:
    first, second = TableEmbedder(), TableEmbedder()
    build(small, place, embedder=first, cache=tmp_path / "vectors")
    assert len(first.asked) == 2
    (small / "c.md").write_text("# C\n\nsaucer\n", encoding="utf-8")
    build(small, again, embedder=second, cache=tmp_path / "vectors")
    assert second.asked == ["C\n# C\n\nsaucer"]
    stored = "SELECT embedding FROM vector WHERE id IN (SELECT id FROM vector ORDER BY text_hash)"
    assert set(vectors(place, stored)) < set(vectors(again, stored))


def vectors(folder: Path, sql: str) -> list[bytes]:
    (database,) = folder.glob("????????.db")
    return [bytes(value) for (value,) in ask(database, sql)]


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "longer"])
def test_a_kept_vector_that_is_broken_is_made_again(damage: str, tmp_path: Path) -> None:
    embedder = TableEmbedder()
    kept = KeptVectors(embedder, tmp_path)
    (vector,) = kept.embed_documents(["kettle"])
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    broken = {
        "cut": whole[:-4],
        "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),
        "emptied": b"",
        "longer": whole + b"\0",
    }
    file.write_bytes(broken[damage])
    (made,) = kept.embed_documents(["kettle"])
    assert list(made) == list(vector)
    assert embedder.asked == ["kettle", "kettle"]
    assert file.read_bytes() == whole
    kept.embed_documents(["kettle"])
    assert embedder.asked == ["kettle", "kettle"], "a whole one is not made again"
    assert list(tmp_path.iterdir()) == [file]


def test_vectors_of_another_space_role_or_text_are_not_taken(tmp_path: Path) -> None:
    KeptVectors(TableEmbedder(), tmp_path).embed_documents(["kettle"])
    other = TableEmbedder(name="other")
    KeptVectors(other, tmp_path).embed_documents(["kettle"])
    assert other.asked == ["kettle"]
    same = KeptVectors(TableEmbedder(), tmp_path)
    same.embed_query("kettle")
    same.embed_documents(["kettles"])
    assert len(list(tmp_path.iterdir())) == 4


def test_a_vector_that_cannot_be_used_is_not_kept(tmp_path: Path) -> None:
    kept = KeptVectors(TableEmbedder({"kettle": [0.0] * 8}), tmp_path)
    assert list(kept.embed_query("kettle")) == [0.0] * 8
    assert not list(tmp_path.iterdir())


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_bytes(b"")
    kept = KeptVectors(TableEmbedder(), in_the_way)
    assert len(kept.embed_query("kettle")) == 8
    assert in_the_way.read_bytes() == b""


def test_with_kept_vectors_no_model_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys, tempfile; from pathlib import Path\n"
        "from rankfold.retrieval.registry import installed\n"
        "from rankfold_loaders.observations import observe\n"
        "from rankfold_loaders.sample import build\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    seen = observe(installed(), build(Path(sys.argv[1]), Path(folder), cache=Path(sys.argv[2])))\n"
        "print(seen['sample']['share'], 'onnxruntime' in sys.modules, 'tokenizers' in sys.modules)\n"
    )
    path = os.pathsep.join(str(REPOSITORY / part) for part in ("src", "loaders"))
    said = [
        subprocess.run(
            [sys.executable, "-c", code, str(NOTES), str(tmp_path / "vectors")],
            env={**os.environ, "PYTHONPATH": path},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert said == [["1.0", "True", "True"], ["1.0", "False", "False"]]


def test_a_sample_can_be_closed_and_asked_again(place: Path) -> None:
    sample: Sample = build(NOTES, place, embedder=None)
    before = sample.search("checkpoint")
    sample.connection()
    sample.close()
    assert sample.search("checkpoint") == before
    assert sample.connection().execute("SELECT count(*) > 30 FROM document").fetchall() == [(1,)]

"""Field cases FC-F01 to FC-F06 and FC-R01 to FC-R09."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankfold.errors import UnknownNameError
from rankfold.storage.connection import open_state, open_writer
from support import Open, TableEmbedder, paths, records

FILES = Path(__file__).parent / "files"


def test_more_of_a_rare_word_is_better(opened: Open) -> None:
    """FC-F01."""
    notes = opened()
    texts = {f"other{number}": "nothing of it here" for number in range(6)}
    notes.index(records({"A": "rare rare rare", "B": "rare " + "filler " * 39, **texts}))
    answer = notes.search("rare")
    assert paths(answer) == ["A", "B"]
    first, second = (hit.contributions[0].raw for hit in answer)
    assert first < second < 0, "bm25 is negative, and lower is better"


def test_a_word_in_every_document_drops_none_of_them(opened: Open) -> None:
    """FC-F02."""
    notes = opened()
    notes.index(records({f"n{number}": "common " + "word " * number for number in range(10)}))
    answer = notes.search("common")
    assert len(answer) == 10
    assert len({hit.score for hit in answer}) == 10


def test_old_text_is_forgotten_however_often_a_document_changes(opened: Open, tmp_path: Path) -> None:
    """FC-F03."""
    note = tmp_path / "notes" / "note.md"
    note.parent.mkdir()
    notes = opened()
    for _ in range(10):
        for text in ("alpha old", "beta new"):
            note.write_text(text, encoding="utf-8")
            notes.index(note.parent)
    assert paths(notes.search("alpha")) == []
    (hit,) = notes.search("beta")
    assert hit.snippet == "beta new"
    connection = open_writer(tmp_path / "index.db", tokenizer="")
    connection.execute("INSERT INTO document_fts (document_fts, rank) VALUES ('integrity-check', 1)").fetchall()
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_what_hung_on_a_deleted_document_never_answers_for_another(opened: Open, tmp_path: Path) -> None:
    """FC-F04."""
    embedder = TableEmbedder(
        {"gamma": [0.0, 1.0], "alpha": [1.0, 0.0], "beta": [1.0, 0.1], "delta": [1.0, 0.2]}, dimension=2
    )
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("alpha", "beta", "gamma"):
        (folder / f"{name}.md").write_text(f"---\nentities: [x:{name}]\n---\n{name}", encoding="utf-8")
    notes = opened(embedder=embedder)
    notes.index(folder)
    (folder / "gamma.md").unlink()
    notes.index(folder)
    (folder / "delta.md").write_text("delta", encoding="utf-8")
    notes.index(folder, embed=False)
    connection = open_writer(tmp_path / "index.db", tokenizer="")
    highest = connection.execute("SELECT max(id), count(*) FROM document").fetchall()
    assert highest == [(4, 3)], "an id is not handed out twice"
    assert connection.execute("SELECT name FROM document_entity WHERE document_id = 4").fetchall() == []
    connection.close()
    assert "notes/delta.md" not in paths(notes.search("gamma", arms=["vector"]))


def test_zero_bytes_in_a_document_reach_no_one(opened: Open) -> None:
    """FC-F05."""
    notes = opened()
    notes.index(FILES / "nul_run.md")
    for word in ("before-gap", "walrus"):
        (hit,) = notes.search(word)
        assert "\0" not in hit.snippet
        start, end = hit.passage.highlights[0]  # type: ignore[union-attr]
        assert hit.snippet[start:end].lower() in word


def test_hostile_text_is_shown_as_it_is_and_matches_are_offsets(opened: Open) -> None:
    """FC-F06."""
    notes = opened()
    notes.index(FILES / "snippet_html.md")
    (hit,) = notes.search("fox")
    passage = hit.passage
    assert passage is not None
    for piece in ("<script>alert(1)</script>", "soup & <mark>not a hit</mark>", "[fox]", "**fox**", "2 < 3"):
        assert piece in passage.text
    assert [passage.text[start:end] for start, end in passage.highlights] == ["fox", "fox", "fox"]


def test_boosts_never_bury_the_exact_match(opened: Open, tmp_path: Path) -> None:
    """FC-R01."""
    notes = opened()
    fresh = [
        {"id": f"fresh{number}", "text": f"another topic {number}", "updated": "2026-01-01"} for number in range(12)
    ]
    notes.index([*fresh, {"id": "old", "text": "the quarterly harbour inspection", "updated": "2015-01-01"}])
    state = open_state(tmp_path / "index.db")
    for number in range(12):
        state.execute(
            "INSERT INTO access (path, content_hash, access_count) VALUES (?, x'00', 50)", (f"fresh{number}",)
        ).fetchall()
    state.close()
    answer = notes.search("quarterly harbour inspection", now="2026-01-02")
    assert paths(answer) == ["old"]
    assert {used.arm for used in answer.arms} == {"fts", "recency", "salience"}


def test_weights_do_what_they_say(opened: Open) -> None:
    """FC-R03."""
    embedder = TableEmbedder({"wal": [1.0, 0.0], "log": [0.9, 0.1], "x": [0.0, 1.0]}, dimension=2)
    notes = opened(embedder=embedder)
    notes.index(records({"A": "log log log of wal-less days", "B": "wal text", "C": "x text log log log log"}))
    both = paths(notes.search("log", weights={"fts": 1.0, "vector": 1.0}))
    assert paths(notes.search("log", weights={"fts": 2.0, "vector": 2.0})) == both
    assert paths(notes.search("log", weights={"fts": 1.0, "vector": 0.0})) == paths(notes.search("log", arms=["fts"]))
    assert paths(notes.search("log", weights={"fts": 0.0})) == paths(notes.search("log", arms=["vector"]))
    assert paths(notes.search("log", weights={"fts": 10.0}))[0] == paths(notes.search("log", arms=["fts"]))[0]
    with pytest.raises(UnknownNameError, match="Known: fts, vector, recency, salience"):
        notes.search("log", weights={"ftx": 1.0})


def test_a_score_is_a_rank_score_and_what_it_was_made_of_is_beside_it(opened: Open) -> None:
    """FC-R04: a perfect hit and nonsense score alike; only the arms' own values tell them apart."""
    table = {"harbour": [1.0, 0.0], "nonsense": [0.1, 1.0]}
    notes = opened(embedder=TableEmbedder(table, dimension=2))
    notes.index(records({"A": "harbour inspection", "B": "harbour dues"}))
    perfect = notes.search("harbour inspection", arms=["vector"])
    nonsense = notes.search("nonsense", arms=["vector"])
    assert perfect[0].score == nonsense[0].score == 1 / 61
    assert perfect[0].contributions[0].raw == 0.0
    assert nonsense[0].contributions[0].raw > 0.8
    arms = notes.registries.arms
    assert (arms["fts"].raw.name, arms["fts"].raw.better) == ("bm25", "lower")
    assert (arms["vector"].raw.name, arms["vector"].raw.better) == ("cosine distance", "lower")


def test_a_collection_of_which_little_is_embedded_answers_by_words(opened: Open, tmp_path: Path) -> None:
    """FC-R05."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.md").write_text(f"embedded note {number}", encoding="utf-8")
    notes = opened(embedder=TableEmbedder())
    notes.index(folder)
    for number in range(10, 99):
        (folder / f"{number}.md").write_text(f"plain note {number}", encoding="utf-8")
    (folder / "z.md").write_text("quayside and quayside again", encoding="utf-8")
    notes.index(folder, embed=False)
    answer = notes.search("quayside")
    assert paths(answer)[0] == "notes/z.md"
    assert not answer[0].is_embedded
    assert answer.degraded
    (dropped,) = (item for item in answer.dropped if item.arm == "vector")
    assert dropped.precondition == "embedded_documents"
    assert "10 of 100 chunks" in dropped.reason
    assert dropped.fix == "rankfold embed"
    report = notes.status().capabilities
    assert (report.embedded, report.chunks) == (10, 100)
    notes.embed()
    assert not notes.search("quayside").degraded


def test_one_long_file_takes_one_place(opened: Open, tmp_path: Path) -> None:
    """FC-R06."""
    folder = tmp_path / "notes"
    folder.mkdir()
    sections = [f"## Section {n}\n\n{'text ' * 60}{'valve' if n % 7 == 0 else ''}" for n in range(300)]
    (folder / "handbook.md").write_text("\n\n".join(sections), encoding="utf-8")
    for number in range(12):
        (folder / f"note{number}.md").write_text(f"note {number} on a valve", encoding="utf-8")
    notes = opened()
    notes.index(folder)
    found = paths(notes.search("valve", limit=10))
    assert len(set(found)) == len(found) == 10


def test_the_same_text_at_two_paths_takes_one_place(opened: Open, tmp_path: Path) -> None:
    """FC-R07."""
    for name in ("a", "b"):
        (tmp_path / "n" / name).mkdir(parents=True)
        (tmp_path / "n" / name / "plan.md").write_text("the roof plan", encoding="utf-8")
    (tmp_path / "n" / "c.md").write_text("a roof and another plan for it", encoding="utf-8")
    notes = opened()
    notes.index(tmp_path / "n")
    answer = notes.search("roof plan", limit=2)
    assert paths(answer) == ["n/a/plan.md", "n/c.md"]
    assert answer[0].twins == ("n/b/plan.md",)
    assert answer[0].adjustments[0].after == "folded into n/a/plan.md"
    assert paths(notes.search("roof plan", path="n/b/")) == ["n/b/plan.md"]
    (tmp_path / "n" / "a" / "plan.md").unlink()
    notes.index(tmp_path / "n")
    assert "n/b/plan.md" in paths(notes.search("roof plan"))


def test_a_date_in_the_future_counts_as_now(opened: Open) -> None:
    """FC-R08."""
    notes = opened()
    notes.index(FILES / "dates")
    extremes = [
        {"id": "first", "text": "kettle", "date": "0001-01-01"},
        {"id": "last", "text": "kettle", "date": "9999-12-31"},
    ]
    notes.index(extremes)
    answer = notes.search("kettle", now="2024-06-01", profile="memory")
    raws = {hit.path: {c.arm: c.raw for c in hit.contributions}.get("recency") for hit in answer}
    assert raws["dates/future.md"] == raws["last"] == answer.now
    assert min(raw for raw in raws.values() if raw is not None) == raws["first"]
    documents = paths(notes.search("kettle descaling log", now="2024-06-01"))
    assert documents.index("dates/future.md") >= 3 if "dates/future.md" in documents else True


def test_a_scope_prefix_is_a_folder_and_never_a_pattern(opened: Open) -> None:
    """FC-R09."""
    notes = opened()
    names = ["notes_2024/a.md", "notesX2024/b.md", "notes_2024-old/c.md", "Notes_2024/D.md", "100%/x.md", "100abc/y.md"]
    notes.index(
        records(
            dict.fromkeys(names, "kettle"),
        )
    )
    one = {"profile": "memory"}
    for scope in ("notes_2024", "notes_2024/"):
        assert paths(notes.search("kettle", path=scope, **one)) == ["notes_2024/a.md"]
    assert paths(notes.search("kettle", path="100%/", **one)) == ["100%/x.md"]
    assert paths(notes.search("kettle", path=["100%", "Notes_2024"], **one)) == ["100%/x.md", "Notes_2024/D.md"]

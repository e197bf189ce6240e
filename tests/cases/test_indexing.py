"""Field cases FC-I01 to FC-I14: folders as people keep them."""

from __future__ import annotations

import base64
import os
import random
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pytest

import rankfold
from rankfold.errors import SourceError
from support import Open, TableEmbedder, as_nobody, ask, paths, records, require_sound, write

FILES = Path(__file__).parent / "files"


def good_files(folder: Path, count: int) -> Path:
    return write(folder, {f"good{number}.md": f"# Good {number}\n\nplain text {number}\n" for number in range(count)})


def fields(database: Path, path: str) -> tuple[object, ...]:
    (found,) = ask(
        database,
        "SELECT t.title, d.updated_at, d.created_at, d.event_at,"
        " (SELECT group_concat(tag) FROM (SELECT tag FROM document_tag WHERE document_id = d.id ORDER BY ordinal))"
        " FROM document AS d JOIN document_text AS t ON t.id = d.id WHERE d.path = ?",
        path,
    )
    return found


def test_a_file_saved_on_windows_reads_like_its_twin(opened: Open, tmp_path: Path) -> None:
    """FC-I01."""
    marked = (FILES / "bom_crlf.md").read_bytes()
    plain = marked.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    notes = opened()
    notes.index(write(tmp_path / "n", {"marked.md": marked, "plain.md": plain}))
    assert fields(tmp_path / "index.db", "n/marked.md") == fields(tmp_path / "index.db", "n/plain.md")
    (hit,) = notes.search("quayside")
    assert (hit.title, hit.tags) == ("Harbour checklist", ("boats", "winter"))
    assert hit.twins == ("n/plain.md",), "the same text takes one place"
    assert hit.passage is not None
    assert hit.passage.line == 9
    assert marked.decode("utf-8").split("\n")[hit.passage.line - 1].startswith("The word quayside")
    assert "\ufeff" not in hit.snippet
    assert "\r" not in hit.snippet
    assert paths(notes.search("quayside", since="2024-03-05", until="2024-03-05")) == ["n/marked.md"]


def test_a_letterhead_between_two_rules_is_text(opened: Open) -> None:
    """FC-I02."""
    notes = opened()
    report = notes.index(FILES / "letterhead.md")
    assert report.warnings == []
    for query in ("hedge parcel", "heron surveyors"):
        assert paths(notes.search(query)) == ["letterhead.md"]


def test_broken_front_matter_costs_its_fields_and_no_file(opened: Open, tmp_path: Path) -> None:
    """FC-I03: one warning with file and line, again until it is mended."""
    folder = good_files(tmp_path / "n", 9)
    broken = (FILES / "bad_yaml_colon.md").read_bytes()
    write(folder, {"broken.md": broken})
    notes = opened()
    report = notes.index(folder)
    assert report.added == 10
    (warning,) = report.warnings
    assert warning.startswith("n/broken.md:2: ")
    assert paths(notes.search("impeller")) == ["n/broken.md"]
    assert notes.index(folder).warnings == [warning], "an unchanged file is still doubtful"
    write(folder, {"broken.md": broken.replace(b"manual: part two", b"manual part two").replace(b"@w", b"w")})
    report = notes.index(folder)
    assert (report.updated, report.warnings) == (1, [])
    assert notes.search("impeller")[0].title == "Pump manual part two"


def test_dates_with_and_without_a_zone_are_moments(opened: Open) -> None:
    """FC-I04: without a zone they are UTC, and a bare date is its first second."""
    notes = opened()
    notes.index(FILES / "dates")
    found = notes.search("kettle descaling", since="2024-05-01", until="2024-05-01", now="2024-06-01")
    assert set(paths(found)) == {"dates/naive.md", "dates/aware.md", "dates/dateonly.md"}
    assert "recency" in [used.arm for used in found.arms]
    moments = {hit.path: hit.updated_at or hit.event_at or hit.created_at for hit in found}
    midnight = 1714521600.0
    assert moments["dates/dateonly.md"] == midnight
    assert moments["dates/aware.md"] == midnight + 8 * 3600
    assert moments["dates/naive.md"] == midnight + 10 * 3600


@pytest.mark.parametrize("environment", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_a_file_that_is_not_utf8_is_read_with_a_warning_whatever_the_locale(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """FC-I05."""
    folder = good_files(tmp_path / "n", 9)
    write(folder, {"latin1.md": (FILES / "latin1.md").read_bytes()})
    program = (
        "import rankfold, sys\n"
        "with rankfold.open(sys.argv[1], embedder=None) as notes:\n"
        "    report = notes.index(sys.argv[2])\n"
        "    print(report.added, ascii(report.warnings), [hit.path for hit in notes.search('yolks br\\xfbl\\xe9e')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "index.db"), str(folder)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("10 ['n/latin1.md:")
    assert "windows-1252" in done.stdout
    assert done.stdout.rstrip().endswith("['n/latin1.md']")


def test_an_edit_that_keeps_size_and_time_is_seen(opened: Open, tmp_path: Path) -> None:
    """FC-I06."""
    note = write(tmp_path / "n", {"note.md": "cat"}) / "note.md"
    notes = opened()
    notes.index(note.parent)
    before = note.stat()
    note.write_text("dog", encoding="utf-8")
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert notes.index(note.parent).updated == 1
    assert paths(notes.search("dog")) == ["n/note.md"]
    assert paths(notes.search("cat")) == []


def test_what_is_gone_is_gone_and_what_moved_keeps_its_vectors(opened: Open, tmp_path: Path) -> None:
    """FC-I07."""
    folder = write(tmp_path / "n", {"a.md": "alpha", "b.md": "beta [x](a.md)", "c.md": "gamma"})
    notes = opened(embedder=TableEmbedder())
    notes.index(folder)
    ids = dict(ask(tmp_path / "index.db", "SELECT path, id FROM document"))
    (folder / "a.md").unlink()
    (folder / "b.md").rename(folder / "d.md")
    (folder / "sub").mkdir()
    (folder / "c.md").rename(folder / "sub" / "c.md")
    report = notes.index(folder)
    assert (report.removed, report.renamed, report.added, report.embedded) == (1, 2, 0, 0)
    assert paths(notes.search("alpha", arms=["fts"])) == []
    assert paths(notes.search("beta", arms=["fts"])) == ["n/d.md"]
    assert paths(notes.search("gamma", arms=["fts"])) == ["n/sub/c.md"]
    assert set(paths(notes.search("anything", arms=["vector"]))) == {"n/d.md", "n/sub/c.md"}
    assert dict(ask(tmp_path / "index.db", "SELECT path, id FROM document")) == {
        "n/d.md": ids["n/b.md"],
        "n/sub/c.md": ids["n/c.md"],
    }
    for table in ("file", "document", "document_text", "full_text", "live", "chunk", "chunk_text", "vector"):
        assert ask(tmp_path / "index.db", f"SELECT count(*) FROM {table}") == [(2,)], table
    require_sound(tmp_path / "index.db")


def test_a_folder_that_is_not_there_today_loses_nothing(opened: Open, tmp_path: Path) -> None:
    """FC-I08: absent is an error, and empty is not believed unless that is confirmed."""
    folder = good_files(tmp_path / "n", 50)
    notes = opened()
    notes.index(folder)
    folder.rename(tmp_path / "away")
    for attempt in (lambda: notes.index(folder), notes.index):
        with pytest.raises(SourceError, match="does not exist; nothing was removed"):
            attempt()
    folder.mkdir()
    with pytest.raises(SourceError, match=r"50 of the 50 files .* nothing was removed.*--prune"):
        notes.index(folder)
    assert len(notes.search("plain", limit=50, window=100)) == 50
    assert notes.index(folder, prune=True).removed == 50
    shutil.rmtree(folder)
    (tmp_path / "away").rename(folder)
    assert notes.index(folder).added == 50


def test_a_folder_that_may_not_be_read_loses_nothing(nobodys: Path) -> None:
    """FC-I08: neither the root nor a folder or file below it."""

    def work() -> tuple[str, int, list[str], int]:
        folder = good_files(nobodys / "n", 10)
        write(folder, {"sub/deep.md": "deep text", "closed.md": "closed text"})
        with rankfold.open(nobodys / "index.db", embedder=None) as notes:
            notes.index(folder)
            folder.chmod(0)
            try:
                notes.index(folder)
                message = ""
            except SourceError as problem:
                message = str(problem)
            found = len(notes.search("text", limit=50))
            folder.chmod(0o700)
            (folder / "sub").chmod(0)
            (folder / "closed.md").chmod(0)
            report = notes.index(folder)
            return message, found, report.warnings, len(notes.search("text", limit=50))

    message, found, warnings, found_after = as_nobody(work)
    assert "nothing was removed" in message
    assert found == found_after == 12
    assert len(warnings) == 2
    assert any(warning.startswith("n/sub: cannot be listed") for warning in warnings)
    assert any(warning.startswith("n/closed.md: cannot be read") for warning in warnings)


def test_links_are_passed_over_and_counted(opened: Open, tmp_path: Path) -> None:
    """FC-I09: no endless walk, nothing twice; a root that is itself a link is followed."""
    folder = write(tmp_path / "n", {"d/note.md": "kettle"})
    (folder / "d" / "loop").symlink_to("..")
    (folder / "alias").symlink_to("d")
    (folder / "dead.md").symlink_to("nowhere")
    notes = opened()
    report = notes.index(folder)
    assert (report.added, report.skipped) == (1, {"link": 3})
    assert paths(notes.search("kettle")) == ["n/d/note.md"]
    (tmp_path / "linked").symlink_to(folder)
    assert notes.index(tmp_path / "linked").added == 1
    assert notes.search("kettle", path="linked")[0].path == "linked/d/note.md"


def test_one_name_in_two_unicode_forms_is_one_file(opened: Open, tmp_path: Path) -> None:
    """FC-I10."""
    composed, decomposed = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
    folder = write(tmp_path / "n", {composed: "first kettle", "other.md": "other"})
    notes = opened()
    notes.index(folder)
    ids = ask(tmp_path / "index.db", "SELECT id FROM document ORDER BY id")
    (folder / composed).rename(folder / decomposed)
    (folder / decomposed).write_text("second kettle", encoding="utf-8")
    report = notes.index(folder)
    assert (report.added, report.updated, report.removed) == (0, 1, 0)
    assert ask(tmp_path / "index.db", "SELECT id FROM document ORDER BY id") == ids
    (hit,) = notes.search("kettle")
    assert (hit.path, hit.snippet) == (f"n/{decomposed}", "second kettle")
    for spelling in (composed, decomposed):
        assert paths(notes.search("kettle", path=f"n/{spelling}")) == [hit.path]


def test_a_picture_written_into_the_text_is_no_text(opened: Open, tmp_path: Path) -> None:
    """FC-I11."""
    picture = base64.b64encode(random.Random(7).randbytes(180_000)).decode()
    text = f"# Floor plan\n\nThe pantry is there.\n\n![plan](data:image/png;base64,{picture})\n\nThe cellar door.\n"
    folder = write(tmp_path / "n", {"plan.md": text})
    embedder = TableEmbedder()
    notes = opened(embedder=embedder)
    report = notes.index(folder)
    assert report.chunks <= 3
    for query in ("pantry", "cellar door"):
        assert paths(notes.search(query, arms=["fts"])) == ["n/plan.md"]
        assert picture[:100] not in notes.search(query, arms=["fts"])[0].snippet
    assert sum(map(len, embedder.asked)) < 1000
    (size,) = ask(tmp_path / "index.db", "SELECT sum(length(title) + length(body)) FROM full_text")[0]
    assert size < 1000


class FailingOn(TableEmbedder):
    """Fails on texts that hold a word, while it is told to."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self.is_failing = True

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if self.is_failing and any(self.word in text for text in texts):
            raise RuntimeError("out of memory")
        return super().embed_documents(texts)


def five_chunks() -> str:
    return "\n\n".join(f"# Part {n}\n\n" + f"marker{n} " + "filler word " * 70 for n in range(1, 6))


def test_a_chunk_that_failed_to_embed_is_found_by_words_and_tried_again(opened: Open, tmp_path: Path) -> None:
    """FC-I12: exactly that one, although the file has not changed."""
    folder = write(tmp_path / "n", {"note.md": five_chunks()})
    embedder = FailingOn("marker3")
    notes = opened(embedder=embedder)
    report = notes.index(folder)
    assert (report.chunks, report.embedded, report.failed) == (5, 4, 1)
    assert any("out of memory" in warning for warning in report.warnings)
    assert paths(notes.search("marker3")) == ["n/note.md"]
    assert not notes.search("marker3")[0].is_embedded
    assert any("1 of 5 chunks" in problem for problem in notes.status().problems)
    embedder.is_failing = False
    embedder.asked.clear()
    report = notes.index(folder)
    assert (report.unchanged, report.embedded, report.failed) == (1, 1, 0)
    assert len(embedder.asked) == 1
    assert "marker3" in embedder.asked[0]
    assert notes.search("marker3")[0].is_embedded


class FailingOnce(FailingOn):
    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        try:
            return super().embed_documents(texts)
        except RuntimeError:
            self.is_failing = False
            raise


def test_a_failure_that_does_not_happen_twice_costs_nothing(opened: Open, tmp_path: Path) -> None:
    """FC-I12."""
    notes = opened(embedder=FailingOnce("marker3"))
    report = notes.index(write(tmp_path / "n", {"note.md": five_chunks()}))
    assert (report.embedded, report.failed, report.warnings) == (5, 0, [])


def test_html_is_what_a_reader_sees_in_the_encoding_it_declares(opened: Open) -> None:
    """FC-I13."""
    notes = opened()
    notes.index(FILES / "page_cp1252.html")
    for query in ("terrace", "café"):
        (hit,) = notes.search(query)
        assert hit.title == "Opening hours – café"
        assert "The café’s terrace opens at nine & closes at four." in hit.snippet
    for query in ("zzscript", "secretstyle", "hiddencomment"):
        assert paths(notes.search(query)) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_hit_names_the_line_of_the_real_file(opened: Open, tmp_path: Path, end: str) -> None:
    """FC-I14."""
    lines = ["---", "title: T", "tags: [a]", "type: note", "---", "", "one", "", "two", "", "three", "the quayside"]
    notes = opened()
    notes.index(write(tmp_path / "n", {"note.md": end.join(lines)}))
    (hit,) = notes.search("quayside")
    assert hit.passage is not None
    assert hit.passage.line == 12
    read = (tmp_path / "n" / "note.md").read_text(encoding="utf-8").splitlines()
    assert read[hit.passage.line - 1] == "the quayside"


def test_records_and_files_live_in_one_collection(opened: Open, tmp_path: Path) -> None:
    notes = opened()
    notes.index(write(tmp_path / "n", {"a.md": "kettle in a file"}), records({"r": "kettle in a record"}))
    assert set(paths(notes.search("kettle"))) == {"n/a.md", "r"}

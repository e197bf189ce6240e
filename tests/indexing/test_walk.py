"""Which files of a folder are read: known formats, nothing hidden, nothing ignored, no links."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankfold.errors import SourceError
from rankfold.indexing.walk import walk
from support import write

TEXT = "text"


def found(root: Path) -> list[str]:
    return list(walk(root).files)


def test_known_formats_are_found_in_path_order_and_others_are_counted(tmp_path: Path) -> None:
    names = ["b.md", "a/z.txt", "a.md", "a/B.HTML", "c.jsonl", "x.png", "y.PNG", "README", "d.mp4"]
    walked = walk(write(tmp_path, dict.fromkeys(names, TEXT)))
    assert list(walked.files) == sorted(["b.md", "a/z.txt", "a.md", "a/B.HTML", "c.jsonl"])
    assert walked.skipped == {".png": 2, ".mp4": 1, "no suffix": 1}
    assert walked.files["a/z.txt"] == tmp_path / "a" / "z.txt"


def test_what_is_hidden_is_passed_over(tmp_path: Path) -> None:
    walked = walk(write(tmp_path, {"a.md": TEXT, ".b.md": TEXT, ".git/c.md": TEXT, ".obsidian/d.md": TEXT}))
    assert (list(walked.files), walked.skipped) == (["a.md"], {"hidden": 3})


def test_a_root_that_is_hidden_or_ignored_is_read_because_it_was_named(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "build/\n", "build/a.md": TEXT, ".notes/b.md": TEXT})
    assert found(tmp_path / "build") == ["a.md"]
    assert found(tmp_path / ".notes") == ["b.md"]
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("ignore", "kept"),
    [
        ("", ["a.md", "b.md", "sub/a.md", "sub/deep/a.md"]),
        ("a.md", ["b.md"]),
        ("/a.md", ["b.md", "sub/a.md", "sub/deep/a.md"]),
        ("sub/", ["a.md", "b.md"]),
        ("sub/a.md", ["a.md", "b.md", "sub/deep/a.md"]),
        ("**/deep/", ["a.md", "b.md", "sub/a.md"]),
        ("*.md\n!b.md", ["b.md"]),
        ("# a.md\n\nb.md", ["a.md", "sub/a.md", "sub/deep/a.md"]),
        ("sub/*\n!sub/deep/", ["a.md", "b.md", "sub/deep/a.md"]),
    ],
)
def test_gitignore_means_what_git_means(tmp_path: Path, ignore: str, kept: list[str]) -> None:
    write(tmp_path, dict.fromkeys(["a.md", "b.md", "sub/a.md", "sub/deep/a.md"], TEXT) | {".gitignore": ignore})
    assert found(tmp_path) == kept


def test_the_nearest_gitignore_decides(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "draft*.md\nsub/only-here.md\n",
            "sub/.gitignore": "!draft-kept.md\nown.md\n",
            "draft.md": TEXT,
            "own.md": TEXT,
            "sub/draft.md": TEXT,
            "sub/draft-kept.md": TEXT,
            "sub/own.md": TEXT,
            "sub/only-here.md": TEXT,
            "sub/deep/own.md": TEXT,
            "sub/deep/only-here.md": TEXT,
        },
    )
    assert found(tmp_path) == ["own.md", "sub/deep/only-here.md", "sub/draft-kept.md"]


def test_a_gitignore_above_the_root_counts_up_to_the_top_of_the_repository(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "outside.md\n",  # above the repository: not its business
            "repository/.git/HEAD": "",
            "repository/.gitignore": "drafts/\n/docs/notes/secret.md\nkept.md\n",
            "repository/docs/.gitignore": "!kept.md\nnotes/local.md\n",
            "repository/docs/notes/secret.md": TEXT,
            "repository/docs/notes/local.md": TEXT,
            "repository/docs/notes/kept.md": TEXT,
            "repository/docs/notes/outside.md": TEXT,
            "repository/docs/notes/drafts/a.md": TEXT,
            "repository/docs/notes/sub/secret.md": TEXT,
        },
    )
    assert found(tmp_path / "repository" / "docs" / "notes") == ["kept.md", "outside.md", "sub/secret.md"]


def test_without_a_repository_nothing_above_the_root_counts(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.md\n", "notes/a.md": TEXT})
    assert found(tmp_path / "notes") == ["a.md"]


def test_a_gitignore_that_is_no_text_or_a_folder_stops_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": TEXT, ".gitignore": b"\xff\xfe\x00b.md\n", "sub/.gitignore/x": "", "sub/b.md": TEXT})
    assert found(tmp_path) == ["a.md", "sub/b.md"]


def test_links_are_passed_over_and_a_linked_root_is_followed(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.md": TEXT, "sub/b.md": TEXT})
    (root / "sub" / "loop").symlink_to(root)
    (root / "twin.md").symlink_to("a.md")
    (tmp_path / "link").symlink_to(root)
    walked = walk(tmp_path / "link")
    assert (list(walked.files), walked.skipped) == (["a.md", "sub/b.md"], {"link": 2})


def test_a_deep_folder_is_walked_without_recursion(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 500)
    assert found(write(tmp_path, {f"{deep}/a.md": TEXT})) == [f"{deep}/a.md"]


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist; nothing was removed"):
        walk(tmp_path / "nowhere")

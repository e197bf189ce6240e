"""Code blocks run, and what stands below a command is what it prints."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loaders.site_trees import REPOSITORY
from rankfold_loaders import transcripts
from rankfold_loaders.transcripts import (
    covered,
    docstrings,
    matches,
    run_docstrings,
    run_page,
    stamp_faults,
    stamped,
    steps,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the pages show a POSIX shell")

PAGE = """# A page

```console
$ mkdir notes
$ ls
notes
$ echo "1 2"; echo 3
1 2
3
```

```python
print("four")
```

```text
four
```

```text
not an output
```
"""


def test_commands_and_programs_are_found_with_their_output_and_line() -> None:
    found = steps(PAGE)
    assert [(step.language, step.typed, step.shown, step.line) for step in found] == [
        ("console", "mkdir notes", "", 4),
        ("console", "ls", "notes\n", 5),
        ("console", 'echo "1 2"; echo 3', "1 2\n3\n", 7),
        ("python", 'print("four")\n', "four\n", 13),
    ]
    assert len(covered(PAGE)) == 3


def test_a_page_whose_output_is_right_passes(tmp_path: Path) -> None:
    text, faults, count = run_page(tmp_path, PAGE, "page.md")
    assert (text, faults, count) == (PAGE, [], 4)


@pytest.mark.parametrize(
    ("old", "new", "place"), [("1 2\n3", "1 2\n4", "page.md:7"), ("```text\nfour", "```text\nfive", "page.md:13")]
)
def test_output_that_is_not_printed_is_found_and_mended(old: str, new: str, place: str, tmp_path: Path) -> None:
    text, faults, _ = run_page(tmp_path, PAGE.replace(old, new), "page.md")
    assert [fault.place for fault in faults] == [place]
    assert "this is not what is printed" in faults[0].message
    assert text == PAGE


def test_output_is_put_below_a_program_that_shows_none(tmp_path: Path) -> None:
    text, faults, _ = run_page(tmp_path, "```python\nprint(1)\n```\n\nMore.\n", "page.md")
    assert len(faults) == 1
    assert text == "```python\nprint(1)\n```\n\n```text\n1\n```\n\nMore.\n"
    assert run_page(tmp_path, text, "page.md")[1] == []


def test_a_command_that_fails_without_a_word_is_found(tmp_path: Path) -> None:
    (fault,) = run_page(tmp_path, "```console\n$ false\n```\n", "page.md")[1]
    assert "fails with status 1 and says nothing" in fault.message


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("now = …\n", "now = 12.5\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\nz\n", "a\nb\n", False),
        ("now = …\n", "then = 12.5\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_an_ellipsis_stands_for_what_changes(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same


def test_what_is_not_run_says_why(tmp_path: Path) -> None:
    page = "<!-- not run: it never ends -->\n\n```console\n$ exit 3\n```\n\nThen:\n\n```console\n$ echo 3\n3\n```\n"
    assert [step.reason for step in steps(page)] == ["it never ends", ""]
    assert run_page(tmp_path, page, "page.md")[1:] == ([], 1)
    assert run_page(tmp_path, page.replace("<!-- not run: it never ends -->\n", ""), "page.md")[1] != []


def test_an_edited_block_has_to_be_run_even_where_its_output_stays() -> None:
    page = stamped(PAGE)
    assert stamp_faults(page, "page.md") == []
    for old, new in (
        ("echo 3", "echo 3 "),
        ("1 2\n3", "1 2\n4"),
        ("mkdir notes", "mkdir -p notes"),
        ("four\n", "five\n"),
    ):
        (fault,) = stamp_faults(page.replace(old, new), "page.md")
        assert "a code block was edited since it ran" in fault.message
    assert stamp_faults(page.replace("# A page", "# Another page"), "page.md") == []
    assert stamp_faults(PAGE, "page.md") != []
    assert stamped(stamped(page)) == page


def test_a_page_may_begin_where_a_section_of_another_ends(tmp_path: Path) -> None:
    (tmp_path / "first.md").write_text("## Notes {#notes}\n\n```console\n$ mkdir notes\n```\n", encoding="utf-8")
    page = "<!-- run first: first.md#notes -->\n\n```console\n$ ls\nnotes\n```\n"
    assert run_page(tmp_path, page, "page.md")[1] == []
    assert run_page(tmp_path, page.replace("<!-- run first: first.md#notes -->", ""), "page.md")[1] != []


def test_examples_in_docstrings_run(tmp_path: Path) -> None:
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    good = '"""A package.\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n"""\n'
    (package / "__init__.py").write_text(good, encoding="utf-8")
    assert len(list(docstrings(tmp_path / "src"))) == 1
    assert run_docstrings(tmp_path, tmp_path / "src") == []
    (package / "__init__.py").write_text(good.replace("print(1)", "print(2)"), encoding="utf-8")
    (fault,) = run_docstrings(tmp_path, tmp_path / "src")
    assert fault.place == "src/package/__init__.py:4"
    (package / "__init__.py").write_text('"""A package.\n\n>>> 1\n1\n"""\n', encoding="utf-8")
    assert "write an example as a block" in run_docstrings(tmp_path, tmp_path / "src")[0].message


def test_the_projects_own_blocks_are_as_they_were_when_they_ran() -> None:
    pages = transcripts.pages(REPOSITORY)
    assert sum(bool(steps(page.read_text(encoding="utf-8"))) for page in pages) >= 3
    for page in pages:
        assert stamp_faults(page.read_text(encoding="utf-8"), page.name) == []


RUNNING = [
    page
    for page in transcripts.pages(REPOSITORY)
    if any(not step.reason for step in steps(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", RUNNING, ids=lambda page: page.name)
def test_the_projects_own_pages_show_what_is_printed(page: Path) -> None:
    _, faults, _ = run_page(REPOSITORY, page.read_text(encoding="utf-8"), page.name)
    assert [str(fault) for fault in faults] == []


def test_the_projects_own_docstrings_show_what_is_printed() -> None:
    assert [str(fault) for fault in run_docstrings(REPOSITORY, REPOSITORY / "src")] == []

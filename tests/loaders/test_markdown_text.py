"""Whatever stands in a record is shown as it stands."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest
import yaml
from bs4 import BeautifulSoup

from rankfold_loaders import markdown_text as md

REPOSITORY = Path(__file__).resolve().parents[2]
CASE_FILE = REPOSITORY / "tests" / "cases" / "files" / "table_docs_input.txt"
CASES = [line.split("\t")[1] for line in CASE_FILE.read_text(encoding="utf-8").splitlines()[1:]]
HOSTILE = [
    *CASES,
    *(text.replace("\\n", "\n") for text in CASES if "\\n" in text),
    "<script>alert(1)</script>",
    "{{ arms.fts.weight }} {% if x %}",
    "`tick` ``two`` ```three```",
    "ends in a backslash \\",
    "\\| already escaped",
    "heading {#id} {: .x } { .y }",
    "a | b | c |",
    "&lt; stays &amp;",
    "[x][ref] [y](z) ![w](v)",
    "# not a heading",
    "- not a list",
    "1. nor this",
    "> nor this",
    "~~~ nor this",
    "*star* **two** _under_ __dunder__",
    "שלום עולם | עברית",
    "turned \u202e around",
    "https://example.org/a_b_c",
    "***",
]
EXTENSIONS = yaml.safe_load(
    # The extensions that the site itself uses: an escape is right only in their company.
    (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("markdown_extensions:")[2].join(["x:", ""])
)["x"]


def to_html(text: str) -> BeautifulSoup:
    names = [next(iter(item)) if isinstance(item, dict) else item for item in EXTENSIONS]
    settings = {name: value for item in EXTENSIONS if isinstance(item, dict) for name, value in item.items()}
    return BeautifulSoup(markdown.markdown(text, extensions=names, extension_configs=settings), "html.parser")


def text_of(element: object) -> str:
    soup = BeautifulSoup(str(element), "html.parser")
    for line_break in soup.find_all("br"):
        line_break.replace_with("\n")
    return soup.get_text()


def test_the_case_file_is_there() -> None:
    assert len(CASES) == 6


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", [md.escape, md.code])
def test_a_cell_shows_its_text_and_keeps_the_columns(text: str, form: object) -> None:
    """FC-S03, FC-S04."""
    assert callable(form)
    page = to_html(f"| A | B | C |\n| --- | --- | --- |\n| one | {form(text)} | three |\n| 1 | 2 | 3 |\n")
    rows = [row.find_all("td") for row in page.select("tbody tr")]
    assert [len(row) for row in rows] == [3, 3]
    assert text_of(rows[0][1]) == text
    assert rows[0][2].get_text() == "three"
    assert not page.find("script")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", [md.escape, md.code])
def test_a_paragraph_a_heading_and_a_term_show_their_text(text: str, form: object) -> None:
    assert callable(form)
    page = to_html(f"{form(text)}\n\nafter\n\nTerm\n:   {form(text)}\n\n## 1. {form(text)} {{#own}}\n")
    assert text_of(page.find("p")) == text
    assert text_of(page.find("dd")) == text
    heading = page.find("h2", id="own")
    assert heading is not None
    assert text_of(heading).removesuffix("\u00b6") == f"1. {text}"


@pytest.mark.parametrize("text", CASES)
def test_documentation_shows_its_text(text: str) -> None:
    assert to_html(md.prose(text)).get_text() == text


def test_documentation_keeps_its_markdown() -> None:
    text = "A [link](https://sqlite.org/fts5.html#the_bm25_function), `a|b_c {x}`, *stress*."
    page = to_html(md.prose(f"{text}\n\n    x < y_z {{h}}\n\n- one"))
    link = page.find("a")
    assert link is not None
    assert link["href"] == "https://sqlite.org/fts5.html#the_bm25_function"
    assert page.find("code").get_text() == "a|b_c {x}"  # type: ignore[union-attr]
    assert page.find("em").get_text() == "stress"  # type: ignore[union-attr]
    assert "x < y_z {h}" in page.find("pre").get_text()  # type: ignore[union-attr]
    assert page.find("li") is not None


@pytest.mark.parametrize("text", ["plain", "with ``` inside", "with ```` four", "~~~"])
def test_a_fence_holds_any_text(text: str) -> None:
    assert to_html(md.fence(text, "sql")).find("code").get_text().strip() == text  # type: ignore[union-attr]


def test_cutting_code_out_loses_nothing() -> None:
    text = (
        "a `b` c\n\n```py\n{{ x }} `y\n```\n\n~~~\n```\n~~~\n\n- item\n\n    not code in a list\n\nend ` of\n\nit `\n"
    )
    assert "".join(piece for piece, _ in md.split_code(text)) == text
    assert "".join(piece for piece, _ in md.split_code(text, indented=True)) == text
    code = [piece for piece, is_code in md.split_code(text) if is_code]
    assert code == ["`b`", "```py\n{{ x }} `y\n```\n", "~~~\n```\n~~~\n"]

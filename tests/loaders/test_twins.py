"""A twin says in GitHub's Markdown what the page says: the same words, and links that lead on."""

from __future__ import annotations

import html
import re
import time
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import markdown
import pytest
import yaml
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from loaders.site_trees import replace_in
from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import SiteError
from rankfold_loaders.twins import Listed, TwinSource, github_markdown, llms, twins

SITE = "https://example.org/project/"
EXTENSIONS = [
    *("admonition", "attr_list", "def_list", "md_in_html", "tables", "toc"),
    *("pymdownx.details", "pymdownx.superfences", "pymdownx.tabbed"),
]
HOSTILE = [
    "a|b | c",
    "<script>alert(1)</script>",
    "</td><b>List<int> & <T>",
    "{{ arms.fts.weight }} {% if x %} { .x } {#id}",
    "`tick` ``two`` \\` \\",
    "שלום | עולם \u202e turned",
    "*stars* _under_ [x](y.md) [x][y] ![i](j.png)",
    "!!! note === # - 1. > ~~~",
    "w" * 300,
]


def page(text: str, uri: str = "reference/cli/index.md", **more: object) -> TwinSource:
    return TwinSource(uri, "Title", "What it says.", text, **more)  # type: ignore[arg-type]


def words(rendered: str) -> set[str]:
    """The words that a reader of HTML sees."""
    soup = BeautifulSoup(rendered, "html.parser")
    for end in soup.select("br, label, dt, dd, li, td, th, p"):
        end.insert_after(" ")
    # GitHub draws footnotes in its own way: their numbers and the ways back are no words of the text.
    for mark in soup.select("sup, a.footnote-backref"):
        mark.decompose()
    text = re.sub(r"\[\^[^\]]*\]:?", "", soup.get_text())
    return {word.strip(":") for word in text.split()} - {""}


def letters(rendered: str) -> str:
    """What a reader of HTML sees, without spaces and the colons that stand between a term and what it is."""
    return re.sub(r"[\s:]", "", BeautifulSoup(rendered, "html.parser").get_text())


def on_github(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def on_the_site(text: str) -> str:
    return markdown.markdown(
        text, extensions=EXTENSIONS, extension_configs={"pymdownx.tabbed": {"alternate_style": True}}
    )


def body(twin: bytes) -> str:
    return twin.decode().split("\n---\n", 1)[1]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_reads_the_same_on_the_page_and_in_the_twin(text: str) -> None:
    source = (
        f"# Title\n\n{md.escape(text)}\n\n"
        f'<div class="rf-table" role="region" aria-label="{md.attribute(text)}" tabindex="0" markdown="1">\n\n'
        f"| Head | {md.escape(text)} |\n| --- | ---: |\n| {md.code(text)} | {md.escape(text)} |\n\n</div>\n\n"
        f'??? info "What each of these means"\n\n    {md.escape(text)}\n    :   {md.escape(text)}\n\n'
        f"### 1. {md.escape(text)} {{#sect}}\n\n{md.prose(text)}\n\n{md.fence(text, 'sql')}\n"
    )
    twin = github_markdown(source)
    shown = BeautifulSoup(on_github(twin), "html.parser")
    assert letters(on_github(twin)) == letters(on_the_site(source))
    assert ["".join(cell.get_text().split()) for cell in shown.select("td")] == ["".join(text.split())] * 2
    assert shown.select("pre code")[0].get_text() == text + "\n"
    assert not shown.select("script, b, div")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_any_text_in_a_cell_reads_the_same_in_the_twin(text: str) -> None:
    twin = github_markdown(f"| a | b |\n| --- | --- |\n| {md.code(text)} | {md.escape(text)} |\n")
    cells = BeautifulSoup(on_github(twin), "html.parser").select("td")
    assert ["".join(cell.get_text().split()) for cell in cells] == ["".join(text.split())] * 2


@given(st.text(alphabet="ab \n\t|`~#*_<>{}[]()!=?:-\"'\\/.1&", max_size=120))
def test_any_markdown_at_all_has_a_twin(text: str) -> None:
    made = twins([page(text)], SITE)
    assert made == twins([page(text)], SITE)
    assert body(made["reference/cli.md"]).endswith("\n")


@pytest.mark.parametrize(
    "text", ["[x](y){a=1" + ".1" * 5000, "<div " * 5000, "](" * 5000, "# " + "{#x " * 5000, "`" * 9999]
)
def test_text_made_to_be_slow_is_not(text: str) -> None:
    started = time.process_time()
    github_markdown(text)
    assert time.process_time() - started < 5


def test_a_pipe_in_the_code_of_a_cell_would_break_the_row_if_it_were_left_as_it_is() -> None:
    row = "| a |\n| --- |\n| `x|y` |\n"
    assert BeautifulSoup(on_github(row), "html.parser").select("td")[0].get_text() != "x|y"
    assert BeautifulSoup(on_github(github_markdown(row)), "html.parser").select("td")[0].get_text() == "x|y"


def test_wrappers_boxes_tabs_definitions_and_ids_become_plain_markdown() -> None:
    source = """## 2. Weights {#weights}

<div class="rf-table" role="region" aria-label="a &gt; b" tabindex="0" markdown="1">

| A |
| --- |
| 1 |

</div>

!!! warning "Mind this"

    Term
    :   What it is

    Other
    :   One paragraph.

        Two paragraphs.

=== "As written"

    ```sql
    SELECT 1 -- {#kept}
    ```

[Begin](index.md){ .md-button } and <code id="slot-limit">limit</code>

    indented {#kept} [kept](index.md)
"""
    assert (
        github_markdown(source)
        == """<a id="weights"></a>

## 2. Weights

| A |
| --- |
| 1 |

**Mind this**

- **Term**: What it is
- **Other**: One paragraph.

  Two paragraphs.

**As written**

```sql
SELECT 1 -- {#kept}
```

[Begin](index.md) and <a id="slot-limit"></a>`limit`

    indented {#kept} [kept](index.md)
"""
    )


def test_a_drawing_becomes_its_description_and_a_script_nothing() -> None:
    source = (
        '<figure class="x">\n<svg role="img"><title>The flow</title>\n<desc>Text, then hits</desc><text>noise</text>\n'
        '<svg x="100%">\n<text>more</text></svg>\n<rect/>\n'
        "</svg>\n<figcaption>How it runs</figcaption>\n</figure>\n\n<script>\nlet noise = `1`;\n</script>\n\nAfter\n"
    )
    assert github_markdown(source) == "*Figure: The flow. Text, then hits.*\n\nHow it runs\n\nAfter\n"


def test_what_only_a_browser_or_the_loaders_use_is_left_out() -> None:
    source = (
        "<fieldset><legend>Show</legend>\n<input>\n</fieldset>\n\n<!-- run first: a.md#b -->\n\n"
        "```python\n<!-- shown -->\n```\n\n8 KiB[^8]\n\n[^8]: measured here\n"
    )
    assert github_markdown(source) == "```python\n<!-- shown -->\n```\n\n8 KiB[^8]\n\n[^8]: measured here\n"


PAGES = [
    page("", "index.md"),
    page("", "guide.md"),
    page("", "reference/arms/index.md"),
    page("", "reference/arms/fts.md"),
    page("", "reference/cli/index.md"),
]


@pytest.mark.parametrize(
    ("here", "link", "expected"),
    [
        ("index.md", "[x](reference/arms/index.md#weights)", "[x](reference/arms.md#weights)"),
        ("reference/arms/fts.md", "[x](index.md)", "[x](../arms.md)"),
        ("reference/arms/index.md", "[`x`](fts.md)", "[`x`](arms/fts.md)"),
        ("reference/cli/index.md", "[x](../../guide.md 'y')", "[x](../guide.md 'y')"),
        ("reference/cli/index.md", "[x](#here) [y](https://e.org/a.md)", "[x](#here) [y](https://e.org/a.md)"),
        ("reference/cli/index.md", "![x](../../assets/x.svg)", "![x](../assets/x.svg)"),
        ("reference/cli/index.md", '<a href="../arms/fts/#sql">x</a>', '<a href="arms/fts.md#sql">x</a>'),
        ("reference/cli/index.md", "[x]: ../arms/fts.md", "[x]: arms/fts.md"),
        ("guide.md", "`[x](index.md)` \\[x\\](y.md)", "`[x](index.md)` \\[x\\](y.md)"),
        ("guide.md", "[x](http://[)", "[x](http://[)"),
        ("reference/arms/fts.md", "[`fts`]() is this page", "[`fts`](fts.md) is this page"),
    ],
)
def test_a_link_leads_to_the_other_twin(here: str, link: str, expected: str) -> None:
    source = [page(link if one.uri == here else "", one.uri) for one in PAGES]
    made = twins(source, SITE)
    name = {"index.md": "index.md"}.get(here, here.removesuffix("/index.md").removesuffix(".md") + ".md")
    assert body(made[name]).strip() == expected


def test_front_matter_gives_title_description_and_the_pages_own_address() -> None:
    made = twins([TwinSource("a/c#.md", "A: “b”", "x: y", "text")], SITE)
    front = yaml.safe_load(made["a/c#.md"].decode().split("---\n")[1])
    assert front == {"title": "A: “b”", "description": "x: y", "canonical": SITE + "a/c%23/"}
    assert "canonical" not in twins([TwinSource("a.md", "A", "x", "text")], "")["a.md"].decode()


def test_two_pages_with_one_twin_are_a_fault() -> None:
    with pytest.raises(SiteError, match="that of another page"):
        twins([page("", "a.md"), page("", "a/index.md")], SITE)


def test_llms_txt_lists_pages_in_order_and_the_full_text_leaves_repetition_out() -> None:
    pages = [
        TwinSource("index.md", "Home", "What it is.", "# Home\n\n[Arms](reference/arms.md#fts) [up](#top)"),
        TwinSource("reference/arms.md", "Arms_1", "All\nof them.", "# Arms", "Reference"),
        TwinSource("reference/all.md", "All", "Again.", "# Again", "Reference", repetitive=True),
    ]
    made = llms("name", "It *searches*.", pages, SITE, [Listed("arms.json", "Arms", "As data.")])
    assert made["llms.txt"].decode() == (
        "# name\n\n> It \\*searches\\*.\n"
        f"\n## Documentation\n\n- [Home]({SITE}index.md): What it is.\n"
        f"\n## Reference\n\n- [Arms\\_1]({SITE}reference/arms.md): All of them.\n"
        f"\n## Data\n\n- [Arms]({SITE}arms.json): As data.\n"
        f"\n## Optional\n\n- [All]({SITE}reference/all.md): Again.\n"
    )
    full = made["llms-full.txt"].decode()
    assert full.index("canonical: " + SITE + "\n") < full.index("canonical: " + SITE + "reference/arms/\n")
    assert f"[Arms]({SITE}reference/arms.md#fts) [up]({SITE}index.md#top)" in full
    assert "# Again" not in full


def _twin_of(file: Path, site: Path) -> Path:
    folder = file.parent.relative_to(site).as_posix()
    return site / ("index.md" if folder == "." else f"{folder}.md")


def _pages(site: Path) -> list[Path]:
    files = [file for file in sorted(site.rglob("index.html")) if 'http-equiv="refresh"' not in file.read_text()]
    assert len(files) > 15
    return files


def lost_words(site: Path) -> dict[str, set[str]]:
    """Words of pages that their twins do not have."""
    lost = {}
    for file in _pages(site):
        article = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser").select_one("article")
        assert article is not None
        for added in article.select(
            ".md-content__button, .md-source-file, .headerlink, svg, script, input, form, fieldset"
        ):
            added.decompose()
        lost[file.parent.name] = words(str(article)) - words(on_github(body(_twin_of(file, site).read_bytes())))
    return {name: found for name, found in lost.items() if found}


def dead_links(site: Path) -> tuple[list[tuple[str, str]], int]:
    """Links of twins that lead to no file or to no section of a twin, and how many links there are."""
    dead, count = [], 0
    for twin in [_twin_of(file, site) for file in _pages(site)]:
        here = twin.relative_to(site).as_posix()
        for element in BeautifulSoup(on_github(body(twin.read_bytes())), "html.parser").select("a[href], img[src]"):
            link = str(element.get("href", element.get("src")))
            if urlsplit(link).scheme:
                continue
            found = urlsplit(urljoin(f"http://site/{here}", link))
            target = site / unquote(found.path).lstrip("/")
            count += 1
            assert link, f"{here} has an empty link"
            into_twin = found.fragment and target.suffix == ".md"
            if not target.exists() or (into_twin and html.unescape(unquote(found.fragment)) not in _ids(target)):
                dead.append((here, link))
    return dead, count


@cache
def _ids(twin: Path) -> set[str]:
    soup = BeautifulSoup(on_github(body(twin.read_bytes())), "html.parser")
    headings = {re.sub(r"[^\w -]", "", h.get_text().lower()).replace(" ", "-") for h in soup.select("h1,h2,h3,h4")}
    return {str(element["id"]) for element in soup.select("[id]")} | headings


def test_every_page_has_a_twin_that_says_the_same(built: Path) -> None:
    assert not lost_words(built)


def test_a_word_that_a_twin_lost_is_found(own_site: Path) -> None:
    replace_in(own_site / "glossary.md", "fused score", "score")
    assert lost_words(own_site) == {"glossary": {"fused"}}


def test_every_link_of_every_twin_leads_to_a_file_and_a_section(built: Path) -> None:
    dead, count = dead_links(built)
    assert not dead
    assert count > 100


def test_a_link_of_a_twin_that_leads_nowhere_is_found(own_site: Path) -> None:
    replace_in(own_site / "glossary.md", "(reference/scopes.md)", "(reference/scopes.md#gone)")
    replace_in(own_site / "glossary.md", "(reference/profiles.md)", "(reference/gone.md)")
    dead, _ = dead_links(own_site)
    assert sorted(dead) == [("glossary.md", "reference/gone.md"), ("glossary.md", "reference/scopes.md#gone")]


def test_llms_txt_of_the_site_names_every_twin(built: Path) -> None:
    listed = re.findall(r"\]\(([^)]+)\)", (built / "llms.txt").read_text(encoding="utf-8"))
    names = {urlsplit(link).path.split("/rankfold/", 1)[1] for link in listed}
    assert names >= {_twin_of(file, built).relative_to(built).as_posix() for file in _pages(built)}
    assert {"arms.json", "registries.json"} <= names

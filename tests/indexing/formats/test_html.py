from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexing.case_files import case_file
from rankfold.indexing.formats.html import parse
from rankfold.indexing.source_document import SourceDocument


def only(data: bytes) -> SourceDocument:
    (document,) = parse(data).documents
    return document


def texts(data: bytes) -> list[str]:
    return [block.text for block in only(data).blocks]


def test_a_page_is_read_in_its_own_encoding_without_scripts_and_menus() -> None:
    """FC-I13"""
    parsed = parse(case_file("page_cp1252.html"))
    assert parsed.doubts == ()
    (document,) = parsed.documents
    assert document.fields == {"title": "Opening hours – café"}
    assert [block.text for block in document.blocks] == [
        "Opening hours",
        "The café’s terrace opens at nine & closes at four.",
    ]
    assert document.blocks[0].is_heading


def test_the_head_states_the_fields() -> None:
    page = b"""<html lang="en-GB"><head><title> A
    page </title><meta name="Description" content="About it"><meta name=keywords content="a, b">
    <meta property="article:published_time" content="2024-05-01T00:00:00Z"><meta name=date content=2024-05-01>
    <meta name=viewport content=wide><meta name=author content=Ann></head><body>x</body></html>"""
    assert only(page).fields == {
        "title": "A page",
        "summary": "About it",
        "tags": ["a", "b"],
        "language": "en-GB",
        "created_at": 1714521600.0,
        "event_at": 1714521600.0,
        "attributes": {"author": "Ann"},
    }


def test_main_or_the_articles_are_the_page_where_there_are_any() -> None:
    assert texts(b"<p>a<main><header><h1>b</h1></header><p>c</main><footer>d</footer>") == ["b", "c"]
    assert texts(b"<div>a</div><article><p>b</p></article><article>c<footer>d</footer></article>") == [
        "b",
        "c",
        "d",
    ]
    assert texts(b"<header>a</header><p>b</p><footer>c</footer>") == ["b"]
    assert texts(b"<main></main><p>b</p>") == ["b"]


def test_the_title_falls_back_to_the_first_heading() -> None:
    assert only(b"<header><h1>Top</h1></header><h2>b</h2>").fields == {"title": "Top"}
    assert only(b"<h3>Sub <b>title</b></h3>").fields == {"title": "Sub title"}
    assert only(b"<svg><title>icon</title></svg><p>a").fields == {}


def test_text_is_cut_where_a_reader_sees_it_cut() -> None:
    page = b"<p>one <b>bold</b>er<br>line<ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><td>e</table><!-- z -->"
    assert texts(page) == ["one bolder line", "a", "b", "c d", "e"]


def test_preformatted_text_keeps_its_lines() -> None:
    (block,) = only(b"<p></p>\n<pre>\n\ndef f():\n    return 1\n</pre>").blocks
    assert block.text == "def f():\n    return 1"
    assert (block.start_line, block.end_line) == (4, 5)


def test_lines_are_those_of_the_file_though_tags_are_spread_over_several() -> None:
    page = (
        b"<html>\r\n<p\r\n class='x'\r\n title='a > b'>First\r\nline</p>\r\n<script>\r\nx\r\n</script>tail\r\n<p>last"
    )
    assert [(block.text, block.start_line, block.end_line) for block in only(page).blocks] == [
        ("First line", 4, 5),
        ("tail", 8, 8),
        ("last", 9, 9),
    ]


def test_a_page_may_be_nested_deeper_than_python_recurses() -> None:
    assert texts(b"<div>" * 5000 + b"deep") == ["deep"]


def test_markup_that_the_parser_refuses_is_a_doubt() -> None:
    parsed = parse(b"<![x" * 3)
    assert not parsed.documents
    assert parsed.doubts


FRAGMENTS = st.sampled_from(
    ["<p>", "</p>", "<main>", "</main>", "<pre>\n", "<h1>", "</h1>", "<table><td>", "<!--", "-->", "<!["]
) | st.sampled_from(
    [
        "<a b='",
        "'>",
        "&#0;",
        "&#xd800;",
        "<title>",
        "<script>",
        "<meta name=date content=x>",
        "<html lang=",
        "x\n",
    ]
)


@given(st.binary() | st.lists(FRAGMENTS).map(lambda parts: "".join(parts).encode()))
def test_parsing_never_fails_and_lines_never_leave_the_file(data: bytes) -> None:
    for document in parse(data).documents:
        for block in document.blocks:
            assert 1 <= block.start_line <= block.end_line <= data.count(b"\n") + data.count(b"\r") + 1
            assert block.text.strip()
            block.text.encode()

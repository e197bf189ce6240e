"""The glossary holds the vocabulary, and the words that it replaces name nothing on the site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from loaders.site_trees import REPOSITORY
from rankfold_loaders.built_site import read_folder

GLOSSARY = REPOSITORY / "docs" / "glossary.md"

VOCABULARY = {
    "arm": ("retriever", "leg", "branch", "channel"),
    "candidate": (),
    "window": ("top_k",),
    "rank": ("position 0",),
    "RRF": (),
    "contribution": ("partial score",),
    "rank constant": (),
    "fused score": ("relevance score",),
    "bm25": (),
    "distance": (),
    "document": (),
    "chunk": ("segment",),
    "passage": ("segment",),
    "hit": (),
    "collection": ("namespace",),
    "attribute": ("facet",),
    "scope": (),
    "precondition": (),
    "active arm": ("enabled arm",),
    "MMR": ("dedupe",),
    "mmr_lambda": ("dedupe",),
    "salience": (),
    "judgement": ("accuracy",),
    "run": ("accuracy",),
    "nDCG@10": ("accuracy",),
    "MRR": ("accuracy",),
    "recall@k": ("accuracy",),
}
"""Each word, with those that it stands instead of and that mean nothing else here."""


def terms(text: str) -> list[tuple[str, str]]:
    """The terms of a glossary with their ids, in order."""
    return [(term, identity) for identity, term in re.findall(r'<dfn id="([^"]+)">([^<]+)</dfn>\n:', text)]


def replaced_words(names: Iterable[str]) -> list[str]:
    """Names that use a word which the vocabulary replaces."""
    wrong = {word for words in VOCABULARY.values() for word in words}
    pattern = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(sorted(map(re.escape, wrong)))})s?(?![\w-])")
    return [name for name in names if pattern.search(name.replace("_", " ")) or pattern.search(name)]


def names_on(page: Path) -> list[str]:
    """Headings of sections, tables and lists on a page, and the first column of its tables."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    found = soup.select("article :is(h1, h2, h3, h4, th, dt, td:first-child)")
    return [" ".join(element.get_text().split()) for element in found]


def test_the_terms_are_exactly_the_vocabulary() -> None:
    found = terms(GLOSSARY.read_text(encoding="utf-8"))
    assert sorted(term for term, _ in found) == sorted(VOCABULARY)
    assert len({identity for _, identity in found}) == len(found)


def test_a_term_that_is_missing_or_added_is_found() -> None:
    text = GLOSSARY.read_text(encoding="utf-8").replace('<dfn id="hit">hit</dfn>', '<dfn id="result">result</dfn>')
    assert sorted(term for term, _ in terms(text)) != sorted(VOCABULARY)


def test_every_term_has_an_address_on_the_site_and_a_meaning(built: Path) -> None:
    page = built / "glossary" / "index.html"
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    for term, identity in terms(GLOSSARY.read_text(encoding="utf-8")):
        defined = soup.select_one(f'dl > dt > dfn[id="{identity}"]')
        assert defined is not None, term
        assert defined.get_text() == term
        meaning = defined.find_parent("dt")
        assert meaning is not None
        assert len(meaning.find_next_sibling("dd").get_text()) > 20  # type: ignore[union-attr]


def test_no_heading_or_table_of_the_site_uses_a_word_that_was_replaced(built: Path) -> None:
    pages = [built / path for path in read_folder(built)]
    names = [name for page in pages for name in names_on(page)]
    assert len(names) > 200
    assert replaced_words(names) == []


@pytest.mark.parametrize("name", ["Retrievers", "top_k", "The legs of a search", "partial score"])
def test_a_word_that_was_replaced_is_found(name: str) -> None:
    assert replaced_words(["Ranking arms", "legacy", name]) == [name]

"""Ids and page names depend on registered names alone, and are the same on every system."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath

from rankfold_loaders.addresses import anchor, href, page_of, relative, uri
from rankfold_loaders.own_reference import OWN

row = OWN.row


def test_every_name_has_its_own_id() -> None:
    """FC-S05."""
    names = ["c++", "c#", "c", "近接", "近接順", "c-2b-", "c-2b--2b-", "C", "a b", "a_b", "a-b"]
    ids = [anchor("arm", name) for name in names]
    assert len(set(ids)) == len(names)
    assert all(identity.isascii() and " " not in identity for identity in ids)


def test_an_id_does_not_depend_on_what_else_is_there() -> None:
    """FC-S05."""
    assert anchor("arm", "近接") == "arm--8fd1--63a5-"
    assert anchor("arm", "fts") == "arm-fts"


def test_links_are_relative_to_the_page_they_stand_on() -> None:
    assert href("reference/scopes.md", row("scopes"), "path") == "#scope-path"
    assert href("reference/cli/search.md", row("scopes"), "path") == "../scopes.md#scope-path"
    assert href("reference/arms/fts.md", row("arms"), "vector") == "vector.md"
    assert href("reference/scopes.md", row("commands"), "search") == "cli/search.md"
    assert href("reference/scopes.md", row("commands"), "index") == "cli/index/index.md"


def test_a_page_has_a_name_that_every_file_system_takes() -> None:
    names = ["c++", "c#", "近接", "c", "a/b", "..", "state-export"]
    pages = [page_of(row("arms"), name) for name in names]
    assert len({page.lower() for page in pages}) == len(names)
    assert all(re.fullmatch(r"reference/arms/[a-z0-9_-]+\.md", page) for page in pages)
    assert page_of(row("arms"), "C") == page_of(row("arms"), "c")  # some systems take them for one; a clash is a fault
    assert page_of(row("arms"), "state-export") == "reference/arms/state-export.md"
    assert relative("index.md", "reference/arms.md") == "reference/arms.md"


def test_page_names_have_forward_slashes_on_every_system() -> None:
    """FC-S12."""
    assert uri(PureWindowsPath("reference\\cli\\new.md")) == "reference/cli/new.md"
    assert uri(PurePosixPath("reference/cli/new.md")) == "reference/cli/new.md"
    assert uri("reference\\arms.md") == "reference/arms.md"

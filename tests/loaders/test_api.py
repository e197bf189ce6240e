"""The pages of a Python API say what the source says, link what is public, and miss nothing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe
import pytest

import rankfold
from loaders.rendered_pages import cells, html, maker
from loaders.site_trees import REPOSITORY
from rankfold_loaders.api import describe
from rankfold_loaders.api_pages import pages, undocumented
from rankfold_loaders.faults import SiteError
from rankfold_loaders.own_reference import OWN
from rankfold_loaders.registries import Column, RegistryPage
from rankfold_loaders.static import Reader

SHOP = '''
"""A shop."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from elsewhere import Outside
from shop._goods import Good, Goods

__all__ = ["TAX", "Closed", "Good", "Outside", "Shop", "find"]

TAX = 0.190
"""Share of a price."""


class Closed(Exception):
    """The shop is closed.

    Attributes:
        until: hour at which it opens.
    """

    def __init__(self, until: int) -> None:
        self.until = until


@dataclass(frozen=True)
class Shelf:
    """Where goods stand."""

    height: float = 1.50
    """In metres."""

    def clear(self) -> None:
        """Take everything off."""


class Shop(Shelf, Mapping[str, Good]):
    """A shop with `goods` | <script>alert(1)</script> {{ x }}, see `find`.

    Example:
        Shop("corner")
    """

    motto: str = "cor" "ner"
    """Over the door."""

    def __init__(self, name: str, *, _till: int = 0) -> None:
        self._name = name

    def sell(  # to anyone
        self, good: Good, /, *more: Good, price: "float" = 1_000.50, **labels: Goods
    ) -> list[Good] | None:
        """Sell. Raises nothing by itself.

        Args:
            good: what is sold; `a | b`.
            more: what goes with it.
            price: of each.
            labels: by name.

        Returns:
            What was sold: all of it.

        Raises:
            Closed: it is past `close`.
        """

    @overload
    def close(self, at: int) -> int: ...
    @overload
    def close(self, at: str) -> str: ...
    def close(self, at):
        """Close.

        Args:
            at: when.
        """

    @staticmethod
    def kinds(of: str = "all") -> Iterator[str]:
        """Every kind.

        Args:
            of: which.
        """

    @classmethod
    def at_the_corner(cls) -> "Shop":
        """The one at the corner."""

    @cached_property
    def owner(self) -> str:
        """Who owns it."""

    def _count(self): ...
    def __len__(self): ...
    def __getitem__(self, key): ...


def find(name: str, where: "Mapping[str, Shop]" = {}) -> Shop:
    """Find a shop.

    Args:
        name: its name.
        where: shops by name.
    """
'''
GOODS = '''
class Good:
    """One thing."""

Goods = tuple[Good, ...]
"""Several things."""
'''
CARELESS = '''
__all__ = ["find", "Shelf"]

def find(name, where=None):
    """Find.

    Args:
        name: its name.
        color: was removed long ago.
    """

class Shelf:
    """A shelf."""
    height: int = 1

    def clear(self):
        pass
'''
ROWS = (
    OWN.row("python"),
    RegistryPage(
        kind="errors",
        word="error",
        title="Errors",
        description="Errors.",
        records="shop:ERRORS",
        uri="reference/errors.md",
        columns=(Column("Code", "name", "name"),),
    ),
)


@pytest.fixture
def shop(tmp_path: Path) -> list[dict[str, Any]]:
    """The description of a small package."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "shop" / "_goods.py").write_text(GOODS, encoding="utf-8")
    return Reader(tmp_path).public_names("shop")


@pytest.fixture(scope="module")
def own() -> list[dict[str, Any]]:
    """The description of rankfold itself."""
    return Reader(REPOSITORY / "src").public_names("rankfold")


def named(described: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(item for item in described if item["name"] == name)


def text(pieces: list[tuple[str, str]]) -> str:
    return "".join(piece for piece, _ in pieces)


def callables(described: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Any]]:
    """Every documented function and method, with the live one."""
    for item in described:
        live = getattr(rankfold, item["name"])
        if item["kind"] == "function":
            yield item, live
        for method in item["methods"]:
            if method["kind"] != "property":
                yield method, getattr(live, method["name"])


def test_every_public_name_is_described_and_no_other(own: list[dict[str, Any]]) -> None:
    assert [item["name"] for item in own] == rankfold.__all__


def test_parameters_and_annotations_are_those_of_the_live_functions(own: list[dict[str, Any]]) -> None:
    seen = 0
    for described, live in callables(own):
        parameters = [item for item in inspect.signature(live).parameters.values() if item.name != "self"]
        assert [item["name"] for item in described["parameters"]] == [item.name for item in parameters]
        for shown, parameter in zip(described["parameters"], parameters, strict=True):
            assert text(shown["type"]) == parameter.annotation.replace("'", '"')
            assert bool(shown["default"]) == (parameter.default is not inspect.Parameter.empty)
        seen += 1
    assert seen >= 8


def test_every_public_member_of_the_live_classes_is_described(own: list[dict[str, Any]]) -> None:
    for item in own:
        live = getattr(rankfold, item["name"])
        if item["kind"] == "class":
            public = {name for name in (*vars(live), *inspect.get_annotations(live)) if name[0] != "_"}
            described = {member["name"] for key in ("methods", "attributes") for member in item[key]}
            assert public <= described, item["name"]


def test_everything_public_in_rankfold_is_documented(own: list[dict[str, Any]]) -> None:
    assert [str(fault) for fault in undocumented(maker("python", ROWS, {"python": own}).entries)] == []


def test_a_signature_stands_as_it_is_written_without_its_comments(shop: list[dict[str, Any]]) -> None:
    methods = {method["name"]: method for method in named(shop, "Shop")["methods"]}
    assert methods["sell"]["signature"] == (
        "def sell(\n"
        '    self, good: Good, /, *more: Good, price: "float" = 1_000.50, **labels: Goods\n'
        ") -> list[Good] | None"
    )
    assert named(shop, "TAX")["signature"] == "0.190"
    assert named(shop, "Shop")["attributes"][0]["default"] == '"cor" "ner"'
    defaults = {item["name"]: item["default"] for item in methods["sell"]["parameters"]}
    assert defaults == {"good": "", "more": "", "price": "1_000.50", "labels": ""}


def test_members_stand_in_the_order_of_the_source_and_private_ones_are_left_out(shop: list[dict[str, Any]]) -> None:
    described = named(shop, "Shop")
    assert [(item["name"], item["kind"]) for item in described["methods"]] == [
        ("sell", "method"),
        ("close", "method"),
        ("kinds", "static method"),
        ("at_the_corner", "class method"),
        ("owner", "property"),
    ]
    assert [item["name"] for item in described["attributes"]] == ["motto"]
    assert [item["name"] for item in described["methods"][2]["parameters"]] == ["of"]
    assert described["supports"] == ["`len()`", "indexing"]
    assert described["inherited"] == [{"from": "Shelf", "public": "", "names": ["clear", "height"]}]


def test_an_attribute_set_from_a_parameter_has_its_type_and_the_meaning_in_the_class(
    shop: list[dict[str, Any]],
) -> None:
    (until,) = named(shop, "Closed")["attributes"]
    assert (text(until["type"]), until["doc"]) == ("int", "hour at which it opens.")


def test_what_annotations_name_is_found(shop: list[dict[str, Any]]) -> None:
    sell = named(shop, "Shop")["methods"][0]
    assert sell["returns"]["type"] == [("list[", ""), ("Good", "Good"), ("] | None", "")]
    assert sell["returns"]["doc"] == "What was sold: all of it."
    assert [(item["type"], item["public"]) for item in sell["raises"]] == [("Closed", "Closed")]
    (goods,) = named(shop, "Shop")["named"]
    assert (goods["name"], goods["value"], goods["doc"]) == ("Goods", "tuple[Good, ...]", "Several things.")


def test_a_name_of_another_package_says_where_it_is_from(shop: list[dict[str, Any]]) -> None:
    outside = named(shop, "Outside")
    assert (outside["kind"], outside["doc"]) == ("import", "Imported from `elsewhere.Outside`.")


def test_a_package_without_a_list_of_names_shows_what_it_defines(tmp_path: Path) -> None:
    text = 'import os\nfrom json import loads as loads\ndef one(): ...\ndef _two(): ...\nTHREE = """3\n   {\n"""\n'
    (tmp_path / "plain.py").write_text(text, encoding="utf-8")
    loaded = griffe.load("plain", search_paths=[str(tmp_path)], allow_inspection=False, resolve_aliases=True)
    described = describe(loaded)
    assert [item["name"] for item in described] == ["loads", "one", "THREE"]
    assert described[2]["signature"] == '"""3\n   {\n"""'
    assert [item["name"] for item in describe(loaded, names=["_two"])] == ["_two"]


def test_whatever_lacks_its_documentation_is_named_and_stops_the_pages(tmp_path: Path) -> None:
    (tmp_path / "careless.py").write_text(CARELESS, encoding="utf-8")
    careless = maker("python", ROWS, {"python": Reader(tmp_path).public_names("careless")})
    said = [fault.message for fault in undocumented(careless.entries)]
    assert said == [
        "find lacks the meaning of the parameter 'where'",
        "find lacks a parameter 'color', which its docstring tells of",
        "Shelf.clear lacks a docstring",
        "Shelf.height lacks a docstring",
    ]
    with pytest.raises(SiteError, match=r"Shelf\.height lacks a docstring"):
        pages(careless)


def test_pages_link_names_to_each_other_and_errors_to_their_codes(shop: list[dict[str, Any]]) -> None:
    errors = [{"name": "closed", "doc": "It is closed.", "raised_as": ["Closed"]}]
    overview, *each = pages(maker("python", ROWS, {"python": shop, "errors": errors}))
    first = html(overview)
    assert [row[0] for row in cells(first, "python-class")] == ["Closed", "Good", "Shop"]
    assert [row[0] for row in cells(first, "python-function")] == ["find()"]
    assert {link["href"] for link in first.select("td a")} <= {page.uri.rpartition("/")[2] for page in each}
    shop_page = next(page for page in each if page.title == "Shop")
    shown = html(shop_page)
    assert shown.find(id="method-sell").get_text().startswith("2.1. sell()")
    links = {(link.get_text(), link["href"]) for link in shown.select("a")}
    by_title = {page.title: page.uri.rpartition("/")[2] for page in each}
    assert {
        ("Good", by_title["Good"]),
        ("Closed", by_title["Closed"]),
        ("closed", "../errors.md#error-closed"),
        ("find", by_title["find()"]),
        ("close", "#method-close"),
    } <= links
    rows = cells(shown, "parameters-Shop.sell")
    assert [row[0] for row in rows] == ["good", "*more", "price", "**labels"]
    assert rows[0][1:] == ["Good", "required", "What is sold; a | b."]


def test_a_hostile_docstring_is_shown_literally(shop: list[dict[str, Any]]) -> None:
    page = next(page for page in pages(maker("python", ROWS, {"python": shop})) if page.title == "Shop")
    shown = html(page)
    assert shown.find("script") is None
    assert "A shop with goods | <script>alert(1)</script> {{ x }}, see find." in shown.get_text()
    assert page.description == "A shop with goods | <script>alert(1)</script> {{ x }}, see find."

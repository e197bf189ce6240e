"""The page of the plugin's options says what the plugin takes: no key more, no key less, and what counts without it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rankfold_loaders.faults import SiteError
from rankfold_loaders.plugin_options import plugin_options
from rankfold_loaders.registries import read_reference

STATED: dict[str, Any] = {
    "registries": [],
    "registries.kind": "teas",
    "registries.description": "Every tea.",
    "registries.records": "teahouse:TEAS",
    "registries.columns": [],
    "registries.columns.field": "name",
}
"""A value for each key that has to be stated."""


def configured(stated: dict[str, Any]) -> dict[str, Any]:
    """What `mkdocs.yml` says, from keys with where they stand."""
    levels: dict[str, dict[str, Any]] = {"": {}, "registries": {}, "registries.columns": {}}
    for name, value in stated.items():
        level, _, key = name.rpartition(".")
        levels[level][key] = value
    if "registries.columns" in stated:
        levels["registries"]["columns"] = [levels["registries.columns"], "name"]
    if "registries" in stated:
        levels[""]["registries"] = [levels["registries"]]
    return levels[""]


def refused(given: dict[str, Any]) -> str:
    """What is said against a configuration; nothing where it is taken."""
    try:
        read_reference(given)
    except SiteError as problem:
        return str(problem)
    return ""


def test_the_keys_that_have_to_be_stated_are_enough_and_each_is_missed() -> None:
    needed = {option["name"] for option in plugin_options() if option["left_out"] == "it has to be stated"}
    assert needed == STATED.keys()
    assert read_reference(configured(STATED)).row("teas").title == "Teas"
    for name in needed:
        with pytest.raises(SiteError, match=name.rpartition(".")[2]):
            read_reference(configured({key: value for key, value in STATED.items() if key != name}))


@pytest.mark.parametrize("option", plugin_options(), ids=lambda option: str(option["name"]))
def test_a_key_on_the_page_is_one_that_the_plugin_takes(option: dict[str, Any]) -> None:
    value: Any = STATED.get(option["name"])
    if option["one_of"]:
        word = option["one_of"][0]
        value = [word] if option["form"].startswith("list") else word
    elif value is None:
        kinds = {"text": "x", "true or false": True, "list of texts": ["x"]}
        value = kinds.get(option["form"], [])
    said = refused(configured(STATED | {option["name"]: value}))
    assert not re.search("there is no key|it is one of|it is a list|it is text|it is true", said), said


def test_a_key_that_is_not_on_the_page_is_refused() -> None:
    with pytest.raises(SiteError, match="there is no key 'colour'"):
        read_reference(configured(STATED | {"registries.colour": "green"}))


def test_each_key_says_what_it_means_and_where_that_is_written() -> None:
    for option in plugin_options():
        assert option["doc"], option["name"]
        lines = Path(option["source"]["file"]).read_text(encoding="utf-8").splitlines()
        assert lines[option["source"]["line"] - 1].strip().startswith(f"{option['key']}:")

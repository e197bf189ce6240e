"""Generated pages without a whole site: made from values, rendered by the templates and the site's own Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import markdown
from bs4 import BeautifulSoup

from loaders.site_trees import REPOSITORY
from rankfold_loaders import configuration
from rankfold_loaders.agreement import Entry, Joined, Source
from rankfold_loaders.page_model import Page
from rankfold_loaders.pages import Maker
from rankfold_loaders.registries import Reference, RegistryPage
from rankfold_loaders.render import Renderer


def maker(kind: str, rows: Sequence[RegistryPage], values: Mapping[str, Sequence[dict[str, Any]]]) -> Maker:
    """The maker of one registry's pages.

    Args:
        kind: which registry.
        rows: every registry that there is.
        values: the records of each, as the live side gives them.
    """
    entries = {
        row.kind: [Entry(row.kind, value["name"], value, _source(value)) for value in values.get(row.kind, ())]
        for row in rows
    }
    reference = Reference(registries=tuple(rows))
    row = reference.row(kind)
    return Maker(Joined(entries, {"search": {}}, reference), row, row.uri, {})  # type: ignore[arg-type]


def html(page: Page) -> BeautifulSoup:
    """A page as a browser gets it, without the theme around it."""
    text = Renderer().render(page).partition("\n---\n\n")[2]
    stated = configuration.read(REPOSITORY / "mkdocs.yml")["markdown_extensions"]
    names = [next(iter(item)) if isinstance(item, dict) else item for item in stated]
    configured = {name: options for item in stated if isinstance(item, dict) for name, options in item.items()}
    made = markdown.markdown(text, extensions=names, extension_configs=configured)
    return BeautifulSoup(made, "html.parser")


def cells(page: BeautifulSoup, registry: str) -> list[list[str]]:
    """The texts of a table's rows."""
    (region,) = page.select(f'[data-registry="{registry}"]')
    return [[cell.get_text() for cell in row.select("td")] for row in region.select("tbody tr")]


def _source(value: Mapping[str, Any]) -> Source:
    place = value.get("source")
    return Source("file.py", place["line"], "") if place else Source("", 0, "", "registered at run time")

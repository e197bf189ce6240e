"""The whole of the generated site, as values: what an adapter to any site builder puts in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankfold_loaders import live
from rankfold_loaders.agreement import Joined, join
from rankfold_loaders.facts import facts
from rankfold_loaders.faults import SiteError
from rankfold_loaders.markdown_text import fence
from rankfold_loaders.page_model import Page
from rankfold_loaders.pages import pages
from rankfold_loaders.project import Project
from rankfold_loaders.registries import OVERVIEW_URI, RECORDS_MODULE, TABLE
from rankfold_loaders.render import Renderer
from rankfold_loaders.static import Reader


@dataclass(frozen=True)
class GeneratedPage:
    """One page as Markdown."""

    uri: str
    title: str
    markdown: str
    edit: str
    """The file to edit in order to change it, as a path in the project; empty for several or none."""


@dataclass(frozen=True)
class GeneratedSite:
    """All generated pages and the facts that authored pages may quote."""

    pages: tuple[GeneratedPage, ...]
    facts: Mapping[str, str]
    joined: Joined


def generate(project: Project) -> GeneratedSite:
    """Read the registries, compare them with the source, and render every page.

    Raises:
        SiteError: the library cannot be imported, or the two sides disagree.
    """
    reader = Reader(project.source)
    joined, faults = join(project, live.read(project.source), reader)
    if faults:
        raise SiteError(faults)
    field_docs = {row.record: reader.field_docs(RECORDS_MODULE, row.record) for row in TABLE if row.record}
    renderer = Renderer()
    made = tuple(_rendered(renderer, page) for page in pages(joined, field_docs))
    return GeneratedSite(made, facts(joined, project.facts()), joined)


def _rendered(renderer: Renderer, page: Page) -> GeneratedPage:
    return GeneratedPage(page.uri, page.title, renderer.render(page), page.edit)


def navigation(made: tuple[GeneratedPage, ...]) -> list[object]:
    """The generated part of the navigation, by the order of the table: titles with pages, folders as sections."""
    titles = {page.uri: page.title for page in made}
    items: list[object] = [OVERVIEW_URI]
    for row in TABLE:
        if not row.template or row.uri not in titles:
            continue
        if not row.each:
            items.append({row.title: row.uri})
            continue
        folder = row.each.partition("{")[0]
        below: list[object] = [row.uri]
        below += [{page.title: page.uri} for page in made if page.uri.startswith(folder) and page.uri != row.uri]
        items.append({row.title: below})
    return items


def failure_pages(problem: SiteError) -> tuple[GeneratedPage, ...]:
    """The generated pages while the registries cannot be shown: each says what is wrong, and nothing else."""
    uris = list(dict.fromkeys([OVERVIEW_URI, *(row.uri for row in TABLE if row.template)]))
    titles = {row.uri: row.title for row in reversed(TABLE)} | {OVERVIEW_URI: "Reference"}
    made = []
    for uri in uris:
        text = "\n\n".join(str(fault) for fault in problem.faults)
        body = (
            f"---\ntitle: {titles[uri]}\ndescription: This page cannot be made at the moment.\n---\n\n"
            f"# {titles[uri]}\n\nThis page cannot be made. It comes back when this is mended and saved:\n\n"
            f"{fence(text)}\n"
        )
        made.append(GeneratedPage(uri, titles[uri], body, ""))
    return tuple(made)

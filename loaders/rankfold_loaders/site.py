"""The whole of the generated site, as values: what an adapter to any site builder puts in place."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankfold_loaders import changelog, envelope_pages, live, playground
from rankfold_loaders.agreement import Joined, join
from rankfold_loaders.facts import facts, substitute
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.machine_readable import machine_readable
from rankfold_loaders.markdown_text import escape, fence, menu
from rankfold_loaders.page_model import Page
from rankfold_loaders.pages import pages
from rankfold_loaders.project import Project
from rankfold_loaders.registries import Reference
from rankfold_loaders.render import Renderer
from rankfold_loaders.static import Reader

Once = Callable[[str, Iterable[Path], Callable[[], tuple[Reader, live.Live]]], tuple[Reader, live.Live]]
"""Makes something again only when one of the files changed; the name says what it is."""

_QUERIES = ("how are ranks added up", "what happens when a model is missing")
"""Questions about this site that its readers can begin with."""


@dataclass(frozen=True)
class GeneratedPage:
    """One page as Markdown."""

    uri: str
    title: str
    description: str
    markdown: str
    """With its front matter."""
    edit: str = ""
    """The file to edit in order to change it, as a path in the project; empty for several or none."""
    kind: str = ""
    """The registry that it belongs to; empty for the overview."""
    repetitive: bool = False
    """Whether the site's search leaves it out."""
    changed: str = ""
    """When a source of it was last committed, as an ISO date; empty where that is not known."""


@dataclass(frozen=True)
class Registries:
    """What a site states: registries that agree with their source, and the facts that authored pages may quote."""

    joined: Joined
    field_docs: Mapping[str, Mapping[str, str]]
    """Per record class, what it says about each of its fields."""
    facts: Mapping[str, str]


@dataclass(frozen=True)
class GeneratedSite:
    """All generated pages and files."""

    pages: tuple[GeneratedPage, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Other files of the site, by their path in it."""


def read_registries(project: Project, once: Once | None = None) -> Registries:
    """Read the registries and compare them with the source.

    Args:
        project: whose site it is.
        once: what keeps what was read while no file of it changed; none reads everything anew.

    Raises:
        SiteError: the package cannot be imported, or the two sides disagree.
    """
    reader, values = _read(project) if once is None else once("registries", _read_from(project), lambda: _read(project))
    joined, faults = join(project, values, reader)
    if faults:
        raise SiteError(faults)
    field_docs = {row.record: reader.field_docs(row.record) for row in project.reference.registries if row.record}
    return Registries(joined, field_docs, facts(joined, project.facts()))


def generate(project: Project, registries: Registries) -> GeneratedSite:
    """Every page and every file that shows registries."""
    joined = registries.joined
    files = {**machine_readable(joined, joined.live["schemas"], project.site_url)}
    if "answers" in joined.entries:
        files |= envelope_pages.files(joined.entries["answers"])
    return GeneratedSite(generated_pages(project, registries), files)


def generated_pages(project: Project, registries: Registries) -> tuple[GeneratedPage, ...]:
    """Every page, rendered, without the playground."""
    renderer = Renderer(cache=project.cache, own=project.templates)
    dates = project.dates
    with _importable(project.source):
        found = pages(registries.joined, registries.field_docs)
    made = tuple(_rendered(renderer, page, dates) for page in found)
    text = changelog.changelog(project)
    if text is not None:
        file = project.reference.changelog
        dated = project.dates.get(file, "")
        page = GeneratedPage(changelog.URI, changelog.TITLE, changelog.DESCRIPTION, text, file, changed=dated)
        made = (*made, page)
    return made


@contextlib.contextmanager
def _importable(source: Path) -> Iterator[None]:
    """Let a package that is not installed make pages of its own."""
    sys.path.insert(0, str(source))
    try:
        yield
    finally:
        sys.path.remove(str(source))


def _read(project: Project) -> tuple[Reader, live.Live]:
    reader = Reader(project.source)
    return reader, live.read(project, reader)


def _read_from(project: Project) -> list[Path]:
    """Every file that the registries and their source depend on."""
    folders = [project.source, project.root / (project.reference.sample or "src"), Path(__file__).parent]
    files = [file for folder in folders for file in folder.rglob("*.*") if "__pycache__" not in file.parts]
    return [*files, project.root / "mkdocs.yml"]


def with_playground(project: Project, site: GeneratedSite, known: Mapping[str, str]) -> GeneratedSite:
    """The same site with the page on which readers run the statements themselves, and the files that it loads.

    Args:
        project: whose site it is.
        site: without the playground.
        known: the facts that the authored pages, which are searched there, look up.
    """
    authored = {}
    for file in sorted((project.root / project.docs).rglob("*.md")):
        path = file.relative_to(project.root / project.docs).as_posix()
        with contextlib.suppress(SiteError):  # an unknown fact is a fault of its own page
            authored[path] = substitute(file.read_text(encoding="utf-8"), known, path)
    made = playground.export(
        project.source,
        [
            playground.Corpus.folder(project.root / project.reference.sample, "notes of a small team"),
            playground.Corpus("site", "pages of this site", authored, queries=_QUERIES),
        ],
        project.cache,
    )
    files = playground.assets(made, project.root / ".cache/playground/dist")
    page = _rendered(Renderer(cache=project.cache, own=project.templates), playground.page(made, files), project.dates)
    return replace(site, pages=(*site.pages, page), files={**site.files, **files})


def without_playground() -> GeneratedPage:
    """What stands in the playground's place where making it would take too long."""
    said = "This preview leaves the playground out, because making it takes longer than a save should."
    text = f"---\ntitle: Playground\ndescription: {said}\n---\n\n# Playground\n\n{said} `make site` builds it.\n"
    return GeneratedPage(playground.URI, "Playground", said, text)


def _rendered(renderer: Renderer, page: Page, dates: Mapping[str, str]) -> GeneratedPage:
    changed = max((dates.get(origin.source.file, "") for origin in page.origins), default="")
    return GeneratedPage(
        page.uri,
        page.title,
        page.description,
        renderer.render(page),
        page.edit,
        page.kind,
        page.repetitive,
        changed,
    )


def navigation(reference: Reference, made: Sequence[GeneratedPage]) -> list[object]:
    """The generated part of the navigation, by the order of the table: titles with pages, groups and folders inside."""
    items: list[object] = [reference.overview]
    groups: dict[str, list[object]] = {}
    for row in reference.registries:
        own = [page for page in made if page.kind == row.kind]
        if not own:
            continue
        entry: object = {menu(row.title): row.uri}
        if len(own) > 1:
            entry = {
                menu(row.title): [page.uri if page.uri == row.uri else {menu(page.title): page.uri} for page in own]
            }
        if row.group and row.group not in groups:
            groups[row.group] = []
            items.append({menu(row.group): groups[row.group]})
        groups.get(row.group, items).append(entry)
    return items


def failure_pages(
    reference: Reference, problem: SiteError, last: Iterable[GeneratedPage] = ()
) -> tuple[GeneratedPage, ...]:
    """The generated pages while the registries cannot be shown: each says what is wrong.

    Args:
        reference: what is documented.
        problem: why it cannot be.
        last: the pages as they were before, which stand below; without any, there is a page for each registry.
    """
    titles = {reference.overview: reference.title} | {row.uri: row.title for row in reference.registries}
    kinds = {row.uri: row.kind for row in reference.registries}
    said = "This page cannot be made at the moment."
    empty = (
        GeneratedPage(
            uri,
            title,
            said,
            f"---\ntitle: {title}\ndescription: {said}\n---\n\n# {title}\n",
            kind=kinds.get(uri, ""),
        )
        for uri, title in titles.items()
    )
    notice = _notice(problem.faults)
    return tuple(_with_notice(page, notice) for page in list(last) or empty)


def _with_notice(page: GeneratedPage, notice: str) -> GeneratedPage:
    front, mark, body = page.markdown.partition("\n---\n")
    return replace(page, markdown=f"{front}{mark}\n{notice}{body}")


def _notice(faults: Iterable[Fault]) -> str:
    """What is wrong, as a box."""
    lines = ['!!! failure "This page cannot be made. It comes back when this is mended and saved."', ""]
    for fault in faults:
        first, _, rest = str(fault).partition("\n")
        lines += [escape(first), "", *([fence(rest.strip("\n")), ""] if rest.strip() else [])]
    return textwrap.indent("\n".join(lines), "    ").removeprefix("    ")

"""The only file that imports MkDocs: it puts the generated pages among the authored ones.

Generated pages are virtual files: nothing is written beside the authored pages, and nothing is committed. In a build
any fault stops it with an error. Under `mkdocs serve`, where an error would freeze the server, a registry that cannot
be read shows its message on the generated pages instead, and faults of the built site are logged.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from mkdocs.config.config_options import Hooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from rankfold_loaders.built_site import faults_of_folder
from rankfold_loaders.facts import substitute
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.project import Project
from rankfold_loaders.registries import NAV_TITLE, OVERVIEW_URI
from rankfold_loaders.site import GeneratedSite, failure_pages, generate, navigation

log = logging.getLogger("mkdocs.hooks.rankfold_loaders")

_COMMAND = "RANKFOLD_LOADERS_COMMAND"
"""Where `on_startup` leaves the command: this module is imported anew for every build, the environment stays."""


class _Build:
    """What one build hands from event to event."""

    site: GeneratedSite | None = None
    unlisted: tuple[Fault, ...] = ()


_build = _Build()


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], **_: object) -> None:
    """Remember whether this is a server."""
    os.environ[_COMMAND] = command


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let an edit of the hook take effect at the next save, and give the build the time of the newest commit."""
    # Private to MkDocs, hence the guard: without it the hook is read once and edits show after a restart.
    clear = getattr(getattr(Hooks, "_load_hook", None), "cache_clear", None)
    if clear:
        clear()
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(_project(config).newest_change()))
    return config


@event_priority(100)  # before other plugins, so that they see the generated pages too
def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and their part of the navigation."""
    project = _project(config)
    try:
        _build.site = generate(project)
        made = _build.site.pages
    except Exception as problem:
        # Whatever went wrong, also inside these loaders: a build stops, a server shows it.
        failure = problem if isinstance(problem, SiteError) else SiteError([Fault("", traceback.format_exc())])
        if not _serving():
            raise PluginError(_report("the reference pages cannot be made", failure.faults)) from problem
        log.warning("the reference pages cannot be made: %s", failure)
        made = failure_pages(failure)
    for page in made:
        clash = files.get_file_from_path(page.uri)
        if clash is not None:
            raise PluginError(f"{clash.src_uri} is both generated and written by hand; remove docs/{clash.src_uri}")
        file = File.generated(config, page.uri, content=page.markdown)
        if page.edit:
            # Relative to `edit_uri`, which ends in the folder of the authored pages.
            file.edit_uri = f"../{page.edit}"
        files.append(file)
    if config.nav is not None:
        config.nav = _expanded(config.nav, files, navigation(made))
    return files


def _expanded(nav: Sequence[Any], files: Files, reference: list[object]) -> list[Any]:
    """The navigation with each `Title: folder/` replaced by the pages in that folder, or left out without any.

    The folder of the generated pages stands for them in their own order; without it they come last.
    """
    out: list[Any] = []
    own_folder = f"{OVERVIEW_URI.partition('/')[0]}/"
    if not any(isinstance(item, dict) and own_folder in item.values() for item in nav):
        nav = [*nav, {NAV_TITLE: own_folder}]
    for item in nav:
        title, target = next(iter(item.items())) if isinstance(item, dict) and len(item) == 1 else (None, None)
        if target == own_folder:
            out.append({title: reference})
        elif isinstance(target, str) and target.endswith("/"):
            pages = sorted(file.src_uri for file in files.documentation_pages() if file.src_uri.startswith(target))
            pages.sort(key=lambda uri: uri != f"{target}index.md")
            if pages:
                out.append({title: pages})
        else:
            out.append(item)
    return out


def on_nav(nav: Navigation, files: Files, **_: object) -> Navigation:
    """Find the pages that no reader would come across."""
    listed = {page.file.src_uri for page in nav.pages}
    missing = [
        file.src_uri
        for file in files.documentation_pages()
        if file.src_uri not in listed and file.inclusion is not InclusionLevel.NOT_IN_NAV
    ]
    _build.unlisted = tuple(
        Fault(uri, "is not in the navigation; add it to `nav`, or to `not_in_nav` with the reason") for uri in missing
    )
    return nav


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Look facts up in authored pages."""
    if page.file.generated_by is not None or _build.site is None:
        return markdown
    content = page.file.content_string
    cut = len(content) - len(markdown) if content.endswith(markdown) else 0
    try:
        return substitute(markdown, _build.site.facts, f"docs/{page.file.src_uri}", content.count("\n", 0, cut) + 1)
    except SiteError as problem:
        if _serving():
            log.warning("%s", problem)
            return f"!!! failure\n\n    {'; '.join(str(fault) for fault in problem.faults)}\n\n{markdown}"
        raise PluginError(_report("a page quotes what does not exist", problem.faults)) from problem


def on_post_build(config: MkDocsConfig) -> None:
    """Read the pages that were just written, and stop the build for every fault in them."""
    found = [*_build.unlisted, *faults_of_folder(Path(config.site_dir), config.site_url or "")]
    if not found:
        return
    if not _serving():
        raise PluginError(_report("the built site has faults", found))
    for fault in found:
        log.warning("%s", fault)


def _project(config: MkDocsConfig) -> Project:
    return Project(Path(config.config_file_path).resolve().parent, config.repo_url or "")


def _serving() -> bool:
    return os.environ.get(_COMMAND) == "serve"


def _report(what: str, found: Sequence[Fault]) -> str:
    return "\n".join([f"{what} ({len(found)}):", *(f"  {fault}" for fault in found)])

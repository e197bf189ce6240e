"""The only file that imports MkDocs: it puts the generated pages among the authored ones.

Generated pages are virtual files: nothing is written beside the authored pages, and nothing is committed. A build whose
registries or authored text cannot stand ends before its pages are made; any other collects every fault that it meets
and ends with one error that lists them all. Under `mkdocs serve`, where an error
would freeze the server, a registry that cannot be read shows its message on the generated pages instead, and the
other faults are logged.

The same adapter serves a hook (this project's own site) and a plugin (`plugins: - rankfold`).
"""

from __future__ import annotations

import contextlib
import html
import logging
import os
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

from mkdocs.config.base import Config
from mkdocs.config.config_options import Hooks
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from rankfold_loaders import authored, transcripts
from rankfold_loaders.built_site import BuiltPage, faults_of_folder, read_folder, read_page
from rankfold_loaders.cards import address, alt
from rankfold_loaders.companions import Shown, companions, moved
from rankfold_loaders.configuration import EXTENSIONS, STYLESHEET, empty_folders, whole_navigation
from rankfold_loaders.facts import substitute
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.preview import Preview
from rankfold_loaders.project import Project
from rankfold_loaders.published import twin
from rankfold_loaders.render import compiled, templates_folder
from rankfold_loaders.site import (
    GeneratedPage,
    GeneratedSite,
    failure_pages,
    generate,
    navigation,
    read_registries,
    with_playground,
    without_playground,
)
from rankfold_loaders.twins import TwinSource

log = logging.getLogger("mkdocs.plugins.rankfold")

_COMMAND = "RANKFOLD_LOADERS_COMMAND"
"""Where `on_startup` leaves the command: this module is imported anew for every build, the environment stays."""


class Adapter:
    """Turns the events of one build into a site; holds what one event hands to the next."""

    def __init__(self) -> None:
        self.project = Project(Path())
        self.site: GeneratedSite | None = None
        self.facts: Mapping[str, str] = {}
        self.made: dict[str, GeneratedPage] = {}
        self.faults: list[Fault] = []
        self.order: list[str] = []
        self.markdown: dict[str, str] = {}
        self.shown: list[Shown] = []
        self.preview: Preview | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], **_: object) -> None:
        """Remember whether this is a server."""
        os.environ[_COMMAND] = command

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Let an edit of the hook take effect at the next save, and give the build the time of the newest commit."""
        # Private to MkDocs, hence the guard: without it the hook is read once and edits show after a restart.
        clear = getattr(getattr(Hooks, "_load_hook", None), "cache_clear", None)
        if clear:
            clear()
        try:
            self.project = Project.at(Path(config.config_file_path).resolve())
        except SiteError as problem:
            raise PluginError(_report(problem.faults)) from problem
        os.environ.setdefault("SOURCE_DATE_EPOCH", str(self.project.newest_change()))
        return config

    @event_priority(100)  # before other plugins, so that they see the generated pages too
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the generated pages and files, and their part of the navigation."""
        self.faults, self.shown, self.site, self.facts = [], [], None, {}
        self.preview = Preview() if _serving() else None
        try:
            asked = "looked up" in self.project.reference.demands and not _serving()
            if asked and (stale := transcripts.stale(self.project.root)):
                raise SiteError(stale)
            registries = read_registries(self.project, self.preview.once if self.preview else None)
            if (
                asked
                and (typed := authored.read_pages(self.project, registries.facts, registries.joined.entries)).faults
            ):
                raise SiteError(typed.faults)
            self.facts = registries.facts
            self.site = generate(self.project, registries)
            if self.project.reference.playground and _wants_playground(config):
                self.site = with_playground(self.project, self.site, self.facts)
            elif self.project.reference.playground:
                self.site = replace(self.site, pages=(*self.site.pages, without_playground()))
            made = self.site.pages
            if self.preview:
                self.preview.remember(self.facts, map(asdict, made))
        except Exception as problem:
            # Whatever went wrong, also inside these loaders: a build stops, a server shows it.
            failure = problem if isinstance(problem, SiteError) else SiteError([Fault("", traceback.format_exc())])
            if not _serving():
                raise PluginError(_report(failure.faults)) from problem
            log.warning("the reference pages cannot be made: %s", failure)
            made = self._as_they_were(failure)
        self.made = {page.uri: page for page in made}
        for page in made:
            if files.get_file_from_path(page.uri) is not None:
                hidden = f"{self.project.docs}/{page.uri}"
                self.faults.append(Fault(hidden, "is written by hand and generated too; remove it or move it"))
                continue
            file = File.generated(config, page.uri, content=page.markdown)
            if page.edit:
                # Relative to `edit_uri`, which ends in the folder of the authored pages.
                file.edit_uri = f"../{page.edit}"
            files.append(file)
        for uri, content in (self.site.files if self.site else {}).items():
            files.append(File.generated(config, uri, content=content))
        if config.nav is not None:
            reference = self.project.reference
            pages = [file.src_uri for file in files.documentation_pages()]
            folder = f"{reference.overview.partition('/')[0]}/"
            generated = navigation(reference, made)
            config.nav = whole_navigation(config.nav, pages, reference.title, generated, folder)
            said = "there is no page in this folder; mend the entry or take it out"
            self.faults += [
                Fault(self.project.config, f"nav: {empty!r}: {said}") for empty in empty_folders(config.nav)
            ]
        return files

    def _as_they_were(self, failure: SiteError) -> tuple[GeneratedPage, ...]:
        """The pages of the server's last good build, with what is wrong now."""
        self.facts, pages = self.preview.last if self.preview else ({}, [])
        last: list[GeneratedPage] = []
        with contextlib.suppress(TypeError):  # the edit was of the pages' own type
            last = [GeneratedPage(**page) for page in pages]
        return failure_pages(self.project.reference, failure, last)

    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Find the pages that no reader would come across."""
        self.order = [page.file.src_uri for page in nav.pages]
        if self.preview:
            self.preview.begin(_read_with(config, files), _stands_in(nav, config))
        for file in files.documentation_pages():
            if file.src_uri not in self.order and file.inclusion is not InclusionLevel.NOT_IN_NAV:
                said = "is not in the navigation; add it to `nav`, or to `not_in_nav` with the reason"
                self.faults.append(Fault(file.src_uri, said))
        return nav

    def on_page_markdown(self, markdown: str, page: Page, **_: object) -> str:
        """Look facts up in authored pages, and say when a page last changed."""
        looked_up = self._looked_up(markdown, page)
        if self.preview:
            self.preview.take(page, looked_up)
        return looked_up

    def _looked_up(self, markdown: str, page: Page) -> str:
        uri = page.file.src_uri
        made = self.made.get(uri) if page.file.generated_by is not None else None
        changed = made.changed if made else self.project.dates.get(f"{self.project.docs}/{uri}", "")
        if changed:
            page.meta.setdefault("revision_date", changed)
        self.markdown[uri] = markdown
        if page.file.generated_by is not None or not self.facts:
            return markdown
        content = page.file.content_string
        cut = len(content) - len(markdown) if content.endswith(markdown) else 0
        place = f"{self.project.docs}/{uri}"
        try:
            looked_up = substitute(markdown, self.facts, place, content.count("\n", 0, cut) + 1)
        except SiteError as problem:
            self.faults += problem.faults
            return f"!!! failure\n\n    {'; '.join(str(fault) for fault in problem.faults)}\n\n{markdown}"
        self.markdown[uri] = looked_up
        return looked_up

    def on_env(self, env: Any, config: MkDocsConfig, **_: object) -> Any:
        """Take templates that are compiled already, and under a server the pages that are as they were."""
        env.bytecode_cache = compiled(self.project.cache)
        return self.preview.templates(env, _search(config)) if self.preview else env

    @event_priority(100)  # before the search reads the page
    def on_page_context(self, context: dict[str, Any], page: Page, config: MkDocsConfig, **_: object) -> dict[str, Any]:
        """Give a page what other sites and programs show of it: a card, and its twin in Markdown."""
        uri = page.file.src_uri
        made = self.made.get(uri)
        source = TwinSource(
            uri,
            html.unescape(str(page.title or config.site_name)),
            html.unescape(str(page.meta.get("description") or config.site_description or "")),
            self.markdown.get(uri, ""),
            next((str(item.title) for item in reversed(list(page.ancestors))), ""),
            made is not None and made.repetitive,
        )
        if self.preview:
            self.preview.find(page, _search(config))
        else:
            shown = Shown(source, config.site_name)
            self.shown.append(shown)
            page.meta["twin"] = twin(uri)
            page.meta["card"] = {
                "title": source.title,
                "description": source.description,
                "image": urljoin(config.site_url or "", address(uri)),
                "alt": alt(source.title, source.description, source.section, config.site_name),
            }
        return context

    def on_post_build(self, config: MkDocsConfig) -> None:
        """Write what stands beside the pages, read all of them again, and end the build with every fault."""
        folder = Path(config.site_dir)
        if _serving():
            # The page is there already when its faults are looked for.
            threading.Thread(target=self._warn, args=(self.faults, config), daemon=True).start()
            return
        pages = read_folder(folder)
        try:
            beside = self._companions(config)
            moved_pages = moved(self.project, {path: page.ids for path, page in pages.items()})
            for path, content in {**beside, **moved_pages}.items():
                _write(folder / path, content)
            pages |= {path: read_page(content.decode()) for path, content in moved_pages.items()}
        except SiteError as problem:
            self.faults += problem.faults
        found = [*self.faults, *self._built_faults(config, pages)]
        if found:
            raise PluginError(_report(found))

    def _built_faults(self, config: MkDocsConfig, pages: Mapping[str, BuiltPage]) -> list[Fault]:
        demands = self.project.reference.demands
        return faults_of_folder(Path(config.site_dir), config.site_url or "", demands, pages)

    def _warn(self, found: Sequence[Fault], config: MkDocsConfig) -> None:
        with contextlib.suppress(FileNotFoundError):  # the next build has begun, and looks itself
            found = [*found, *self._built_faults(config, read_folder(Path(config.site_dir)))]
        for fault in found:
            log.warning("%s", fault)

    def _companions(self, config: MkDocsConfig) -> Mapping[str, bytes]:
        place = {uri: n for n, uri in enumerate(self.order)}
        shown = sorted(self.shown, key=lambda one: (place.get(one.page.uri, len(place)), one.page.uri))
        return companions(self.project, shown, summary=config.site_description or "")


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _read_with(config: MkDocsConfig, files: Files) -> Iterator[str]:
    """What decides how the text of any page is rendered."""
    yield repr(sorted(file.src_uri for file in files))
    configuration = Path(config.config_file_path)
    for file in [configuration, *(configuration.parent / name for name in config.hooks)]:
        yield file.read_text(encoding="utf-8")


def _stands_in(nav: Navigation, config: MkDocsConfig) -> Iterator[str]:
    """Everything that any page may show beside its own text."""
    yield str(nav)
    for file in sorted(Path(config.theme.custom_dir).rglob("*.html")) if config.theme.custom_dir else []:
        yield file.read_text(encoding="utf-8")


def _search(config: MkDocsConfig) -> Any:
    return config.plugins.get("material/search") or config.plugins.get("search")


def _wants_playground(config: MkDocsConfig) -> bool:
    return not _serving() and bool(config.extra.get("playground", True))


def _serving() -> bool:
    return os.environ.get(_COMMAND) == "serve"


def _report(found: Sequence[Fault]) -> str:
    noun = "fault" if len(found) == 1 else "faults"
    return "\n".join([f"the site has {len(found)} {noun}:", *(f"  {fault}" for fault in found)])


class Options(Config):  # type: ignore[no-untyped-call]
    """What `plugins: - rankfold:` states: the fields of `Reference`, as `Project.at` reads them."""

    def validate(self) -> tuple[list[Any], list[Any]]:
        """No errors and no warnings: `read_reference` says what is wrong, with the key and the nearest known one."""
        return [], []


class RankfoldPlugin(Adapter, BasePlugin[Options]):  # type: ignore[no-untyped-call,misc]
    """The plugin: the registries of any package as pages of its own site, whatever its theme and its extensions."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add what the generated pages need of Markdown and of a style, and the project has not asked for."""
        for name, settings in EXTENSIONS.items():
            if name not in config.markdown_extensions:
                config.markdown_extensions.append(name)
            config.mdx_configs[name] = {**settings, **config.mdx_configs.get(name, {})}
        config.extra_css.insert(0, STYLESHEET)  # the project's own styles win
        return super().on_config(config)

    @event_priority(100)
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the generated pages and files, and their style."""
        style = (templates_folder() / "assets/reference.css").read_bytes()
        files.append(File.generated(config, STYLESHEET, content=style))
        return super().on_files(files, config)

"""Under `mkdocs serve`: a page whose text and surroundings are as they were is not made again.

A save changes few pages, and most of a build is spent on the others. What a page became is kept for as long as the
server runs, outside this package, whose modules are taken anew for every build.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

_PLACE = "rankfold_loaders_preview"
"""Under which name in `sys.modules` the pages are kept."""


class Preview:
    """The pages of one build of the server, made of those that are kept."""

    def __init__(self) -> None:
        place: Any = sys.modules.setdefault(_PLACE, types.ModuleType(_PLACE))
        # Plain values, because the classes of this module are others in the next build. Of a page: `text`, the hash of
        # what it is rendered from, what that set, and what the search knows of it; `whole`, the hash of that together
        # with what stands around it, and its HTML.
        self._pages: dict[str, types.SimpleNamespace] = vars(place).setdefault("pages", {})
        self._made: dict[str, tuple[str, Any]] = vars(place).setdefault("made", {})
        self._last: dict[str, Any] = vars(place).setdefault("last", {})
        self._read = self._around = ""
        self._same_text: set[str] = set()
        self._whole: dict[str, str] = {}
        self._known: dict[str, int] = {}
        """How many entries the search had before each new page."""

    def once(self, name: str, files: Iterable[Path], make: Callable[[], Any]) -> Any:
        """What `make` gives, made again only when one of the files changed."""
        state = sorted((str(file), stat.st_mtime_ns, stat.st_size) for file in files for stat in [file.stat()])
        key = repr(state)
        if self._made.get(name, ("", None))[0] != key:
            self._made[name] = (key, make())
        return self._made[name][1]

    def remember(self, facts: Mapping[str, str], pages: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a build was made from, as plain values, for one that cannot be made."""
        self._last.update(facts=dict(facts), pages=list(pages))

    @property
    def last(self) -> tuple[dict[str, str], list[dict[str, Any]]]:
        """The facts and the generated pages of the last build that could be made; nothing before the first."""
        return self._last.get("facts", {}), self._last.get("pages", [])

    def begin(self, read: Iterable[str], around: Iterable[str]) -> None:
        """Say what every page is made with.

        Args:
            read: what decides how its text is rendered: configuration, hooks, the names of the other files.
            around: what stands around it: navigation and theme.
        """
        self._read, self._around = "\0".join(read), "\0".join(around)

    def take(self, page: Any, markdown: str) -> None:
        """Let a page that is as it was keep what it became; any other is rendered and remembered.

        Args:
            page: MkDocs' page, before it is rendered.
            markdown: its text, with facts looked up.
        """
        uri = page.file.src_uri
        text = _hash(self._read, uri, markdown, repr(sorted(page.meta.items())))
        self._whole[uri] = _hash(text, self._around)
        kept = self._pages.get(uri)
        if kept and kept.text == text and kept.output:
            self._same_text.add(uri)
            page.render = lambda *_: vars(page).update(kept.rendered)
            return
        new = self._pages[uri] = types.SimpleNamespace(text=text, whole="", rendered={}, entries=[], output="")
        render = page.render

        def rendered(*given: Any) -> None:
            before = dict(vars(page))
            render(*given)
            set_now = {name: value for name, value in vars(page).items() if before.get(name) is not value}
            # Its links are those to the files of this build.
            new.rendered = {**set_now, "links_to_anchors": {}}

        page.render = rendered

    def find(self, page: Any, search: Any) -> None:
        """Give the search what it knows of a page whose text is as it was.

        Args:
            page: MkDocs' page, before the search reads it.
            search: the search plugin; None without one.
        """
        uri, index = page.file.src_uri, getattr(search, "search_index", None)
        if index is None:
            return
        if uri in self._same_text:
            index.entries += self._pages[uri].entries
            page.meta["search"] = {"exclude": True}
        self._known[uri] = len(index.entries)

    def templates(self, env: Any, search: Any) -> Any:
        """The theme's templates, which give back what a page became where it is as it was.

        Args:
            env: the theme's environment.
            search: as above.
        """
        return _Templates(env, self, search)

    def output(self, page: Any, search: Any, make: Callable[[], str]) -> str:
        """The whole of a page as HTML."""
        uri = page.file.src_uri
        kept = self._pages.get(uri)
        if kept is None:
            return make()
        if kept.whole != self._whole[uri]:
            kept.output, kept.whole = make(), self._whole[uri]
            if uri not in self._same_text:
                kept.entries = search.search_index.entries[self._known.get(uri, 0) :] if search else []
        return str(kept.output)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class _Templates:
    """The theme's environment as MkDocs asks it for a page's template; templates among themselves use their own."""

    def __init__(self, env: Any, preview: Preview, search: Any) -> None:
        self._env = env
        self._preview = preview
        self._search = search

    def get_template(self, name: str) -> Any:
        return _Template(lambda: self._env.get_template(name), self._preview, self._search)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)


class _Template:
    """One template, loaded when it is needed."""

    def __init__(self, load: Callable[[], Any], preview: Preview, search: Any) -> None:
        self._load = load
        self._preview = preview
        self._search = search

    def render(self, context: dict[str, Any]) -> str:
        page = context.get("page")
        if page is None:
            return str(self._load().render(context))
        return self._preview.output(page, self._search, lambda: str(self._load().render(context)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

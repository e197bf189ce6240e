"""The site as plain files: every page as Markdown, with an explicit navigation and a configuration of its own.

An export needs nothing of this package any more: no hook, no plugin, no fact that is still to be looked up. So any
builder that reads a configuration of MkDocs can build it, and a second builder reads every link again.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from pathspec import GitIgnoreSpec

from rankfold_loaders import configuration
from rankfold_loaders.configuration import EXTENSIONS, STYLESHEET, Tagged
from rankfold_loaders.facts import substitute
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.project import Project
from rankfold_loaders.render import templates_folder
from rankfold_loaders.site import (
    GeneratedPage,
    GeneratedSite,
    generate,
    navigation,
    read_registries,
    with_playground,
    without_playground,
)

MARKER = ".rankfold-export"
"""The file by which an export knows its own folder; it names every file that the export wrote."""

_ABOUT = "Written by `python -m rankfold_loaders export`. The next export replaces these files and touches no other.\n"
_LEFT_OUT = ("INHERIT", "docs_dir", "edit_uri", "edit_uri_template", "exclude_docs", "hooks", "site_dir", "watch")
"""What a configuration states of the place that it stands in."""
_OVERRIDES = "overrides"
_PAGES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


@dataclass(frozen=True)
class Export:
    """An export that is not written yet."""

    files: Mapping[str, bytes]
    """Every file by its path in the export."""
    generated: int
    """How many pages are made from the registries."""
    authored: int
    """How many are written by hand."""

    @property
    def others(self) -> int:
        """How many files are no pages, the configuration among them."""
        return len(self.files) - self.generated - self.authored


def export(project: Project, *, playground: bool = True) -> Export:
    """Everything that the site is built from, as plain files.

    Args:
        project: whose site it is.
        playground: whether the playground is made too, where the site has one; it takes longest.

    Raises:
        SiteError: the registries cannot be read, a fact is unknown, or a page is written by hand and generated too.
    """
    stated = configuration.read(project.root / project.config)
    registries = read_registries(project)
    site = generate(project, registries)
    if project.reference.playground and playground:
        site = with_playground(project, site, registries.facts)
    elif project.reference.playground:
        site = replace(site, pages=(*site.pages, without_playground()))
    authored, assets = _authored(project, site, registries.facts, GitIgnoreSpec.from_lines(_excluded(stated)))
    pages = authored | {page.uri: _dated(page.markdown, page.changed).encode() for page in site.pages}
    files = {f"docs/{uri}": content for uri, content in {**assets, **site.files, **pages}.items()}
    theme = stated.get("theme")
    if isinstance(theme, dict) and isinstance(theme.get("custom_dir"), str):
        files |= {f"{_OVERRIDES}/{name}": content for name, content in _tree(project.root / theme["custom_dir"])}
    if _has_plugin(stated):
        files[f"docs/{STYLESHEET}"] = (templates_folder() / "assets/reference.css").read_bytes()
    files["mkdocs.yml"] = _configuration(stated, _nav(stated, project, site.pages, authored, pages))
    return Export(dict(sorted(files.items())), len(site.pages), len(authored))


def _excluded(stated: Mapping[str, Any]) -> list[str]:
    """What MkDocs leaves out of a site."""
    return [".*", "/templates/", *configuration.text(stated, "exclude_docs").splitlines()]


def _authored(
    project: Project, site: GeneratedSite, known: Mapping[str, str], excluded: GitIgnoreSpec
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The pages that are written by hand, with their facts looked up, and what stands beside them."""
    generated = {page.uri for page in site.pages}
    pages: dict[str, bytes] = {}
    others: dict[str, bytes] = {}
    faults: list[Fault] = []
    for uri, content in _tree(project.root / project.docs):
        place = f"{project.docs}/{uri}"
        if excluded.match_file(uri):
            continue
        if uri in generated:
            faults.append(Fault(place, "is written by hand and generated too; remove it or move it"))
        elif PurePosixPath(uri).suffix in _PAGES:
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
            front = _FRONT_MATTER.match(text)
            head = front.group() if front else ""
            with _collected(faults):
                body = substitute(text[len(head) :], known, place, head.count("\n") + 1)
                pages[uri] = _dated(head + body, project.dates.get(place, "")).encode()
        else:
            others[uri] = content
    if faults:
        raise SiteError(faults)
    return pages, others


@contextlib.contextmanager
def _collected(faults: list[Fault]) -> Any:
    try:
        yield
    except SiteError as problem:
        faults += problem.faults


def _tree(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Every file of a folder by its path in it, in order."""
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
    return [(path, files[path].read_bytes()) for path in sorted(files) if "__pycache__" not in files[path].parts]


def _dated(text: str, date: str) -> str:
    """A page that says in its front matter when it last changed, as the site's own build tells its theme."""
    if not date or re.search(r"^revision_date:", (_FRONT_MATTER.match(text) or [""])[0], re.MULTILINE):
        return text
    line = f"revision_date: '{date}'\n"
    return f"---\n{line}{text[4:]}" if _FRONT_MATTER.match(text) else f"---\n{line}---\n\n{text}"


def _has_plugin(stated: Mapping[str, Any]) -> bool:
    return "rankfold" in configuration.listed(stated.get("plugins"))


def _nav(
    stated: Mapping[str, Any],
    project: Project,
    made: Sequence[GeneratedPage],
    authored: Iterable[str],
    pages: Iterable[str],
) -> list[Any]:
    reference = project.reference
    nav = stated.get("nav")
    nav = nav if isinstance(nav, list) else _by_folder(configuration.in_order(authored), 0)
    folder = f"{reference.overview.partition('/')[0]}/"
    return configuration.whole_navigation(nav, list(pages), reference.title, navigation(reference, made), folder)


def _by_folder(pages: Sequence[str], depth: int) -> list[Any]:
    """The navigation that MkDocs gives a site that states none: pages, and folders of them."""
    out: list[Any] = []
    for name, group in itertools.groupby(pages, key=lambda uri: PurePosixPath(uri).parts[depth]):
        inside = list(group)
        is_page = inside == [uri for uri in inside if PurePosixPath(uri).parts[depth:] == (name,)]
        title = re.sub(r"[-_]", " ", name).capitalize()
        out += inside if is_page else [{title: _by_folder(inside, depth + 1)}]
    return out


class _Dumper(yaml.SafeDumper):
    """Writes values that only another program understands as they were."""


_Dumper.add_representer(Tagged, lambda _dumper, tagged: tagged.node)


def _configuration(stated: Mapping[str, Any], nav: Sequence[Any]) -> bytes:
    """The configuration of the export, which knows of no file outside it."""
    kept = {key: value for key, value in stated.items() if key not in _LEFT_OUT}
    # No page of an export is in a repository; without this MkDocs would guess where its source is.
    kept["edit_uri"] = ""
    theme = kept.get("theme")
    if isinstance(theme, dict):
        kept["theme"] = theme = dict(theme)
        if isinstance(theme.get("custom_dir"), str):
            theme["custom_dir"] = _OVERRIDES
        if isinstance(theme.get("features"), list):
            theme["features"] = [one for one in theme["features"] if not str(one).startswith("content.action.")]
    if "plugins" in kept:
        plugins = configuration.listed(kept["plugins"])
        kept["plugins"] = _list({name: options for name, options in plugins.items() if name != "rankfold"})
    if _has_plugin(stated):
        extensions = configuration.listed(kept.get("markdown_extensions"))
        for name, settings in EXTENSIONS.items():
            extensions[name] = {**settings, **(extensions.get(name) or {})}
        kept["markdown_extensions"] = _list(extensions)
        kept["extra_css"] = [STYLESHEET, *(kept.get("extra_css") or ())]
    kept["nav"] = list(nav)
    text = yaml.dump(kept, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1000)
    return f"# {_ABOUT}\n{text}".encode()


def _list(items: Mapping[str, Any]) -> list[Any]:
    return [{name: options} if options else name for name, options in items.items()]


def refusal(folder: Path, project: Project) -> str:
    """Why nothing may be exported to a folder; empty where it may.

    Only an empty folder is written to, and one that an export wrote before.
    """
    where = folder.resolve()
    if where.is_relative_to((project.root / project.docs).resolve()):
        return f"{folder} is among the authored pages, so the next export would export this one too"
    if not folder.exists():
        return ""
    if not folder.is_dir():
        return f"{folder} is no folder"
    if any(folder.iterdir()) and not (folder / MARKER).is_file():
        return f"{folder} is not empty, and no export wrote it; name a new folder"
    return ""


def write(made: Export, folder: Path) -> None:
    """Write an export, and remove what an earlier one wrote there and this one does not.

    Each file is replaced as a whole. The marker names both what was there and what will be until all are written, so
    that the next export can mend one that was interrupted.

    Args:
        made: the export.
        folder: where it goes; see `refusal`.

    Raises:
        SiteError: a file is in the way that no export wrote.
        OSError: a file cannot be written.
    """
    before = _written(folder)
    in_the_way = [path for path in made.files if path not in before and (folder / path).exists()]
    if in_the_way:
        raise SiteError(Fault(path, "is in the way: no export wrote it") for path in in_the_way)
    _replace(folder / MARKER, _marker({*before, *made.files}))
    for path, content in made.files.items():
        _replace(folder / path, content)
    for path in sorted(before - made.files.keys()):
        (folder / path).unlink(missing_ok=True)
        for parent in PurePosixPath(path).parents:
            with contextlib.suppress(OSError):  # it holds something else
                (folder / parent).rmdir()
    _replace(folder / MARKER, _marker(made.files))


def _marker(paths: Iterable[str]) -> bytes:
    return (_ABOUT + "".join(f"{path}\n" for path in sorted(paths))).encode()


def _written(folder: Path) -> set[str]:
    """What an earlier export wrote; a path that leads out of the folder is none of it."""
    marker = folder / MARKER
    listed = marker.read_text(encoding="utf-8").splitlines()[1:] if marker.is_file() else []
    return {path for path in listed if path and ".." not in path.split("/") and not Path(path).is_absolute()}


def _replace(file: Path, content: bytes) -> None:
    if file.is_file() and file.read_bytes() == content:
        return  # a server that watches it has nothing to do
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    part.write_bytes(content)
    part.replace(file)

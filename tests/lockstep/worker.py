"""One change at a time to a copy of the project, each seen by a process that has imported nothing of the project.

The worker imports what others wrote (MkDocs, griffe, click …) and then forks for each change: the child is a fresh
interpreter for everything that is ours, without the second that it takes to start one.

What it keeps for the children depends on what they change:

    site      has built the unchanged site, and keeps what other processes and griffe told about the source; for changes
              of authored pages, which leave the source as it is
    loaders   has imported the loaders, and has parsed every file of the source, so that a child that makes only pages
              parses the one that changed; for changes of the package
    nothing   has parsed the source, and no more; for changes of the loaders
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import gc
import hashlib
import importlib
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

THEIRS = """anyascii apsw babel.dates backrefs.bre bs4 click click.shell_completion click.testing
concurrent.futures.thread filelock frontmatter griffe http.server importlib.readers jinja2 jinja2.ext
markdown.extensions.admonition markdown.extensions.def_list markdown.extensions.footnotes
markdown.extensions.md_in_html markdown.extensions.tables markdown_it material.plugins.search.plugin material.templates
mike.mkdocs_plugin mkdocs.__main__ mkdocs.commands.build mkdocs.config mkdocs.contrib.search pathspec PIL.ImageDraw
PIL.ImageFont platformdirs pygments.formatters.html pygments.lexers.data pygments.lexers.html pygments.lexers.python
pygments.lexers.shell pygments.lexers.special pygments.lexers.sql pygments.styles.default pymdownx.details
pymdownx.highlight pymdownx.saneheaders pymdownx.superfences pymdownx.tabbed rich.console rich.table tomllib yaml
zoneinfo"""
SECONDS = 90


def main() -> None:
    """Read changes from standard input, one in a line of JSON, and answer each with a line."""
    root, keeps = Path(sys.argv[1]), sys.argv[2]
    for name in THEIRS.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if keeps == "site":
        import griffe

        _keep(griffe, "load")
        _keep(subprocess, "run")
        look(root, "build")
    else:
        _remember_parsing(root / "src")
    if keeps == "loaders":
        sys.path[:0] = [str(root / "src"), str(root / "loaders")]
        importlib.import_module("rankfold_loaders.site")
        importlib.import_module("rankfold_loaders.authored")
        assert "rankfold" not in sys.modules
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        answers.write(json.dumps(change(root, asked)) + "\n")
        answers.flush()


def _remember_parsing(source: Path) -> None:
    """Let what parses a file again get what it got for the same text, both as a syntax tree and as griffe's module."""
    import griffe
    from griffe._internal import loader

    visit, visited = loader.visit, dict[tuple[object, ...], Any]()
    parse, parsed = compile, dict[tuple[object, ...], Any]()

    def visit_once(name: str, filepath: Path, code: str, *, parent: Any, **named: Any) -> Any:
        key = (name, filepath, code)
        if key not in visited:
            visited[key] = visit(name, filepath=filepath, code=code, parent=parent, **named)
        module = visited[key]
        module.parent = parent
        module._lines_collection, module._modules_collection = named["lines_collection"], named["modules_collection"]
        for member in module.members.values():
            if member.is_alias:
                member._target = None  # it may be in the file that changed
        return module

    def parse_once(source: Any, filename: Any, mode: str, flags: int = 0, *more: Any, **named: Any) -> Any:
        if not flags & ast.PyCF_ONLY_AST:
            return parse(source, filename, mode, flags, *more, **named)
        key = (source, mode, flags, *more, *named.items())
        if key not in parsed:
            parsed[key] = parse(source, filename, mode, flags, *more, **named)
        return parsed[key]

    loader.visit = visit_once  # type: ignore[assignment]
    builtins.compile = parse_once  # type: ignore[assignment]
    for package in source.glob("*/__init__.py"):
        griffe.load(package.parent.name, search_paths=[source], allow_inspection=False, resolve_aliases=True)
    for file in source.rglob("*.py"):
        ast.parse(file.read_text(encoding="utf-8"))


def _keep(module: Any, name: str) -> None:
    """Let a function answer the same question once."""
    original, kept = getattr(module, name), {}

    def once(*given: object, **named: Any) -> object:
        key = repr((given, named.get("input")))
        if key not in kept:
            kept[key] = original(*given, **named)
        return kept[key]

    setattr(module, name, once)


def change(root: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Make the change, look, and take it back."""
    file = root / asked["file"]
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: asked["start"]] + asked["new"] + text[asked["end"] :], encoding="utf-8")
    try:
        return forked(root, asked["how"])
    finally:
        file.write_text(text, encoding="utf-8")


def forked(root: Path, how: str) -> dict[str, Any]:
    """What a child process sees."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        gc.disable()  # it would touch, and so copy, all that the parent holds
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            json.dump(look(root, how), out)
        os._exit(0)
    os.close(writing)
    said = b""
    try:
        while select.select([reading], [], [], SECONDS)[0]:
            piece = os.read(reading, 1 << 16)
            if not piece:
                break
            said += piece
        else:
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(reading)
        os.waitpid(child, 0)
    return json.loads(said) if said else {"stopped": f"no answer after {SECONDS} seconds", "pages": {}}


def look(root: Path, how: str) -> dict[str, Any]:
    """Build, and say what stopped it, or a digest of each page."""
    os.chdir(root)
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root / 'loaders'}", "PYTHONDONTWRITEBYTECODE": "1"}
    sys.path[:0] = [str(root / "src"), str(root / "loaders")]
    heard = io.StringIO()
    try:
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            pages = built() if how == "build" else generated(root)
    except BaseException as problem:
        said = f"{heard.getvalue()}{problem or traceback.format_exc()}"
        return {"stopped": said[-2000:], "pages": {}}
    return {"stopped": "", "pages": {uri: hashlib.sha256(text.encode()).hexdigest() for uri, text in pages.items()}}


def generated(root: Path) -> dict[str, str]:
    """Every generated page as Markdown, and every authored one with its facts, checked as a build checks them."""
    from rankfold_loaders import authored, live, site, transcripts
    from rankfold_loaders.facts import substitute
    from rankfold_loaders.faults import SiteError
    from rankfold_loaders.project import Project

    # This process is as fresh as the one that would be asked.
    live._ask = lambda of: json.loads(json.dumps(live.collect(of.reference, of.root.resolve(), of.cache)))
    Project._git = lambda *_: ""  # type: ignore[method-assign]  # the copy has no history to ask for
    project = Project.at(root)
    # The sample corpus shows what records do; which pages state a record is asked here without it.
    project = dataclasses.replace(project, reference=dataclasses.replace(project.reference, sample=""))
    registries = site.read_registries(project)
    faults = [*transcripts.stale(root)]
    faults += authored.read_pages(project, registries.facts, registries.joined.entries).faults
    if faults:
        raise SiteError(faults)
    pages = {page.uri: page.markdown for page in site.generated_pages(project, registries)}
    for file in sorted((root / "docs").rglob("*.md")):
        name = file.relative_to(root).as_posix()
        pages[name] = substitute(file.read_text(encoding="utf-8"), registries.facts, name)
    return pages


def built() -> dict[str, str]:
    """Every page that a full build writes: its main part, without the menus that repeat titles."""
    from mkdocs.__main__ import cli

    with tempfile.TemporaryDirectory(prefix="rankfold-lockstep-") as folder:
        cli.main(["build", "--quiet", "--strict", "--site-dir", folder], standalone_mode=False)
        pages = {}
        for file in sorted(Path(folder).rglob("*.html")):
            main = re.search(r"<article.*?</article>", file.read_text(encoding="utf-8"), re.DOTALL)
            pages[file.relative_to(folder).as_posix()] = main.group() if main else ""
        return pages


if __name__ == "__main__":
    main()

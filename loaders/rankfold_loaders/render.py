"""Page models become Markdown, by the templates in `site-templates/pages`.

The templates are read anew for every site, so an edit shows under `mkdocs serve`. They are found beside the package in
an editable checkout, and inside it where it was installed from a wheel. A project may have some of its own: a template
there hides ours of the same name.
"""

from __future__ import annotations

from pathlib import Path

import jinja2

from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import error
from rankfold_loaders.page_model import Page
from rankfold_loaders.registries import nearest


def templates_folder() -> Path:
    """The folder `site-templates`.

    Raises:
        SiteError: it is in neither place, which means a broken installation.
    """
    package = Path(__file__).resolve().parent
    for folder in (package.parents[1] / "site-templates", package / "site-templates"):
        if (folder / "pages").is_dir():
            return folder
    raise error(str(package), "the page templates are missing; install rankfold again")


def compiled(cache: Path) -> jinja2.BytecodeCache:
    """Compiled templates, kept by their source: compiling a theme's takes half a second."""
    folder = cache / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    return jinja2.FileSystemBytecodeCache(str(folder))


class Renderer:
    """Renders pages with one set of templates."""

    def __init__(self, folder: Path | None = None, cache: Path | None = None, own: Path | None = None) -> None:
        """Take the templates of a folder, those beside this package by default, compiled where they were before.

        Args:
            folder: the folder.
            cache: where compiled templates are kept.
            own: a project's own templates; one there hides that of the same name.

        Raises:
            SiteError: there is no such folder.
        """
        self.folder = folder or templates_folder()
        if own and not own.is_dir():
            raise error("mkdocs.yml", f"rankfold.templates: there is no folder {own.name!r}")
        folders = [*([own] if own else []), self.folder / "pages", self.folder / "partials"]
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folders, encoding="utf-8"),
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # what comes out is Markdown; models hold cells that are already literal
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            bytecode_cache=compiled(cache) if cache else None,
            comment_start_string="{##",  # `{#` begins the id of a heading
            comment_end_string="##}",
        )
        self._environment.filters.update(
            escape=md.escape, code=md.code, fence=md.fence, attribute=md.attribute, indent_all=_indent
        )

    def render(self, page: Page) -> str:
        """The page as Markdown with front matter.

        Raises:
            SiteError: the template is missing or wrong; names its file and line.
        """
        try:
            body = self._environment.get_template(page.template).render(page.context, page=page)
        except jinja2.TemplateSyntaxError as problem:
            place = Path(problem.filename or problem.name or "").name
            raise error(f"site-templates/…/{place}:{problem.lineno}", problem.message or "syntax error") from problem
        except jinja2.TemplateNotFound as problem:
            near = nearest(str(problem.name), self._environment.list_templates())
            raise error("mkdocs.yml", f"there is no template {problem.name!r}{near}") from problem
        except jinja2.TemplateError as problem:
            raise error(f"site-templates/pages/{page.template}:{_line(problem)}", str(problem)) from problem
        meta: dict[str, object] = {"title": md.menu(page.title), "description": md.menu(page.description)}
        if page.repetitive:
            meta["search"] = {"exclude": True}
        return f"{md.front_matter(meta)}{body.strip()}\n"


def _line(problem: BaseException) -> int:
    """The line of the template in which an error arose: it stands only in the traceback."""
    line, trace = 0, problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(".jinja"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _indent(text: str, spaces: int = 4) -> str:
    return "\n".join(" " * spaces + line if line else "" for line in text.splitlines())

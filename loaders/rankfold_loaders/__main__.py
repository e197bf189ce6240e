"""`python -m rankfold_loaders`: prove that a site says what the code does, or export it as plain files."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

try:
    from rankfold_loaders import check as checks
    from rankfold_loaders import configuration
    from rankfold_loaders import export as exports
    from rankfold_loaders.faults import SiteError
    from rankfold_loaders.project import Project
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] == "rankfold_loaders":
        raise
    sys.exit(f"{missing.name} is not installed; type: pip install 'rankfold[docs]'")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The reference site of a project, made from the registries that its code runs on.

    What the site documents is stated in `mkdocs.yml`, under `plugins: - rankfold:`. `mkdocs build` builds it and
    `mkdocs serve` shows every save; the commands here are for continuous integration and for other builders.

    \b
    Exit status: 0 all is well, 1 something differs or cannot be read, 2 a mistake in the call.
    """


root = click.option(
    "--root",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    show_default="here",
    help="The folder of mkdocs.yml, or that file where it has another name.",
)


@main.command(short_help="Prove that the site says what the code does.")
@root
def check(root: Path) -> None:
    """Prove that the site says what the code does.

    Compares every literal in the source with the live registries, asks for documentation, builds the site twice and
    compares the bytes, reads the built pages back and compares every cell with the registries, and follows every link.
    Prints a line for each check; one that fails says what differs, where, and what to do. Writes nothing into the
    project.
    """
    _demand_configuration(root)
    sys.exit(checks.report(checks.run(root), click.echo))


@main.command(short_help="Write the site as plain Markdown, for any builder.")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@root
@click.option(
    "--playground/--no-playground",
    default=True,
    show_default=True,
    help="Whether a site that has a playground is exported with it. Making it takes longest.",
)
def export(folder: Path, root: Path, playground: bool) -> None:
    """Write the site as plain Markdown to DIR, for any builder.

    The generated pages, the authored ones with their facts looked up, every asset, and a mkdocs.yml with the whole
    navigation that needs neither a hook nor this plugin. DIR is new or empty, or was written by an earlier export:
    then only the files of that export are replaced. The same project gives the same bytes.

    \b
    Build the export with either of these:
        zensical build --strict --config-file DIR/mkdocs.yml
        mkdocs build --strict --config-file DIR/mkdocs.yml
    """
    _demand_configuration(root)
    try:
        project = Project.at(root)
        reason = exports.refusal(folder, project)
        if reason:
            raise click.UsageError(reason)
        made = exports.export(project, playground=playground)
        exports.write(made, folder)
    except (SiteError, OSError) as problem:
        said = problem if isinstance(problem, SiteError) else f"{problem.strerror}: {problem.filename}"
        click.echo(f"Nothing was exported:\n{said}", err=True)
        sys.exit(1)
    click.echo(
        f"{made.generated} generated pages, {made.authored} authored and {made.others} other files are in {folder}"
    )
    click.echo(f"Build it with: zensical build --strict --config-file {shlex.quote(str(folder / 'mkdocs.yml'))}")


def _demand_configuration(root: Path) -> None:
    if not configuration.find(root).is_file():
        raise click.UsageError(f"there is no mkdocs.yml in {root.resolve()}; name its folder with --root DIR")


if __name__ == "__main__":
    main(prog_name="python -m rankfold_loaders")

"""The command line: one file per command, one envelope of JSON for all of them.

Standard output holds the answer and nothing else; progress, warnings and errors go to standard error. The exit status
is 0 for success, 2 for a mistake in the call and 1 for everything else.
"""

from __future__ import annotations

import click

from rankfold.cli.arms import arms
from rankfold.cli.embed import embed
from rankfold.cli.group import Commands
from rankfold.cli.index import index
from rankfold.cli.place import common_options
from rankfold.cli.profiles import profiles
from rankfold.cli.search import search
from rankfold.cli.sql import sql
from rankfold.cli.status import status

__all__ = ["main"]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`rankfold COMMAND --help` says more about a command. The exit status is 0 for success, also where nothing "
    "was found, 2 for a mistake in the call and 1 for everything else.",
)
@click.version_option(package_name="rankfold", message="%(prog)s %(version)s")
@common_options
def main() -> None:
    """Hybrid search in one SQLite file whose ranking you can read.

    \b
    rankfold index notes/
    rankfold search one writer many readers
    rankfold sql one writer many readers
    """


for command in (index, search, sql, arms, profiles, embed, status):
    main.add_command(command)

"""The environment variables that are obeyed: one record each, and the only place that reads the environment."""

from __future__ import annotations

import os

from rankfold.records import Variable

DATABASE = Variable(
    name="RANKFOLD_DB",
    title="The index",
    value="path of a file; `~` is the home folder",
    default="the nearest `.rankfold/index.db`, here or in a folder above",
    read_by="command line",
    flag="--db",
    doc="Which index a command works on where its option does not say. The file need not exist before the first "
    "`rankfold index`.",
    since="0.1",
)

VEC_LIBRARY = Variable(
    name="RANKFOLD_VEC",
    title="The library file of sqlite-vec",
    value="path of a loadable library",
    default="the one in the installed package `sqlite-vec`",
    read_by="library",
    doc="For a system that the package has no working file for: a sqlite-vec that was built there. A file that does "
    "not load drops the vector arm, and `rankfold status` says why.",
    since="0.1",
)

TELEMETRY = Variable(
    name="ORT_DISABLE_TELEMETRY",
    title="Reports of onnxruntime to its maker",
    value="`1` for none, `0` for whoever wants them",
    default="`1`, set for this process and its children before the embedded model is loaded",
    read_by="library",
    doc="Builds of onnxruntime, which runs the embedded model, can send events about sessions and models to "
    "Microsoft. rankfold turns that off unless this variable already has a value.",
    since="0.1",
)

NO_COLOR = Variable(
    name="NO_COLOR",
    title="No colours",
    value="anything but nothing",
    default="colours on a terminal, none elsewhere",
    read_by="command line",
    doc="Output without colours; bold and dim text stay. It wins over `FORCE_COLOR`. See [no-color.org](https://no-color.org).",
    since="0.1",
)

FORCE_COLOR = Variable(
    name="FORCE_COLOR",
    title="Styles also into a pipe",
    value="anything but nothing",
    default="styles on a terminal, none elsewhere",
    read_by="command line",
    doc="Output with colours and other styles even where it does not go to a terminal, for instance for `less -R`. "
    "JSON and tab-separated values never have any. See [force-color.org](https://force-color.org).",
    since="0.1",
)

TERMINAL = Variable(
    name="TERM",
    title="The kind of terminal",
    value="name of a terminal; `dumb` and `unknown` are those without styles",
    default="what the terminal sets",
    read_by="command line",
    doc="A terminal that is called `dumb` or `unknown` gets no styles.",
    since="0.1",
)

COLUMNS = Variable(
    name="COLUMNS",
    title="The width of the output",
    value="a number of characters",
    default="the terminal's own width, and a middling one where there is none",
    read_by="command line",
    doc="How wide prose and tables are written. A very wide one counts only as far as prose is good to read.",
    since="0.1",
)

COMPLETION = Variable(
    name="_RANKFOLD_COMPLETE",
    title="Completion in the shell",
    value="`bash_source`, `zsh_source` or `fish_source`",
    default="nothing",
    read_by="command line",
    doc="""Print the script that makes the shell complete commands, options and the names of arms and profiles. For
bash, this line in `~/.bashrc` turns it on:

    eval "$(_RANKFOLD_COMPLETE=bash_source rankfold)"
""",
    since="0.1",
)

VARIABLES: tuple[Variable, ...] = (
    DATABASE,
    VEC_LIBRARY,
    TELEMETRY,
    NO_COLOR,
    FORCE_COLOR,
    TERMINAL,
    COLUMNS,
    COMPLETION,
)


def value_of(variable: Variable) -> str:
    """What the variable holds now; empty where it is not set, which means the same as set to nothing."""
    return os.environ.get(variable.name, "")


def set_unless_set(variable: Variable, value: str) -> str:
    """Give the variable a value, for this process and its children, unless it has one already.

    Returns:
        The value that it has now.
    """
    return os.environ.setdefault(variable.name, value)

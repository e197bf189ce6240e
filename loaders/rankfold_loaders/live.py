"""The live side: what the registries hold when their packages are imported, and what follows from it.

`python -m rankfold_loaders.live` reads from standard input what a site documents and prints it as JSON. `read` runs
that in a fresh interpreter, because a server that has been up for hours must show the code as it is now.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import inspect
import json
import math
import os
import re
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rankfold_loaders.faults import Fault, SiteError, error
from rankfold_loaders.project import Project
from rankfold_loaders.record_schema import record_schema
from rankfold_loaders.registries import Column, Reference, RegistryPage, nearest, read_reference

if TYPE_CHECKING:
    from rankfold_loaders.static import Reader

Live = dict[str, Any]
"""`registries`: per kind a list of records; `problems`, `origins`; `search`, where there is one."""


def read(project: Project, reader: Reader | None = None) -> Live:
    """The live registries of a project, read by a fresh interpreter.

    Args:
        project: whose registries they are.
        reader: of the project's source, which is read in the meantime; where there is one already.

    Raises:
        SiteError: a package cannot be imported or its registries cannot be read; names the key of `mkdocs.yml` that
            asks for them, and carries the traceback where the package itself failed.
    """
    from rankfold_loaders.static import Reader  # of no use to the interpreter that prints the registries

    reader = reader or Reader(project.source)
    with ThreadPoolExecutor(max_workers=1) as beside:
        asked = beside.submit(_ask, project)
        try:
            for row in project.reference.registries:
                reader.records(row)
            public = {
                row.kind: reader.public_names(row.records.partition(":")[0])
                for row in project.reference.registries
                if is_public_api(row)
            }
        except Exception:
            asked.result()  # a file that cannot be imported says more than what is missing in it
            raise
        answer = asked.result()
    answer["registries"].update(public)
    return answer


def _ask(project: Project) -> Live:
    loaders = Path(__file__).resolve().parents[1]
    path = [str(project.source), str(loaders), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        # Byte code in a watched folder would make `mkdocs serve` build a second time.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
    wanted = {
        "reference": dataclasses.asdict(project.reference),
        "root": str(project.root.resolve()),
        "cache": str(project.cache),
    }
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "rankfold_loaders.live"],
        input=json.dumps(wanted),
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        raise error("", "the registries cannot be read\n\n" + ran.stderr.strip())
    answer = json.loads(ran.stdout)
    if "faults" in answer:
        raise SiteError(Fault(*fault) for fault in answer["faults"])
    return cast("Live", answer)


def collect(reference: Reference, root: Path, cache: Path) -> Live:
    """The live registries of this interpreter, as values that JSON can carry.

    Args:
        reference: what is documented.
        root: the folder of `mkdocs.yml`, which the sample corpus is relative to.
        cache: where what is slow to make may be kept.
    """
    values: dict[str, list[dict[str, Any]]] = {}
    faults: list[Fault] = []
    for row in reference.registries:
        try:
            values[row.kind] = _records(row)
        except SiteError as problem:
            # Rows whose module fails in the same way need not say it again.
            said = {fault.message.partition(": ")[2] for fault in faults}
            faults += [fault for fault in problem.faults if fault.message.partition(": ")[2] not in said]
    if faults:
        raise SiteError(faults)
    if reference.derive:
        load(reference.derive, "derive")(values)
    faults = [Fault("mkdocs.yml", said) for row in reference.registries for said in _misfits(row, values[row.kind])]
    if faults:
        raise SiteError(faults)
    problems = load(reference.problems, "problems") if reference.problems else ()
    origins = load(reference.origins, "origins") if reference.origins else ()
    collected: Live = {
        "registries": values,
        "problems": [str(problem) for problem in problems],
        "origins": {f"{kind}.{name}": origin for kind, name, origin in origins},
        "search": {},
        "schemas": _schemas(reference),
    }
    if reference.search:
        from rankfold_loaders.searching import describe

        sample = root / reference.sample if reference.sample else None
        collected["search"] = describe(load(reference.search, "search"), sample, cache)
    return collected


def _schemas(reference: Reference) -> dict[str, Any]:
    """The schema of every record class that declares its fields, by kind."""
    rows = [row for row in reference.registries if row.record]
    classes = {row.kind: load(row.record, f"registries[{row.kind}].record") for row in rows}
    declared = {kind: cls for kind, cls in classes.items() if isinstance(cls, type) and dataclasses.is_dataclass(cls)}
    return {kind: record_schema(cls) for kind, cls in declared.items()}


def load(path: str, key: str) -> Any:
    """What `module:name` stands for; attributes and calls without arguments may follow the name.

    Args:
        path: the path.
        key: the key that states it, for messages.

    Raises:
        SiteError: there is no such module or name.
    """
    module, _, rest = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as problem:  # somebody's package may raise anything
        said = f"importing it fails:\n\n{_traced(problem)}"
        if isinstance(problem, ModuleNotFoundError) and f"{module}.".startswith(f"{problem.name}."):
            said = f"there is no module {problem.name!r}; install the package, or say with `source` where it is"
        raise error("mkdocs.yml", f"rankfold.{key} is {path!r}: {said}") from problem
    walked = module
    for part in re.findall(r"\w+|\(\)", rest):
        if part != "()" and not hasattr(found, part):
            said = f"{walked} has no {part!r}{nearest(part, dir(found))}"
            raise error("mkdocs.yml", f"rankfold.{key} is {path!r}: {said}")
        found = found() if part == "()" else getattr(found, part)
        walked += "()" if part == "()" else f".{part}"
    return found


def _traced(problem: BaseException) -> str:
    """A traceback without the frames that led to the package."""
    told = traceback.TracebackException.from_exception(problem)
    frames = [frame for frame in told.stack if frame.filename != __file__ and "importlib" not in frame.filename]
    told.stack = traceback.StackSummary.from_list(frames)
    return "".join(told.format()).strip()


def is_public_api(row: RegistryPage) -> bool:
    """Whether the row documents the names that a package makes public."""
    return row.records.endswith(":__all__")


def _records(row: RegistryPage) -> list[dict[str, Any]]:
    key = f"registries[{row.kind}].records"
    if is_public_api(row):
        return []  # the public API of a package, which need not be run: `read` adds it
    found = load(row.records, key)
    if hasattr(found, "list_commands"):
        from rankfold_loaders.click_commands import describe

        return describe(found, _program(row.records))
    if isinstance(found, Mapping):
        pairs: Iterable[tuple[object, object]] = found.items()
    elif isinstance(found, Iterable) and not isinstance(found, (str, bytes)):
        pairs = [("", record) for record in found]
    else:
        said = f"{_short(found)} holds no records; it is an iterable, a mapping or a click group"
        raise error("mkdocs.yml", f"rankfold.{key} is {row.records!r}: {said}")
    records = [_named(row, key, record, f"record {n}") for n, (key, record) in enumerate(pairs, start=1)]
    if not records:
        said = "it holds no record; import what registers them, or leave the registry out"
        raise error("mkdocs.yml", f"rankfold.{key} is {row.records!r}: {said}")
    # A set has no order of its own.
    return sorted(records, key=lambda record: record["name"]) if isinstance(found, (set, frozenset)) else records


def _program(path: str) -> str:
    """What a click group is called as a command: by its package's entry point, else by the package."""
    names = [point.name for point in entry_points(group="console_scripts") if point.value == path]
    return min(names, default=path.partition(":")[0].partition(".")[0])


def _named(row: RegistryPage, key: object, record: object, place: str) -> dict[str, Any]:
    """A record's fields, with its name and documentation where every page looks for them."""
    fields = fields_of(record)
    if key and (fields is None or isinstance(record, str)):
        fields = {"value": record}
    if fields is None:
        raise _unnamed(row, f"{place} of {row.records} is {_short(record)}, which has no fields")
    name = fields.get(row.name, key)
    name = str(name) if isinstance(name, int) and not isinstance(name, bool) else name
    if not isinstance(name, str) or not name:
        near = nearest(row.name, fields) or f"; it has {', '.join(map(str, fields)) or 'none at all'}"
        raise _unnamed(
            row, f"{place} of {row.records}, {_short(record)}, has no field {row.name!r} to be called by{near}"
        )
    values = cast("dict[str, Any]", plain(fields))
    # Documentation may be indented like the code around it.
    return {**values, "name": str(name), "doc": textwrap.dedent(str(values.get(row.doc) or ""))}


def _unnamed(row: RegistryPage, said: str) -> SiteError:
    return error("mkdocs.yml", f"rankfold.registries[{row.kind}]: {said}; `name` says which field names a record")


def _misfits(row: RegistryPage, records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Where the columns of a row do not fit its records. A field that only some records have is empty in the others."""
    where = f"rankfold.registries[{row.kind}]"
    names = [record["name"] for record in records]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where}: {names.count(name)} records are called {name!r}; a name is that of one record"
    known = list(dict.fromkeys(key for record in records for key in record))
    for column in (*row.columns, *row.details):
        first = column.field.partition(".")[0]
        if known and first not in known and column.show != "name":
            said = nearest(first, known) or f"; there are {', '.join(known)}"
            yield f"{where}: the column {column.heading!r} shows {first!r}, which no {row.word} has{said}"
            continue
        for record in records:
            record.setdefault(first, None)
            wrong = _misfit(column, record)
            if wrong:
                yield f"{where}: the column {column.heading!r} of {record['name']!r} {wrong}"


def _misfit(column: Column, record: Mapping[str, Any]) -> str:
    value: Any = record
    for part in column.field.split("."):
        if not isinstance(value, Mapping) or part not in value:
            near = nearest(part, value) if isinstance(value, Mapping) else ""
            return f"shows {column.field!r}, but there is no {part!r}{near}"
        value = value[part]
    items = value if isinstance(value, list) else [] if value is None else [value]
    if column.show == "number" and not all(isinstance(item, (int, float)) for item in items):
        return f"is shown as a number, but is {_short(value)}"
    if column.show in ("sql", "prose", "link") and not all(isinstance(item, str) for item in items):
        return f"is shown as {column.show}, but is {_short(value)}, which is no text"
    return ""


def _short(value: object) -> str:
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 80 else text[:79] + "…"


def fields_of(record: object) -> dict[str, Any] | None:
    """A record's fields by name, whatever it is made with; None for what has none, such as a number.

    A text is a record that has a name alone. A function or a class is a record too, as a decorator registers them:
    called by its name, documented by its docstring, with what was set on it as its further fields.
    """
    if isinstance(record, enum.Enum):
        return {"name": record.name, "value": record.value}
    if isinstance(record, str):
        return {"name": record}
    if inspect.isroutine(record) or isinstance(record, type):
        return {
            **{key: value for key, value in vars(record).items() if key[:1] != "_" and not callable(value)},
            "name": record.__name__,
            "doc": inspect.getdoc(record) or "",
            "source": _source(record),
        }
    declared = _declared(record)
    if declared is None and hasattr(record, "__dict__"):
        return {key: value for key, value in vars(record).items() if key[:1] != "_"}
    return declared


def _declared(value: Any) -> dict[str, Any] | None:
    """The fields of what declares them: a dataclass, a mapping, a named tuple, a class of attrs or of pydantic."""
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    names: Iterable[str] | None
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    elif hasattr(type(value), "__attrs_attrs__"):
        names = [attribute.name for attribute in type(value).__attrs_attrs__]
    else:
        names = getattr(type(value), "_fields", None) or getattr(type(value), "model_fields", ())
    return {name: getattr(value, name) for name in names or ()} or None


def _source(made: Any) -> dict[str, Any] | None:
    try:
        written = inspect.unwrap(made)
        return {"file": inspect.getsourcefile(written), "line": inspect.getsourcelines(written)[1]}
    except (OSError, TypeError):
        return None


def plain(value: object) -> Any:
    """A value as JSON can carry it; a record becomes a dictionary, a function the place where it is written."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, enum.Enum):
        return value.name
    if hasattr(value, "__qualname__"):
        return {"function": f"{getattr(value, '__module__', '')}.{value.__qualname__}"}
    declared = _declared(value)
    if declared is not None:
        return {name: plain(item) for name, item in declared.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        # Such an object shows its address in memory, which differs each time.
        return f"{type(value).__module__}.{type(value).__qualname__}"
    return str(value)


def main() -> None:
    """Print the live registries; whatever the imported packages print goes to standard error."""
    wanted = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            collected = collect(read_reference(wanted["reference"]), Path(wanted["root"]), Path(wanted["cache"]))
        except SiteError as problem:
            collected = {"faults": [(fault.place, fault.message) for fault in problem.faults]}
    # The original stream, whatever the imports did to `sys.stdout`.
    print(json.dumps(collected, ensure_ascii=False, allow_nan=False), file=sys.__stdout__)


if __name__ == "__main__":
    main()

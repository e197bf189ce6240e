"""The live side: what the registries hold when their packages are imported, and what follows from it.

`python -m rankfold_loaders.live` reads from standard input what a site documents and prints it as JSON. `read` runs
that in a fresh interpreter, because a server that has been up for hours must show the code as it is now.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from rankfold_loaders.faults import error
from rankfold_loaders.project import Project
from rankfold_loaders.registries import Reference, RegistryPage, read_reference

Live = dict[str, Any]
"""`registries`: per kind a list of records; `problems`, `origins`; `search`, where there is one."""


def read(project: Project) -> Live:
    """The live registries of a project, read by a fresh interpreter.

    Raises:
        SiteError: a package cannot be imported or its registries cannot be read; carries the traceback.
    """
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
    return cast("Live", json.loads(ran.stdout))


def collect(reference: Reference, root: Path, cache: Path) -> Live:
    """The live registries of this interpreter, as values that JSON can carry.

    Args:
        reference: what is documented.
        root: the folder of `mkdocs.yml`, which the sample corpus is relative to.
        cache: where what is slow to make may be kept.
    """
    values = {row.kind: _records(row) for row in reference.registries}
    if reference.derive:
        _load(reference.derive)(values)
    problems = _load(reference.problems) if reference.problems else ()
    origins = _load(reference.origins) if reference.origins else ()
    collected: Live = {
        "registries": values,
        "problems": [str(problem) for problem in problems],
        "origins": {f"{kind}.{name}": origin for kind, name, origin in origins},
        "search": {},
    }
    if reference.search:
        from rankfold_loaders.searching import describe

        sample = root / reference.sample if reference.sample else None
        collected["search"] = describe(_load(reference.search), sample, cache)
    return collected


def _load(path: str) -> Any:
    """What `module:name` stands for; attributes and calls without arguments may follow the name."""
    module, _, rest = path.partition(":")
    found: Any = importlib.import_module(module)
    for part in re.findall(r"\w+|\(\)", rest):
        found = found() if part == "()" else getattr(found, part)
    return found


def _records(row: RegistryPage) -> list[dict[str, Any]]:
    found = _load(row.records)
    if hasattr(found, "list_commands"):
        from rankfold_loaders.click_commands import describe

        return describe(found, row.records.partition(".")[0].partition(":")[0])
    records: Iterable[Any] = found.values() if isinstance(found, Mapping) else found
    return [_named(row, record) for record in records]


def _named(row: RegistryPage, record: object) -> dict[str, Any]:
    values = plain(record)
    if not isinstance(values, dict) or not isinstance(values.get(row.name), str):
        raise TypeError(f"{row.records} holds {record!r}, which has no {row.name!r} to be called by")
    return {**values, "name": values[row.name], "doc": values.get(row.doc) or ""}


def plain(value: object) -> Any:
    """A value as JSON can carry it; a record becomes a dictionary, a function the place where it is written."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if not hasattr(value, "__qualname__"):
        return str(value)
    return {"function": f"{getattr(value, '__module__', '')}.{value.__qualname__}"}


def main() -> None:
    """Print the live registries; whatever the imported packages print goes to standard error."""
    wanted = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        collected = collect(read_reference(wanted["reference"]), Path(wanted["root"]), Path(wanted["cache"]))
    # The original stream, whatever the imports did to `sys.stdout`.
    print(json.dumps(collected, ensure_ascii=False, allow_nan=False), file=sys.__stdout__)


if __name__ == "__main__":
    main()

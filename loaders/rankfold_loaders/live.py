"""The live side: what the registries hold when the library is imported, and the SQL that it builds from them.

`python -m rankfold_loaders.live` prints it as JSON. `read` runs that in a fresh interpreter, because a server that has
been up for hours must show the code as it is now.
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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from rankfold_loaders.faults import error
from rankfold_loaders.registries import COMMANDS, INSTALLED, TABLE

Live = dict[str, Any]
"""`registries`: per kind a list of records; `problems`, `origins`, `statements`, `arm_sql`, `default_profile`."""


def read(source: Path) -> Live:
    """The live registries, read by a fresh interpreter.

    Args:
        source: the folder that the library is imported from.

    Raises:
        SiteError: the library cannot be imported or its registries cannot be built; carries the traceback.
    """
    loaders = Path(__file__).resolve().parents[1]
    path = [str(source), str(loaders), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        # Byte code in a watched folder would make `mkdocs serve` build a second time.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "rankfold_loaders.live"],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        raise error("", "the registries cannot be read\n\n" + ran.stderr.strip())
    return cast("Live", json.loads(ran.stdout))


def collect() -> Live:
    """The live registries of this interpreter, as values that JSON can carry."""
    registries = _load(INSTALLED)()
    collected: Live = {
        "registries": {
            page.kind: [plain(record) for record in getattr(registries, page.kind)] for page in TABLE if page.record
        },
        "problems": [str(problem) for problem in registries.problems],
        "origins": {f"{kind}.{name}": origin for kind, name, origin in registries.origins},
        "default_profile": _load("rankfold.retrieval.profiles:DEFAULT_PROFILE"),
    }
    collected |= _statements(registries)
    from rankfold_loaders.click_commands import describe

    collected["registries"]["commands"] = describe(_load(COMMANDS), COMMANDS.split(".", 1)[0])
    return collected


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def plain(value: object) -> Any:
    """A value as JSON can carry it; a record becomes a dictionary, a function the place where it is written."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    name = getattr(value, "__qualname__", type(value).__qualname__)
    return {"function": f"{getattr(value, '__module__', '')}.{name}"}


def _statements(registries: Any) -> Live:
    from rankfold.retrieval.statement import ActiveArm, fold

    def statement(profile: Any, weights: Mapping[str, float]) -> str:
        active = [ActiveArm(arm, weights[arm.name]) for arm in registries.arms if weights.get(arm.name, 0) > 0]
        built = fold(active, registries=registries, profile=profile, rank_constant=profile.rank_constant)
        return built.text if built else ""

    statements: dict[str, str] = {}
    arm_sql: dict[str, dict[str, str]] = {}
    default = registries.profiles[_load("rankfold.retrieval.profiles:DEFAULT_PROFILE")]
    for profile in registries.profiles:
        weights = {arm.name: profile.weights.get(arm.name, arm.weight) for arm in registries.arms}
        statements[profile.name] = statement(profile, weights)
    # An arm that no profile uses is shown as it would run in the default one.
    everything = statement(default, dict.fromkeys(registries.arms.names, 1.0))
    order = [default.name, *(name for name in statements if name != default.name)]
    for arm in registries.arms:
        for name, text in [*((name, statements[name]) for name in order), (default.name, everything)]:
            filled = arm_in_statement(text, arm.name)
            if filled:
                arm_sql[arm.name] = {"profile": name, "filled": filled}
                break
    return {"statements": statements, "arm_sql": arm_sql}


def arm_in_statement(statement: str, arm: str) -> str:
    """The SELECT of one arm, cut out of a whole statement; empty where the arm is not in it."""
    found = re.search(rf"^arm_{re.escape(arm)}\([^)]*\) AS MATERIALIZED \(\n(.*?)^\)", statement, re.S | re.M)
    if not found:
        return ""
    return "\n".join(line.removeprefix("  ") for line in found.group(1).splitlines())


def main() -> None:
    """Print the live registries; whatever the imported packages print goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        collected = collect()
    # The original stream, whatever the imports did to `sys.stdout`.
    print(json.dumps(collected, ensure_ascii=False, allow_nan=False), file=sys.__stdout__)


if __name__ == "__main__":
    main()

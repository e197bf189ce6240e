"""What prose may quote: every name that the project really has, read from where it is decided.

A quoted name stops meaning anything on the day that it is renamed. So a name in a code span has to be one of these: a
record, an option or a command of the registries, a field of a record, a word that a record's field may hold, a member
of the public API, a table or column of the schema, a file, a target of `make`, an extra, a dependency.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rankfold_loaders.project import Project

_TOKEN = re.compile(r"\{\w+\}|\?\d+|--?[A-Za-z][\w-]*|\.?\w[\w./:-]*")
"""A hole, a slot, an option, or a word with what a path or a dotted name has inside."""


class Named(Protocol):
    """What matters here of a record of a registry."""

    @property
    def name(self) -> str: ...

    @property
    def values(self) -> Mapping[str, object]: ...


@dataclass(frozen=True)
class Vocabulary:
    """The names of a project."""

    words: frozenset[str]
    after: Mapping[str, frozenset[str]]
    """For a program with commands of its own, what may stand behind it."""
    roots: tuple[Path, ...]
    """Folders that a path may be relative to."""

    def unknown(self, quoted: str, own: frozenset[str] = frozenset()) -> list[str]:
        """The parts of a quoted text that name nothing, in their order.

        Args:
            quoted: what stands in a code span.
            own: more words, such as those of the page's own code.
        """
        tokens = [token for token in _TOKEN.findall(quoted) if re.search(r"\w", token)]
        missing, at = [], 0
        while at < len(tokens):
            both = "_".join(tokens[at : at + 2])
            step = 2 if at + 1 < len(tokens) and both in self.words else 1
            if step == 1 and not self._known(tokens[at], own):
                missing.append(tokens[at])
            at += step
        program, *rest = tokens or [""]
        if rest and not rest[0].startswith("-") and rest[0] not in self.after.get(program, frozenset(rest)):
            missing.append(" ".join(tokens[:2]))
        return list(dict.fromkeys(missing))

    def _known(self, token: str, own: frozenset[str]) -> bool:
        is_path = "/" in token or "." in token
        if is_path and any((root / token).exists() for root in self.roots):
            return True
        return bool({token, token.rstrip(".:/-")} & (self.words | own))


def vocabulary(project: Project, entries: Mapping[str, Sequence[Named]]) -> Vocabulary:
    """The names of a project.

    Args:
        project: whose files are read.
        entries: its registries, by kind.
    """
    packages = sorted(file.parent for file in project.source.glob("*/__init__.py"))
    words = {package.name for package in packages}
    commands: set[str] = set()
    for kind, records in entries.items():
        for record in records:
            words |= {record.name, *_leaves(record.values)}
            if kind == "commands":
                commands.add(record.name)
                words |= set(re.findall(r"\b[A-Z][A-Z_]+\b", str(record.values.get("usage", ""))))
    for package in packages:
        words |= set(_api(package))
    for file in sorted(project.source.rglob("*.sql")):
        words |= set(re.findall(r"\b[a-z_]+\b", re.sub(r"--.*", "", file.read_text(encoding="utf-8"))))
    after = {package.name: frozenset(commands) for package in packages if commands}
    words |= set(_packaging(project.root))
    targets = _makefile(project.root)
    if targets:
        after["make"] = frozenset(targets)
        words |= {"make", *targets, *targets.values()} - {""}
    return Vocabulary(frozenset(words), after, (project.root, *packages))


def _leaves(value: object, key: str = "") -> Iterator[str]:
    """Field names, and the values that are one word; of SQL its holes."""
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield str(name)
            yield from _leaves(below, str(name))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, key)
    elif isinstance(value, str):
        if "sql" in key:
            yield from re.findall(r"\{\w+\}", value)
        elif not re.search(r"\s", value):
            yield value


def _api(package: Path) -> Iterator[str]:
    """What a package exports, and the members of the classes among it, alone and behind the class in lower case."""
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(package.name):
            continue
        file = package.parent / f"{(node.module or '').replace('.', '/')}.py"
        tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
        exported = {alias.asname or alias.name for alias in node.names}
        for name in exported:
            yield from (name, f"{package.name}.{name}")
        for found in tree.body:
            if isinstance(found, ast.ClassDef) and found.name in exported:
                for member in _members(found):
                    yield from (member, f"{found.name.lower()}.{member}")


def _members(found: ast.ClassDef) -> Iterator[str]:
    for node in found.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name
            yield from (argument.arg for argument in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _packaging(root: Path) -> Iterator[str]:
    file = root / "pyproject.toml"
    stated = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {}) if file.is_file() else {}
    yield from (str(stated[key]) for key in ("name",) if key in stated)
    extras = stated.get("optional-dependencies", {})
    yield from (*extras, *stated.get("scripts", {}))
    for needed in (*stated.get("dependencies", ()), *(needed for extra in extras.values() for needed in extra)):
        yield from re.findall(r"^[\w.-]+", needed)


def _makefile(root: Path) -> dict[str, str]:
    """Targets; and the variables, each with its value."""
    file = root / "Makefile"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    variables = dict(re.findall(r"^(\w+) [:?]?= *(\S*)$", text, re.MULTILINE))
    return dict.fromkeys(re.findall(r"^([a-z][\w-]*):(?!=)", text, re.MULTILINE), "") | variables

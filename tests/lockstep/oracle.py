"""Which pages state a fact: written by hand, from what the pages are for, and without making any of them.

The table of registries (`own_reference.py`, read as text) says which columns and lines a registry shows and where;
`ALSO` says what pages show of other registries; the look-ups of the authored pages say what these quote. Pages are
patterns, in which `*` is anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .mutations import FACT, KINDS, Mutation

OPTIONS = {"asking": ("search", "sql"), "place": ("*",), "group": ("*",)}
"""Modules whose options several commands share, with those commands; any other module is one command."""

ALSO = {
    "arms": {
        r"preconditions": (("reference/arms/index.md", "reference/preconditions.md"), ("reference/profiles/*",)),
        r"sql|fast_sql|exclusions": ((), ("reference/profiles/*", "reference/slots.md", "reference/database.md")),
        r"reads|raw\..*": ((), ("reference/arms/index.md",)),
    },
    "preconditions": {
        r"heading": (("reference/arms/index.md",), ()),
        r"title": (("reference/arms/index.md",), ("reference/profiles/*-statements.md",)),
    },
    "profiles": {
        r"weights": (("reference/arms/index.md", "reference/profiles/{name}.md"), ("reference/profiles/{name}*",)),
        r"weights\..*": (
            ("reference/arms/index.md", "reference/profiles/{name}.md", "reference/profiles/{name}-statements.md"),
            ("reference/arms/*",),
        ),
        r"rank_constant": (("reference/profiles/{name}-statements.md",), ("reference/arms/*", "reference/profiles/*")),
        r"adjustments": ((), ("reference/adjustments.md", "reference/profiles/*")),
        r"[a-z_]*": (
            (),
            ("reference/arms/*", "reference/profiles/index.md", "reference/profiles/{name}-statements.md"),
        ),
    },
    "constants": {
        r"minimum|maximum|value|set_by|flag|doc": ((), ("reference/cli/search.md", "reference/cli/sql.md")),
    },
    "fields": {r"column": (("reference/database.md",), ())},
    "formats": {r"suffixes": ((), ("reference/cli/index/index.md",))},
    "variables": {r"flag": ((), ("reference/cli/*",))},
    "scopes": {
        r"flag|kind|value|vocabulary|doc": ((), ("reference/cli/search.md", "reference/cli/sql.md")),
        r"sql|default_sql": ((), ("reference/profiles/*", "reference/slots.md", "reference/database.md")),
    },
}
"""Per kind and field: the pages that state it beside its own, and those that show what follows from it."""


AT_WORK = {"reference/arms/*", "reference/profiles/*", "reference/adjustments.md", "reference/json-envelope.md"}
"""The pages of a whole site that also show the records at work on the sample corpus."""


@dataclass
class _Row:
    uri: str
    each: str
    columns: set[str] = field(default_factory=set)
    details: set[str] = field(default_factory=set)

    def own(self, name: str) -> str:
        """The page where a record is explained."""
        return self.each.format(name=name.lower()) if self.each else self.uri


class Oracle:
    """The pages of a project, as they are meant to be."""

    def __init__(self, root: Path) -> None:
        self.rows = dict(_rows(root / "loaders/rankfold_loaders/own_reference.py"))
        self.look_ups = {
            file.relative_to(root).as_posix(): set(FACT.findall(file.read_text(encoding="utf-8")))
            for file in sorted((root / "docs").rglob("*.md"))
        }
        self.records = {(kind, name): call for kind, name, call in _records(root)}
        self.symbols = {symbol: name for name, symbol in _symbols(root)}

    def pages(self, mutation: Mutation) -> tuple[set[str], set[str]]:
        """The pages that have to change, and those that may because they show what follows from the fact."""
        kind, name, path = mutation.fact
        if mutation.group == "option":
            module = Path(mutation.file).stem
            commands = OPTIONS.get(module, (module,))
            return {_command(command) for command in commands}, {"reference/cli/*"}
        if mutation.group == "command":
            return {_command(name)}, {"reference/cli/index.md"}
        if mutation.group == "described":
            return {self.rows[kind].uri}, {"reference/python/*"}
        if mutation.group == "schema":
            return {"reference/database.md", "reference/migrations.md"}, {"reference/fields.md"}
        if mutation.group == "column":
            row = self.rows[kind]
            return {row.own("*") if name == "details" else row.uri}, {row.own("*"), row.uri}
        if path == "name":  # wherever it is quoted
            return {self.rows[kind].uri}, {"*"}
        return self._stated(kind, name, path)

    def _stated(self, kind: str, name: str, path: str) -> tuple[set[str], set[str]]:
        row = self.rows[kind]
        must: set[str] = set()
        may: set[str] = set()
        if path in row.columns:
            must.add(row.uri)
        if path in row.details or path in ("doc", "title") or path.endswith("sql"):
            must.add(row.own(name))
        facts = {f"{kind}.{name}.{path}"}
        for pattern, (stating, following) in ALSO.get(kind, {}).items():
            if re.fullmatch(pattern, path):
                must |= {page.format(name=name) for page in stating}
                may |= {page.format(name=name) for page in following}
        for profile, weights, values in self._profiles():
            if (kind, path) == ("arms", "weight") and name not in weights:
                must |= {"reference/arms/index.md", *_statements(profile)}
                facts.add(f"profiles.{profile}.weight.{name}")
            if kind == "profiles" and path == f"weights.{name}":
                facts.add(f"profiles.{name}.weight.{path.partition('.')[2]}")
            if (kind, path) == ("constants", "value"):
                for stated, constant in values.items():
                    if constant == name:
                        must.add(f"reference/profiles/{profile}.md")
                        must |= {"reference/profiles/index.md"} & (
                            {self.rows["profiles"].uri} if stated in self.rows["profiles"].columns else set()
                        )
                        may |= {"reference/profiles/*", "reference/arms/*"}
                        facts.add(f"profiles.{profile}.{stated}")
        if (kind, path) == ("constants", "value"):
            for (of, arm), call in self.records.items():
                if of == "arms" and f"{{{name}}}" in ast.unparse(call):
                    must.add(f"reference/arms/{arm}.md")
                    may.add("reference/profiles/*")
        if kind == "profiles" and path.startswith("weights."):
            facts.add(f"profiles.{name}.weight.{path.partition('.')[2]}")
        must |= {page for page, quoted in self.look_ups.items() if quoted & facts}
        return must, may

    def _profiles(self) -> Iterator[tuple[str, set[str], dict[str, str]]]:
        """Each profile: the arms that it states weights of, and its fields that are a constant's."""
        for (kind, name), call in self.records.items():
            if kind == "profiles":
                stated = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
                given = stated.get("weights")
                weights = (
                    {str(getattr(key, "value", "")) for key in given.keys} if isinstance(given, ast.Dict) else set()
                )
                found = {key: re.search(r"\b([A-Z_]+)\.value", ast.unparse(value)) for key, value in stated.items()}
                yield name, weights, {key: self.symbols[match[1]] for key, match in found.items() if match}


def html(page: str) -> str:
    """The file that a page is built to; of a pattern of pages, a pattern of files."""
    stem = page.removeprefix("docs/").removesuffix(".md")
    if stem.endswith("*"):
        return f"{stem}.html"
    return f"{stem}.html" if stem.rpartition("/")[2] == "index" else f"{stem}/index.html"


def _command(name: str) -> str:
    # A command called `index` has a folder of its own.
    return f"reference/cli/{'index/index' if name == 'index' else name}.md"


def _statements(profile: str) -> set[str]:
    return {f"reference/profiles/{profile}.md", f"reference/profiles/{profile}-statements.md"}


def _rows(file: Path) -> Iterator[tuple[str, _Row]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RegistryPage":
            stated = {keyword.arg: keyword.value for keyword in node.keywords}
            texts = {key: str(getattr(value, "value", "")) for key, value in stated.items()}
            row = _Row(texts["uri"], texts.get("each", ""))
            for where in ("columns", "details"):
                shown = stated.get(where)
                for column in shown.elts if isinstance(shown, ast.Tuple) else ():
                    if isinstance(column, ast.Call):
                        getattr(row, where).add(str(getattr(column.args[1], "value", "")))
            yield texts["kind"], row


def _calls(root: Path) -> Iterator[tuple[str, ast.Call]]:
    for file in sorted((root / "src").rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            call = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KINDS:
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                yield getattr(target, "id", ""), call


def _named(call: ast.Call) -> str:
    return next(str(getattr(keyword.value, "value", "")) for keyword in call.keywords if keyword.arg == "name")


def _records(root: Path) -> Iterator[tuple[str, str, ast.Call]]:
    for _, call in _calls(root):
        yield KINDS[getattr(call.func, "id", "")], _named(call), call


def _symbols(root: Path) -> Iterator[tuple[str, str]]:
    for symbol, call in _calls(root):
        if getattr(call.func, "id", "") == "Constant":
            yield _named(call), symbol

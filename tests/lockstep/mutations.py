"""What is changed: places in the source, each with other text to put there, found by reading the files alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

WORD = "quokka"
"""What a word is replaced by: it stands nowhere in the project."""

KINDS = {
    "Arm": "arms",
    "Slot": "slots",
    "Precondition": "preconditions",
    "Profile": "profiles",
    "ScopeAxis": "scopes",
    "Adjustment": "adjustments",
    "Constant": "constants",
    "Field": "fields",
    "Error": "errors",
    "Variable": "variables",
    "Format": "formats",
}
"""Record classes, and the registries that they are of."""


@dataclass(frozen=True)
class Mutation:
    """One change of one place."""

    group: str
    """`record`, `docstring`, `described`, `option`, `command`, `schema`, `column` or `authored`."""
    fact: tuple[str, str, str]
    """What is changed: of a record its kind, name and field."""
    file: str
    line: int
    start: int
    """Offset of the place in the file's text."""
    end: int
    old: str
    new: str

    @property
    def what(self) -> str:
        """The change in one line."""
        return f"{'.'.join(self.fact)}: {_short(self.old)} → {_short(self.new)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:19]}…{line[-20:]}"


class Source:
    """The text of one file, for changes by position."""

    def __init__(self, root: Path, file: Path) -> None:
        self.name = file.relative_to(root).as_posix()
        self.text = file.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text) if file.suffix == ".py" else ast.Module([], [])
        self._starts = [0]
        for line in self.text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._lines = self.text.splitlines()
        self.strings = {
            target.id
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

        self.literals = [
            self.span(node)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        ]

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Offsets of an expression."""
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno or 0, node.end_col_offset or 0)

    def change(self, group: str, fact: tuple[str, str, str], start: int, end: int, new: str) -> Mutation:
        """A change of a stretch of text."""
        line = self.text.count("\n", 0, start) + 1
        return Mutation(group, fact, self.name, line, start, end, self.text[start:end], new)

    def values(self, group: str, fact: tuple[str, str, str], node: ast.expr) -> Iterator[Mutation]:
        """The changes of a value: numbers changed, flags flipped, words replaced, items taken out."""
        start, end = self.span(node)
        kind, name, path = fact
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield self.change(group, fact, start, end, str(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            yield self.change(group, fact, start, end, _other_number(node.value))
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield self.change(group, fact, *self.last_word(start, end))
        elif isinstance(node, ast.Name) and node.id in self.strings:
            yield self.change(group, fact, start, end, f'{node.id} + " {WORD}"')
        elif isinstance(node, (ast.Tuple, ast.List)) and node.elts:
            for item in node.elts:
                yield from self.values(group, fact, item)
            first = self.span(node.elts[-2])[1] if len(node.elts) > 1 else self.span(node.elts[0])[0]
            rest = self.text[self.span(node.elts[-1])[1] : end]
            gone = self.text[first : self.span(node.elts[-1])[1]]
            kept = rest if len(node.elts) > 2 else "," * (len(node.elts) == 2) + rest.replace(",", "", 1)
            yield self.change(group, fact, first, end, "\n" * gone.count("\n") + kept)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield from self.values(group, (kind, name, f"{path}.{key.value}"), value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int":
            yield self.change(group, fact, start, end, f"{self.text[start:end]} + 1")
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg:
                    yield from self.values(group, (kind, name, f"{path}.{keyword.arg}"), keyword.value)

    def last_word(self, start: int, end: int) -> tuple[int, int, str]:
        """The last word of a string, outside of what is filled in, and another; of an empty string all of it."""
        text = self.text[start:end]
        blank = re.sub(r"\{[^{}]*\}", lambda hole: " " * len(hole.group()), text)
        found = list(re.finditer(r"[A-Za-z]{2,}", blank[1:]))
        if found:
            return start + 1 + found[-1].start(), start + 1 + found[-1].end(), WORD
        return start, end, f'"{WORD}"'


def _other_number(value: int | float) -> str:
    return str(value + 1) if isinstance(value, int) else repr(round(value * 0.75 + 0.0625, 6))


def records(root: Path) -> Iterator[Mutation]:
    """Each field of each record."""
    for file in sorted((root / "src").rglob("*.py")):
        source = Source(root, file)
        for node in source.tree.body:
            call = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in KINDS:
                continue
            stated = {keyword.arg: keyword.value for keyword in call.keywords}
            name = getattr(stated.get("name"), "value", "")
            for field, value in stated.items():
                yield from source.values("record", (KINDS[call.func.id], name, str(field)), value)


PROSE = ("doc", "fix", "source", "bounds", "unit", "vocabulary", "supplied_by")
"""Fields whose text is read by people, and quotes names and numerals."""


def docstrings(root: Path) -> Iterator[Mutation]:
    """Each numeral and each quoted name in the texts of records and in public docstrings: these are authored too."""
    for change in records(root):
        if change.fact[2].rpartition(".")[2] in PROSE:
            source = Source(root, root / change.file)
            start, end = next(span for span in source.literals if span[0] <= change.start < span[1])
            yield from _claims(source, change.fact, start, end)
    for source, name, node in _public(root):
        for owner, below in _documented(name, node):
            yield from _claims(source, ("python", owner, "doc"), *source.span(below))


def _claims(source: Source, fact: tuple[str, str, str], start: int, end: int) -> Iterator[Mutation]:
    """Each numeral and each quoted name in a stretch of text; code that runs is held by what it prints."""
    text = _blank(
        source.text[start:end],
        [match.span() for match in re.finditer(r"^ *```.*?^ *```$", source.text[start:end], re.DOTALL | re.MULTILINE)],
    )
    for numeral in NUMERAL.finditer(text):
        at = start + numeral.start()
        yield source.change("docstring", fact, at, at + len(numeral[0]), _next_digit(numeral[0]))
    for quoted in re.finditer(r"`([^`\n]+)`", text):
        word = re.search(r"[A-Za-z_][\w-]*", quoted[1])
        if word:
            at = start + quoted.start(1) + word.start()
            yield source.change("docstring", fact, at, at + len(word[0]), f"{word[0]}x")


def _public(root: Path) -> Iterator[tuple[Source, str, ast.ClassDef | ast.FunctionDef]]:
    """What the package's root exports, with its file."""
    package = Source(root, root / "src/rankfold/__init__.py")
    for node in package.tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankfold"):
            path = root / "src" / str(node.module).replace(".", "/")
            file = path.with_suffix(".py")
            source = Source(root, file if file.is_file() else path / "__init__.py")
            exported = {alias.name for alias in node.names}
            for found in source.tree.body:
                if isinstance(found, (ast.ClassDef, ast.FunctionDef)) and found.name in exported:
                    yield source, found.name, found


def _documented(name: str, node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[str, ast.Constant]]:
    """The docstrings of an object: its own, and of a class those of its public methods and attributes."""
    for n, statement in enumerate(node.body):
        if isinstance(statement, ast.FunctionDef) and isinstance(node, ast.ClassDef):
            if not statement.name.startswith("_"):
                yield from _documented(f"{name}.{statement.name}", statement)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            before = node.body[n - 1]
            attribute = before.target if n and isinstance(before, ast.AnnAssign) else None
            if n == 0 or isinstance(attribute, ast.Name):
                owner = f"{name}.{attribute.id}" if isinstance(attribute, ast.Name) else name
                yield owner, statement.value


def _next_digit(numeral: str) -> str:
    """Another numeral of the same form."""
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), numeral, count=1)


def commands(root: Path) -> Iterator[Mutation]:
    """Each command's help, and the name, default and help of each of its options and arguments."""
    for file in sorted((root / "src").glob("*/cli/*.py")):
        source = Source(root, file)
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef):
                command = any(_called(item) == "command" for item in node.decorator_list)
                said = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
                if command and isinstance(said, ast.Constant):
                    yield from source.values("command", ("commands", node.name, "doc"), said)
            elif isinstance(node, ast.Call) and _called(node) == "option":
                names = [
                    item for item in node.args if isinstance(item, ast.Constant) and str(item.value).startswith("--")
                ]
                if not names:
                    continue
                option = str(names[0].value)
                yield from source.values("option", ("options", option, "name"), names[0])
                for keyword in node.keywords:
                    if keyword.arg in ("default", "help"):
                        yield from source.values("option", ("options", option, keyword.arg), keyword.value)


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else ""


def schema(root: Path) -> Iterator[Mutation]:
    """Each table that a migration makes: what it says of itself, and of each column the name, type and meaning."""
    for file in sorted((root / "src").rglob("migrations/*/*.sql")):
        source = Source(root, file)
        tables = re.finditer(
            r"^-- (?P<doc>[^\n]*)\nCREATE TABLE (\w+) \(\n(?P<body>.*?)^\)", source.text, re.DOTALL | re.MULTILINE
        )
        for table in tables:
            yield source.change("schema", ("schema", table[2], "doc"), *source.last_word(*table.span("doc")))
            for column in re.finditer(
                r"^  (?P<name>[a-z_]+) (?P<type>[A-Z]+)(?P<key> [A-Z ]*PRIMARY KEY)?[^\n]*?(?:-- (?P<doc>[^\n]*))?$",
                table["body"],
                re.MULTILINE,
            ):
                fact = ("schema", table[2], column["name"])
                spans = {
                    part: [table.start("body") + offset for offset in column.span(part)] for part in ("name", "type")
                }
                yield source.change("schema", fact, spans["name"][1], spans["name"][1], f"_{WORD}")
                if not column["key"]:
                    other = "TEXT" if column["type"] != "TEXT" else "BLOB"
                    yield source.change("schema", fact, *spans["type"], other)
                if column["doc"]:
                    start, end = (table.start("body") + offset for offset in column.span("doc"))
                    yield source.change("schema", fact, *source.last_word(start, end))


def columns(root: Path) -> Iterator[Mutation]:
    """Each column and each line of the table of registries, taken out."""
    source = Source(root, root / "loaders/rankfold_loaders/own_reference.py")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RegistryPage":
            stated = {keyword.arg: keyword.value for keyword in node.keywords}
            kind = str(getattr(stated["kind"], "value", ""))
            for where in ("columns", "details"):
                shown = stated.get(where)
                for item in shown.elts if isinstance(shown, ast.Tuple) else ():
                    start, end = source.span(item)
                    # A lone column stays: a table without columns is no table.
                    if isinstance(shown, ast.Tuple) and len(shown.elts) > 1:
                        name = str(getattr(item.args[1], "value", "")) if isinstance(item, ast.Call) else ""
                        after = re.match(r",\s*?", source.text[end:])
                        yield source.change(
                            "column", (kind, where, name), start, end + (after.end() if after else 0), ""
                        )


DESCRIBED = {
    "loaders/rankfold_loaders/registries.py": "plugin_options",
    "src/rankfold/cli/envelope.py": "answers",
    "src/rankfold/cli/payloads.py": "answers",
}
"""Files whose types are documented field by field, and the registries that do it."""


def described(root: Path) -> Iterator[Mutation]:
    """What each field of those types means, and what each type does that is a record itself."""
    for name, kind in DESCRIBED.items():
        source = Source(root, root / name)
        records = {"FailureEnvelope"} | set(re.findall(r'^    "\w+": (\w+),$', source.text, re.MULTILINE))
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and node.decorator_list:
                fields = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
                stated = {f"{node.name}.{getattr(field, 'id', '')}" for field in fields}
                for owner, below in _documented(node.name, node):
                    if owner in stated | records:
                        yield source.change("described", (kind, owner, "doc"), *source.last_word(*source.span(below)))


FACT = re.compile(r"\{\{=?\s*([A-Za-z0-9_.-]+)\s*\}\}")
NUMERAL = re.compile(r"(?<!\w)(?<!\w[-.@])\.?\d(?:[\w.,:/-]*\w)?")
_SKIPPED = re.compile(r"(?<=\])\([^()\s]*\)|<!--.*?-->|</?[A-Za-z][^<>]*>|\{ ?[:#.][^{}\n]*\}", re.DOTALL)


def authored(root: Path) -> Iterator[Mutation]:
    """Each numeral and each quoted name on each authored page, and each look-up: misspelt, and of another record.

    What is no claim of the page is left: front matter, link targets, tags, attributes and the stamp of its blocks.
    """
    named: dict[str, list[str]] = {}
    for kind, name in dict.fromkeys(change.fact[:2] for change in records(root)):
        named.setdefault(kind, []).append(name)
    for file in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]:
        if file.is_file():
            yield from _page(Source(root, file), named)


def _page(source: Source, named: Mapping[str, Sequence[str]]) -> Iterator[Mutation]:
    text = source.text
    front = re.match(r"---\n.*?^---\n", text, re.DOTALL | re.MULTILINE)
    text = _blank(text, [front.span()] if front else [])
    fences = [match.span() for match in re.finditer(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE)]
    for match in FACT.finditer(text):
        if "=" not in match[0] and any(start < match.start() < end for start, end in fences):
            continue  # code shows it as it stands
        fact = (source.name, "look-up", match[1])
        yield source.change("authored", fact, match.end(1), match.end(1), "x")
        kind, name, *_ = match[1].split(".")
        other = next((other for other in named.get(kind, ()) if other != name), None)
        if name in named.get(kind, ()) and other:
            at = match.start(1) + len(kind) + 1
            yield source.change("authored", fact, at, at + len(name), other)
    text = _blank(text, [match.span() for match in FACT.finditer(text)])
    prose = _blank(text, [*fences, *(match.span() for match in _SKIPPED.finditer(_blank(text, fences)))])
    for span in re.finditer(r"`([^`\n]+)`", prose):
        for name in re.finditer(r"[A-Za-z_][\w-]*", span[1]):
            at = span.start(1) + name.start()
            yield source.change("authored", (source.name, "name", span[1]), at, at + len(name[0]), f"{name[0]}x")
    claims = _blank(prose, [match.span() for match in re.finditer(r"\[\^[^\]]*\]", prose)])
    for match in NUMERAL.finditer(claims):
        yield source.change("authored", (source.name, "numeral", match[0]), *match.span(), _next_digit(match[0]))
    for label in re.finditer(r"\[\^([^\]]*)\]", prose):
        at = label.start(1)
        yield source.change("authored", (source.name, "mark", label[1]), at, at + 1, "9" if label[1][0] != "9" else "8")
    for start, end in fences:
        for match in NUMERAL.finditer(text, start, end):
            yield source.change("authored", (source.name, "block", match[0]), *match.span(), _next_digit(match[0]))


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text

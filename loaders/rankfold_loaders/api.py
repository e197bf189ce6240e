"""The public Python API of a package, read from its source without running it.

What is public is what the package's `__all__` names, or else what it defines under a name without an underscore.
Signatures are cut out of the source, so they stand as their author wrote them; everything else comes from griffe.
Values are plain, so that JSON can carry them; text is the Markdown of docstrings in Google's style.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import griffe

Described = dict[str, Any]

_NAME = re.compile(r"\"[^\"]*\"|'[^']*'|(?P<name>[^\W\d][\w.]*)")
"""A name in an annotation, or a string, which is none."""

Pieces = list[tuple[str, str]]
"""An annotation, cut up: each text with the public name that it stands for, which is mostly none."""

SUPPORTS = {
    "__enter__": "`with`",
    "__aenter__": "`async with`",
    "__len__": "`len()`",
    "__iter__": "iteration",
    "__aiter__": "`async for`",
    "__getitem__": "indexing",
    "__contains__": "`in`",
    "__call__": "calling",
}
"""What a special method lets a reader write; such a method has a section only where it is documented."""


def describe(package: Any, names: Iterable[str] | None = None) -> list[Described]:
    """Every public name of a package, in the order of its names.

    Args:
        package: the package or module, as griffe loaded it, its aliases resolved.
        names: the public names; those that the package declares if None.

    Raises:
        KeyError: one of `names` is not there.
    """
    reader = _Reader(package, list(names) if names is not None else _public_names(package))
    return [reader.described(name) for name in reader.names]


def undocumented(described: Described) -> Iterator[tuple[str, str]]:
    """What lacks its documentation in one public name: the dotted name, and what is missing."""
    name = described["name"]
    if not described["doc"]:
        yield name, "a docstring"
    for owner, item in [(name, described), *((f"{name}.{method['name']}", method) for method in described["methods"])]:
        if item is not described and not item["doc"]:
            yield owner, "a docstring"
        for parameter in item["parameters"]:
            if not parameter["doc"]:
                yield owner, f"the meaning of the parameter {parameter['name']!r}"
        for stranger in item["strangers"]:
            yield owner, f"a parameter {stranger!r}, which its docstring tells of"
    for attribute in described["attributes"]:
        if not attribute["doc"]:
            yield f"{name}.{attribute['name']}", "a docstring"


def _public_names(module: Any) -> list[str]:
    """What `__all__` says; without it, what is defined there and what is imported as itself, `from x import y as y`."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    _, statements = _statements(module.filepath, module.filepath.stat().st_mtime_ns)
    passed_on = {
        item.name
        for nodes in statements.values()
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for item in node.names
        if item.asname == item.name
    }
    return [
        name
        for name, member in module.members.items()
        if name in passed_on or (member.is_public and not member.is_module)
    ]


class _Reader:
    """Describes objects of one package, and knows which of them are public."""

    def __init__(self, module: Any, names: list[str]) -> None:
        self.module = module
        self.names = names
        self._public = {found.canonical_path: name for name in names if (found := _target(module[name]))}

    def described(self, name: str) -> Described:
        found = _target(self.module[name])
        common: Described = {
            "name": name,
            "signature": "",
            "parameters": [],
            "strangers": [],
            "returns": None,
            "raises": [],
            "bases": [],
            "attributes": [],
            "methods": [],
            "inherited": [],
            "supports": [],
            "named": [],
        }
        if found is None:  # of another package, which documents it
            alias = self.module[name]
            place = {"file": str(self.module.filepath), "line": alias.alias_lineno}
            return common | {"kind": "import", "doc": f"Imported from `{alias.target_path}`.", "source": place}
        said = _Said(found)
        common |= {"kind": found.kind.value, "doc": said.text, "source": _source(found)}
        if found.is_class:
            common |= self._class(found, said)
        elif found.is_function:
            common |= self._function(found, said)
        elif found.is_attribute:
            common |= {"signature": _Written(found).text("value")}
        return common | {"named": self._named(found, common)}

    def _class(self, found: Any, said: _Said) -> Described:
        written = _Written(found)
        own = [member for member in found.members.values() if not member.is_alias]
        methods = [member for member in own if _is_method(member)]
        constructor = found.members.get("__init__")
        inherited: dict[str, list[str]] = {}
        for name, member in found.inherited_members.items():
            if not name.startswith("_"):
                owner = _target(member).parent
                inherited.setdefault(owner.canonical_path, []).append(name)
        attributes = [member for member in own if member.is_attribute and member not in methods and _is_public(member)]
        return {
            "signature": written.head,
            "bases": [self._pieces(base, found.module) for base in written.bases],
            # The constructor of a class that documents it in its own docstring.
            **(self._parameters(constructor, said) if constructor and said.parameters else {}),
            "attributes": [self._attribute(member, said) for member in attributes],
            "methods": [self._method(member) for member in methods],
            "inherited": [
                {"from": owner.rpartition(".")[2], "public": self._public.get(owner, ""), "names": sorted(names)}
                for owner, names in inherited.items()
            ],
            "supports": [words for name, words in SUPPORTS.items() if name in found.members],
        }

    def _attribute(self, member: Any, said: _Said) -> Described:
        written = _Written(member)
        annotation = written.text("annotation")
        constructor = member.parent.members.get("__init__")
        is_inside = bool(constructor and constructor.lineno and constructor.lineno <= member.lineno)
        is_inside = is_inside and member.lineno <= constructor.endlineno
        if is_inside and not annotation:  # `self.x = x` has the type of the parameter
            annotation = _Written(constructor).annotations.get(written.text("value"), "")
        return {
            "name": member.name,
            "type": self._pieces(annotation, member.module),
            "default": "" if is_inside else written.text("value"),
            "doc": said.attributes.get(member.name) or _Said(member).text,
            "line": member.lineno,
        }

    def _method(self, member: Any) -> Described:
        said = _Said(member)
        kinds = {"property": "property", "classmethod": "class method", "staticmethod": "static method"}
        kind = next((word for label, word in kinds.items() if label in member.labels), "method")
        described = {"name": member.name, "kind": kind, "doc": said.text, "source": _source(member)}
        if member.is_attribute:  # griffe calls a property one
            head = {"signature": _Written(member).head, "parameters": [], "strangers": []}
            return described | head | {"returns": self._returns(member, said), "raises": self._raises(said)}
        return described | self._function(member, said)

    def _function(self, found: Any, said: _Said) -> Described:
        return {
            "signature": _Written(found).head,
            **self._parameters(found, said),
            "returns": self._returns(found, said),
            "raises": self._raises(said),
        }

    def _parameters(self, found: Any, said: _Said) -> Described:
        written = _Written(found)
        is_bound = found.parent.is_class and "staticmethod" not in found.labels
        taken = list(found.parameters)[1 if is_bound else 0 :]
        stars = {"variadic positional": "*", "variadic keyword": "**"}
        listed = []
        for parameter in taken:
            kind = parameter.kind.value if parameter.kind else ""
            listed.append(
                {
                    "name": parameter.name,
                    "stars": stars.get(kind, ""),
                    "kind": kind,
                    "type": self._pieces(written.annotations.get(parameter.name, ""), found.module),
                    "default": written.defaults.get(parameter.name, ""),
                    "doc": said.parameters.get(parameter.name, ""),
                }
            )
        known = {parameter.name for parameter in taken}
        return {"parameters": listed, "strangers": [name for name in said.parameters if name not in known]}

    def _returns(self, found: Any, said: _Said) -> Described | None:
        written = _Written(found).text("returns")
        shown = self._pieces(written, found.module)
        return {"type": shown, "doc": said.returns} if said.returns or written not in ("", "None") else None

    def _raises(self, said: _Said) -> list[Described]:
        return [{"type": name, "public": name if name in self.names else "", "doc": doc} for name, doc in said.raises]

    def _pieces(self, annotation: str, scope: Any) -> Pieces:
        """An annotation, as it is written in a module, with the public names in it."""
        pieces: Pieces = []
        at = 0
        for match in _NAME.finditer(annotation):
            found = self._resolved(match["name"] or "", scope)
            public = self._public.get(found.canonical_path, "") if found is not None else ""
            if public:
                pieces += [(annotation[at : match.start()], ""), (match.group(), public)]
                at = match.end()
        return [piece for piece in (*pieces, (annotation[at:], "")) if piece[0]]

    def _resolved(self, name: str, scope: Any) -> Any:
        """What a name of a module stands for; None for one of another package."""
        try:
            return self._find(scope.resolve(name)) if name else None
        except griffe.NameResolutionError:
            return None

    def _find(self, path: str) -> Any:
        """The object of that path, behind every import; None for one of another package."""
        try:
            return _target(self.module.modules_collection[path])
        except KeyError:
            return None

    def _named(self, found: Any, described: Described) -> list[Described]:
        """What annotations name that is of the package but not public: a reader has to look it up."""
        typed = [*described["parameters"], *described["attributes"], described["returns"] or {}]
        for method in described["methods"]:
            typed += [*method["parameters"], method["returns"] or {}]
        words = [
            match["name"] or "" for item in typed for text, _ in item.get("type", ()) for match in _NAME.finditer(text)
        ]
        targets = [target for word in words if (target := self._resolved(word, found.module)) is not None]
        paths = {target.canonical_path: target for target in targets if target.canonical_path not in self._public}
        return [
            {
                "name": target.name,
                "path": path,
                "value": _Written(target).text("value") if target.is_attribute else "",
                "doc": _Said(target).text.partition("\n\n")[0],
                "source": _source(target),
            }
            for path, target in sorted(paths.items())
        ]


class _Said:
    """A docstring, taken apart."""

    def __init__(self, found: Any) -> None:
        self.parameters: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.raises: list[tuple[str, str]] = []
        self.returns = ""
        text = []
        if found.docstring:
            sections = griffe.parse_google(
                found.docstring, returns_multiple_items=False, returns_named_value=False, warnings=False
            )
            for section in sections:
                if section.kind is griffe.DocstringSectionKind.parameters:
                    self.parameters |= {item.name.lstrip("*"): item.description for item in section.value}
                elif section.kind is griffe.DocstringSectionKind.attributes:
                    self.attributes |= {item.name: item.description for item in section.value}
                elif section.kind is griffe.DocstringSectionKind.raises:
                    self.raises += [(str(item.annotation), item.description) for item in section.value]
                elif section.kind in (griffe.DocstringSectionKind.returns, griffe.DocstringSectionKind.yields):
                    self.returns = "\n".join(_whole(item, found) for item in section.value)
                elif section.kind is griffe.DocstringSectionKind.text:
                    text.append(section.value)
                elif section.kind is griffe.DocstringSectionKind.examples:
                    text += [piece for _, piece in section.value]
                elif section.kind is griffe.DocstringSectionKind.admonition:
                    text.append(f"**{section.title}** {section.value.description}")
        self.text = "\n\n".join(text).strip()


def _whole(returned: Any, found: Any) -> str:
    """What is said of a returned value. griffe takes the words before a colon for its type."""
    stated = getattr(found, "returns", None) or getattr(found, "annotation", None)
    words = "" if returned.annotation is None or returned.annotation == stated else f"{returned.annotation}: "
    return f"{words}{returned.description}"


def _target(found: Any) -> Any:
    """What an import stands for; None for something of a package that was not read."""
    try:
        return found.final_target if found.is_alias else found
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return None


def _is_public(member: Any) -> bool:
    return not member.name.startswith("_")


def _is_method(member: Any) -> bool:
    """Whether a member has a section of its own: public ones, and special ones that say something."""
    if member.is_attribute:
        return _is_public(member) and "property" in member.labels
    is_special = member.name.startswith("__") and member.name.endswith("__")
    return member.is_function and (_is_public(member) or (is_special and bool(member.docstring)))


def _source(found: Any) -> Described:
    return {"file": str(found.filepath), "line": found.lineno}


class _Written:
    """A definition as it stands in its file. One that no statement makes, such as the constructor that a decorator
    adds, has no text."""

    def __init__(self, found: Any) -> None:
        file = Path(found.filepath)
        self._lines, statements = _statements(file, file.stat().st_mtime_ns)
        self.node: Any = next(
            (node for node in statements.get(found.lineno, ()) if getattr(node, "name", found.name) == found.name), None
        )

    def text(self, of: str) -> str:
        """The text of a part of the statement, such as `value`; empty without it."""
        return self._segment(getattr(self.node, of, None))

    @property
    def bases(self) -> list[str]:
        """The base classes."""
        return [self._segment(base) for base in getattr(self.node, "bases", ())]

    @property
    def head(self) -> str:
        """A definition up to its body, without comments."""
        first = min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])
        body = self.node.body[0]
        before = self._between((first, self.node.col_offset), (body.lineno, body.col_offset))
        kept = before.splitlines()
        for token in _tokens(before):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                kept[row - 1] = kept[row - 1][:column]
        shown = "\n".join(line.rstrip() for line in kept if line.strip())
        # The first line is cut where the definition begins, the others are indented as deep as it is.
        return textwrap.dedent(" " * self.node.col_offset + shown).rstrip().removesuffix(":")

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of a function's parameters."""
        listed = [argument for argument in self._arguments if argument is not None]
        return {argument.arg: self._segment(argument.annotation) for argument in listed}

    @property
    def defaults(self) -> dict[str, str]:
        """The defaults of a function's parameters."""
        if self.node is None:
            return {}
        arguments = self.node.args
        stated = [*zip([*arguments.posonlyargs, *arguments.args][::-1], arguments.defaults[::-1], strict=False)]
        stated += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return {argument.arg: self._segment(value) for argument, value in stated if value is not None}

    @property
    def _arguments(self) -> list[ast.arg | None]:
        if self.node is None:
            return []
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]

    def _segment(self, node: Any) -> str:
        if node is None:
            return ""
        return self._between((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text between two places, each a line from 1 and a column in bytes."""
        lines = self._lines[start[0] - 1 : end[0]]
        lines[-1] = lines[-1][: end[1]]
        lines[0] = lines[0][start[1] :]
        return b"\n".join(lines).decode()


@functools.cache
def _statements(file: Path, changed: int) -> tuple[list[bytes], dict[int, list[ast.stmt]]]:  # noqa: ARG001
    """The lines of a file, and the statements by the lines that they begin on, with and without their decorators."""
    text = file.read_text(encoding="utf-8")
    found: dict[int, list[ast.stmt]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", ())
            for line in {node.lineno, *(decorator.lineno for decorator in decorators)}:
                found.setdefault(line, []).append(node)
    return [line.encode() for line in text.split("\n")], found


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, IndentationError):  # the body is missing
        return

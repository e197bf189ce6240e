"""The block of facts at the top of a Markdown file: YAML between `---`, TOML between `+++`, JSON between
braces."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import yaml
from frontmatter.default_handlers import BaseHandler, JSONHandler, YAMLHandler

from rankfold.indexing.source_document import Doubt

try:
    from yaml import CBaseLoader as BaseLoader
except ImportError:  # PyYAML without libyaml is slower and reads the same
    from yaml import BaseLoader  # type: ignore[assignment]

_NULL: Final = "tag:yaml.org,2002:null"


@dataclass(frozen=True)
class FrontMatter:
    """What stands at the top of a file, and where the rest of it begins."""

    values: Mapping[str, object] = field(default_factory=dict)
    """The facts as written."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """1-based line of the file on which each key stands, where that is known."""
    body_start: int = 0
    """Offset in code points at which the body begins."""
    doubts: tuple[Doubt, ...] = ()
    """What could not be read."""


class _AsWritten(BaseLoader):
    """YAML whose scalars stay the text that was written, so that `version: 1.10`, `id: 007`, `country: no`
    and `date: 2024-02-30` reach `read_fields` unharmed. It also builds no objects and expands no merge
    keys."""


_AsWritten.add_implicit_resolver(_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_AsWritten.add_constructor(_NULL, lambda _loader, _node: None)


class _BrokenError(Exception):
    """Front matter that breaks the rules of its language; `line` counts from 0 at the opening mark."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True)
class _Syntax:
    name: str
    handler: BaseHandler
    load: Callable[[str], tuple[object, dict[str, int]]]
    """From the block, which begins on the line of the opening mark, to its value and the 0-based lines of its
    keys."""
    begins: re.Pattern[str]
    """How its first line looks when it was meant as front matter."""


def _load_yaml(block: str) -> tuple[object, dict[str, int]]:
    loader = _AsWritten(block)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            # An empty block states nothing; anything else is the text between two rules.
            return ({} if node is None else None), {}
        lines = {key.value: key.start_mark.line for key, _ in node.value if isinstance(key, yaml.ScalarNode)}
        return loader.construct_document(node), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _BrokenError(error.problem or "unreadable", mark.line if mark else 0) from error
    except (yaml.YAMLError, ValueError) as error:
        raise _BrokenError(" ".join(str(error).split()), 0) from error
    finally:
        loader.dispose()


def _load_toml(block: str) -> tuple[object, dict[str, int]]:
    try:
        return tomllib.loads(block), {}
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        line = int(place[1]) - 1 if place else 0
        raise _BrokenError(str(error)[: place.start()] if place else str(error), line) from error
    except ValueError as error:
        raise _BrokenError(str(error), 0) from error


def _load_json(block: str) -> tuple[object, dict[str, int]]:
    try:
        return json.loads(block), {}
    except json.JSONDecodeError as error:
        raise _BrokenError(error.msg, error.lineno - 1) from error
    except ValueError as error:
        raise _BrokenError(str(error), 0) from error


_SYNTAXES: Final = (
    _Syntax("YAML", YAMLHandler(), _load_yaml, re.compile(r"""["']?[\w][\w .-]*["']?[ \t]*:(?:\s|$)""")),
    _Syntax(
        "TOML",
        # python-frontmatter has its own only where a third package is installed; the standard library reads
        # TOML.
        BaseHandler(re.compile(r"^\+{3,}\s*$", re.MULTILINE), "+++", "+++"),
        _load_toml,
        re.compile(r"""["']?[\w][\w.-]*["']?[ \t]*=|\["""),
    ),
    _Syntax("JSON", JSONHandler(), _load_json, re.compile(r'"')),
)


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a text with LF line ends; an empty one where it has none. Never raises.

    Two rules around a letterhead look like front matter and are none: a block is text unless it holds names
    with values, or begins as if it should and then breaks the rules. The latter is left out and doubted.
    """
    for syntax in _SYNTAXES:
        if syntax.handler.detect(text):
            return _read(text, syntax)
    return FrontMatter()


def _read(text: str, syntax: _Syntax) -> FrontMatter:
    try:
        block, body = syntax.handler.split(text)
    except ValueError:  # the mark that would close it is missing, so it is a rule, or a brace
        return FrontMatter()
    body_start = len(text) - len(body)
    opening = syntax.handler.FM_BOUNDARY.match(text) if syntax.handler.FM_BOUNDARY else None
    # The opening mark takes the blank lines after it along.
    first_line = text.count("\n", 0, opening.end() if opening else 0) + 1
    try:
        values, lines = syntax.load(block)
    except _BrokenError as error:
        problem, line = str(error), first_line + error.line
    except RecursionError:
        problem, line = "too deeply nested", first_line
    else:
        if isinstance(values, dict):
            return FrontMatter(values, {key: first_line + line for key, line in lines.items()}, body_start)
        return FrontMatter()
    if not _was_meant(block, syntax):
        return FrontMatter()
    message = f"front matter is not valid {syntax.name} ({problem}), left out; the text below it is indexed"
    return FrontMatter(body_start=body_start, doubts=(Doubt(message, line),))


def _was_meant(block: str, syntax: _Syntax) -> bool:
    for line in block.removeprefix("{").split("\n"):
        line = line.strip()
        if line and not line.startswith("#"):
            return syntax.begins.match(line) is not None
    return False

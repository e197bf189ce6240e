"""The pages of a Python API: all public names, and a page for each with its signature, parameters and members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders.addresses import anchor, href, page_of
from rankfold_loaders.agreement import Entry
from rankfold_loaders.api import undocumented as lacking
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.page_model import Page, Table
from rankfold_loaders.pages import NOTHING, Maker

Pieces = Sequence[tuple[str, str]]


def pages(maker: Maker) -> list[Page]:
    """The list of public names and a page for each.

    Raises:
        SiteError: a public name, a member or a parameter is not documented.
    """
    faults = list(undocumented(maker.entries))
    if faults:
        raise SiteError(faults)
    return [maker.page(groups=_groups(maker)), *(_Named(maker, entry).page() for entry in maker.entries)]


def undocumented(entries: Iterable[Entry]) -> Iterator[Fault]:
    """Everything public that lacks its documentation."""
    for entry in entries:
        for name, what in lacking(dict(entry.values)):
            yield Fault(entry.source.place, f"{name} lacks {what}")


def _groups(maker: Maker) -> list[tuple[str, Table]]:
    """The public names by what they are, each with its first sentence."""
    titles = {"function": "Functions", "class": "Classes", "attribute": "Values", "import": "From other packages"}
    groups = []
    for kind, title in titles.items():
        rows = tuple(
            (
                f"[{md.code(entry.name + ('()' if kind == 'function' else ''))}]"
                f"({href(maker.here, maker.row, entry.name)})",
                md.summary(entry.value("doc")),
            )
            for entry in maker.entries
            if entry.value("kind") == kind
        )
        if rows:
            groups.append((title, Table(title, f"{maker.row.kind}-{kind}", ("Name", "What it is"), rows)))
    return groups


class _Named:
    """The page of one public name."""

    def __init__(self, maker: Maker, entry: Entry) -> None:
        self.maker = maker.at(page_of(maker.row, entry.name))
        self.entry = entry
        self.codes = {
            exception: error.name
            for error in maker.joined.entries.get("errors", ())
            for exception in error.values.get("raised_as", ())
        }
        self.members = {item["name"] for key in ("methods", "attributes") for item in entry.value(key)}

    def page(self) -> Page:
        """The page, its members in the order of the source."""
        value = self.entry.value
        call = "()" if value("kind") == "function" else ""
        page = self.maker.record_page(
            self.entry,
            heading=md.code(self.entry.name + call),
            kind=value("kind"),
            doc=self._doc(value("doc")),
            facts=tuple(self._facts()),
            object=self._callable(value("signature"), self.entry.values, ""),
            attributes=self._attributes(),
            methods=[self._method(method) for method in value("methods")],
            named=[self._helper(item) for item in value("named")],
        )
        return replace(page, title=f"{self.entry.name}{call}")

    def _facts(self) -> Iterator[tuple[str, str]]:
        value = self.entry.value
        if value("bases"):
            yield "Is a", ", ".join(self._annotation(base) for base in value("bases"))
        if value("supports"):
            yield "Supports", ", ".join(value("supports"))
        for inherited in value("inherited"):
            owner = self._name(inherited["public"]) if inherited["public"] else md.code(inherited["from"])
            yield f"Inherited from {owner}", ", ".join(map(md.code, inherited["names"]))

    def _callable(self, signature: str, described: Mapping[str, Any], of: str) -> dict[str, Any]:
        returns = described["returns"]
        shown = [self._annotation(returns["type"]), self._sentence(returns["doc"])] if returns else []
        return {
            "signature": signature,
            "parameters": self._parameters(described["parameters"], of),
            "returns": ": ".join(filter(None, shown)),
            "raises": tuple((self._exception(item), self._sentence(item["doc"])) for item in described["raises"]),
        }

    def _parameters(self, parameters: Sequence[Mapping[str, Any]], of: str) -> Table | None:
        rows = tuple(
            (
                md.code(item["stars"] + item["name"]),
                self._annotation(item["type"]) or NOTHING,
                md.code(item["default"]) if item["default"] else ("any number" if item["stars"] else "**required**"),
                self._sentence(item["doc"]),
            )
            for item in parameters
        )
        name = f"{self.entry.name}.{of}" if of else self.entry.name
        headings = ("Parameter", "Type", "Default", "What it is")
        return Table(f"Parameters of {name}", f"parameters-{name}", headings, rows) if rows else None

    def _attributes(self) -> Table | None:
        attributes = self.entry.value("attributes")
        has_defaults = any(item["default"] for item in attributes)
        rows = tuple(
            (
                md.code(item["name"], anchor("attribute", item["name"])),
                self._annotation(item["type"]) or NOTHING,
                *([md.code(item["default"]) if item["default"] else NOTHING] if has_defaults else []),
                self._sentence(item["doc"]),
            )
            for item in attributes
        )
        headings = ("Attribute", "Type", *(["Default"] if has_defaults else []), "What it is")
        label = f"Attributes of {self.entry.name}"
        return Table(label, f"attributes-{self.entry.name}", headings, rows) if rows else None

    def _method(self, method: Mapping[str, Any]) -> dict[str, Any]:
        call = "" if method["kind"] == "property" else "()"
        return {
            "heading": md.code(f"{method['name']}{call}"),
            "anchor": anchor("method", method["name"]),
            "kind": method["kind"],
            "doc": self._doc(method["doc"]),
            **self._callable(method["signature"], method, method["name"]),
        }

    def _helper(self, item: Mapping[str, Any]) -> tuple[str, str]:
        value = f"{md.code(item['value'])}. " if item["value"] else ""
        return md.code(item["name"]), f"{value}{self._sentence(item['doc'])} Written in {md.code(item['path'])}."

    def _exception(self, item: Mapping[str, Any]) -> str:
        name = self._name(item["public"]) if item["public"] else md.code(item["type"])
        code = self.codes.get(item["type"].rpartition(".")[2])
        return f"{name}, code {self.maker.link('errors', code)}" if code else name

    def _annotation(self, pieces: Pieces) -> str:
        """A type as code, with links inside."""
        if not any(public for _, public in pieces):
            return md.code("".join(text for text, _ in pieces)) if pieces else ""
        shown = (f"[{md.escape(text)}]({self._href(public)})" if public else md.escape(text) for text, public in pieces)
        return f"<code>{''.join(shown)}</code>"

    def _name(self, name: str) -> str:
        return f"[{md.code(name)}]({self._href(name)})"

    def _href(self, name: str) -> str:
        return href(self.maker.here, self.maker.row, name)

    @cached_property
    def _targets(self) -> Mapping[str, str]:
        """Where each name that a docstring may mention is explained."""
        own = {method["name"]: f"#{anchor('method', method['name'])}" for method in self.entry.value("methods")}
        own |= {item["name"]: f"#{anchor('attribute', item['name'])}" for item in self.entry.value("attributes")}
        public = {entry.name: self._href(entry.name) for entry in self.maker.entries if entry is not self.entry}
        return public | own

    def _doc(self, text: str) -> str:
        """A docstring, with what it names linked: members of the same class, public names, records."""
        said = self.maker.doc(text, self.entry.name)
        pieces = list(md.split_code(said, indented=True))
        out = []
        for n, (piece, is_code) in enumerate(pieces):
            name = piece.strip("`").removesuffix("()")
            is_linked = n and pieces[n - 1][0].endswith("[")
            if is_code and piece.startswith("`") and name in self._targets and not is_linked:
                piece = f"[{piece}]({self._targets[name]})"
            out.append(piece)
        return "".join(out)

    def _sentence(self, text: str) -> str:
        """Text for a cell or a line: on one line, beginning with a capital."""
        line = " ".join(self._doc(text).split())
        return line[:1].upper() + line[1:] if line[:1].isalpha() else line

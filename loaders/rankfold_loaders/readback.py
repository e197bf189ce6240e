"""The built pages read back: what a reader sees in the tables, sections and SQL, as lines that can be compared.

`expected` makes the lines from the live registries and the source, without the page models and the templates that made
the pages; `shown` makes them from the HTML alone. Where the two differ the site has drifted.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from rankfold_loaders.addresses import anchor, page_of
from rankfold_loaders.live import Live
from rankfold_loaders.registries import OVERVIEW_URI, TABLE, Column, RegistryPage, row
from rankfold_loaders.static import StaticRecord

Written = Mapping[str, Mapping[str, StaticRecord]]
"""The records in the source, by kind and name."""


def expected(live: Live, written: Written) -> dict[str, list[str]]:
    """What each generated page has to show, by page."""
    registries = live["registries"]
    lines: dict[str, list[str]] = {OVERVIEW_URI: []}
    for page in TABLE:
        records = registries[page.kind]
        lines[OVERVIEW_URI].append(f"overview: {page.title}: {len(records)}")
        mine = lines.setdefault(page.uri, [])
        if page.kind == "arms":
            mine += _expected_weights(live, written)
            mine += _expected_slots(live)
        elif page.template:
            mine += _expected_table(page, records)
        if page.each:
            for record in records:
                lines[page_of(page, record["name"])] = list(_expected_command(record))
        elif page.template:
            mine += [line for record in records for line in _expected_section(page, record, live)]
    return lines


def shown(folder: Path, live: Live) -> dict[str, list[str]]:
    """What each generated page of a built site shows, by page; a missing page shows nothing.

    Args:
        folder: the built site.
        live: names the records whose sections are looked for.
    """
    lines: dict[str, list[str]] = {}
    uris = dict.fromkeys([OVERVIEW_URI, *(page.uri for page in TABLE)])
    commands = row("commands")
    for uri in [*uris, *(page_of(commands, record["name"]) for record in live["registries"]["commands"])]:
        file = folder / _html_path(uri)
        soup = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser") if file.is_file() else None
        lines[uri] = list(_shown_page(soup, uri)) if soup else []
    return lines


def _html_path(uri: str) -> str:
    stem = uri.removesuffix(".md")
    return f"{stem}.html" if stem.rpartition("/")[2] == "index" else f"{stem}/index.html"


# What the records say


def _expected_weights(live: Live, written: Written) -> Iterator[str]:
    registries = live["registries"]
    for arm in registries["arms"]:
        name = arm["name"]
        source = written.get("arms", {}).get(name)
        stated = source.fields.get("weight") if source else None
        text = stated.text if stated and stated.literal else repr(arm["weight"])
        yield f"weights: {name}: Default weight: {text}"
        for profile in registries["profiles"]:
            weight = profile["weights"].get(name, arm["weight"])
            yield f"weights: {name}: Profile {profile['name']}: {float(weight) if weight else 'off'}"
        for precondition in registries["preconditions"]:
            needed = "yes" if precondition["name"] in arm["preconditions"] else "no"
            yield f"weights: {name}: {precondition['heading']}: {needed}"


def _expected_slots(live: Live) -> Iterator[str]:
    for slot in live["registries"]["slots"]:
        for heading, value in (
            ("Slot", f"?{slot['number']}"),
            ("Name", slot["name"]),
            ("Type", slot["type"]),
            ("Unit", slot["unit"]),
            ("Supplied by", _words(slot["supplied_by"])),
            ("What it is", _words(slot["doc"])),
        ):
            yield f"slots: {slot['name']}: {heading}: {_squeeze(value)}"


def _expected_table(page: RegistryPage, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for record in records:
        for column in page.columns:
            yield f"{page.kind}: {record['name']}: {column.heading}: {_plain(record, column)}"


def _expected_section(page: RegistryPage, record: Mapping[str, Any], live: Live) -> Iterator[str]:
    name = record["name"]
    yield f"section {name}: doc: {_words(record['doc'])}"
    for column in page.details:
        yield f"section {name}: {column.heading}: {_plain(record, column)}"
    sql: list[str] = []
    if page.kind == "arms":
        sql = [text for text in (record["sql"], record["fast_sql"], live["arm_sql"][name]["filled"]) if text]
    elif page.kind == "profiles":
        sql = [live["statements"][name]]
    elif page.kind == "scopes":
        sql = [text for text in (record["sql"], record["default_sql"]) if text]
    for n, text in enumerate(sql, start=1):
        for line in text.strip("\n").splitlines():
            yield f"section {name}: SQL {n}: {line}".rstrip()


def _expected_command(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"usage: {record['usage']}"
    for parameter in record["parameters"]:
        if parameter["kind"] != "option":
            continue
        for name in parameter["names"][:1]:
            yield f"options: {name}: Option: {', '.join(parameter['names'])}"
            yield f"options: {name}: Default: {_squeeze(parameter['default']) or '—'}"
            yield f"options: {name}: Repeatable: {'yes' if parameter['repeatable'] else 'no'}"


def _plain(record: Mapping[str, Any], column: Column) -> str:
    value: Any = record
    for part in column.field.split("."):
        value = value[part]
    if column.show == "flag":
        return "yes" if value else "no"
    if column.show == "number":
        return ", ".join(repr(float(item)) for item in (value if isinstance(value, list) else [value]))
    if column.show == "link" and not value:
        return "none"
    if value in ("", [], None):
        return "—"
    if column.show == "prose":
        return _words(value)
    return _squeeze(", ".join(str(item) for item in value) if isinstance(value, list) else str(value))


# What the pages show


def _shown_page(soup: BeautifulSoup, uri: str) -> Iterator[str]:
    tables = soup.select("div.rf-table[data-registry]")
    for table in tables:
        yield from _shown_table(table)
    commands = row("commands")
    if uri.startswith(commands.each.partition("{")[0]) and uri != commands.uri:
        usage = soup.select_one("article pre code")
        yield f"usage: {usage.get_text().strip() if usage else ''}"
        return
    for page in TABLE:
        if page.uri == uri and page.template and not page.each:
            for heading in soup.select(f"h3[id^={page.word}-]"):
                yield from _shown_section(page, heading)


def _shown_table(table: Tag) -> Iterator[str]:
    registry = str(table["data-registry"])
    columns = {column.heading: column for page in TABLE if page.kind == registry for column in page.columns}
    headings = [_text(cell) for cell in table.select("th")]
    for line in table.select("tbody tr"):
        cells = [_text(cell) for cell in line.find_all("td")]
        if registry == "overview":
            yield f"overview: {cells[0]}: {cells[1]}"
            continue
        if registry == "arguments":
            continue
        name = cells[1] if registry == "slots" else cells[0].split(", ")[0]
        for heading, cell in zip(headings, cells, strict=True):
            if _is_left_out(registry, heading):
                continue
            column = columns.get(heading)
            if registry == "weights":
                cell = _number(cell) if heading.startswith("Profile ") else cell
            elif column and column.show == "number" and registry != "slots":
                cell = _number(cell)
            elif column and column.show == "prose":
                cell = _words(cell)
            yield f"{registry}: {name}: {heading}: {cell}"


def _is_left_out(registry: str, heading: str) -> bool:
    left_out = {"weights": ("Arm",), "slots": ("Used by",), "options": ("Value", "What it does")}
    return heading in left_out.get(registry, ())


def _shown_section(page: RegistryPage, heading: Tag) -> Iterator[str]:
    code = heading.find("code")
    name = code.get_text() if isinstance(code, Tag) else ""
    if heading.get("id") != anchor(page.word, name):
        yield f"section {name}: its id is {heading.get('id')}"
    columns = {column.heading: column for column in page.details}
    doc: list[str] = []
    details: list[str] = []
    sql: list[str] = []
    for element in heading.find_next_siblings():
        if element.name in ("h2", "h3"):
            break
        if element.name == "dl":
            terms = element.find_all("dt", recursive=False)
            for term, what in zip(terms, element.find_all("dd", recursive=False), strict=True):
                column = columns.get(_text(term))
                if column is None:
                    continue
                value = _text(what)
                value = _number(value) if column.show == "number" else value
                value = _words(value) if column.show == "prose" else value
                details.append(f"section {name}: {column.heading}: {value}")
        elif not details:
            doc.append(element.get_text())
        else:
            sql += [block.get_text().strip("\n") for block in element.select("pre code")]
    yield f"section {name}: doc: {_words(' '.join(doc))}"
    yield from details
    for n, text in enumerate(sql, start=1):
        for line in text.splitlines():
            yield f"section {name}: SQL {n}: {line}".rstrip()


def _text(element: Tag) -> str:
    for line_break in element.find_all("br"):
        line_break.replace_with("\n")
    return _squeeze(element.get_text())


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _number(text: str) -> str:
    try:
        return ", ".join(repr(float(part)) for part in text.split(", "))
    except ValueError:
        return text


def _words(text: str) -> str:
    """The words of a text, whatever marks it up: as Markdown and as shown they are the same."""
    without_targets = re.sub(r"\]\([^()\s]*\)", "]", html.unescape(text))
    without_numbers = re.sub(r"(?m)^\s*\d+\. ", "", without_targets)
    return " ".join(re.findall(r"[^\W_]+", without_numbers))

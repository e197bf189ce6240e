"""The built pages read back: what a reader sees in the tables, sections and SQL, as lines that can be compared.

`expected` makes the lines from the live registries and the source, without the page models and the templates that made
the pages; `shown` makes them from the HTML alone. Where the two differ the site has drifted.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag

from rankfold_loaders.addresses import anchor, page_of
from rankfold_loaders.live import Live
from rankfold_loaders.registries import Column, Reference, RegistryPage
from rankfold_loaders.static import StaticRecord
from rankfold_loaders.worked_examples import LONGEST

_UNTOLD = ("source", "schema", "line", "application_id", "kind", "on_delete")
"""What a record holds for the loaders, or what pages show in another form: places, the schema, a number as letters."""

NOTHING = "—"
"""What an empty cell shows."""

Written = Mapping[str, Mapping[str, StaticRecord]]
"""The records in the source, by kind and name."""


def expected(reference: Reference, live: Live, written: Written) -> dict[str, list[str]]:
    """What each generated page has to show, by page."""
    registries = live["registries"]
    lines: dict[str, list[str]] = {reference.overview: []}
    for row in reference.registries:
        records = [_documented(record, written.get(row.kind, {})) for record in registries[row.kind]]
        lines[reference.overview].append(f"overview: {row.title}: {len(records)}")
        mine = lines.setdefault(row.uri, [])
        if _is_told(row):
            for uri, record in _places(row, records):
                lines.setdefault(uri, []).extend(_told(row, record))
            continue
        mine += _expected_weights(live, written) if _shows_weights(row) else _expected_table(row, records)
        for record in records:
            own = lines.setdefault(page_of(row, record["name"]), [])
            own += _expected_command(record) if _is_command(row) else _expected_section(row, record, live)
            own += _expected_observed(row.kind, record["name"], live)
            if row.kind == "profiles" and live["search"]:
                lines[_statements_page(row, record["name"])] = list(_expected_statements(record["name"], live))
    return lines


def _documented(record: Mapping[str, Any], written: Mapping[str, StaticRecord]) -> Mapping[str, Any]:
    """The record with the documentation that stands below its assignment, where it carries none."""
    source = written.get(record["name"])
    return {**record, "doc": source.below} if source and not record["doc"] else record


def shown(reference: Reference, folder: Path, live: Live) -> dict[str, list[str]]:
    """What each generated page of a built site shows, by page; a missing page shows nothing.

    Args:
        reference: what the site documents.
        folder: the built site.
        live: names the records whose pages are looked for.
    """
    found: dict[str, list[str]] = {
        reference.overview: list(_shown_tables(reference, _soup(folder, reference.overview)))
    }
    for row in reference.registries:
        if _is_told(row):
            for uri, record in _places(row, live["registries"][row.kind]):
                words = f" {_words(_soup(folder, uri).get_text(' ')).lower()} "
                told = [line for line in _told(row, record) if f" {line.split(': ', 3)[3].lower()} " in words]
                found.setdefault(uri, []).extend(told)
            continue
        found.setdefault(row.uri, []).extend(_shown_tables(reference, _soup(folder, row.uri)))
        if not row.each:
            for heading in _soup(folder, row.uri).select(f"h3[id^={row.word}-]"):
                found[row.uri] += _shown_section(row, heading)
            continue
        for record in live["registries"][row.kind]:
            uri = page_of(row, record["name"])
            found[uri] = list(_shown_record(reference, row, _soup(folder, uri)))
            if row.kind == "profiles" and live["search"]:
                statements = _statements_page(row, record["name"])
                soup = _soup(folder, statements)
                found[statements] = [*_shown_tables(reference, soup), *_sql_lines("statements", _sql_blocks(soup))]
    return found


def _soup(folder: Path, uri: str) -> BeautifulSoup:
    page = folder / uri.removesuffix(".md")
    files = [page.with_name(f"{page.name}.html")]
    if page.name != "index":  # it is in a folder of its own, unless `use_directory_urls` is off
        files.insert(0, page / "index.html")
    text = next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
    return BeautifulSoup(text, "html.parser")


def _statements_page(row: RegistryPage, profile: str) -> str:
    return page_of(row, f"{profile}-statements")


def _shows_weights(row: RegistryPage) -> bool:
    return row.template == "arms.md.jinja"


def _is_command(row: RegistryPage) -> bool:
    return row.each_template == "command.md.jinja"


def _is_told(row: RegistryPage) -> bool:
    """Whether the pages of a registry are made in a way of their own, so that only their words can be compared."""
    return row.template in ("api.md.jinja", "database.md.jinja", "envelope.md.jinja")


def _places(row: RegistryPage, records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each record with its page, and its name alone with the page that lists them."""
    for record in records:
        uri = page_of(row, record["name"])
        yield uri, record
        if uri != row.uri:
            yield row.uri, {"name": record["name"]}


def _told(row: RegistryPage, record: Mapping[str, Any]) -> Iterator[str]:
    """Every text and number of a record, as words that its page has to hold."""
    for path, value in _leaves(record):
        words = _words(value)
        if words:
            yield f"{row.kind}: {record['name']}: {path}: {words}"


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _UNTOLD:
                yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _leaves(item, f"{path}[{n}]")
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, str(value)


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


def _expected_table(page: RegistryPage, records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for record in records:
        for column in page.columns:
            yield f"{page.kind}: {record['name']}: {column.heading}: {_plain(record, column)}"


def _expected_section(page: RegistryPage, record: Mapping[str, Any], live: Live) -> Iterator[str]:
    name = record["name"]
    yield f"section {name}: doc: {_words(record['doc'])}"
    for column in page.details:
        if column.show != "sql":
            yield f"section {name}: {column.heading}: {_plain(record, column)}"
    sql: list[str] = []
    if page.kind == "arms" and live["search"]:
        sql = [record["sql"], record["fast_sql"], live["search"]["arm_sql"][name]["sql"]]
    elif page.kind == "profiles" and live["search"]:
        sql = [live["search"]["profiles"][name]["whole"]]
    else:
        sql = [str(record[column.field]) for column in page.details if column.show == "sql"]
    yield from _sql_lines(f"section {name}", filter(None, sql))


def _expected_statements(profile: str, live: Live) -> Iterator[str]:
    described = live["search"]["profiles"][profile]
    numbers = {statement["key"]: n for n, statement in enumerate(described["statements"], start=1)}
    for combination in described["combinations"]:
        arms = ", ".join(combination["active"]) or "none"
        yield f"combinations: {numbers.get(combination['statement'], 'none')}: {arms}: {len(combination['holding'])}"
    yield from _sql_lines("statements", [statement["sql"] for statement in described["statements"]])


def _expected_observed(kind: str, name: str, live: Live) -> Iterator[str]:
    """The lists of the record's example on the sample corpus, as far as pages show them."""
    seen = live["search"].get("observed", {}).get(kind, {}).get(name)
    if seen is None:
        return
    for item in seen.get("ranked", ())[:LONGEST]:
        cells = (item["rank"], item["title"] or item["path"], item["raw_shown"], item["contribution_shown"])
        yield "ranked: " + " | ".join(map(str, (*cells, item["place"] or NOTHING)))
    for hit in (seen["after"] if "after" in seen else seen["hits"])[:LONGEST]:
        given = {share["arm"]: f"{share['rank']} → {share['contribution_shown']}" for share in hit["contributions"]}
        head = (hit["place"], hit["title"] or hit["path"], hit["score_shown"])
        yield "fused: " + " | ".join(map(str, (*head, *(given.get(used["arm"], NOTHING) for used in seen["arms"]))))


def _sql_lines(what: str, texts: Iterable[str]) -> Iterator[str]:
    for n, text in enumerate(texts, start=1):
        for line in text.strip("\n").splitlines():
            yield f"{what}: SQL {n}: {line}".rstrip()


def _expected_command(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"usage: {record['usage']}"
    options = [parameter for parameter in record["parameters"] if parameter["kind"] == "option"]
    has_defaults = any(option["default"] for option in options)
    for option in options:
        name = option["names"][0]
        yield f"options: {name}: Option: {', '.join(option['names'])}"
        if has_defaults:
            yield f"options: {name}: Default: {_squeeze(option['default']) or '—'}"
        yield f"options: {name}: Repeatable: {'yes' if option['repeatable'] else 'no'}"


def _plain(record: Mapping[str, Any], column: Column) -> str:
    value: Any = record
    for part in column.field.split("."):
        value = value[part]
    if column.show == "flag":
        return "yes" if value else "no"
    if column.show == "link" and not value:
        return "none"
    if value in ("", [], None):
        return NOTHING
    if column.show == "number":
        return ", ".join(repr(float(item)) for item in (value if isinstance(value, list) else [value]))
    if column.show == "prose":
        return _words(value)
    return _squeeze(", ".join(str(item) for item in value) if isinstance(value, list) else str(value))


# What the pages show


def _shown_tables(reference: Reference, soup: BeautifulSoup) -> Iterator[str]:
    for table in soup.select("div.rf-table[data-registry]"):
        yield from _shown_table(reference, table)


def _shown_record(reference: Reference, row: RegistryPage, soup: BeautifulSoup) -> Iterator[str]:
    """A record's own page."""
    if _is_command(row):
        usage = _content(soup).select_one("pre code")
        yield f"usage: {usage.get_text().strip() if usage else ''}"
        yield from _shown_tables(reference, soup)
        return
    heading = _content(soup).select_one("h1")
    if heading is not None:
        yield from _shown_section(row, heading)
        yield from _shown_tables(reference, soup)
        code = heading.find("code")
        yield from _sql_lines(f"section {code.get_text() if isinstance(code, Tag) else ''}", _sql_blocks(soup))


def _content(soup: BeautifulSoup) -> Tag:
    """What a page is about, without the theme around it: themes mark it in their own ways."""
    places = (soup.select_one(place) for place in ("article", "[role=main]", "main", "body"))
    return next((place for place in places if place is not None), soup)


def _sql_blocks(soup: BeautifulSoup | Tag) -> list[str]:
    blocks = soup.select(".language-sql pre code")
    return [block.get_text() for block in blocks or soup.select(":scope.language-sql pre code")]


def _shown_table(reference: Reference, table: Tag) -> Iterator[str]:
    registry = str(table["data-registry"])
    row = reference.row(registry) if reference.has(registry) else None
    columns = {column.heading: column for column in (row.columns if row else ())}
    headings = [_text(cell) for cell in table.select("th")]
    names = [column.heading for column in (row.columns if row else ()) if column.show == "name"]
    if registry == "arguments":
        return
    for line in table.select("tbody tr"):
        cells = [_text(cell) for cell in line.find_all("td")]
        if registry == "overview":
            yield f"overview: {cells[0]}: {cells[1]}"
            continue
        if registry in ("ranked", "fused"):
            yield f"{registry}: {' | '.join(cells)}"
            continue
        if registry == "combinations":
            yield f"combinations: {cells[0]}: {cells[1]}: {cells[2:].count('yes')}"
            continue
        name = cells[headings.index(names[0])] if names else cells[0].split(", ")[0]
        for heading, cell in zip(headings, cells, strict=True):
            if _is_left_out(registry, heading):
                continue
            column = columns.get(heading)
            if registry == "weights":
                cell = _number(cell) if heading.startswith("Profile ") else cell
            elif column and column.show == "number":
                cell = _number(cell)
            elif column and column.show == "prose":
                cell = _words(cell)
            yield f"{registry}: {name}: {heading}: {cell}"


def _is_left_out(registry: str, heading: str) -> bool:
    left_out = {"weights": ("Arm",), "options": ("Value", "What it does")}
    return heading in left_out.get(registry, ())


def _shown_section(page: RegistryPage, heading: Tag) -> Iterator[str]:
    code = heading.find("code")
    name = code.get_text() if isinstance(code, Tag) else ""
    is_page = heading.name == "h1"
    if not is_page and heading.get("id") != anchor(page.word, name):
        yield f"section {name}: its id is {heading.get('id')}"
    columns = {column.heading: column for column in page.details}
    captions = [f"{column.heading}:" for column in page.details if column.show == "sql"]
    doc: list[str] = []
    details: list[str] = []
    sql: list[str] = []
    for element in heading.find_next_siblings():
        if element.name in ("h2", "h3") and (not is_page or details or element.get("id") in ("sql", "provenance")):
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
        elif not is_page and _sql_blocks(element):
            sql += _sql_blocks(element)
        elif not details and not sql and element.name != "h2" and _text(element) not in captions:
            doc.append(element.get_text())
    yield f"section {name}: doc: {_words(' '.join(doc))}"
    yield from details
    yield from _sql_lines(f"section {name}", sql)


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
    without_languages = re.sub(r"(?m)^\s*(`{3,}|~{3,})[^\n`]*$", "", text)
    without_targets = re.sub(r"\]\([^()\s]*\)", "]", html.unescape(without_languages))
    without_numbers = re.sub(r"(?m)^\s*\d+\. ", "", without_targets)
    return " ".join(re.findall(r"[^\W_]+", without_numbers))

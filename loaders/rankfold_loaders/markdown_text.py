"""Text that was not written for a page, put into Markdown so that a reader sees exactly that text.

Records hold plain text (titles, units, headings), code (names, SQL) and Markdown (documentation). Plain text may hold
anything: pipes, tags, braces, backticks, template syntax. `escape` and `code` make it harmless; `prose` keeps what
documentation may use (emphasis with stars, code spans, links, lists, indented code) and makes the rest literal.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Mapping

import yaml

_TEMPLATE = r"(?P<template>\{(?=[{%])|(?<=\{)\{|(?<=\])\[)"
_SPECIAL = re.compile(_TEMPLATE + r"|[\\`*_{}\[\]|]")
_PROSE_SPECIAL = re.compile(_TEMPLATE.replace(r"|(?<=\])\[", "") + r"|[_{}|]|<|&(?=[#\w])")
_FENCE = re.compile(r" *(?P<mark>`{3,}|~{3,})")
_SPAN = re.compile(r"(?<![\\`])(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_LINK_TARGET = re.compile(r"(?<=\])\([^()\s]*\)")
_MAY_HOLD_CODE = re.compile(r"[`~]|^ {4}", re.MULTILINE)
_LIST_ITEM = re.compile(r" {0,3}([-*+]|\d+\.) ")


def front_matter(meta: Mapping[str, object]) -> str:
    """What a page says of itself, as the YAML that it begins with and a blank line."""
    return f"---\n{yaml.safe_dump(dict(meta), allow_unicode=True, sort_keys=False, width=1000)}---\n\n"


def escape(text: str) -> str:
    """Plain text as Markdown that shows it literally, in prose as in a table cell.

    A line break becomes `<br>`, because a cell is one line. Text that runs from right to left, and the characters that
    turn the direction, are kept from turning what stands around them.
    """
    out = _SPECIAL.sub(_spell, text.replace("&", "&amp;").replace("<", "&lt;"))
    # What would begin a heading, a list or a quotation, at the beginning of a paragraph.
    out = re.sub(r"^(\s*)([#>]|[+~-](?=[\s~-]|$)|\d+(?=\.(?:\s|$)))", lambda m: m[1] + _entity(m[2]), out)
    out = re.sub(r"\r\n?|\n", "<br>", out)
    return f"<bdi>{out}</bdi>" if turns_direction(text) else out


def _entity(text: str) -> str:
    return f"{text[:-1]}&#{ord(text[-1])};"


def turns_direction(text: str) -> bool:
    """Whether the text holds a character that is written from right to left or changes the direction."""
    kinds = {"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "LRI", "RLI", "FSI", "PDF", "PDI"}
    return not text.isascii() and any(unicodedata.bidirectional(character) in kinds for character in text)


def code(text: str, anchor: str = "") -> str:
    """Text as inline code, literally.

    Args:
        text: any text.
        anchor: id of the code element; none by default.
    """
    plain = text.strip() == text and text and not re.search(r"[`\\\r\n]", text) and not turns_direction(text)
    if plain and not anchor:
        return f"`{text}`"
    identity = f' id="{html.escape(anchor)}"' if anchor else ""
    return f"<code{identity}>{escape(text)}</code>"


def fence(text: str, language: str = "") -> str:
    """Text as a fenced block, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.strip(chr(10))}\n{ticks}"


def attribute(text: str) -> str:
    """Text as the value of a double-quoted HTML attribute."""
    return html.escape(re.sub(r"\s+", " ", text))


def menu(text: str) -> str:
    """Text as a title or description, which themes put into their menus and heads as it is."""
    return re.sub(r"[{}\[\]]", lambda found: f"&#{ord(found[0])};", attribute(text))


def prose(markdown: str) -> str:
    """Documentation from a record: its Markdown stays, tags and braces and underscores become literal."""
    parts = []
    for piece, is_code in split_code(markdown, indented=True):
        parts.append(piece if is_code else _literal(piece))
    return "".join(parts).strip("\n")


def summary(markdown: str) -> str:
    """The first sentence of a record's documentation, on one line, for a table cell."""
    first = markdown.strip().split("\n\n", 1)[0]
    line = re.sub(r"\s+", " ", first)
    sentence = re.match(r"(?:`[^`]*`|\([^()]*\)|.)+?[.:](?=\s+[A-Z`]|\s*$)", line)
    return prose(sentence.group() if sentence else line).removesuffix(":")


def _literal(text: str) -> str:
    out, at = [], 0
    for target in _LINK_TARGET.finditer(text):
        out += [_PROSE_SPECIAL.sub(_spell, text[at : target.start()]), target.group()]
        at = target.end()
    return "".join([*out, _PROSE_SPECIAL.sub(_spell, text[at:])])


def _spell(match: re.Match[str]) -> str:
    character = match.group()
    if match["template"]:
        # As an entity, so that text about templates is never taken for a fact or a link that was left as it is.
        return f"&#{ord(character)};"
    return {"<": "&lt;", "&": "&amp;"}.get(character, "\\" + character)


def split_code(markdown: str, *, indented: bool = False) -> Iterator[tuple[str, bool]]:
    """Cut Markdown into pieces that are code and pieces that are not, in order and without loss.

    Args:
        markdown: any Markdown.
        indented: whether lines indented by four after a blank line are code. They are in documentation; in pages they
            are mostly what belongs to a list, a tab or an admonition.

    Yields:
        Each piece with whether it is code: a fence, an indented block, or a code span with its backticks.
    """
    if markdown and not _MAY_HOLD_CODE.search(markdown):
        yield markdown, False
        return
    for block, is_code in _blocks(markdown, indented):
        if is_code:
            yield block, True
            continue
        at = 0
        for span in _SPAN.finditer(block):
            if "\n\n" in span.group():  # a paragraph ends here, so this backtick opened nothing
                continue
            if span.start() > at:
                yield block[at : span.start()], False
            yield span.group(), True
            at = span.end()
        if at < len(block):
            yield block[at:], False


def _blocks(markdown: str, indented: bool) -> Iterator[tuple[str, bool]]:
    block: list[str] = []
    block_is_code = False
    mark = ""
    after_blank, in_list, in_indented = True, False, False
    for line in markdown.splitlines(keepends=True):
        opening = _FENCE.match(line)
        closes = False
        if mark:
            is_code = True
            closes = bool(opening) and line.strip() == line.strip()[0] * len(line.strip()) and mark in line
        elif opening:
            is_code, mark = True, opening.group("mark")
        else:
            blank = not line.strip()
            deep = line.startswith("    ") and not blank
            is_code = indented and deep and not in_list and (after_blank or in_indented)
            is_code = is_code or (blank and in_indented)
            if not blank and not line.startswith(" "):
                in_list = False
            in_list = in_list or bool(_LIST_ITEM.match(line))
            in_indented, after_blank = is_code, blank
        if block and is_code != block_is_code:
            yield "".join(block), block_is_code
            block = []
        block.append(line)
        block_is_code = is_code
        if closes:
            mark, after_blank = "", True
    if block:
        yield "".join(block), block_is_code

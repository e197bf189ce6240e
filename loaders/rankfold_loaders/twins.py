"""Pages for programs and for people who read Markdown: a twin of every page, `llms.txt` and `llms-full.txt`.

A twin is what was rendered, after facts were looked up, in the Markdown that GitHub reads: wrappers are dropped, boxes
and tabs become a bold line before their text, a definition list becomes a list, an explicit id becomes an anchor, a
drawing becomes its own description. Text that was made literal for the page stays literal.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.published import absolute, address, relative, twin


@dataclass(frozen=True)
class TwinSource:
    """One page as it was rendered."""

    uri: str
    """Its source path, such as `reference/cli/index.md`."""
    title: str
    description: str
    markdown: str
    """The text that was rendered, without front matter and after facts were looked up."""
    section: str = ""
    """The part of the navigation that it stands in; empty for a page of the first level."""
    repetitive: bool = False
    """Whether the site's search leaves it out, because it says again what stands elsewhere."""


@dataclass(frozen=True)
class Listed:
    """A file that is no page, for `llms.txt`."""

    path: str
    title: str
    description: str


def twins(pages: Sequence[TwinSource], site_url: str) -> Mapping[str, bytes]:
    """The twin of every page, by its path in the site.

    Args:
        pages: every page of the site.
        site_url: the site's published address, which canonical addresses begin with.

    Raises:
        SiteError: two pages have one address.
    """
    made: dict[str, bytes] = {}
    faults = []
    places = {address(page.uri): page.uri for page in pages}
    for page in pages:
        path = twin(page.uri)
        if path in made:
            faults.append(Fault(page.uri, f"its twin {path} is that of another page"))
        made[path] = _document(page, site_url, _Links(places, page)).encode()
    if faults:
        raise SiteError(faults)
    return made


def llms(
    name: str, summary: str, pages: Sequence[TwinSource], site_url: str, files: Sequence[Listed] = ()
) -> Mapping[str, bytes]:
    """`llms.txt`, which lists what there is, and `llms-full.txt`, which holds all of it.

    Args:
        name: the site's name.
        summary: what it is about, in one sentence.
        pages: every page, in the order of the navigation. Repetitive ones are listed as optional, and not repeated.
        site_url: the site's published address.
        files: what else a program may want.
    """
    head = f"# {md.escape(_line(name))}\n" + (f"\n> {md.escape(_line(summary))}\n" if summary else "")
    listed: dict[str, list[Listed]] = {}
    for page in pages:
        section = "Optional" if page.repetitive else page.section or "Documentation"
        listed.setdefault(section, []).append(Listed(twin(page.uri), page.title, page.description))
    optional = listed.pop("Optional", [])
    groups = [*listed.items(), ("Data", [*files]), ("Optional", optional)]
    lists = [
        f"\n## {md.escape(_line(section))}\n\n" + "".join(_item(one, site_url) for one in group)
        for section, group in groups
        if group
    ]
    places = {address(page.uri): page.uri for page in pages}
    whole = [_document(page, site_url, _Links(places, page, site_url)) for page in pages if not page.repetitive]
    return {"llms.txt": (head + "".join(lists)).encode(), "llms-full.txt": "\n".join([head, *whole]).encode()}


def _item(one: Listed, site_url: str) -> str:
    said = f": {md.escape(_line(one.description))}" if one.description else ""
    return f"- [{md.escape(_line(one.title))}]({absolute(site_url, one.path)}){said}\n"


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _document(page: TwinSource, site_url: str, link: Callable[[str, bool], str]) -> str:
    meta = {"title": page.title, "description": page.description}
    if site_url:
        meta["canonical"] = absolute(site_url, address(page.uri))
    return md.front_matter(meta) + github_markdown(page.markdown, link)


class _Links:
    """Where the links of a page lead from its twin: to other twins, relative to it or by their whole address."""

    def __init__(self, pages: Mapping[str, str], here: TwinSource, site_url: str | None = None) -> None:
        """Take every page's source path by its address, the page that links, and what whole addresses begin with."""
        self._addresses, self._pages = pages, {uri: uri for uri in pages.values()}
        self._here, self._site_url = here.uri, site_url

    def __call__(self, target: str, is_html: bool) -> str:
        """The link for the twin.

        Args:
            target: the link as the page has it.
            is_html: whether it stands in a tag, where it is relative to the page's address, not to its source.
        """
        try:
            parts = urlsplit(target)
        except ValueError:  # such as `http://[`: no browser follows it either
            return target
        if parts.scheme or parts.netloc or parts.path.startswith("/"):
            return target
        if not parts.path:
            inside = self._site_url is None and parts.fragment
            return target if inside else self._to(twin(self._here), parts.fragment, parts.query)
        path = unquote(parts.path)
        # MkDocs leaves a link without a file name as it is, so browsers read it from the page's own address.
        is_html = is_html or not posixpath.splitext(path)[1]
        base = address(self._here) if is_html else posixpath.dirname(self._here)
        found = posixpath.normpath(posixpath.join(base, path))
        if found == ".." or found.startswith("../"):
            return target
        folder = "" if found == "." else f"{found}/"
        uri = self._addresses.get(folder.removesuffix("index.html/")) if is_html else self._pages.get(found)
        path = twin(uri) if uri else folder if path.endswith("/") else found
        return self._to(path, parts.fragment, parts.query)

    def _to(self, path: str, fragment: str, query: str = "") -> str:
        if self._site_url is not None:
            link = absolute(self._site_url, path)
        else:
            link = relative(posixpath.dirname(twin(self._here)), path)
        return link + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


_BOX = re.compile(r' {0,3}(?:!!!|\?\?\?\+?) +(?P<kind>[\w-]+)[\w -]*(?:"(?P<title>.*)")? *$')
_TAB = re.compile(r' {0,3}===[+!]* +"(?P<title>.*)" *$')
_DEFINITION = re.compile(r" {0,3}:[ \t]{1,3}(?P<text>\S.*)$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_HEADING = re.compile(r"(?P<text>#{1,6} .*?) *(?<!\\)\{:?(?P<list>[^{}]*)\} *$")
_ID = re.compile(r"#([^\s}#.]+)")
_WRAPPERS = r"div|section|article|aside|figure|details|main|header|footer|span|center|nav"
_WRAPPER = re.compile(rf" {{0,3}}(?:</?(?:{_WRAPPERS})\b[^<>]*> *)+$")
_CAPTION = re.compile(r" {0,3}<(?P<tag>summary|figcaption)\b[^<>]*>(?P<text>.*)</(?P=tag)> *$")
_DRAWN = re.compile(rf" {{0,3}}(?:</?(?:{_WRAPPERS}|p)\b[^<>]*> *)*<(?P<tag>svg|script|style|template|fieldset)\b")
_COMMENT = re.compile(r" {0,3}<!--.*--> *$")
_DELIMITERS = re.compile(r"\|[ :|-]+\| *$")


def github_markdown(markdown: str, link: Callable[[str, bool], str] = lambda target, _: target) -> str:
    """A page's Markdown as GitHub would read it, to the same words.

    Args:
        markdown: as it was rendered.
        link: gives what a link becomes, from what it is and whether it stands in a tag.
    """
    return "".join(piece if is_code else _inline(piece, link) for piece, is_code in _pieces(markdown))


@lru_cache(maxsize=1024)  # a page is written twice: as a twin, and in the file that holds them all
def _pieces(markdown: str) -> tuple[tuple[str, bool], ...]:
    text = "\n".join(_blocks(markdown.replace("\r\n", "\n").split("\n"))).strip("\n") + "\n"
    return tuple(md.split_code(text, indented=True))


def _blocks(lines: Sequence[str]) -> list[str]:
    out: list[str] = []
    at = 0
    last_item = -2
    """Where `out` ended after the last item of a list of definitions."""
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if fence := _FENCE.match(line):
            closing = re.compile(rf" *{fence['mark'][0]}{{{len(fence['mark'])},}} *$")
            while end < len(lines) and not closing.match(lines[end]):
                end += 1
            out += lines[at : end + 1]
            end += 1
        elif box := _BOX.match(line) or _TAB.match(line):
            end = _end_of_indented(lines, end)
            title = box["title"] if box["title"] is not None else box["kind"].capitalize()
            _add(out, [f"**{_unquoted(title)}**"] if title else [])
            _add(out, _blocks(_dedented(lines[at + 1 : end])))
        elif (item := _DEFINITION.match(line)) and out and (out[-1].strip() or last_item == len(out) - 1):
            end = _end_of_indented(lines, end)
            body = _blocks([item["text"], *_dedented(lines[at + 1 : end])])
            out = _with_item(out, body, last_item)
            last_item = len(out)
            out.append("")
        elif drawn := _DRAWN.match(line):
            opens, closes = f"<{drawn['tag']}", f"</{drawn['tag']}>"
            depth = line.count(opens) - line.count(closes)
            while end < len(lines) and depth > 0:  # a drawing may hold drawings
                depth += lines[end].count(opens) - lines[end].count(closes)
                end += 1
            text, _, rest = "\n".join(lines[at:end]).rpartition(closes)
            _add(out, _described(drawn["tag"], text))
            _add(out, _blocks([rest]))
        elif heading := _HEADING.match(line):
            identity = _ID.search(heading["list"])
            _add(out, [f'<a id="{html.escape(identity[1])}"></a>'] if identity else [])
            out.append(heading["text"])
        elif caption := _CAPTION.match(line):
            _add(out, [caption["text"] if caption["tag"] == "figcaption" else f"**{caption['text']}**"])
        elif _COMMENT.match(line):
            _add(out, [])
        elif _WRAPPER.match(line):
            _add(out, [f'<a id="{identity}"></a>' for identity in re.findall(r'\bid="([^"]*)"', line)])
        elif line.startswith("|") and end < len(lines) and _DELIMITERS.match(lines[end]):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            out += map(_row, lines[at:end])
        else:
            _add(out, []) if not line.strip() else out.append(line)
        at = end
    return out


def _add(out: list[str], paragraph: Sequence[str]) -> None:
    """Add lines with one blank line before and after them; without lines, one blank line."""
    text = "\n".join(paragraph).strip("\n")
    if out and out[-1].strip():
        out.append("")
    out += [*text.split("\n"), ""] if text.strip() else []


def _end_of_indented(lines: Sequence[str], at: int) -> int:
    """Where the lines that belong to the one before them end."""
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith("    ")):
        at += 1
    return at


def _dedented(lines: Iterable[str]) -> list[str]:
    return [line.removeprefix("    ") for line in lines]


def _unquoted(title: str) -> str:
    return title.replace('\\"', '"').replace("**", "")


def _with_item(out: list[str], body: list[str], last_item: int) -> list[str]:
    """The lines with the term or terms at their end made an item of a list."""
    first = len(out)
    while first and out[first - 1].strip() and first != last_item:
        first -= 1
    terms = " / ".join(term.strip() for term in out[first:])
    before = out[:first]
    if last_item == first - 1:  # one list, without a blank line between its items
        before.pop()
    while body and not body[-1].strip():
        body.pop()
    bold = terms if "*" in terms else f"**{terms}**"
    item = f"- {bold}: {body[0]}" if terms else f"  {body[0]}"
    return [*before, item, *("  " + line if line else "" for line in body[1:])]


def _described(tag: str, text: str) -> list[str]:
    """A drawing as the words that it carries for those who do not see it; what only a browser uses as nothing."""
    if tag != "svg":
        return []
    label = re.search(r'<svg\b[^>]*\baria-label="([^"]*)"', text)
    words = [match for name in ("title", "desc") for match in re.findall(rf"<{name}\b[^>]*>([^<]*)</{name}>", text)]
    said = _line(". ".join(word.strip().rstrip(".") for word in words) or (label[1] if label else ""))
    return [f"*Figure: {md.escape(html.unescape(said))}.*"] if said else []


def _row(line: str) -> str:
    # GitHub ends a cell at a bare pipe even inside code, where Python-Markdown would show the backslash.
    return "".join(piece.replace("|", "\\|") if is_code else piece for piece, is_code in md.split_code(line))


_ATTRIBUTE = r"(?:[.#][\w.#-]+|[\w-]+=(?:\"[^\"{}]*\"|[^\s{}\"]+))"
_ATTRIBUTES = re.compile(rf"(?:\A|(?<=[)\]*_>\n]))\{{:? *{_ATTRIBUTE}(?: +{_ATTRIBUTE})* *\}}")
_TARGET = re.compile(
    r"(?<!\\)(?P<before>\]\(\s*)(?P<target><[^<>\n]*>|(?:[^\s()<>\\]|\([^\s()]*\))*)"
    r"(?=\s*[)\"'(])"
)
_NAMED_TARGET = re.compile(r"(?m)^(?P<before> {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]+)(?P<target>\S+)")
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_TAG_TARGET = re.compile(r'(?P<before>\b(?:href|src)=")(?P<target>[^"]*)')
_CODE_TAG = re.compile(r'<code(?: id="(?P<id>[^"]*)")?>(?P<text>[^<>]*)</code>')


def _inline(text: str, link: Callable[[str, bool], str]) -> str:
    def in_markdown(match: re.Match[str]) -> str:
        target = match["target"]
        bare = target[1:-1] if target.startswith("<") else target
        new = link(bare, False)
        return match["before"] + (f"<{new}>" if target.startswith("<") else new)

    def in_tag(tag: re.Match[str]) -> str:
        return _TAG_TARGET.sub(
            lambda match: match["before"] + html.escape(link(html.unescape(match["target"]), True)), tag.group()
        )

    text = _ATTRIBUTES.sub("", text)
    text = _NAMED_TARGET.sub(in_markdown, _TARGET.sub(in_markdown, text))
    return _CODE_TAG.sub(_code_with_anchor, _TAG.sub(in_tag, text))


def _code_with_anchor(match: re.Match[str]) -> str:
    """A named piece of code as an anchor and the code, which keeps its entities and so stays literal."""
    anchor = f'<a id="{match["id"]}"></a>' if match["id"] else ""
    plain = re.fullmatch(r"[\w ./:-]+", match["text"])
    return anchor + (f"`{match['text']}`" if plain else f"<code>{match['text']}</code>")

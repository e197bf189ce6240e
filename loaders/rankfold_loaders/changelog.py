"""`CHANGELOG.md` as a page of the site: its links lead somewhere from there, and a version's address never changes."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urlsplit

from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import Fault, SiteError
from rankfold_loaders.project import Project

URI = "changelog.md"
TITLE = "Changelog"
DESCRIPTION = "What users see change, newest version first."

_HEADING = re.compile(r"(?P<marks>#{2,6}) +(?P<text>.+?)[ #]*$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[.+-]?[a-z0-9]+)*", re.IGNORECASE)
_LINK = re.compile(r"(?<!\\)\]\((?P<target>[^()\s]+)")
_OWN_PAGES = "docs/"


def changelog(project: Project) -> str | None:
    """The page as Markdown with front matter; none where the project names no changelog.

    Raises:
        SiteError: as `page` does.
    """
    if not project.reference.changelog:
        return None
    file = project.root / project.reference.changelog
    if not file.is_file():
        return None
    named = project.reference.changelog
    return page(file.read_text(encoding="utf-8"), project.repo_url, project.revision, named)


def page(text: str, repo_url: str, revision: str, file: str = "CHANGELOG.md") -> str:
    """The page, made from the file's text.

    Args:
        text: the changelog. Its own heading of the first level becomes the page's.
        repo_url: where the repository is published.
        revision: the commit that links into the repository lead to.
        file: its path in the project, for messages.

    Raises:
        SiteError: two headings would have the same address, or a link leads into a repository that is not published.
    """
    faults: list[Fault] = []
    body = _linked(_with_ids(text, file, faults), repo_url, revision, file, faults)
    if faults:
        raise SiteError(faults)
    if not re.search(r"(?m)^# ", body):
        body = f"# {TITLE}\n\n{body}"
    return md.front_matter({"title": TITLE, "description": DESCRIPTION}) + f"{body.strip()}\n"


def _with_ids(text: str, file: str, faults: list[Fault]) -> str:
    """Give each heading its id: `v0-1-0` for a version, `v0-1-0-added` for a heading below it."""
    lines = text.splitlines()
    given: set[str] = set()
    above = fence = ""
    for at, line in enumerate(lines):
        if found := _FENCE.match(line):
            if not fence:
                fence = found["mark"]
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        heading = None if fence else _HEADING.match(line)
        if not heading or heading["text"].endswith("}"):  # its author gave it an id
            continue
        first = len(heading["marks"]) == 2
        version = _VERSION.search(heading["text"]) if first else None
        named = f"v{version.group()}" if version else heading["text"]
        slug = re.sub(r"\W+", "-", named.lower()).strip("-") or "-".join(f"{ord(letter):x}" for letter in named)
        above, slug = (slug, slug) if first else (above, f"{above}-{slug}".strip("-"))
        if slug in given:
            faults.append(Fault(f"{file}:{at + 1}", f"another heading has the address #{slug} already"))
        given.add(slug)
        lines[at] = f"{heading['marks']} {heading['text']} {{#{slug}}}"
    return "\n".join(lines)


def _linked(body: str, repo_url: str, revision: str, file: str, faults: list[Fault]) -> str:
    """Make the links into the repository whole; those to the site's own pages lead there."""

    def link(match: re.Match[str]) -> str:
        parts = urlsplit(match["target"])
        if parts.scheme or parts.netloc or not parts.path:
            return match.group()
        path = posixpath.normpath(parts.path.lstrip("/"))
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        if path.startswith(_OWN_PAGES):
            return f"]({path.removeprefix(_OWN_PAGES)}{fragment}"
        if not repo_url:
            faults.append(Fault(file, f"the link {match['target']!r} leads into the repository; set `repo_url`"))
        return f"]({repo_url.rstrip('/')}/blob/{revision}/{path}{fragment}"

    pieces = md.split_code(body, indented=True)
    return "".join(piece if is_code else _LINK.sub(link, piece) for piece, is_code in pieces)

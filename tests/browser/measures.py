"""What a browser can measure of a page. Each measure gives the faults it found, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request

from browser.served_site import ServedSite

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
ADVICE = "best-practice"

PAGE_BYTES = 100_000
INDEX_BYTES = 140_000
SEARCH_INDEX = "search/search_index.json"
PLAYGROUND = "assets/playground/"
"""What the playground loads on request counts by its own limits, not by those of a page."""


@cache
def axe_source() -> str:
    if not AXE.is_file():
        pytest.fail("axe-core is missing: npm ci --prefix tests/browser", pytrace=False)
    return AXE.read_text(encoding="utf-8")


def axe_faults(
    page: Page, *, within: str | None = None, tags: tuple[str, ...] = RULES, colours: bool = True
) -> list[str]:
    """Violations of these rules, in the whole page or in one part of it; contrast of colours takes the most time."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe_source())
    return [
        f"{rule}: {target} ({message})"
        for rule, target, message in page.evaluate(
            """async ([within, tags, colours]) => {
                const rules = {"color-contrast": {enabled: colours}};
                const found = await axe.run(within ?? document, {runOnly: tags, rules, resultTypes: ["violations"]});
                return found.violations.flatMap(rule => rule.nodes.map(node => [
                    rule.id, node.target.join(" "), [...node.any, ...node.all, ...node.none][0]?.message ?? rule.help,
                ]));
            }""",
            [within, list(tags), colours],
        )
    ]


def overflow_faults(page: Page) -> list[str]:
    """Whether the document scrolls sideways, and what makes it."""
    return page.evaluate(
        """() => {
            const root = document.documentElement, width = root.clientWidth;
            if (root.scrollWidth <= width) return [];
            const scrolls = element => {
                for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement)
                    if (getComputedStyle(outer).overflowX !== "visible") return true;
                return false;
            };
            const wide = [...document.body.querySelectorAll("*")]
                .filter(element => element.getBoundingClientRect().right > width + 0.5 && !scrolls(element))
                .map(element => element.tagName.toLowerCase() + (element.id && "#" + element.id) + " "
                    + element.textContent.trim().slice(0, 40));
            return [`the document is ${root.scrollWidth} px wide at ${width} px: ${wide.slice(0, 3).join("; ")}`];
        }"""
    )


def layout_shift(page: Page) -> float:
    """The cumulative layout shift since the page was opened."""
    return page.evaluate(
        """() => new Promise(done => {
            let sum = 0;
            new PerformanceObserver(list => {
                for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
            }).observe({type: "layout-shift", buffered: true});
            setTimeout(() => done(sum), 50);
        })"""
    )


def clipped(page: Page) -> list[str]:
    """Tables and code of which a part lies outside of what is shown, by scrolling or by running out of the page."""
    return page.evaluate(
        """() => {
            const page = document.documentElement.clientWidth;
            return [...document.querySelectorAll("article table, article pre > code")].filter(element => {
                if (!element.checkVisibility()) return false;
                let right = element.getBoundingClientRect().left + element.scrollWidth, edge = page;
                for (let outer = element; outer; outer = outer.parentElement)
                    if (getComputedStyle(outer).overflowX !== "visible")
                        edge = Math.min(edge, outer.getBoundingClientRect().right);
                return right > edge + 1;
            }).map(element => element.tagName.toLowerCase() + " " + element.textContent.trim().slice(0, 40));
        }"""
    )


def script_free_faults(page: Page) -> list[str]:
    """What a reader without scripts cannot see: the heading, the text, rows of tables."""
    return page.evaluate(
        """() => {
            const strict = {visibilityProperty: true, opacityProperty: true};
            const seen = element => element?.checkVisibility(strict) && element.getBoundingClientRect().height > 0;
            const faults = [];
            if (!seen(document.querySelector("h1"))) faults.push("no heading is visible");
            const text = document.querySelector("main");
            if (!seen(text) || text.innerText.trim().length < 80) faults.push("no text is visible");
            for (const row of document.querySelectorAll("article tr"))
                if (!row.closest("details:not([open]), .tabbed-block") && !seen(row))
                    faults.push("a row is hidden: " + row.textContent.trim().replace(/\\s+/g, " ").slice(0, 40));
            return faults;
        }"""
    )


@dataclass(frozen=True)
class Visit:
    """What opening one page showed."""

    path: str
    requested: tuple[str, ...]
    """Every address the browser asked for, and that of the icon, which the one without a window leaves out."""
    overflow: tuple[str, ...]
    barriers: tuple[str, ...]
    """What axe finds on a narrow screen, colours left out."""
    edit_links: tuple[str, ...]
    elements: int
    """How many elements its text has."""
    kinds: frozenset[str]
    """Each element with its classes inside an element with its classes; colours of code are classes too."""


WIDE = {"width": 1350, "height": 900}
NARROW = {"width": 320, "height": 700}


def visit(page: Page, site: ServedSite, path: str) -> Visit:
    """Open a page on a wide screen, then make it narrow."""
    requested: list[str] = []

    def note(request: Request) -> None:
        requested.append(request.url)

    page.on("request", note)
    page.set_viewport_size(WIDE)
    page.goto(site.url(path))
    overflow = overflow_faults(page)
    page.set_viewport_size(NARROW)
    overflow += overflow_faults(page)
    page.remove_listener("request", note)
    icon, edit_links, elements, kinds = page.evaluate(
        """() => {
            const kind = element => [element.localName, ...[...element.classList].sort()].join(".");
            const elements = [...document.querySelectorAll("article *")]
                .filter(element => !element.closest("svg, .rf-find")); // the latter has tests of its own
            return [
                document.querySelector("link[rel=icon]").href,
                [...document.querySelectorAll("a[rel~=edit]")].map(link => link.href),
                elements.length,
                [...new Set(elements.map(element => kind(element.parentElement) + " > " + kind(element)))],
            ];
        }"""
    )
    return Visit(
        path=path,
        requested=(*requested, icon),
        overflow=tuple(overflow),
        barriers=tuple(axe_faults(page, colours=False)),
        edit_links=tuple(edit_links),
        elements=elements,
        kinds=frozenset(kinds),
    )


def representative(visits: list[Visit]) -> list[str]:
    """Few and small pages that together show every kind of element the site has, and so what every template makes.

    Begins with all pages and leaves out each, the largest first, that shows nothing which the rest do not show.
    """
    chosen = sorted(visits, key=lambda visit: (-visit.elements, visit.path))
    counts = Counter(kind for visit in chosen for kind in visit.kinds)
    for visit in list(chosen):
        if all(counts[kind] > 1 for kind in visit.kinds):
            chosen.remove(visit)
            counts.subtract(visit.kinds)
    return [visit.path for visit in chosen]


def foreign_requests(site: ServedSite, visit: Visit) -> list[str]:
    return [url for url in visit.requested if not url.startswith("data:") and site.path_of(url) is None]


def bytes_of(site: ServedSite, visit: Visit) -> int:
    """What the page and everything it loads weigh compressed, its icon included, search index and playground not."""
    paths = {site.path_of(url) for url in visit.requested}
    own = {path for path in paths if path is not None and path != SEARCH_INDEX and not path.startswith(PLAYGROUND)}
    return sum(site.bytes_sent(path) for path in sorted(own))

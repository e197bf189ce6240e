"""Old addresses lead to new ones, in a browser with scripts and without, and a wrong one stops the build."""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

from browser.chromium import ARGUMENTS, chromium
from loaders.site_trees import REPOSITORY
from rankfold_loaders.built_site import read_folder, read_page
from rankfold_loaders.faults import SiteError
from rankfold_loaders.redirects import FILE, redirects

SITE = "https://example.org/project/"
PAGES = {
    "index.html": {"top"},
    "arms/index.html": {"arm-fts", "weights"},
    "arms/fts/index.html": {"sql", "近"},
}
MOVED = """
old/: arms/#weights
old/#fts: arms/fts/
old/#近: arms/fts/#近
"a <b>/c.html": ./
arms/#arm-fts: arms/fts/
"""


def test_a_small_page_stands_at_the_old_address() -> None:
    made = redirects(MOVED, PAGES, SITE)
    assert list(made) == ["a <b>/c.html", "old/index.html"]
    html = made["old/index.html"].decode()
    soup = BeautifulSoup(html, "html.parser")
    page = read_page(html)
    assert (page.headings, bool(page.title), bool(page.description)) == (1, True, True)
    assert soup.select_one("html[lang=en]")
    assert soup.select_one('meta[name=robots][content="noindex"]')
    assert soup.select_one(f'link[rel=canonical][href="{SITE}arms/#weights"]')
    assert soup.select_one('meta[http-equiv=refresh][content="0; url=../arms/#weights"]')
    assert [a["href"] for a in soup.select("a")] == ["../arms/#weights", "../arms/fts/", "../arms/fts/#%E8%BF%91"]
    assert 'content="0; url=../"' in made["a <b>/c.html"].decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arms/: arms/fts/", "arms/ is a page of the site; remove the line"),
        ("old/: gone/", "leads to gone/, which is no page of the site"),
        ("old/: arms/#gone", "leads to arms/#gone, which is no section of that page"),
        ("old/: older/\nolder/: arms/", "leads to older/, which is itself an old address; name its end"),
        ("old/: old/", "is itself an old address"),
        ("old/#part: arms/", "old/ is gone, so it needs a line without a section too"),
        ("arms/#gone: arms/fts/", "so it must keep an element of the id 'gone'"),
        ("old/: arms/\nold/index.html: arms/", "'old/index.html' is named twice"),
        ("old/: https://example.org/", "an address is a path below the site's own"),
        ("/old/: arms/", "an address is a path below the site's own"),
        ("../old/: arms/", "an address is a path below the site's own"),
        ("old/: 3", "an address is a path below the site's own"),
        ("- old/", "is not a mapping"),
        ("a: [", "is not YAML"),
    ],
)
def test_a_wrong_line_is_a_fault_that_names_it(text: str, message: str) -> None:
    with pytest.raises(SiteError) as raised:
        redirects(text, PAGES, SITE)
    assert message in str(raised.value)
    assert str(raised.value).startswith(FILE)


@pytest.mark.parametrize("text", ["", "# nothing has moved\n", "{}"])
def test_nothing_moved_makes_nothing(text: str) -> None:
    assert redirects(text, PAGES, SITE) == {}


def test_text_cannot_leave_its_place_in_the_small_page() -> None:
    made = redirects('old/: ./\n"old/#</script><b>": ./#top\n', PAGES, SITE)["old/index.html"].decode()
    assert not BeautifulSoup(made, "html.parser").select("b")
    assert made.count("</script>") == 1


ARRIVE = """
import json, sys
from playwright.sync_api import sync_playwright
executable, cases, *arguments = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=executable, args=arguments)
    for old, scripts, new in json.loads(cases):
        page = browser.new_context(java_script_enabled=scripts).new_page()
        page.goto(old)
        page.wait_for_url(new, timeout=5000)
"""


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The small pages behind a web server, beside live ones."""
    folder = tmp_path_factory.mktemp("site")
    live = {path: "".join(f'<p id="{identity}">' for identity in sorted(ids)).encode() for path, ids in PAGES.items()}
    for path, content in {**live, **redirects(MOVED, PAGES, SITE)}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


ARRIVALS = [
    ("old/", True, "arms/#weights"),
    ("old/", False, "arms/#weights"),
    ("old/#fts", True, "arms/fts/"),
    ("old/#近", True, "arms/fts/#%E8%BF%91"),
    ("old/#other", True, "arms/#other"),
    ("a%20%3Cb%3E/c.html", True, ""),
    ("a%20%3Cb%3E/c.html", False, ""),
]


@pytest.mark.parametrize(
    ("cases", "arrives"), [(ARRIVALS, True), ([("old/", True, "arms/fts/")], False)], ids=["right", "wrong"]
)
def test_a_browser_arrives_at_the_new_address(origin: str, cases: list[tuple[str, bool, str]], arrives: bool) -> None:
    asked = json.dumps([(origin + old, scripts, origin + new) for old, scripts, new in cases])
    # In a process of its own: the tests of the whole site hold the one browser that this process can steer.
    command = [sys.executable, "-c", ARRIVE, chromium(), asked, *ARGUMENTS]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode == 0) == arrives, ran.stderr


def test_every_address_that_moved_still_leads_somewhere(built: Path) -> None:
    moved = yaml.safe_load((REPOSITORY / FILE).read_text(encoding="utf-8"))
    pages = {path: page.ids for path, page in read_folder(built).items()}
    assert "reference/arms/#arm-fts" in moved
    written = {path for path in pages if 'http-equiv="refresh"' in (built / path).read_text(encoding="utf-8")}
    live = {path: ids for path, ids in pages.items() if path not in written}
    assert set(redirects((REPOSITORY / FILE).read_text(encoding="utf-8"), live, SITE)) == written

"""The page in a real browser: nothing is fetched unasked, everything is checked, and all of it can be used."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Page, expect

from browser.chromium import NewPage
from browser.measures import NARROW, WIDE, axe_faults, layout_shift, overflow_faults
from browser.served_site import ServedSite, serve
from loaders.site_trees import REPOSITORY
from rankfold_loaders import configuration, playground
from rankfold_loaders.playground import Export
from rankfold_loaders.render import Renderer

PATH = "playground/"
BUTTON = "Run it in your browser"


def build_site(folder: Path, made: Export, files: dict[str, bytes]) -> Path:
    """A site of this one page, in the project's own theme."""
    docs = folder / "docs"
    shutil.copytree(REPOSITORY / "docs" / "assets", docs / "assets")
    (docs / "playground.md").write_text(Renderer().render(playground.page(made, files)), encoding="utf-8")
    (docs / "index.md").write_text("# Home\n")
    for path, content in files.items():
        (docs / path).parent.mkdir(parents=True, exist_ok=True)
        (docs / path).write_bytes(content)
    stated = configuration.read(REPOSITORY / "mkdocs.yml")
    kept = ("site_name", "theme", "extra_css", "markdown_extensions", "validation")
    config: dict[str, Any] = {name: stated[name] for name in kept}
    config["theme"]["custom_dir"] = str(REPOSITORY / "site-templates" / "overrides")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config))
    build(load_config(str(folder / "mkdocs.yml"), site_dir=str(folder / "site")))
    return folder / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, made: Export, files: dict[str, bytes]) -> Iterator[ServedSite]:
    with serve(build_site(tmp_path_factory.mktemp("playground"), made, files)) as served:
        yield served


def run_it(page: Page, site: ServedSite, fragment: str = "") -> None:
    page.goto(site.url(PATH) + fragment)
    page.get_by_role("button", name=BUTTON).click()
    expect(page.locator(".rf-pg-fused li").first).to_be_visible()


def places(page: Page) -> list[str]:
    return page.locator(".rf-pg-fused .rf-pg-path").all_inner_texts()


def samples(page: Page) -> list[str]:
    expect(page.locator(".rf-pg-samples button[aria-pressed=true]")).to_have_count(1)
    return page.locator(".rf-pg-samples button").all_inner_texts()


def test_the_engine_is_fetched_only_when_it_is_asked_for(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(site.url(PATH), wait_until="networkidle")
    before = [url for url in asked if "/assets/playground/" in url]
    assert sorted(url.rpartition("/")[2].partition("-")[0] for url in before) == ["playground", "start"]
    assert all(url.endswith((".css", ".mjs")) for url in before)
    asked.clear()
    run_it(page, site)
    assert any(url.endswith(".wasm") for url in asked)
    assert [url for url in asked if site.path_of(url) is None and not url.startswith("blob:")] == []


def test_the_first_result_is_there_within_a_second(new_page: NewPage, site: ServedSite) -> None:
    times = []
    for _ in range(3):
        page = new_page()
        page.goto(site.url(PATH), wait_until="networkidle")
        page.evaluate(
            """() => {
                const button = document.querySelector(".rf-playground button");
                button.addEventListener("click", () => began = performance.now());
                new MutationObserver(() => {
                    if (document.querySelector(".rf-pg-fused li")) window.took ??= performance.now() - began;
                }).observe(document.body, {childList: true, subtree: true});
            }"""
        )
        page.get_by_role("button", name=BUTTON).click()
        page.wait_for_function("window.took")
        times.append(page.evaluate("window.took"))
    assert min(times) < 1000


def test_the_browser_shows_what_the_library_answered(new_page: NewPage, site: ServedSite, made: Export) -> None:
    page = new_page()
    run_it(page, site)
    example = made.data["corpora"][0]["example"]
    assert places(page) == [path for path, _, _ in example["rows"][:10]]
    assert page.locator(".rf-pg-sql code").text_content() == example["sql"]


def test_a_dragged_weight_changes_statement_places_and_the_address(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    before = places(page)
    slider = page.get_by_role("slider", name="Weight of Full text")
    slider.focus()
    for _ in range(18):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".rf-pg-sql mark").first).to_have_text("0.1")
    after = places(page)
    assert after != before
    moved = page.locator(".rf-pg-fused li").all()
    for place, (path, row) in enumerate(zip(after, moved, strict=True)):
        if path in before and before.index(path) != place:
            way = "up" if before.index(path) > place else "down"
            assert f"{way} {abs(before.index(path) - place)}" in row.inner_text()
    page.wait_for_function("location.hash.includes('w.fts=0.1')")
    status = page.locator(".rf-pg [aria-live=polite]")
    expect(status).to_contain_text("changed")

    other = new_page()
    other.goto(site.url(PATH) + page.evaluate("location.hash"))
    expect(other.get_by_text("This link carries a setting.")).to_be_visible()
    run_it(other, site, page.evaluate("location.hash"))
    assert places(other) == after

    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".rf-pg-sql mark").first).to_have_text("1.0")
    assert places(page) == before


def test_typed_text_drops_the_vector_arm_and_says_why(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    page.get_by_role("searchbox", name="Query").fill("backup restore")
    expect(page.locator("#rf-pg-note-vector")).to_have_text("dropped: the collection was opened without an embedder")
    expect(page.get_by_role("checkbox", name="Query vector")).to_be_disabled()
    assert "arm_vector" not in page.locator(".rf-pg-sql code").inner_text()
    page.get_by_role("searchbox", name="Query").fill("!?")
    expect(page.locator(".rf-pg-summary")).to_contain_text("no searchable term")


def test_arms_preconditions_profiles_and_databases_can_be_switched(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    code = page.locator(".rf-pg-sql code")
    page.get_by_role("checkbox", name="Salience").uncheck()
    expect(code).not_to_contain_text("arm_salience")
    page.get_by_role("checkbox", name="Dated documents").uncheck()
    expect(page.locator("#rf-pg-note-recency")).to_contain_text("dropped: no document states a date")
    page.get_by_role("combobox", name="Profile").select_option("memory")
    expect(code).to_contain_text("arm_salience")
    page.get_by_role("combobox", name="Database").select_option("site")
    expect(page.locator("#rf-pg-note-salience")).to_contain_text("no state plane")
    assert all(path.startswith("site/") for path in places(page))


def test_another_database_keeps_what_the_reader_typed_and_set(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    query = page.get_by_role("searchbox", name="Query")
    page.get_by_role("checkbox", name="Recency").uncheck()
    page.get_by_role("combobox", name="Database").select_option("site")
    expect(query).to_have_value(samples(page)[0])  # a sample gives way to one of the other database
    query.fill("weight")
    page.get_by_role("combobox", name="Database").select_option("notes")
    expect(page.locator(".rf-pg-sql code")).not_to_contain_text("arm_recency")
    assert query.input_value() == "weight"


def test_the_last_choice_of_a_database_wins_however_late_an_earlier_one_comes(
    new_page: NewPage, site: ServedSite
) -> None:
    page = new_page()
    run_it(page, site)
    held: list[Any] = []
    page.route("**/assets/playground/site-*.db", lambda route: held.append(route))
    database = page.get_by_role("combobox", name="Database")
    database.select_option("site")
    page.get_by_role("searchbox", name="Query").fill("pager")
    expect(page.locator(".rf-pg-fused li").first).to_be_visible()
    assert database.input_value() == "site"  # what was chosen, though it is not there yet
    database.select_option("notes")
    page.wait_for_function("document.querySelector('#rf-pg-database').value === 'notes'")
    for route in held:
        route.continue_()
    page.wait_for_timeout(500)
    assert database.input_value() == "notes"
    assert not any(path.startswith("site/") for path in places(page))
    assert page.get_by_role("searchbox", name="Query").input_value() == "pager"


def test_a_database_that_cannot_be_fetched_can_be_chosen_again(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    page.route("**/assets/playground/site-*.db", lambda route: route.fulfill(status=404))
    database = page.get_by_role("combobox", name="Database")
    database.select_option("site")
    expect(page.locator(".rf-pg-failed")).to_contain_text("the server says 404")
    assert database.input_value() == "notes"
    page.unroute("**/assets/playground/site-*.db")
    database.select_option("site")
    expect(page.locator(".rf-pg-fused .rf-pg-path").first).to_contain_text("site/")
    assert page.locator(".rf-pg-failed").is_hidden()


def test_the_link_to_the_heading_carries_no_setting(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site, "#playground")
    assert page.get_by_text("This link carries a setting.").is_hidden()
    query = page.get_by_role("searchbox", name="Query")
    query.fill("pager")
    page.evaluate("location.hash = '#playground'")
    page.wait_for_timeout(300)
    assert query.input_value() == "pager"


@pytest.mark.parametrize(
    "said", ["profile=constructor", "profile=__proto__", "k=", "w.fts=", "w.fts=0x10", "w.fts=-1", "db=none&off=all"]
)
def test_what_a_link_says_wrongly_is_passed_over(new_page: NewPage, site: ServedSite, made: Export, said: str) -> None:
    page = new_page()
    run_it(page, site, f"#play&{said}")
    assert page.locator(".rf-pg-sql code").text_content() == made.data["corpora"][0]["example"]["sql"]


def test_a_query_that_is_cut_and_a_search_without_arms_say_so(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    summary = page.locator(".rf-pg-summary")
    page.get_by_role("searchbox", name="Query").fill("log " + " ".join(f"word{n}" for n in range(100)))
    expect(summary).to_contain_text(re.compile(r"Only the first \d+ of 101 distinct terms were searched"))
    for name in ("Full text", "Nearness", "Recency", "Salience"):
        page.get_by_role("checkbox", name=name).uncheck()
    expect(summary).to_contain_text("No document.")
    assert summary.inner_text() == "No document. No arm runs."


def test_a_higher_score_never_has_a_shorter_bar(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    ends = page.evaluate(
        "[...document.querySelectorAll('.rf-pg-bar')].map(bar => bar.lastChild.getBoundingClientRect().right)"
    )
    assert ends == sorted(ends, reverse=True)
    assert len(ends) == 10


def test_a_script_that_cannot_be_loaded_says_so(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    page.route("**/assets/playground/start-*", lambda route: route.fulfill(status=404))
    page.goto(site.url(PATH))
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    assert page.get_by_text("A worked example:").is_visible()


@pytest.mark.parametrize("suffix", [".wasm", ".json", ".db"])
def test_a_file_with_another_hash_is_refused(new_page: NewPage, site: ServedSite, suffix: str) -> None:
    page = new_page()
    page.route(
        f"**/assets/playground/*{suffix}",
        lambda route: route.fulfill(status=200, body=b"not what the page was built with"),
    )
    page.goto(site.url(PATH))
    page.get_by_role("button", name=BUTTON).click()
    expect(page.get_by_role("alert")).to_contain_text("is not the file that this page was built with")
    assert page.locator(".rf-pg-fused").count() == 0
    expect(page.get_by_text("A worked example:")).to_be_visible()


def test_a_file_that_is_missing_is_named(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    page.route("**/assets/playground/engine-*", lambda route: route.fulfill(status=404))
    page.goto(site.url(PATH))
    page.get_by_role("button", name=BUTTON).click()
    page.get_by_role("alert").wait_for()
    assert "could not be fetched: the server says 404" in page.get_by_role("alert").inner_text()


def test_without_a_secure_context_it_says_so(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
    page.goto(site.url(PATH))
    page.get_by_role("button", name=BUTTON).click()
    page.get_by_role("alert").wait_for()
    assert "https" in page.get_by_role("alert").inner_text()


def test_without_javascript_the_worked_example_stands(new_page: NewPage, site: ServedSite, made: Export) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(site.url(PATH))
    text = page.locator("article").inner_text()
    example = made.data["corpora"][0]["example"]
    assert example["query"] in text
    assert f"{example['rows'][0][1]:.5f}" in text
    assert "JavaScript is off" in text


def test_everything_is_reached_and_moved_by_keyboard(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    page.goto(site.url(PATH), wait_until="networkidle")
    page.get_by_role("button", name=BUTTON).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".rf-pg-fused li").first).to_be_visible()
    expect(page.get_by_role("searchbox", name="Query")).to_be_focused()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.getAttribute('aria-label')"))
    arms = [
        part for name in ("fts", "vector", "recency", "salience") for part in (f"rf-pg-on-{name}", f"rf-pg-w-{name}")
    ]
    controls = [name for name in reached if name in arms]
    assert controls[: len(arms)] == arms
    assert {"rf-pg-database", "rf-pg-profile", "rf-pg-k", "rf-pg-has-vector", "SQL statement"} <= set(reached)
    page.locator("#rf-pg-on-fts").focus()
    page.keyboard.press("Space")
    expect(page.locator("#rf-pg-note-fts")).to_have_text("left out")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_is_accessible_still_and_fits(
    new_page: NewPage, site: ServedSite, size: dict[str, int], scheme: str
) -> None:
    page = new_page(viewport=size, color_scheme=scheme)
    page.goto(site.url(PATH), wait_until="networkidle")
    faults = axe_faults(page) + overflow_faults(page)
    run_it(page, site)
    page.get_by_role("slider", name="Weight of Full text").focus()
    for _ in range(18):
        page.keyboard.press("ArrowLeft")
    faults += axe_faults(page) + overflow_faults(page)
    page.get_by_role("searchbox", name="Query").fill("backup")
    expect(page.locator("#rf-pg-note-vector")).to_contain_text("dropped")
    faults += axe_faults(page) + overflow_faults(page)
    assert faults == []
    assert layout_shift(page) < 0.1


def test_a_control_without_a_label_is_found(new_page: NewPage, site: ServedSite) -> None:
    page = new_page()
    run_it(page, site)
    page.evaluate("document.querySelector('label[for=rf-pg-query]').remove()")
    assert any(fault.startswith("label:") for fault in axe_faults(page))

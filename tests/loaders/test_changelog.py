"""The changelog as a page: versions have addresses that stay, and links lead somewhere from the site."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rankfold_loaders.changelog import changelog, page
from rankfold_loaders.faults import SiteError
from rankfold_loaders.project import Project

REPO = "https://example.org/repo/"


def body(text: str, repo: str = REPO) -> str:
    return page(text, repo, "abc").split("---\n\n", 1)[1]


@pytest.mark.parametrize(
    ("heading", "identity"),
    [
        ("## 0.1.0 (unreleased)", "v0-1-0"),
        ("## [1.2.0] - 2026-01-31", "v1-2-0"),
        ("## v2.0.0rc1", "v2-0-0rc1"),
        ("## Unreleased ##", "unreleased"),
        ("## `1.0` now", "v1-0"),
        ("## 🎉", "1f389"),
    ],
)
def test_a_version_has_an_address_of_its_own(heading: str, identity: str) -> None:
    assert f"{{#{identity}}}\n" in body(f"# Changes\n\n{heading}\n\n- x\n")


def test_headings_below_a_version_carry_its_address() -> None:
    made = body("# Changes\n\n## 1.1.0\n\n### Added\n\n## 1.0.0\n\n### Added\n")
    assert "### Added {#v1-1-0-added}" in made
    assert "### Added {#v1-0-0-added}" in made


def test_an_address_does_not_depend_on_what_stands_before_it() -> None:
    old = body("# Changes\n\n## 1.0.0\n")
    assert body("# Changes\n\n## 1.1.0\n\n## 1.0.0\n").endswith(old.removeprefix("# Changes\n\n"))


def test_two_headings_with_one_address_are_a_fault_with_its_line() -> None:
    with pytest.raises(SiteError, match=r"CHANGELOG.md:5: another heading has the address #v1-0-0"):
        page("# C\n\n## 1.0.0\n\n## 1.0.0 again\n", REPO, "abc")


def test_code_is_left_alone_and_a_heading_with_an_id_keeps_it() -> None:
    text = "# C\n\n```\n## 1.0.0\n[x](LICENSE)\n```\n\n## 2.0.0 {#mine}\n\n`[x](LICENSE)`\n\n    [x](LICENSE)\n"
    assert body(text) == text


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[x](LICENSE)", "[x](https://example.org/repo/blob/abc/LICENSE)"),
        ("[`x`](src/a.py#L3)", "[`x`](https://example.org/repo/blob/abc/src/a.py#L3)"),
        ("[x](docs/tutorial.md#begin)", "[x](tutorial.md#begin)"),
        ("[x](./docs/a/b.md 'y')", "[x](a/b.md 'y')"),
        ("[x](https://e.org/) [y](#v1-0-0)", "[x](https://e.org/) [y](#v1-0-0)"),
    ],
)
def test_links_lead_into_the_site_or_the_repository(link: str, expected: str) -> None:
    assert expected in body(f"# C\n\n{link}\n")


def test_a_link_into_a_repository_that_is_not_published_is_a_fault() -> None:
    with pytest.raises(SiteError, match="'LICENSE' leads into the repository; set `repo_url`"):
        page("# C\n\n[x](LICENSE)\n", "", "abc")


def test_the_page_has_title_description_and_one_heading_of_the_first_level() -> None:
    made = page("## 1.0.0\n", REPO, "abc")
    assert yaml.safe_load(made.split("---\n")[1]).keys() == {"title", "description"}
    assert made.split("---\n\n")[1] == "# Changelog\n\n## 1.0.0 {#v1-0-0}\n"


def test_a_project_without_a_changelog_has_no_page(tmp_path: Path) -> None:
    assert changelog(Project(tmp_path)) is None


def test_this_projects_changelog_is_on_the_site(built: Path) -> None:
    assert 'id="v0-1-0"' in (built / "changelog" / "index.html").read_text(encoding="utf-8")

"""FC-S08: an edit link leads to the page's own source, or is not there."""

from __future__ import annotations

from playwright.sync_api import Page

from browser.measures import Visit, visit
from browser.served_site import ServedSite
from loaders.site_trees import REPOSITORY

EDIT = "https://github.com/rankfold/rankfold/edit/main/"


def edit_link_faults(visit: Visit) -> list[str]:
    """Edit links that lead to no file of the project, and an authored page without one to where it is written."""
    sources = [f"docs/{visit.path.rstrip('/')}.md", f"docs/{visit.path}index.md"]
    authored = [EDIT + source for source in sources if (REPOSITORY / source).is_file()]
    if authored:
        return [] if list(visit.edit_links) == authored else [f"{visit.path}: {visit.edit_links}, not {authored}"]
    return [
        f"{visit.path}: {link}"
        for link in visit.edit_links
        if not (link.startswith(EDIT) and (REPOSITORY / link.removeprefix(EDIT)).is_file())
    ]


def test_every_edit_link_leads_to_the_source_of_its_page(visits: list[Visit]) -> None:
    found = [fault for visit in visits for fault in edit_link_faults(visit)]
    assert not found, "\n".join(found)
    assert sum(len(visit.edit_links) for visit in visits) > 5


def test_an_edit_link_to_a_generated_page_is_found(site: ServedSite, desk: Page) -> None:
    link = f'</h1><a rel="edit" href="{EDIT}docs/reference/arms.md">edit</a>'
    planted = visit(desk, site, site.plant("reference/arms/", "</h1>", link))
    assert len(edit_link_faults(planted)) == 1

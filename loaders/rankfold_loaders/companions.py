"""The files that stand beside the pages of a built site: twins for programs, cards, and pages at old addresses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rankfold_loaders import cards, twins
from rankfold_loaders.project import Project
from rankfold_loaders.redirects import redirects
from rankfold_loaders.twins import Listed, TwinSource


@dataclass(frozen=True)
class Shown:
    """One page as it was rendered, and what the site around it is called."""

    page: TwinSource
    site: str

    @property
    def card(self) -> cards.CardText:
        """What its card says."""
        return cards.CardText(self.page.uri, self.page.title, self.page.description, self.page.section, self.site)


def companions(project: Project, shown: Sequence[Shown], *, summary: str) -> Mapping[str, bytes]:
    """Everything that is made from the pages alone, by its path in the site.

    Args:
        project: whose site it is.
        shown: every page, in the order of the navigation.
        summary: what the site is about, in one sentence.

    Raises:
        SiteError: two pages have one address.
    """
    pages = [one.page for one in shown]
    name = shown[0].site if shown else ""
    data = [Listed("registries.json", "Registries", "Every record of every registry, with its source and its page.")]
    if project.reference.has("arms"):
        data.insert(0, Listed("arms.json", "Arms", "Every arm: weight, preconditions, SQL, source and page."))
    return {
        **twins.twins(pages, project.site_url),
        **twins.llms(name, summary, pages, project.site_url, data),
        **(cards.cards((one.card for one in shown), project.cache / "cards") if project.site_url else {}),
    }


def moved(project: Project, pages: Mapping[str, Collection[str]]) -> Mapping[str, bytes]:
    """The pages at old addresses, where the project names any.

    Args:
        project: its `redirects.yml` stands among the authored pages.
        pages: every page by its path in the site, with the ids on it.

    Raises:
        SiteError: the file is malformed, an old address is still a page, or a new one is none.
    """
    file = project.root / project.docs / "redirects.yml"
    return redirects(file.read_text(encoding="utf-8"), pages, project.site_url) if file.is_file() else {}

"""The project that a site is made for: where its files are, and what its repository knows about them."""

from __future__ import annotations

import functools
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
import yaml

from rankfold_loaders.faults import error
from rankfold_loaders.own_reference import OWN
from rankfold_loaders.registries import Reference, read_reference


class _Configuration(yaml.SafeLoader):
    """Reads `mkdocs.yml` without MkDocs: what its tags stand for does not matter here."""


_Configuration.add_multi_constructor("", lambda *_: None)


def _options(plugin: object) -> dict[str, Any] | None:
    """The options of the plugin `rankfold` in an entry of `plugins`; None for another plugin."""
    if plugin == "rankfold":
        return {}
    if isinstance(plugin, dict) and "rankfold" in plugin:
        return plugin["rankfold"] or {}
    return None


@dataclass(frozen=True)
class Project:
    """A folder with `mkdocs.yml`, and the code that its reference pages are made from."""

    root: Path
    """The folder of `mkdocs.yml`."""
    repo_url: str = ""
    """Where the repository is published; empty for none."""
    site_url: str = ""
    """Where the site is published; empty for nowhere."""
    reference: Reference = OWN
    """What the site documents."""
    docs: str = "docs"
    """The folder of the authored pages, relative to the root."""

    @classmethod
    def at(cls, root: Path) -> Project:
        """The project of a folder, as its `mkdocs.yml` states it.

        Raises:
            SiteError: the file is missing, is no YAML, or states its registries wrongly.
        """
        file = root / "mkdocs.yml"
        try:
            stated = yaml.load(file.read_text(encoding="utf-8"), _Configuration) or {}
        except (OSError, yaml.YAMLError) as problem:
            raise error(str(file), f"cannot be read: {problem}") from problem
        options = next((_options(item) for item in stated.get("plugins") or () if _options(item) is not None), None)
        return cls(
            root,
            str(stated.get("repo_url") or ""),
            str(stated.get("site_url") or ""),
            read_reference(options) if options else OWN,
            str(stated.get("docs_dir") or "docs"),
        )

    @property
    def cache(self) -> Path:
        """Where what is slow to make is kept, by content: outside the project, because a build writes nothing there."""
        return platformdirs.user_cache_path("rankfold") / "site"

    @property
    def source(self) -> Path:
        """The folder that packages are imported from: `src` where there is one."""
        return self.root / "src" if (self.root / "src").is_dir() else self.root

    def relative(self, file: Path) -> str | None:
        """The file's path in the project, with `/` on every system; None for a file of somebody else."""
        try:
            return file.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return None

    def link(self, file: str, line: int, revision: str) -> str:
        """Address of a line of a file in the published repository; empty without one."""
        return f"{self.repo_url.rstrip('/')}/blob/{revision}/{file}#L{line}" if self.repo_url else ""

    @functools.cached_property
    def revision(self) -> str:
        """The commit that is checked out, so that links keep pointing at the right line; `main` before the first."""
        found = self._git("rev-parse", "HEAD")
        return found if re.fullmatch(r"[0-9a-f]{40,64}", found) else "main"

    @functools.cached_property
    def dates(self) -> dict[str, str]:
        """When each file was last committed, as ISO dates by path in the project; empty where git cannot tell.

        The oldest commit of a shallow clone seems to touch every file, so such a clone tells nothing.
        """
        if self._git("rev-parse", "--is-shallow-repository") != "false":
            return {}
        found: dict[str, str] = {}
        log = self._git("-c", "core.quotePath=false", "log", "--format=%x00%cs", "--name-only", "--relative")
        for commit in log.split("\0")[1:]:
            date, *files = commit.split("\n")
            for file in files:
                found.setdefault(file, date)
        return found

    def newest_change(self) -> int:
        """When the project last changed, in seconds since 1970: its newest commit, else its newest source or page."""
        committed = self._git("log", "-1", "--format=%ct")
        if committed.isdigit():
            return int(committed)
        folders = [self.root / self.docs, self.source]
        times = [
            int(file.stat().st_mtime)
            for folder in folders
            for file in folder.rglob("*")
            if file.suffix in (".py", ".md", ".css", ".svg")
        ]
        return max(times, default=0)

    def facts(self) -> dict[str, str]:
        """What the package's own metadata states, for pages to quote. `package.python` is the oldest one."""
        file = self.root / "pyproject.toml"
        if not file.is_file():
            return {}
        stated = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {})
        wanted = {"name": "name", "version": "version", "description": "description", "python": "requires-python"}
        known = {f"package.{fact}": str(stated[key]) for fact, key in wanted.items() if key in stated}
        oldest = re.fullmatch(r">=\s*([\d.]+)", known.get("package.python", ""))
        return known | ({"package.python": oldest.group(1)} if oldest else {})

    def _git(self, *arguments: str) -> str:
        try:
            ran = subprocess.run(
                ["git", "-C", str(self.root), *arguments], capture_output=True, text=True, timeout=20, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return ran.stdout.strip() if ran.returncode == 0 else ""

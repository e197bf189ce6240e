"""The project that a site is made for: where its files are, and what its repository knows about them."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from rankfold_loaders import configuration
from rankfold_loaders.faults import error
from rankfold_loaders.own_reference import OWN
from rankfold_loaders.registries import Reference, nearest, read_reference


@functools.cache
def _writable(folder: Path) -> Path:
    """The folder; where it cannot be written, one that lasts as long as this process."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if os.access(folder, os.W_OK):
        return folder
    made = tempfile.TemporaryDirectory(prefix="rankfold-cache-")
    atexit.register(made.cleanup)
    return Path(made.name)


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
    config: str = "mkdocs.yml"
    """The configuration's file, in the root."""

    @classmethod
    def at(cls, place: Path) -> Project:
        """The project of a folder, as its `mkdocs.yml` states it.

        Args:
            place: the folder, or the configuration itself where it has another name.

        Raises:
            SiteError: the file is missing, is no YAML, or states its registries wrongly.
        """
        file = configuration.find(place)
        stated = configuration.read(file)
        return cls(
            file.parent,
            configuration.text(stated, "repo_url"),
            configuration.text(stated, "site_url"),
            _reference(file, stated),
            configuration.text(stated, "docs_dir", "docs"),
            file.name,
        )

    @property
    def cache(self) -> Path:
        """Where what is slow to make is kept, by content: outside the project, because a build writes nothing there."""
        return _writable(platformdirs.user_cache_path("rankfold") / "site")

    @property
    def source(self) -> Path:
        """The folder that packages are imported from."""
        return self.root / (self.reference.source or ("src" if (self.root / "src").is_dir() else ""))

    @property
    def templates(self) -> Path | None:
        """The project's own templates; none by default."""
        return self.root / self.reference.templates if self.reference.templates else None

    def relative(self, file: Path) -> str | None:
        """The file's path in the project, with `/` on every system; None for a file of somebody else."""
        try:
            return file.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return None

    def link(self, file: str, line: int, revision: str) -> str:
        """Address of a line of a file in the published repository; empty without one."""
        if not self.repo_url:
            return ""
        # GitLab keeps its own pages apart from those of a repository.
        blob = "-/blob" if "gitlab" in self.repo_url else "blob"
        return f"{self.repo_url.rstrip('/')}/{blob}/{revision}/{self._folder}{file}#L{line}"

    @functools.cached_property
    def _folder(self) -> str:
        """The root's path in its repository, with a slash at its end; empty where it is the repository itself."""
        return self._git("rev-parse", "--show-prefix")

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


def _reference(file: Path, stated: Mapping[str, Any]) -> Reference:
    plugins = configuration.listed(stated.get("plugins"))
    if "rankfold" not in plugins:
        # This project's own site is made by a hook, which takes the loaders as they are on disk.
        if stated.get("hooks"):
            return OWN
        near = nearest("rankfold", plugins)
        raise error(file.name, f"plugins: there is no `rankfold` among them{near}; it makes the reference pages")
    options = plugins["rankfold"] or {}
    if not isinstance(options, dict):
        raise error(file.name, f"plugins: the options of `rankfold` are {options!r}; they are a mapping")
    return read_reference(options, file.name)

"""Which files of a folder are to be indexed: formats that can be read, and nothing hidden or ignored.

Symbolic links are not followed, so a link to a parent cannot make the walk endless and nothing is found twice.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pathspec

from rankfold.errors import SourceError
from rankfold.indexing.formats import format_for
from rankfold.storage.header import is_there


@dataclass
class Found:
    """What a walk saw."""

    files: dict[str, Path] = field(default_factory=dict)
    """Files to index: POSIX path below the root to where they are, in path order."""
    skipped: Counter[str] = field(default_factory=Counter)
    """How many were passed over, by kind: a suffix, `hidden`, `ignored`, `link`."""
    unreadable: list[str] = field(default_factory=list)
    """Folders below the root that could not be listed."""
    unnameable: list[str] = field(default_factory=list)
    """Files and folders whose names are no text in any form, as nearly as they can be written."""


def walk(root: Path) -> Found:
    """List the files of a folder.

    Raises:
        SourceError: the folder itself is missing or cannot be read.
    """
    if not is_there(root):
        raise SourceError(f"{root} does not exist; nothing was removed from the index")
    found = Found()
    files: dict[str, Path] = {}
    ignores = _ignores_above(root)
    pending: list[tuple[Path, str, list[tuple[str, pathspec.GitIgnoreSpec]]]] = [(root, "", ignores)]
    while pending:
        folder, below, inherited = pending.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as problem:
            if folder == root:
                raise SourceError(
                    f"{root} cannot be read ({problem.strerror}); nothing was removed from the index"
                ) from None
            found.unreadable.append(below)
            continue
        active = [(f"{prefix}{folder.name}/" if folder != root else prefix, spec) for prefix, spec in inherited]
        own = _ignore_file(folder)
        if own:
            active.append(("", own))
        for entry in entries:
            name = _as_text(entry.name)
            path = f"{below}/{name}" if below else name
            if name.startswith("."):
                found.skipped["hidden"] += 1
            elif "\ufffd" in name and name != entry.name:
                found.unnameable.append(path)
            elif entry.is_symlink():
                found.skipped["link"] += 1
            elif _is_ignored(active, name, entry.is_dir()):
                found.skipped["ignored"] += 1
            elif entry.is_dir():
                pending.append((Path(entry.path), path, active))
            elif format_for(name) is None or not entry.is_file():
                found.skipped[Path(name).suffix.lower() or "no suffix"] += 1
            else:
                files[path] = Path(entry.path)
    found.files = dict(sorted(files.items()))
    return found


def _as_text(name: str) -> str:
    """A name as it can be stored and shown, in whatever encoding the locale says that names are; what is no UTF-8 in
    it is replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def _is_ignored(active: list[tuple[str, pathspec.GitIgnoreSpec]], name: str, is_folder: bool) -> bool:
    tail = name + ("/" if is_folder else "")
    verdict = False
    for prefix, spec in active:  # the nearest file that says anything decides
        result = spec.check_file(prefix + tail)
        if result.include is not None:
            verdict = result.include
    return verdict


def _ignore_file(folder: Path) -> pathspec.GitIgnoreSpec | None:
    try:
        text = (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return pathspec.GitIgnoreSpec.from_lines(text.splitlines())


def _ignores_above(root: Path) -> list[tuple[str, pathspec.GitIgnoreSpec]]:
    """The `.gitignore` files between the root and the top of its repository, unless they ignore the root itself."""
    above: list[tuple[str, pathspec.GitIgnoreSpec]] = []
    folder, prefix = root.absolute(), ""
    while not is_there(folder / ".git"):
        if folder.parent == folder:
            return []
        prefix = f"{folder.name}/{prefix}"
        folder = folder.parent
        spec = _ignore_file(folder)
        if spec and spec.match_file(prefix):
            return []
        if spec:
            above.insert(0, (prefix, spec))
    return above

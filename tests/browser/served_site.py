"""A built site behind a real web server, under a sub-path as on GitHub Pages."""

from __future__ import annotations

import gzip
import mimetypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

SUB_PATH = "/rankfold/"
SLOW_SUB_PATH = "/slow/rankfold/"
DELAYS = {".css": 0.15, ".js": 0.4}
"""Seconds by which the slow path holds back each kind of file."""


@dataclass
class ServedSite:
    """The folder of a built site, and the address it is served from."""

    folder: Path
    origin: str
    planted: dict[str, str] = field(default_factory=dict)
    """Pages that stand only in memory, by their path in the site."""

    @property
    def pages(self) -> list[str]:
        """The path of every page in the site, as a reader's browser shows it."""
        files = sorted(file.relative_to(self.folder).as_posix() for file in self.folder.rglob("*.html"))
        return [file.removesuffix("index.html") for file in files if file != "404.html"]

    def url(self, path: str, *, slow: bool = False) -> str:
        return self.origin + (SLOW_SUB_PATH if slow else SUB_PATH) + path

    def html(self, path: str) -> str:
        return self.file(path).read_text(encoding="utf-8")

    def has(self, path: str) -> bool:
        return path in self.planted or self.file(path).name != "404.html"

    def file(self, path: str) -> Path:
        """The file that answers a request for this path; missing ones get the page for that."""
        file = self.folder / path
        file = file / "index.html" if file.is_dir() else file
        return file if file.is_file() else self.folder / "404.html"

    def plant(self, path: str, old: str, new: str) -> str:
        """A copy of a page with a fault in it, beside the original; gives the copy's path."""
        text = self.html(path)
        assert old in text, f"{path} does not hold {old!r}"
        copy = f"{path.rpartition('/')[0]}/planted-{len(self.planted)}.html".lstrip("/")
        self.planted[copy] = text.replace(old, new, 1)
        return copy

    def bytes_sent(self, path: str) -> int:
        """How many bytes a server that compresses well sends for this path."""
        if path in self.planted:
            return len(gzip.compress(self.planted[path].encode(), 9, mtime=0))
        return _compressed(self.file(path))

    def path_of(self, url: str) -> str | None:
        """The path in the site, or None when the address belongs to another host or lies outside of it."""
        parts = urlsplit(url)
        for prefix in (SUB_PATH, SLOW_SUB_PATH):
            if f"{parts.scheme}://{parts.netloc}" == self.origin and parts.path.startswith(prefix):
                return unquote(parts.path.removeprefix(prefix))
        return None


@cache
def _compressed(file: Path) -> int:
    return len(gzip.compress(file.read_bytes(), 9, mtime=0))


@contextmanager
def serve(folder: Path) -> Iterator[ServedSite]:
    """Serve a built site until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = site.path_of(site.origin + self.path)
            if path is None:
                self.send_error(404)
                return
            file = site.file(path)
            if self.path.startswith(SLOW_SUB_PATH):
                time.sleep(DELAYS.get(file.suffix, 0))
            body = site.planted[path].encode() if path in site.planted else file.read_bytes()
            self.send_response(200 if site.has(path) else 404)
            self.send_header("Content-Type", mimetypes.guess_type(file.name)[0] or "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "max-age=600")
            self.end_headers()
            with suppress(ConnectionError):  # the browser has gone to another page
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads these."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = ServedSite(folder, f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()

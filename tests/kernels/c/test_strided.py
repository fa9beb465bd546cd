"""Windows read and write parts of larger tensors where they lie, with the bits of NumPy.

Whatever lies around a part stays as it is, and what is read of it changes nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.graph.node import Node
from aidge_nb.kernels.c import CCall, c_calls
from aidge_nb.kernels.c.compiling import FLAGS, Program
from aidge_nb.kernels.c.strided import reads_at, writes_at
from tests.kernels.c.codes_shapes import layer_of
from tests.kernels.c.machine import differing
from tests.kernels.c.test_codes_shapes import described, ways  # noqa: F401  # a fixture
from tests.kernels.c.test_fuzz import convolutions, poolings, run
from tests.kernels.c.test_vectors import SIZES, flags_of

Array = NDArray[Any]
Random = np.random.Generator
RUBBISH = {"f": np.nan, "i": 77, "u": 77}


def rubbish(dims: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Return an array that nobody may read."""
    return np.full(dims, RUBBISH[dtype.kind], dtype)


def room_of(random: Random, like: Array, *, rows_apart: bool) -> tuple[Array, Array]:
    """Return a larger array, and a part of it that is like another one.

    It lies by rows, or is a box of channels, rows and, where they may lie apart, columns.
    """
    dims = like.shape
    if rows_apart and dims[0] == 1 and like.ndim == 4 and random.random() < 0.4:
        room = rubbish((1, dims[2], dims[1], dims[3]), like.dtype)
        return room, room.transpose(0, 2, 1, 3)
    more = np.zeros((like.ndim, 2), int)
    more[1] = random.integers(0, 3, 2) if dims[0] == 1 else 0
    more[2] = random.integers(0, 3, 2)
    if rows_apart and random.random() < 0.5:
        more[-1] = random.integers(0, 4, 2)
    room = rubbish(
        tuple(size + sum(ends) for size, ends in zip(dims, more, strict=True)), like.dtype
    )
    inside = (slice(low, low + size) for size, (low, _) in zip(dims, more, strict=True))
    return room, room[tuple(inside)]


def steps_of(part: Array) -> list[int]:
    """Return strides in elements."""
    return [step // part.itemsize for step in part.strides]


def check(
    seed: int,
    calls: Sequence[CCall],
    inputs: Sequence[Array | None],
    expected: Array,
    flags: Sequence[str] = FLAGS,
) -> bool:
    """Check calls on parts of larger arrays; return whether the kernel takes such parts."""
    random = np.random.default_rng(seed)
    data = inputs[0]
    assert data is not None
    x = room_of(random, data, rows_apart=True)[1]
    x[...] = data
    y_room, y = room_of(random, expected, rows_apart=False)
    (call,) = calls
    reading = reads_at(call, x.shape, steps_of(x))
    if reading is None:
        x, reading = data, call
    moved = writes_at(reading, y.shape, steps_of(y))
    if moved is None:
        assert call.function == "nb_matmul_f32"  # of a single element per channel
        y_room = y = rubbish(expected.shape, expected.dtype)
        moved = reading
    Program((moved,), flags).run([x, *inputs[1:]], [y])
    assert differing(y, expected) == 0, (call.function, seed)
    y[...] = RUBBISH[expected.dtype.kind]
    assert differing(y_room, rubbish(y_room.shape, expected.dtype)) == 0, (call.function, seed)
    return reading is not call


SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(convolutions(), SIZES, SEEDS)
def test_convolutions_of_numbers(drawn: Any, size: int | None, seed: int) -> None:
    kind, options, arrays = drawn
    node = getattr(aidge_nb, kind)(**options)
    expected = run(node, arrays, "exact")
    check(seed, calls_of_node(node, arrays), arrays, expected, flags_of(size))


def calls_of_node(node: Node, arrays: Sequence[Array]) -> tuple[CCall, ...]:
    """Return the calls of a node whose parameters are known."""
    return c_calls(node, known=dict(enumerate(arrays[1:], 1)))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(poolings(), SEEDS)
def test_poolings(drawn: Any, seed: int) -> None:
    rank, options, x = drawn
    for kind, dtype in (("Max", np.float32), ("Avg", np.float32), ("Max", np.int8)):
        data = x if dtype is np.float32 else np.nan_to_num(x, posinf=9).clip(-99, 99).astype(dtype)
        node = getattr(aidge_nb, f"Padded{kind}Pooling{rank}D")(**options)
        expected = run(node, [data], "exact")
        assert check(seed, c_calls(node), [data], expected)


@pytest.mark.parametrize("kind", ["conv", "depthwise"])
def test_layers_of_codes(kind: str, compiler: str, ways: Any) -> None:  # noqa: F811
    seen = sum(check_codes(kind, seed, ways(compiler)) for seed in range(24))
    assert seen > 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["conv", "depthwise"])
def test_layers_of_codes_of_many_shapes(kind: str, ways: Any) -> None:  # noqa: F811
    for seed in range(24, 2024):
        check_codes(kind, seed, ways(("gcc", "clang")[seed // 2 % 2]))


def check_codes(kind: str, seed: int, every: Sequence[tuple[str | None, ctypes.CDLL]]) -> int:
    """Check a layer in all ways; return how many of them read a part."""
    calls, inputs, expected = described(layer_of(kind, seed), [target for target, _ in every])
    if not expected.size:
        return 0
    count = 0
    for (_, made), found in zip(every, calls, strict=True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("aidge_nb.kernels.c.compiling.library_of", lambda *_, it=made: it)
            count += check(seed, found, inputs, expected)
    return count

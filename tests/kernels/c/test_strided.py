"""Windows read and write parts of larger tensors where they lie, with the bits of NumPy.

Whatever lies around a part stays as it is, and what is read of it changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory
from aidge_nb.kernels.c import CCall, c_calls
from aidge_nb.kernels.c.compiling import FLAGS, Program
from aidge_nb.kernels.c.strided import reads_at, writes_at
from aidge_nb.kernels.standard import MICROSOFT
from aidge_nb.onnx_io.convert.operator import onnx_node
from tests.kernels.c.machine import differing
from tests.kernels.c.test_fuzz import convolutions, poolings, run
from tests.kernels.c.test_vectors import ALL_SIZES, SIZES, flags_of

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


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
@given(convolutions(), SEEDS)
def test_convolutions_of_numbers_of_many_shapes(drawn: Any, seed: int) -> None:
    kind, options, arrays = drawn
    node = getattr(aidge_nb, kind)(**options)
    expected = run(node, arrays, "exact")
    for size in ALL_SIZES:
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


def coded(
    op_type: str, domain: str, inputs: Sequence[Array], attributes: dict[str, Any]
) -> tuple[Node, Array]:
    """Return a node on codes whose parameters are known, and what NumPy makes of them."""
    categories = [InputCategory.Data, *[InputCategory.Param] * (len(inputs) - 1)]
    node = onnx_node(op_type, categories, attributes, name="node", domain=domain)
    for index, each in enumerate(inputs[1:], 1):
        aidge_nb.Producer(each, name=f"c{index}", constant=True).add_child(node, 0, index)
    view = aidge_nb.sequential([node])
    view.set_backend("exact")
    found = aidge_nb.SequentialScheduler(view).forward(data=[inputs[0]])[0].array
    return node, np.asarray(found)


def window_of(random: Random) -> tuple[list[int], dict[str, Any]]:
    """Draw sizes of an image, and a window that fits."""
    kernel, strides = random.integers(1, 4, 2).tolist(), random.integers(1, 3, 2).tolist()
    pads = [int(random.integers(0, k)) for k in (*kernel, *kernel)]
    sizes = [int(k + random.integers(0, 12)) for k in kernel]
    return sizes, {"kernel_shape": kernel, "strides": strides, "pads": pads}


def of_kind(random: Random, kind: Any, *dims: int) -> Array:
    """Draw codes."""
    limits = np.iinfo(kind)
    return np.asarray(random.integers(limits.min, limits.max + 1, dims), kind)


def ends_of(kind: Any) -> dict[str, int]:
    """Return the attributes that keep results between the least and the largest code."""
    return {"least": np.iinfo(kind).min, "most": np.iinfo(kind).max}


def scale(value: float) -> Array:
    """Return a scale."""
    return np.array(value, np.float32)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("domain", "kind"), [("tflite", np.int8), ("tflite", np.int16), ("", np.int16)]
)
def test_convolutions_of_other_codes(domain: str, kind: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes, attributes = window_of(random)
    groups = int(random.integers(1, 4))
    ins, outs = groups * int(random.integers(1, 4)), groups * int(random.integers(1, 7))
    x = of_kind(random, kind, int(random.choice([1, 1, 2])), ins, *sizes)
    weight = of_kind(random, np.int8, outs, ins // groups, *attributes["kernel_shape"])
    zero = np.array(3 if kind is np.int8 else 0, kind)
    bias = random.integers(-999, 999, outs).astype(np.int32)
    inputs = [
        x,
        scale(0.02),
        zero,
        weight,
        scale(0.01),
        np.array(0, np.int8),
        scale(0.5),
        zero,
        bias,
    ]
    attributes = {**attributes, "group": groups}
    attributes |= ends_of(kind) if domain == "tflite" else {}
    node, expected = coded("QLinearConv", domain, inputs, attributes)
    for target in (None, "cortex-m4", "cortex-m55"):
        check(seed, c_calls(node, target), inputs, expected)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("domain", "kind"),
    [("tflite", np.int8), ("tflite", np.int16), (MICROSOFT, np.uint8), (MICROSOFT, np.int16)],
)
def test_means_of_codes(domain: str, kind: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes, attributes = window_of(random)
    x = of_kind(random, kind, int(random.choice([1, 2])), int(random.integers(1, 5)), *sizes)
    zero = np.array(0 if kind is np.int16 else 3, kind)
    inputs = [x, scale(0.02), zero, scale(0.02), zero][: 1 if domain == "tflite" else 5]
    attributes |= ends_of(kind) if domain == "tflite" else {}
    node, expected = coded("QLinearAveragePool", domain, inputs, attributes)
    (call,) = c_calls(node)
    assert check(seed, (call,), inputs, expected) or call.config != "nb_pool_config"

"""What microcontrollers get for convolutions of codes: packed weights, and the bytes of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.export import TARGETS, export
from aidge_nb.kernels.c import c_calls
from aidge_nb.kernels.c.compiling import Program
from tests.tflite_io.cases import bias, weights, window
from tests.tflite_io.writer import Net


def drawn(seed: int) -> tuple[bytes, tuple[int, ...]]:
    """Draw a convolution or a fully connected layer; return its input dims, too."""
    r = np.random.default_rng(seed)
    rows, columns, channels = (int(size) for size in r.integers(1, 12, 3))
    outs, kernel = int(r.integers(1, 10)), [int(size) for size in r.integers(1, 5, 2)]
    net, kind = Net(), ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")[seed % 3]
    activation = str(r.choice(["NONE", "RELU", "RELU6"]))
    coding: dict[str, Any] = {
        # With the least scale sums are shifted to the left, and most codes are limits.
        "scale": float(r.choice([r.uniform(0.05, 0.5), r.uniform(0.05, 0.5), 0.0002])),
        "zero": int(r.integers(-99, 99)),
    }
    if kind == "FULLY_CONNECTED":
        dims: tuple[int, ...] = (rows, channels)
        x = net.input(dims, scale=0.05, zero=int(r.integers(-128, 128)))
        w, y = (
            weights(net, r, outs, channels, several=bool(seed % 2)),
            net.tensor([rows, outs], **coding),
        )
        net.add(kind, [x, w, bias(net, r, outs)], [y], activation=activation)
        return net.file(y), dims
    dims, step = (1, rows, columns, channels), int(r.integers(1, 4))
    x = net.input(dims, scale=0.05, zero=int(r.integers(-128, 128)))
    found = [1, -(-rows // step), -(-columns // step)]
    options = window(activation, step=step, dilation_w=1, dilation_h=1)
    if kind == "CONV_2D":
        y = net.tensor([*found, outs], **coding)
        w = weights(net, r, outs, *kernel, channels)
    else:
        outs = channels * int(r.integers(1, 3))
        y = net.tensor([*found, outs], **coding)
        w, options = (
            weights(net, r, 1, *kernel, outs, axis=3),
            {**options, "multiplier": outs // channels},
        )
    net.add(kind, [x, w, bias(net, r, outs)], [y], **options)
    return net.file(y), dims


@pytest.mark.parametrize("seed", range(45))
def test_packed_weights_give_the_same_bytes(seed: int) -> None:
    content, dims = drawn(seed)
    view = aidge_nb.load_tflite(content)
    view.set_backend("cpu")
    data = np.random.default_rng(seed).integers(-128, 128, dims).astype(np.int8)
    aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(data)])
    (node,) = (n for n in view.get_nodes() if n.type() in ("QLinearConv", "QGemm"))
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    weight = tensors[3]
    assert weight is not None
    is_depthwise = node.type() == "QLinearConv" and weight.array.shape[1] == 1
    expected = np.asarray(operator.get_output(0).array)
    inputs = [None if t is None or t.undefined() else t.array for t in tensors]
    kind = "depthwise" if is_depthwise else "conv"
    for target, packing in (("cortex-m4", "codes"), ("cortex-m55", "sixteen")):
        calls = c_calls(node, target)
        assert [call.function for call in calls] == [f"nb_{kind}_{packing}_fixed"]
        found = np.full_like(expected, 77)
        Program(calls).run(inputs, [found])
        assert np.array_equal(found, expected), target


FEW = (0, 1, 2, 3, 4, 5)
MORE = tuple(seed for seed in range(26) if seed not in FEW)


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MORE, marks=pytest.mark.slow)])
def test_vectors_of_a_board_give_the_same_bytes(
    tmp_path: Path, need_tools: Callable[..., None], seeds: tuple[int, ...]
) -> None:
    """Convolutions, depthwise ones and products: what an emulated Cortex-M55 computes."""
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    for seed in seeds:
        content, dims = drawn(seed)
        data = np.random.default_rng(seed).integers(-128, 128, dims).astype(np.int8)
        folder = tmp_path / str(seed)
        package = export(aidge_nb.load_tflite(content), folder, target="cortex-m55")
        run = package.run_on(TARGETS["cortex-m55"].board, [data])
        assert run.differing_bits == 0, seed

"""Vectors of the Cortex-M55 take subnormal numbers for 0: results are those of NumPy all the same.

Layers side by side make one network. Their data and weights are drawn so that some of what is read
is subnormal, products underflow, or sums cancel to less than the smallest normal number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb.export import TARGETS, export
from aidge_nb.onnx_io import load_onnx
from aidge_nb.zoo.builder import ModelBuilder
from tests.kernels.c.machine import differing

TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
TARGET = "cortex-m55"
TINY = np.float32(1.17549435e-38)
ODD = np.array([0, -0.0, 1e-45, -1e-40, TINY, -TINY, 3e38, np.inf, np.nan], np.float32)

Array = NDArray[np.float32]


WAYS = ("usual", "tiny", "small", "some tiny", "signs", "some odd", "some usual")


def drawn(random: np.random.Generator, way: str, *dims: int) -> Array:
    """Draw numbers of one of WAYS; odd ones are extreme, infinite, or none."""
    usual = np.asarray(random.standard_normal(dims), np.float32)
    few = random.random(dims) < 0.03
    if way == "tiny":
        return usual * np.float32(4 * TINY)  # differences are subnormal
    if way == "small":
        return usual * np.float32(1e-19)  # products of two are subnormal
    if way == "some tiny":
        return np.where(few, usual * TINY, usual)
    if way == "signs":
        return random.choice(np.array([-1, 0, 1, 0.5], np.float32), dims)
    if way == "some odd":
        return np.where(few, random.choice(ODD, dims), usual)
    return usual if way == "usual" else np.where(few, usual, usual * TINY)


class Layers:
    """Layers side by side, each with an input of its own; all numbers are drawn in some ways."""

    def __init__(self, seed: int, ways: Sequence[str] = WAYS) -> None:
        self.ways = ways
        self.random = np.random.default_rng(seed)
        self.builder = ModelBuilder("layers", seed, opset=20)
        self.data: list[Array] = []
        self.outputs: dict[str, Sequence[int | str]] = {}
        self._number = 0

    def of(self, low: int, high: int) -> int:
        """Draw a size."""
        return int(self.random.integers(low, high + 1))

    def input(self, *dims: int) -> str:
        """Add data."""
        self.data.append(drawn(self.random, self.random.choice(self.ways), *dims))
        return self.builder.input(f"data_{len(self.data)}", dims)

    def known(self, *dims: int) -> str:
        """Add a parameter, which is finite."""
        ways = [way for way in self.ways if "odd" not in way]
        return self.fixed(drawn(self.random, self.random.choice(ways), *dims))

    def fixed(self, values: Any) -> str:
        """Add a parameter of given values."""
        self._number += 1
        return self.builder.constant(f"known_{self._number}", values)

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node."""
        self._number += 1
        return self.builder.node(kind, inputs, f"{kind}_{self._number}", **attributes)

    def show(self, value: str, rank: int) -> None:
        """Let the network return a value."""
        self.outputs[value] = tuple(f"{value}_{axis}" for axis in range(rank))

    def check(self, folder: Path, target: str = TARGET, *, opt: str | None = None) -> set[str]:
        """Compare all results on the board with those of NumPy; return the kernels' names."""
        view = load_onnx(self.builder.build(self.outputs))
        package = export(view, folder, target=target)
        run = package.run_on(TARGETS[TARGET].board, self.data, opt=opt)
        pairs = zip(self.outputs, run.outputs, run.expected, strict=True)
        wrong = {name: differing(found, expected) for name, found, expected in pairs}
        assert [(name, count) for name, count in wrong.items() if count] == []
        return {call.function for call in package.plan.calls}


def conv(
    of: Layers, value: str, ins: int, *, deep: bool = False, kernel: int = 0, least: int = 1
) -> tuple[str, int]:
    """Add a convolution, with what may follow it."""
    outs = ins if deep else of.of(least, least + 18)
    rows, columns = (kernel or of.of(1, 4) for _ in range(2))
    weight = of.known(outs, 1 if deep else ins, rows, columns)
    bias = of.known(outs)
    stride, pads = of.of(1, 3), [rows // 2, columns // 2] * 2
    attributes: dict[str, Any] = {
        "kernel_shape": (rows, columns),
        "pads": pads,
        "strides": (stride, stride),
    }
    attributes |= {"group": ins if deep else 1}
    return of.node("Conv", value, weight, bias, **attributes), outs


def followed(of: Layers, value: str, outs: int) -> str:
    """Add what convolutions and products do as well before they store."""
    way = of.of(0, 4)
    if way == 1:
        return of.node("Relu", value)
    if way == 2:
        return of.node("Clip", value, of.fixed(np.float32(-1e-40)), of.fixed(np.float32(6)))
    if way == 3:
        return of.node("Mul", value, of.known(1, outs, 1, 1))
    if way == 4:
        return of.node("Relu", of.node("Add", value, of.known(1, outs, 1, 1)))
    return value


def convolution(of: Layers) -> None:
    """Add a convolution of any kind."""
    ins, deep = of.of(1, 9), of.of(0, 2) == 0
    value, outs = conv(of, of.input(1, ins, of.of(4, 11), of.of(4, 19)), ins, deep=deep)
    of.show(followed(of, value, outs), 4)


def residual(of: Layers) -> None:
    """Add convolutions behind each other, to which the first result is added."""
    ins, sizes = of.of(1, 6), (of.of(4, 9), of.of(4, 9))
    first, outs = conv(of, of.input(1, ins, *sizes), ins, kernel=3)
    weight = of.known(outs, outs, 1, 1)
    last = of.node("Conv", of.node("Relu", first), weight, of.known(outs))
    of.show(of.node("Relu", of.node("Add", last, first)), 4)


def stack(of: Layers, least: int = 1) -> None:
    """Add convolutions and poolings whose channels may lie side by side."""
    ins = of.of(1, 4)
    value = of.input(1, ins, of.of(9, 14), of.of(9, 14))
    value, outs = conv(of, value, ins, kernel=3, least=least)
    value = followed(of, value, outs)
    kind = ("MaxPool", "AveragePool")[of.of(0, 1)]
    value = of.node(kind, value, kernel_shape=(2, 2), strides=(1, 1))
    value, outs = conv(of, value, outs, deep=of.of(0, 1) == 0, kernel=3, least=least)
    value, outs = conv(of, followed(of, value, outs), outs, kernel=1, least=least)
    of.show(value, 4)


def product(of: Layers) -> None:
    """Add a product of matrices."""
    rows, depth, outs = of.of(1, 9), of.of(1, 30), of.of(1, 37)
    if of.of(0, 1):
        value = of.node("Gemm", of.input(rows, depth), of.known(depth, outs), of.known(outs))
    else:
        value = of.node("MatMul", of.input(rows, depth), of.input(depth, outs))
    of.show(of.node("Relu", value) if of.of(0, 1) else value, 2)


FUNCTIONS = (
    *("Exp", "Log", "Erf", "Tanh", "Sigmoid", "Softplus", "Mish", "Gelu", "Softmax", "LogSoftmax"),
    *("Add", "Mul", "Sub", "Max", "Relu", "Abs", "Sqrt", "Round", "Elu"),
)


def function(of: Layers) -> None:
    """Add a function of each number, of lines of them, or of two."""
    value = of.input(of.of(1, 9), of.of(1, 40))
    kind = of.random.choice(FUNCTIONS)
    pair = kind in ("Add", "Mul", "Sub", "Max")
    of.show(of.node(kind, value, *([of.known(1)] if pair else [])), 2)


def reduction(of: Layers) -> None:
    """Add a reduction, or a normalization."""
    width = of.of(2, 40)
    value = of.input(of.of(1, 9), width)
    kind = of.random.choice(["Max", "Min", "Sum", "Mean", "L2", "LayerNormalization"])
    if kind == "LayerNormalization":
        of.show(of.node(kind, value, of.known(width), of.known(width)), 2)
    else:
        of.show(of.node(f"Reduce{kind}", value, of.fixed(np.array([-1]))), 2)


def pooling(of: Layers) -> None:
    """Add a pooling, a resizing, or a normalization of planes."""
    channels = of.of(1, 9)
    value = of.input(1, channels, of.of(4, 9), of.of(4, 25))
    way = of.of(0, 3)
    if way == 0:
        each = [of.known(channels) for _ in range(3)]
        variance = of.fixed(np.abs(of.random.standard_normal(channels)).astype(np.float32))
        of.show(of.node("BatchNormalization", value, *each, variance), 4)
    elif way == 1:
        sizes = of.fixed(np.array([1, 1, 2, 2], np.float32))
        none = of.fixed(np.array([], np.float32))
        of.show(of.node("Resize", value, none, sizes, mode="linear"), 4)
    else:
        window = {"kernel_shape": (of.of(1, 3), of.of(1, 3)), "strides": (1, of.of(1, 2))}
        of.show(of.node(("MaxPool", "AveragePool")[way - 2], value, **window), 4)


def codes(of: Layers) -> None:
    """Add numbers that become codes, and numbers again."""
    scale = of.fixed(np.float32(of.random.choice([0.1, 1e-38, 3e-41, 2e-38])))
    zero = of.fixed(np.int8(of.of(-5, 5)))
    value = of.node("QuantizeLinear", of.input(of.of(1, 40)), scale, zero)
    of.show(of.node("DequantizeLinear", value, scale, zero), 1)


KINDS: tuple[Callable[[Layers], None], ...] = (
    convolution,
    convolution,
    product,
    residual,
    stack,
    function,
    reduction,
    pooling,
    codes,
)


def test_layers(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools(*TOOLS)
    layers = Layers(3, ["tiny", "signs"])
    for add in (convolution, convolution, convolution, product, product):
        add(layers)
    kernels = layers.check(tmp_path / "layers")
    assert kernels == {
        "nb_conv_depthwise_then_f32",
        "nb_conv_packed_then_f32",
        "nb_matmul_then_f32",
    }


@pytest.mark.slow
@pytest.mark.parametrize("opt", ["-O1", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("seed", range(1, 4))
def test_many_layers(tmp_path: Path, need_tools: Callable[..., None], seed: int, opt: str) -> None:
    """Check 27 layers of drawn shapes at a time."""
    need_tools(*TOOLS)
    layers = Layers(100 * seed + len(opt))
    for _ in range(3):
        for add in KINDS:
            add(layers)
    layers.check(tmp_path / "layers", opt=opt)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_layers_whose_channels_lie_side_by_side(
    tmp_path: Path, need_tools: Callable[..., None], seed: int
) -> None:
    """Check programs for the machine at hand: their plans are run on the board."""
    need_tools(*TOOLS)
    layers = Layers(seed)
    for _ in range(12):
        stack(layers, least=16)
    kernels = layers.check(tmp_path / "layers", "host")
    assert {"nb_conv_last_f32", "nb_depthwise_last_f32"} <= kernels

"""Prints the instructions per multiply-accumulate of single layers on emulated boards.

    python benchmarks/boards.py                    # --target cortex-m4 for one of them

Each layer is a model of its own; one of codes has a QuantizeLinear before and a DequantizeLinear
behind, which count as well. The figure of a peer is from its own publication or was measured apart,
as stated beside it. Instructions are exact and repeat; they are not cycles. It prints what differs
from the bits of NumPy, too: nothing. Needs arm-none-eabi-gcc and qemu-system-arm.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import Path

import numpy as np

from aidge_nb.export import TARGETS, export
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx
from aidge_nb.zoo.builder import ModelBuilder


@dataclass(frozen=True)
class Layer:
    """A layer by the dimensions of its data and weights."""

    name: str
    data: tuple[int, ...]
    weight: tuple[int, ...]
    goals: dict[tuple[str, str], float]  # instructions per MAC, by target and type
    peer: str = ""

    @property
    def is_depthwise(self) -> bool:
        """Tell whether each channel has its own weights."""
        return len(self.data) == 4 and self.weight[1] == 1 < self.data[1]

    @property
    def macs(self) -> int:
        """Number of products."""
        return prod(self.weight) * prod(self.data[2:])


def _goals(m4: tuple[float, float], m55: tuple[float, float]) -> dict[tuple[str, str], float]:
    kinds = ("int8", "float32")
    found = {("cortex-m4", kind): goal for kind, goal in zip(kinds, m4, strict=True)}
    return found | {("cortex-m55", kind): goal for kind, goal in zip(kinds, m55, strict=True)}


LAYERS = (
    Layer(
        "conv 3x3 32-32 @16",
        (1, 32, 16, 16),
        (32, 32, 3, 3),
        _goals((1.6, 3.2), (0.45, 1.3)),
        "M4 int8: CMSIS-NN 1.93",
    ),
    Layer("conv 1x1 64-64 @16", (1, 64, 16, 16), (64, 64, 1, 1), _goals((2.1, 3.2), (0.9, 1.3))),
    Layer("FC 512-256", (1, 512), (256, 512), _goals((1.4, 3.5), (0.3, 1.2))),
    Layer("depthwise 3x3 64 @16", (1, 64, 16, 16), (64, 1, 3, 3), _goals((7.0, 5.0), (4.5, 3.5))),
)


def model_of(layer: Layer, kind: str) -> GraphView:
    """Make the model of a layer, of numbers or of codes."""
    builder = ModelBuilder("layer", 0)
    value = builder.input("data", layer.data)
    random = np.random.default_rng(0)
    attributes = {}
    if len(layer.weight) == 4:
        pad = layer.weight[2] // 2
        attributes = {"kernel_shape": layer.weight[2:], "pads": (pad,) * 4}
        attributes |= {"group": layer.data[1] if layer.is_depthwise else 1}
    outs = layer.weight[0]
    out = (1, outs, *layer.data[2:])
    if kind == "float32":
        weight = builder.constant("weight", random.standard_normal(layer.weight).astype(np.float32))
        bias = builder.constant("bias", random.standard_normal(outs).astype(np.float32))
        if attributes:
            value = builder.node("Conv", [value, weight, bias], "layer", **attributes)
        else:
            value = builder.node("Gemm", [value, weight, bias], "layer", transB=1)
        return load_onnx(builder.build({value: out}))
    scale = builder.constant("scale", np.float32(0.05))
    zero = builder.constant("zero", np.int8(3))
    weight_zero = builder.constant("weight_zero", np.int8(0))
    codes = random.integers(-127, 128, layer.weight).astype(np.int8)
    value = builder.node("QuantizeLinear", [value, scale, zero], "quantize")
    if attributes:
        weight = builder.constant("weight", codes)
        bias = builder.constant("bias", random.integers(-999, 999, outs).astype(np.int32))
        inputs = [value, scale, zero, weight, scale, weight_zero, scale, zero, bias]
        value = builder.node("QLinearConv", inputs, "layer", **attributes)
    else:
        weight = builder.constant("weight", np.ascontiguousarray(codes.T))
        inputs = [value, scale, zero, weight, scale, weight_zero, scale, zero]
        value = builder.node("QLinearMatMul", inputs, "layer")
    value = builder.node("DequantizeLinear", [value, scale, zero], "dequantize")
    return load_onnx(builder.build({value: out}))


def rows(targets: Iterable[str], kinds: Iterable[str]) -> Iterable[tuple[str, ...]]:
    """Measure every layer on every target."""
    for target in targets:
        for kind in kinds:
            for layer in LAYERS:
                with tempfile.TemporaryDirectory() as folder:
                    package = export(model_of(layer, kind), Path(folder) / "layer", target=target)
                    run = package.run_on(TARGETS[target].board)
                found = run.instructions / layer.macs
                goal = layer.goals.get((target, kind))
                yield (
                    f"{target}, {kind}",
                    layer.name,
                    f"{found:.2f}",
                    "" if goal is None else f"{goal:g}",
                    str(run.differing_bits),
                    layer.peer if (target, kind) == ("cortex-m4", "int8") else "",
                )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    boards = [name for name, target in TARGETS.items() if not target.is_host]
    parser.add_argument("--target", action="append", choices=boards)
    parser.add_argument("--type", action="append", choices=["int8", "float32"])
    given = parser.parse_args()
    header = ("target, type", "layer", "instr/MAC", "goal", "differing bits", "peer")
    widths = (22, 22, 10, 6, 15, 24)
    targets = given.target or ("cortex-m4", "cortex-m55")
    kinds = given.type or ("int8", "float32")
    for row in chain([header], rows(targets, kinds)):
        print(
            "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip(),
            flush=True,
        )


if __name__ == "__main__":
    main()

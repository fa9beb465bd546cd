"""Prints what single layers take on emulated boards, and on this machine, beside goals and peers.

    python benchmarks/boards.py                    # --target cortex-m4 for one of them
    python benchmarks/boards.py --cycles           # with estimated cycles, see below
    python benchmarks/boards.py --target host      # times, beside ONNX Runtime on one thread

Each layer is a model of its own; one of codes has a QuantizeLinear before and a DequantizeLinear
behind, which count as well; `alone` is without them, from codes to codes. On boards instructions
per multiply-accumulate are counted: exact, and the same each time; they are not cycles. `--cycles`
estimates these from the instructions that ran and what each costs by ARM's manuals; nothing is
measured on a board. The figure of a peer is from its own publication or was counted apart in the
same emulator, as stated beside it. What is slower than its goal is named with the reason. It prints
what differs from the bits of NumPy, too: nothing. Needs arm-none-eabi-gcc and qemu-system-arm; ONNX
Runtime for this machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import Path

import numpy as np

from aidge_nb.export import TARGETS, BoardRun, estimate_cycles, export
from aidge_nb.export.boards.cycles import ERROR
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx, save_onnx
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


REASONS = {
    ("cortex-m4", "float32", "depthwise 3x3 64 @16"): "a load and a store of each number beside 9 "
    "products, and border columns apart",
    ("cortex-m55", "float32", "depthwise 3x3 64 @16"): "rows of 16 leave border columns, which are "
    "computed one by one",
}
"""Why a layer is slower than its goal, where it is."""
HOST_GOALS = {"int8": 1.2, "float32": 1.15}
"""Time on this machine / that of ONNX Runtime."""

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


def model_of(layer: Layer, kind: str, *, alone: bool = False) -> GraphView:
    """Make the model of a layer, of numbers or of codes; alone it takes and returns codes."""
    builder = ModelBuilder("layer", 0)
    value = builder.input("data", layer.data, "int8" if alone and kind == "int8" else "float32")
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
    if not alone:
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
    if not alone:
        value = builder.node("DequantizeLinear", [value, scale, zero], "dequantize")
    return load_onnx(builder.build({value: out}))


def late(key: tuple[str, str, str], found: float, goal: float | None) -> str:
    """Say why a layer is slower than its goal; nothing when it is not."""
    if goal is None or round(found, 2) <= goal:
        return ""
    return f"slower: {REASONS.get(key, 'not known why')}"


def rows(
    targets: Iterable[str], kinds: Iterable[str], *, cycles: bool = False
) -> Iterable[tuple[str, ...]]:
    """Count for every layer on every board."""
    for target in targets:
        for kind in kinds:
            for layer in LAYERS:
                board = TARGETS[target].board
                with tempfile.TemporaryDirectory() as folder:
                    package = export(model_of(layer, kind), Path(folder) / "layer", target=target)
                    run = package.run_on(board)
                    estimate = estimate_cycles(package, board) if cycles else None
                    alone = run if kind == "float32" else _alone(layer, kind, target, Path(folder))
                found = run.instructions / layer.macs
                goal = layer.goals.get((target, kind))
                spent = "" if estimate is None else f"{estimate.cycles / layer.macs:.2f}"
                peer = layer.peer if (target, kind) == ("cortex-m4", "int8") else ""
                yield (
                    f"{target}, {kind}",
                    layer.name,
                    f"{found:.2f}",
                    f"{alone.instructions / layer.macs:.2f}",
                    "" if goal is None else f"{goal:g}",
                    str(run.differing_bits + (0 if alone is run else alone.differing_bits)),
                    spent,
                    peer or "none published",
                    late((target, kind, layer.name), found, goal),
                )


def _alone(layer: Layer, kind: str, target: str, folder: Path) -> BoardRun:
    """Run a layer without what converts numbers to codes before it, and back behind it."""
    package = export(model_of(layer, kind, alone=True), folder / "alone", target=target)
    return package.run_on(TARGETS[target].board)


def host_rows(kinds: Iterable[str]) -> Iterable[tuple[str, ...]]:
    """Time every layer on this machine, in turn with ONNX Runtime."""
    from export import ORT, seconds, timer

    for layer in LAYERS:
        took = {}
        for kind in ("float32", "int8"):
            with tempfile.TemporaryDirectory() as folder:
                view = model_of(layer, kind)
                path = Path(folder) / "layer.onnx"
                save_onnx(view, path)
                package = export(view, Path(folder) / "layer")
                package.build()
                bits = package.run().differing_bits
                ours = [str(timer(package, 20, 50))]
                theirs = [sys.executable, "-c", ORT, str(path), "20", "50"]
                pairs = [(seconds(ours), seconds(theirs)) for _ in range(5)]
            took[kind] = min(one for one, _ in pairs)
            if kind not in kinds:
                continue
            ratio = statistics.median(one / other for one, other in pairs)
            slow = (
                "" if ratio <= HOST_GOALS[kind] else "slower: see the layer's share of conversions"
            )
            faster = (
                f"{took['float32'] / took['int8']:.1f} x as quick as float"
                if kind == "int8"
                else ""
            )
            yield (
                f"host, {kind}",
                layer.name,
                f"{took[kind] / layer.macs * 1e12:.1f}",
                "",
                f"{HOST_GOALS[kind]:g}",
                str(bits),
                "",
                f"{ratio:.2f} x ONNX Runtime",
                faster or slow,
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--type", action="append", choices=["int8", "float32"])
    parser.add_argument("--cycles", action="store_true", help="estimate cycles as well")
    given = parser.parse_args()
    estimated = f"cycles ±{ERROR:.0%}" if given.cycles else ""
    header = (
        "target, type",
        "layer",
        "instr/MAC",
        "alone",
        "goal",
        "differing bits",
        estimated,
        "peer",
        "",
    )
    widths = (22, 22, 10, 6, 6, 15, 13 if given.cycles else 1, 24, 60)
    targets = given.target or ("cortex-m4", "cortex-m55")
    kinds = given.type or ("int8", "float32")
    boards = [target for target in targets if not TARGETS[target].is_host]
    found = rows(boards, kinds, cycles=given.cycles)
    table = chain([header], found) if boards else iter(())
    if len(boards) < len(targets):
        titles = ("target, type", "layer", "ps/MAC", "", "goal", "differing bits", "", "peer", "")
        table = chain(table, [titles], host_rows(kinds))
    for row in table:
        print(
            "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip(),
            flush=True,
        )


if __name__ == "__main__":
    main()

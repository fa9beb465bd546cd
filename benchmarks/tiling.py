"""What tiling costs and brings: convolutions in panels, the search, and the trade-offs it finds.

Run it as ``python benchmarks/tiling.py``. Seconds are those of this machine; peaks, multiply-
accumulates and ratios are not.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np

import aidge_nb
from aidge_nb import zoo
from aidge_nb.kernels.cpu.panels import multiply
from aidge_nb.tiling import tile_for, tile_layer
from common import write

IMAGES = {
    "lenet": None,
    "squeezenet": None,
    "mobilenet_v2": [1, 3, 224, 224],
    "resnet18": [1, 3, 224, 224],
    "resnet50": [1, 3, 224, 224],
    "densenet_like": None,
    "inception_like": None,
    "shufflenet_like": None,
    "tiling_model": None,
    "mlp": None,
}


def dims_of(name: str) -> list[int]:
    """Give the dims that a model of the zoo was built for."""
    value = zoo.build(name).inputs[0]
    return [dim if isinstance(dim, int) else 1 for dim in value.dims]


def networks() -> None:
    """Search every network, and show what the least peak costs."""
    total = 0.0
    print(f"{'network':<16} {'untiled':>10} {'least':>10} {'MACs':>8} {'front':>6} {'seconds':>8}")
    for name, dims in IMAGES.items():
        view = zoo.load(name)
        view.forward_dims([dims or dims_of(name)], allow_data_dependency=True)
        start = time.perf_counter()
        found = tile_for(view)
        seconds = time.perf_counter() - start
        total += seconds
        print(
            f"{name:<16} {found.untiled.peak:>10,} {found.best.peak:>10,} "
            f"{found.extra_macs:>8.1%} {len(found.front):>6} {seconds:>8.2f}"
        )
        write(
            f"tiling_{name}",
            {
                "untiled": found.untiled.peak,
                "least": found.best.peak,
                "extra_macs": found.extra_macs,
                "front": len(found.front),
                "seconds": seconds,
            },
        )
    print(f"all: {total:.2f} s (promised: less than 5)\n")


def mobilenet() -> None:
    """Fit MobileNetV2 into a fifth of its memory, and show the plan that follows."""
    for halos in (["recompute"], ["cache"]):
        view = zoo.load("mobilenet_v2")
        view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
        found = tile_for(view, memory=1_326_080, halos=halos)
        found.apply(view)
        plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
        print(
            f"mobilenet_v2, halo {halos[0]}: {found.best.grid} tiles up to {found.best.nodes[-1]}, "
            f"planned peak {plan.peak:,}, {found.extra_macs:.2%} more MACs"
        )
    view = zoo.load("mobilenet_v2")
    view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    start = time.perf_counter()
    layers = [node for node in view.topological_order() if "Conv" in node.type()]
    moved = sum(tile_layer(view, node, 65_536).traffic for node in layers)
    seconds = time.perf_counter() - start
    print(f"all {len(layers)} layers in 64 KiB: {moved:,} bytes moved, {seconds:.2f} s\n")


def panels() -> None:
    """Compare products in panels, whose bits do not depend on the tile, with whole ones."""
    random = np.random.default_rng(0)
    print("product in panels / whole product")
    for height, terms, width in ((32, 27, 12544), (64, 576, 3136), (384, 64, 196), (512, 4608, 49)):
        rows = random.random((1, height, terms), np.float32)
        columns = random.random((1, terms, width), np.float32)
        out = np.empty((1, height, width), np.float32)
        ratios = []
        for _ in range(9):
            start = time.perf_counter()
            np.matmul(rows, columns, out=out)
            middle = time.perf_counter()
            multiply(rows, columns, out)
            ratios.append((time.perf_counter() - middle) / (middle - start))
        print(f"  {height} x {terms} x {width}: {median(ratios):.2f}")


if __name__ == "__main__":
    networks()
    mobilenet()
    panels()

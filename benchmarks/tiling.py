"""What tiling costs and brings: networks in less memory, trade-offs, and tiles of single layers.

Run it as ``python benchmarks/tiling.py``. Seconds are processor time of this machine; peaks,
multiply-accumulates and ratios are the same on any. What is promised stands behind each figure.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView
from aidge_nb.kernels.cpu.common.panels import multiply
from aidge_nb.tiling import TilingSearch, tile_for, tile_layer
from common import write
from grids import exhaustive

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
BYTES = {"bytes_per_element": 1, "depthwise_in_place": True, "residual_in_place": True}
"""Assumptions of MCUNetV2's example."""


def dims_of(name: str) -> list[int]:
    """Give the dims that a model of the zoo was built for."""
    value = zoo.build(name).inputs[0]
    return [dim if isinstance(dim, int) else 1 for dim in value.dims]


def network(name: str) -> GraphView:
    """Load a network with known dimensions and a backend."""
    view = zoo.load(name)
    view.set_backend("cpu")
    view.forward_dims([IMAGES[name] or dims_of(name)], allow_data_dependency=True)
    return view


def networks() -> None:
    """Search every network, and show what the least peak costs."""
    total = 0.0
    print(f"{'network':<16} {'untiled':>10} {'least':>10} {'MACs':>8} {'front':>6} {'seconds':>8}")
    for name in IMAGES:
        view = network(name)
        start = time.process_time()
        found = tile_for(view)
        seconds = time.process_time() - start
        total += seconds
        promise = "   (promised: less than 2 s)" if name == "mobilenet_v2" else ""
        print(
            f"{name:<16} {found.untiled.peak:>10,} {found.best.peak:>10,} "
            f"{found.extra_macs:>8.1%} {len(found.front):>6} {seconds:>8.2f}{promise}"
        )
        note(f"tiling_{name}", found, seconds=seconds)
    print(f"fronts of all ten networks: {total:.2f} s (promised: less than 5 s)\n")
    write("tiling_all_fronts", {"seconds": total})


def note(name: str, found: TilingSearch, **more: object) -> None:
    """Write down what a search found."""
    figures: dict[str, object] = {"untiled": found.untiled.peak, "best": found.best.peak}
    write(name, figures | {"extra_macs": found.extra_macs, "front": len(found.front)} | more)


def mobilenet() -> None:
    """Fit MobileNetV2 into a fifth of its memory by one call, plan what follows, and run it."""
    data = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
    for halos in (["recompute"], ["cache"]):
        view = network("mobilenet_v2")
        before = output(view.clone(), data)
        found = tile_for(view, memory=1_326_080, halos=halos)
        found.apply(view)
        peak = aidge_nb.plan_memory(view, view.topological_order(), parts=True).peak
        same = np.array_equal(output(view, data), before)
        print(
            f"mobilenet_v2, halo {halos[0]}: {found.untiled.peak:,} to {peak:,} bytes planned, "
            f"{found.extra_macs:.2%} more MACs, {'the same bits' if same else 'OTHER BITS'}"
        )
        note(f"tiling_mobilenet_v2_{halos[0]}", found, planned=peak, same_bits=same)
    print("  (promised: 6,021,120 to 1,326,080 or less for 10.9 % more MACs or less, bit-equal)\n")


def output(view: GraphView, data: np.ndarray) -> np.ndarray:
    """Run a network once; give its output."""
    return np.array(aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(data)])[0])


def patches() -> None:
    """Weigh MCUNetV2's example: a network of bytes, with halos recomputed and with line buffers."""
    view = network("mobilenet_v2")
    for halos, budget, promise in (
        (["recompute"], 175_616, "171.5 KiB or less at +9.3 % MACs"),
        (["recompute", "cache"], 128 * 1024 - 1, "below 128 KiB at less than +10 %"),
    ):
        found = tile_for(view, memory=budget, halos=halos, **BYTES)
        print(
            f"bytes, halos {' or '.join(halos)}: {found.untiled.peak / 1024:.1f} to "
            f"{found.best.peak / 1024:.1f} KiB, {found.extra_macs:.2%} more MACs "
            f"(promised: 1372.0 KiB to {promise})"
        )
        note(f"tiling_bytes_{halos[-1]}", found)
    print()


def layers() -> None:
    """Choose tiles of every layer of MobileNetV2 for 64 KiB, and compare with all grids weighed."""
    view = network("mobilenet_v2")
    nodes = [node for node in view.topological_order() if "Conv" in node.type()]
    start = time.process_time()
    chosen = [tile_layer(view, node, 65_536) for node in nodes]
    seconds = time.process_time() - start
    shares = []
    for node, choice in zip(nodes, chosen, strict=True):
        moved, used = exhaustive(node, 65_536)
        shares.append(choice.tile_bytes / used if choice.traffic <= moved else 0.0)
    print(
        f"tiles of all {len(nodes)} layers in 64 KiB: {sum(c.traffic for c in chosen):,} bytes "
        f"moved, {seconds:.2f} s; use of the memory / that of the exhaustive optimum: "
        f"{min(shares):.1%} at least (promised: 95 %)\n"
    )
    write("tiling_layers", {"seconds": seconds, "least_share": min(shares)})


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
    patches()
    layers()
    panels()

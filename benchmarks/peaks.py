"""Peak memory of well-known networks: Aidge's layout at its best, and our plans, executed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from aidge_nb import zoo
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    MemoryPlan,
    OptimizeStrategy,
    check_plan,
    check_replay,
    generate_memory,
    generate_memory_auto_concat,
    plan_memory,
)
from aidge_nb.onnx_io import load_onnx, read_onnx
from aidge_nb.onnx_io.read.inputs import resolve_dims
from aidge_nb.recipes import constant_folding
from aidge_nb.runtime import SequentialScheduler, check_execution
from common import write

PROMISED = {
    "resnet50": (7_225_344, None),
    "mobilenet_v2": (6_021_120, 4_816_896),
    "light_densenet121": (7_225_344, None),
    "light_squeezenet": (3_928_576, 3_154_176),
    "squeezenet": (3_928_576, 3_154_176),
    "light_resnet50": (7_225_344, None),
}
"""Bytes that whole tensors need at most, and with rows overwritten as they are consumed."""

PLANS: dict[str, dict[str, bool]] = {
    "copied": {"in_place": False},
    "whole": {},
    "parts": {"parts": True},
    "by rows": {"parts": True, "by_rows": True},
}


def main() -> None:
    """Print the peaks in bytes; with ``--execute`` run all plans in their arena too."""
    execute = "--execute" in sys.argv
    columns = ["aidge best", "aidge whole", *PLANS]
    print(f"{'model':<20}" + "".join(f"{column:>12}" for column in columns) + "  plan")
    for name, model in models():
        view, order = prepared(model)
        aidge, aidge_whole = best_of_aidge(view, order)
        row: dict[str, Any] = {"aidge best": aidge, "aidge whole": aidge_whole}
        equal = []
        for label, options in PLANS.items():
            begin = process_time()
            plan = plan_memory(view, order, **options)
            row.setdefault("seconds", process_time() - begin) if label == "whole" else None
            check_plan(plan)
            check_replay(plan, view, order)
            row[label] = plan.peak
            if execute and is_right(view, plan):
                equal.append(label)
        figures = "".join(f"{row[column]:>12,}" for column in columns)
        print(f"{name:<20}{figures}  {row['seconds'] * 1e3:.0f} ms {verdict(name, row, equal)}")
        write(f"peaks_{name}", {**row, "executed_with_equal_bits": equal})


def verdict(name: str, row: dict[str, Any], equal: list[str]) -> str:
    """Say whether the promised peaks are kept, and what was executed."""
    whole, by_rows = PROMISED.get(name, (row["aidge whole"], None))
    kept = row["whole"] <= whole and (by_rows is None or row["by rows"] <= by_rows)
    best = min(row[label] for label in PLANS) <= row["aidge best"]
    parts = [
        "kept" if kept else "ABOVE the whole-tensor figure",
        "" if best else "ABOVE aidge best",
    ]
    return " ".join([*filter(None, parts), f"({len(equal)} run, same bits)" if equal else ""])


def models() -> Iterator[tuple[str, Any]]:
    """Go over the zoo, and the test models of the ``onnx`` package where it is installed."""
    for name in zoo.MODELS:
        yield name, zoo.build(name)
    try:
        import onnx
    except ImportError:
        return
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for path in sorted(folder.glob("*.onnx")):
        yield path.stem, read_onnx(path)


def prepared(model: Any) -> tuple[GraphView, list[Node]]:
    """Load, fold constants, propagate dimensions and schedule."""
    dims = resolve_dims(model.signature).dims
    view = load_onnx(model)
    constant_folding(view)
    view.forward_dims(dims, True)
    view.set_backend("cpu")
    fill_parameters(view)
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    return view, scheduler.get_sequential_static_scheduling()


def fill_parameters(view: GraphView) -> None:
    """Give parameters without data small random values."""
    generator = np.random.default_rng(0)
    for node in view.get_nodes():
        tensor = node.get_operator().get_output(0)
        if node.type() == "Producer" and not tensor.has_data:
            values = generator.standard_normal(tensor.dims) * 0.05
            tensor.set_array(values.astype(tensor.dtype.numpy))


def is_right(view: GraphView, plan: MemoryPlan) -> bool:
    """Run a plan in its arena, checked at each step; tell if outputs are as in an ordinary run."""
    inputs = random_inputs(view)
    run = check_execution(view, plan, inputs)
    ordinary = SequentialScheduler(view).forward(data=inputs)
    pairs = zip(run.outputs, ordinary, strict=True)
    return all(found.tobytes() == right.array.tobytes() for found, right in pairs)


def random_inputs(view: GraphView) -> list[Any]:
    """Make data for all inputs that have dimensions."""
    generator = np.random.default_rng(1)
    tensors = [g[0].node.get_operator().get_input(g[0].index) for g in view.get_input_groups()]
    return [
        generator.standard_normal(tensor.dims).astype(tensor.dtype.numpy)
        for tensor in tensors
        if tensor is not None and not tensor.undefined()
    ]


def best_of_aidge(view: GraphView, order: list[Node]) -> tuple[int, int]:
    """Lay out as aidge_core 0.10.1 with all its settings; give the best, and that without wrapping.

    Our manager gives the recorded layouts of aidge_core byte by byte (``tests/memory``); what is
    left out is that it lets live values be overwritten.
    """
    peaks: dict[bool, list[int]] = {False: [], True: []}
    for wrap in peaks:
        for generate in (generate_memory, generate_memory_auto_concat):
            for strategy in OptimizeStrategy:
                try:
                    manager = generate(view, order, False, wrap)
                    manager.optimize(strategy)
                except AidgeError:
                    continue
                peaks[wrap].append(manager.get_peak_usage())
    return min(peaks[False] + peaks[True]), min(peaks[False])


if __name__ == "__main__":
    main()

"""How fast the C kernels are: whole networks, on one thread, beside ONNX Runtime.

Run it as ``python benchmarks/c_kernels.py [MODEL ...]``; ``--by-operator`` shows where the time
goes. Both sides take turns; figures are processor time, the best of several runs, so that what else
runs on the machine disturbs little. The graph has its BatchNorms folded into convolutions, as ONNX
Runtime does by itself; bits are compared with those of the exact NumPy kernels.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.tensor import Tensor
from aidge_nb.kernels.c import c_calls
from aidge_nb.kernels.c.compiling import Program
from common import write

MODELS = ("mobilenet_v2", "lenet", "squeezenet", "resnet18", "resnet50", "dinov2_like")
RUNS = 15

Array = np.ndarray[Any, Any]
Step = tuple[str, list[Callable[[], None]]]


def inputs_of(name: str) -> list[Array]:
    """Make data for a model of the zoo."""
    generator = np.random.default_rng(0)
    return [
        generator.standard_normal(
            [dim if isinstance(dim, int) else 1 for dim in value.dims]
        ).astype(np.float32)
        for value in zoo.build(name).inputs
    ]


def graph_of(name: str, arrays: Sequence[Array]) -> aidge_nb.GraphView:
    """Load a model, with its BatchNorms folded and its dimensions known."""
    view = zoo.load(name)
    aidge_nb.fuse_batchnorm(view)
    view.set_backend("exact")
    view.forward_dims([list(array.shape) for array in arrays], allow_data_dependency=True)
    return view


def steps_of(view: aidge_nb.GraphView, arrays: Sequence[Array]) -> tuple[list[Step], Any]:
    """Prepare the calls of every node; also give the last output, and what it should be."""
    scheduler = aidge_nb.SequentialScheduler(view)
    expected = scheduler.forward(data=[Tensor(array) for array in arrays])
    wanted = expected[0].array.copy()
    steps, kept = [], []
    for node in scheduler.get_sequential_static_scheduling():
        if node.type() == "Producer":
            continue
        operator = node.get_operator()
        tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
        reads = [tensor.array if tensor and tensor.has_data else None for tensor in tensors]
        writes: list[Array | None] = []
        for index in range(operator.nb_outputs):
            tensor = operator.get_output(index)
            if tensor.has_data:
                tensor.set_array(np.empty_like(tensor.array))
            writes.append(tensor.array if tensor.has_data else None)
        program = Program(c_calls(node))
        kept.append((program, reads, writes))
        steps.append((node.label, program.bound(reads, writes)))
    return steps, (expected[0].array, wanted, kept)


def run(steps: Sequence[Step]) -> None:
    """Run a network once."""
    for _, calls in steps:
        for call in calls:
            call()


def onnx_runtime(name: str, arrays: Sequence[Array]) -> Callable[[], Any] | None:
    """Prepare ONNX Runtime on one thread; None where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        zoo.build(name).save(path)
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    feeds = {value.name: array for value, array in zip(session.get_inputs(), arrays, strict=True)}
    return lambda: session.run(None, feeds)


def best_of(sides: Sequence[Callable[[], Any]], runs: int = RUNS) -> list[float]:
    """Measure each side in turn, several times; give the best processor time of each."""
    best = [float("inf")] * len(sides)
    for _ in range(runs):
        for index, side in enumerate(sides):
            start = process_time()
            side()
            best[index] = min(best[index], process_time() - start)
    return best


def by_operator(steps: Sequence[Step], *, each: bool) -> None:
    """Show where the time goes."""
    total: dict[str, float] = defaultdict(float)
    for label, calls in steps:
        seconds = sum(best_of(calls, 5))
        total[label.rpartition("(")[2].rstrip(")")] += seconds
        if each:
            print(f"    {label:<48} {1e6 * seconds:8.0f} µs")
    for kind, seconds in sorted(total.items(), key=lambda each: -each[1]):
        print(f"    {kind:<24} {1e3 * seconds:8.2f} ms")


def main() -> None:
    """Measure the models that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--by-operator", action="store_true")
    parser.add_argument("--each", action="store_true", help="with --by-operator: every node")
    options = parser.parse_args()
    for name in options.models:
        arrays = inputs_of(name)
        steps, (found, wanted, _) = steps_of(graph_of(name, arrays), arrays)
        other = onnx_runtime(name, arrays)
        sides = [lambda steps=steps: run(steps), *([other] if other else [])]  # type: ignore[misc]
        ours, *theirs = best_of(sides)
        bits = int(np.count_nonzero(found.view(np.uint32) != wanted.view(np.uint32)))
        ratio = ours / theirs[0] if theirs else float("nan")
        print(f"{name:<16} C {1e3 * ours:8.2f} ms   / ONNX Runtime {ratio:5.2f}   bits {bits}")
        write(f"c_kernels_{name}", {"seconds": ours, "ratio": ratio, "differing": bits})
        if options.by_operator:
            by_operator(steps, each=options.each)


if __name__ == "__main__":
    main()

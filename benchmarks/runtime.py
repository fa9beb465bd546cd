"""How fast models run, beside ONNX Runtime and Aidge: one thread, CPU time, in one process.

    python benchmarks/runtime.py                        # all models
    python benchmarks/runtime.py mobilenet_v2 lstm --rounds 5

The engines take turns, so that all meet the same disturbances; the figure of each is its best
round. ONNX Runtime is needed; Aidge is measured where ``aidge_core``, ``aidge_onnx`` and
``aidge_backend_cpu`` can be imported into the same interpreter. Before anything is measured, our
results are compared with those of ONNX Runtime. Then the model is prepared and run once more while
memory is traced.

ONNX Runtime takes the kernels that suit the processor, and so does NumPy's BLAS, unless
``OPENBLAS_CORETYPE`` names others: it is left out of account. ``--coretype Haswell`` asks for
those of AVX2.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
CORETYPE = "OPENBLAS_CORETYPE"


def settle_blas(arguments: list[str]) -> str | None:
    """Set what BLAS reads when NumPy is imported; give the kernels that the environment named."""
    for name in THREADS:
        os.environ[name] = "1"
    named = os.environ.pop(CORETYPE, None)
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--coretype")
    wanted = parser.parse_known_args(arguments)[0].coretype
    if wanted:
        os.environ[CORETYPE] = wanted
    return named


NAMED = settle_blas(sys.argv[1:])

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from aidge_nb import onnx_backend, zoo  # noqa: E402
from aidge_nb.onnx_io.model import OnnxModel  # noqa: E402
from common import write  # noqa: E402

Array = NDArray[np.float32]
Run = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """A model, the dims of its input, and what is promised: ratios to the other engines."""

    make: Callable[[], OnnxModel]
    dims: tuple[int, ...]
    most: float
    least: float


CASES = {
    "mobilenet_v2": Case(lambda: zoo.mobilenet_v2(size=224), (1, 3, 224, 224), 4.0, 6),
    "resnet50": Case(lambda: zoo.resnet50(size=224), (1, 3, 224, 224), 2.5, 8),
    "squeezenet": Case(lambda: zoo.squeezenet(size=224), (1, 3, 224, 224), 3.0, 4),
    "dinov2": Case(lambda: zoo.dinov2_like(size=224), (1, 3, 224, 224), 1.7, 6),
    "lstm": Case(
        lambda: zoo.lstm_classifier(sequence=50, features=128, hidden=256), (50, 1, 128), 3.0, 1.2
    ),
}


@dataclass(frozen=True)
class Engine:
    """Who runs a model: ``fresh()`` gives what is timed once, and is not timed itself."""

    label: str
    fresh: Callable[[], Run]


@dataclass(frozen=True)
class Row:
    """What was measured of a model: milliseconds of CPU time, and bytes."""

    model: str
    ours: float
    onnx_runtime: float
    aidge: float | None
    difference: float
    arena: int
    parameters: int
    peak: int


def ours(model: OnnxModel, data: Array) -> Engine:
    """Prepare a model here."""
    prepared = onnx_backend.prepare(model.to_proto())
    return Engine("aidge_nb", lambda: lambda: prepared.run([data])[0])


def onnx_runtime(model: OnnxModel, data: Array) -> Engine:
    """Prepare a model in ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.to_bytes(), options, providers=["CPUExecutionProvider"]
    )
    name = session.get_inputs()[0].name
    return Engine("onnxruntime", lambda: lambda: session.run(None, {name: data})[0])


def aidge(name: str, model: OnnxModel, data: Array) -> Engine | None:
    """Prepare a model in Aidge; None where Aidge is not there."""
    needed = ("aidge_core", "aidge_onnx", "aidge_backend_cpu")
    if any(importlib.util.find_spec(each) is None for each in needed):
        return None
    import aidge_backend_cpu  # noqa: F401  # registers itself
    import aidge_core

    aidge_core.Log.set_console_level(aidge_core.Level.Error)
    if name == "lstm":
        return Engine("aidge_backend_cpu", lambda: _aidge_lstm(aidge_core, data))
    import aidge_onnx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        model.save(path)
        graph = aidge_onnx.load_onnx(str(path))
    graph.compile("cpu", aidge_core.dtype.float32, dims=[list(data.shape)])
    scheduler = aidge_core.SequentialScheduler(graph)
    scheduler.generate_scheduling()
    tensor = aidge_core.Tensor(data)

    def run() -> Any:
        scheduler.forward(True, [tensor])
        node, index = graph.get_ordered_outputs()[0]
        return np.array(node.get_operator().get_output(index))

    return Engine("aidge_backend_cpu", lambda: run)


def _aidge_lstm(aidge_core: Any, data: Array) -> Run:
    """Make a layer of the same size in Aidge, with other numbers.

    It is made by hand, for a model from a file with Pop cannot be scheduled there, and anew for
    each round, for its Memorize nodes cannot start over.
    """
    steps, batch, features = data.shape
    hidden = 256
    graph = aidge_core.get_connected_graph_view(aidge_core.LSTM(features, hidden, steps, name="l"))
    aidge_core.expand_metaops(graph)
    nodes = {node.name(): node for node in graph.get_nodes()}
    pop = aidge_core.Pop("pop")
    pop.add_child(nodes["l_input"], 0, 0)
    graph.add(pop)
    graph.set_backend("cpu")
    graph.set_datatype(aidge_core.dtype.float32)
    random = np.random.default_rng(0)
    for node in graph.get_nodes():
        if node.type() == "Producer":
            dims = node.get_operator().get_output(0).dims
            values = 0.05 * random.standard_normal(dims).astype(np.float32)
            node.get_operator().set_output(0, aidge_core.Tensor(values))
    pop.get_operator().set_input(0, aidge_core.Tensor(data))
    for state in ("l_hidden_state", "l_cell_state"):
        zeros = aidge_core.Tensor(np.zeros((batch, hidden), np.float32))
        nodes[state].get_operator().set_input(1, zeros)
    graph.forward_dims([])
    scheduler = aidge_core.SequentialScheduler(graph)
    scheduler.generate_scheduling()
    return lambda: scheduler.forward(False)


def interleaved(engines: list[Engine], rounds: int) -> Iterator[float]:
    """Give the best CPU time of each engine, in milliseconds; they take turns."""
    best = [float("inf")] * len(engines)
    for number in range(rounds + 1):  # the first round fills caches and does not count
        for index, engine in enumerate(engines):
            run = engine.fresh()
            start = time.process_time_ns()
            run()
            if number:
                best[index] = min(best[index], (time.process_time_ns() - start) / 1e6)
    yield from best


def memory(model: OnnxModel, data: Array) -> tuple[int, int, int]:
    """Prepare and run a model; give the planned arena, the parameters, and the peak."""
    prepared = onnx_backend.prepare(model.to_proto())
    tracemalloc.start()
    try:
        prepared.run([data])
        prepared.run([data])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    run = prepared.prepared([data])
    if run is None:
        raise SystemExit("this model cannot be prepared")
    return run.arena_bytes, run.parameter_bytes, peak + run.parameter_bytes


def measure(name: str, rounds: int) -> Row:
    """Run a model on all engines."""
    case = CASES[name]
    model = case.make()
    data = np.random.default_rng(0).standard_normal(case.dims).astype(np.float32)
    engines = [ours(model, data), onnx_runtime(model, data)]
    other = aidge(name, model, data)
    found, right = (np.asarray(engine.fresh()()) for engine in engines[:2])
    difference = float(np.abs(found - right).max()) / max(1.0, float(np.abs(right).max()))
    engines += [other] if other is not None else []
    times = list(interleaved(engines, rounds if name != "lstm" else 5 * rounds))
    return Row(
        name,
        times[0],
        times[1],
        times[2] if len(times) > 2 else None,
        difference,
        *memory(model, data),
    )


def blas() -> str:
    """Say which kernels NumPy's BLAS took, where threadpoolctl can tell."""
    if importlib.util.find_spec("threadpoolctl") is None:
        return "BLAS kernels: not known, install threadpoolctl to see them"
    from threadpoolctl import threadpool_info

    found = [each for each in threadpool_info() if each["user_api"] == "blas"]
    kinds = ", ".join(sorted({str(each.get("architecture", "?")) for each in found}))
    text = f"BLAS kernels: {kinds}"
    if CORETYPE in os.environ:
        return f"{text}, as --coretype asks"
    return text + (f" ({CORETYPE}={NAMED} is left out of account)" if NAMED else "")


def show(rows: list[Row]) -> None:
    """Print the tables, and write the figures."""
    print(
        f"{'model':<13} {'ours':>9} {'ORT':>9} {'ratio':>6} {'<=':>5}   "
        f"{'Aidge':>9} {'ratio':>6} {'>=':>4}   {'difference':>10}"
    )
    for row in rows:
        case = CASES[row.model]
        theirs = "      -" if row.aidge is None else f"{row.aidge:6.1f} ms"
        faster = "     -" if row.aidge is None else f"{row.aidge / row.ours:6.1f}"
        print(
            f"{row.model:<13} {row.ours:6.2f} ms {row.onnx_runtime:6.2f} ms "
            f"{row.ours / row.onnx_runtime:6.2f} {case.most:5.1f}   {theirs:>9} {faster:>6} "
            f"{case.least:4.1f}   {row.difference:10.1e}"
        )
    print(f"\n{'model':<13} {'planned arena':>14} {'parameters':>12} {'peak':>12}  peak / planned")
    for row in rows:
        planned = row.arena + row.parameters
        print(
            f"{row.model:<13} {row.arena:14,} {row.parameters:12,} {row.peak:12,}  "
            f"{row.peak / planned:.3f} (<= 1.1)"
        )
    write("runtime", {"rows": [asdict(row) for row in rows], "blas": blas()})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="*", metavar="model", help=", ".join(CASES))
    parser.add_argument("--rounds", type=int, default=15, help="rounds that count (default: 15)")
    parser.add_argument("--coretype", help="kernels of OpenBLAS (default: those it takes itself)")
    options = parser.parse_args()
    unknown = set(options.models) - set(CASES)
    if unknown:
        parser.error(f"no such model: {', '.join(sorted(unknown))}")
    print(blas())
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"load of the machine before: {load} on {os.cpu_count()} processors\n")
    show([measure(name, options.rounds) for name in options.models or CASES])


if __name__ == "__main__":
    sys.exit(main())

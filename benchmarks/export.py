"""Exported programs beside ONNX Runtime on one thread, and what it takes to make them.

    python benchmarks/export.py [MODEL ...] [--aidge PYTHON]
    python benchmarks/export.py [MODEL ...] --threads N

Both sides run in turn, in processes of their own, and tell the processor time of one inference: the
least of several, for whatever else runs on the machine can only add to it. The C program is built
with the flags of its own Makefile, and must give the bits of the exact NumPy runtime. A name that
ends in ``_int8`` is the network as ONNX Runtime quantizes it (uint8, a scale per channel of the
weights), which both sides compute on integers.

PYTHON is an interpreter that has aidge_export_cpp 0.10.1: its program is built with the flags of
its own CMake file (``-O3 -ffast-math -march=native``), for each data format; the quickest counts.

With ``--threads`` the program is built for N threads too (OpenMP), must give the same bits, and is
timed by the wall's clock beside the one of one thread, in turn. A busy machine tells little of it.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from aidge_nb import fuse_batchnorm, save_onnx, to_integer, zoo
from aidge_nb.export import ExportedPackage, export
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx
from common import write

MODELS = ("lenet", "mobilenet_v2", "mobilenet_v2_int8", "squeezenet", "resnet18", "dinov2_like")
PROMISED = {
    "lenet": 1.0,
    "mobilenet_v2": 1.15,
    "mobilenet_v2_int8": 1.2,
    "squeezenet": 1.3,
    "resnet18": 1.4,
    "dinov2_like": 1.5,
}
"""Times of ONNX Runtime's. Measured with AVX-512 (Zen 4): 0.75, 1.10, 1.08, 1.10 and 1.01 in float;
without it, and where products and sums share their pipes, a fused multiply-add may halve its time.
"""
BUILD = {"lenet": 3.0, "mobilenet_v2": 3.0, "dinov2_like": 6.0}
"""Seconds of processor time that gcc may take to build a program with AVX-512; 4 for the others."""
PAIRS = 5

TIMER = """
#include <stdio.h>
#include <time.h>
#include "{name}.h"
{tensors}
static double seconds(int is_wall)
{{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return is_wall ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec
                   : (double)clock() / CLOCKS_PER_SEC;
}}
int main(int argc, char **argv)
{{
    double least = 1e9;
    (void)argv;
    for (int i = 0; i < {repeats}; ++i) {{
        const double start = seconds(argc > 1);
        for (int j = 0; j < {inner}; ++j) {{
            {name}_forward({call});
        }}
        const double took = (seconds(argc > 1) - start) / {inner};
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


AIDGE_TIMER = """
#include <cstdint>
#include <cstdio>
#include <ctime>
#include "forward.hpp"
static float input[{size}];
int main()
{{
    double least = 1e9;
    {outputs}
    for (int i = 0; i < {size}; ++i) {{
        input[i] = static_cast<float>(i % 17) / 17.0f - 0.5f;
    }}
    for (int i = 0; i < {repeats}; ++i) {{
        const std::clock_t start = std::clock();
        for (int j = 0; j < {inner}; ++j) {{
            model_forward(input{call});
        }}
        const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / {inner};
        least = (took < least) ? took : least;
    }}
    std::printf("%.9f\\n", least);
    return 0;
}}
"""
DFORMATS = ("", "nhwc", "nchw")


def timer(package: ExportedPackage, repeats: int, inner: int, extra: str = "") -> Path:
    """Build a program that times the forward function: by the wall's clock, with an argument."""
    plan, folder, built = package.plan, package.folder, package.build(extra=extra)
    both = (*plan.inputs, *plan.outputs)
    source = built / "timer.c"
    text = TIMER.format(
        name=plan.name,
        tensors="\n".join(f"static float {v.symbol}_[{v.size}];" for v in both),
        call=", ".join(f"{v.symbol}_" for v in both),
        repeats=repeats,
        inner=inner,
    )
    source.write_text(text)
    program, library = built / "timer", built / f"lib{plan.name}.a"
    flags = ["-O2", *extra.split(), f"-I{folder}/include"]
    command = ["gcc", *flags, str(source), str(library), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def seconds(command: list[str]) -> float:
    """Run a side; give the time that it prints."""
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(ran.stdout.split()[-1])


def repeats_of(name: str) -> tuple[int, int]:
    """Say how often a model is timed, and how many inferences are timed together."""
    return (30, 50) if name == "lenet" else (2 if name == "dinov2_like" else 5, 1)


def against_aidge(
    package: ExportedPackage, onnx: Path, python: str, ours: list[str]
) -> dict[str, object]:
    """Export with aidge_export_cpp, and time both programs; nothing where that is not installed."""
    asked = subprocess.run([python, "-c", "import aidge_export_cpp"], capture_output=True)
    if asked.returncode:
        print(f"aidge_export_cpp: NOT RUN, {python} does not have it")
        return {}
    (value,) = package.plan.inputs
    found: dict[str, object] = {}
    for dformat in DFORMATS:
        folder = onnx.parent / f"aidge_{package.plan.name}_{dformat or 'default'}"
        start = time.perf_counter()
        made = aidge_timer(onnx, folder, python, value.dims, dformat, package.plan.name)
        took = time.perf_counter() - start
        if made is None:
            continue
        program, arena = made
        pairs = [(seconds(ours), seconds([str(program)])) for _ in range(PAIRS)]
        ratio = statistics.median(other / one for one, other in pairs)
        if not found or ratio < float(str(found["aidge takes"])):
            found = {
                "aidge takes": round(ratio, 2),
                "aidge data format": dformat or "default",
                "aidge arena": arena,
                "aidge export and build seconds": round(took, 1),
            }
    return found


def aidge_timer(
    onnx: Path, folder: Path, python: str, dims: tuple[int, ...], dformat: str, name: str
) -> tuple[Path, int] | None:
    """Export and build the peer; None where it refuses the model in this data format."""
    shape = "x".join(map(str, dims))
    script = Path(__file__).resolve().with_name("export_aidge.py")
    words = [python, str(script), str(onnx), str(folder), shape, *([dformat] if dformat else [])]
    # It leaves files where it is started.
    if subprocess.run(words, cwd=onnx.parent, capture_output=True).returncode:
        return None
    header = (folder / "dnn" / "include" / "forward.hpp").read_text()
    kinds = re.findall(r"(\w+)\*\*", header)
    repeats, inner = repeats_of(name)
    source = folder / "timer.cpp"
    source.write_text(
        AIDGE_TIMER.format(
            size=math.prod(dims),
            outputs=" ".join(f"{kind} *o{n};" for n, kind in enumerate(kinds)),
            call="".join(f", &o{n}" for n in range(len(kinds))),
            repeats=repeats,
            inner=inner,
        )
    )
    sources = [str(path) for path in sorted((folder / "dnn" / "src").rglob("*.cpp"))]
    program = folder / "timer"
    flags = ["-std=c++17", "-w", "-O3", "-ffast-math", "-march=native"]
    folders = [f"-I{folder}/dnn", f"-I{folder}/dnn/include", f"-I{folder}"]
    command = ["g++", *flags, *folders, str(source), *sources, "-o", str(program)]
    subprocess.run(command, check=True)
    forward = (folder / "dnn" / "src" / "forward.cpp").read_text()
    arenas = re.findall(r"static unsigned char mem_\d+\[(\d+)\]", forward)
    return program, sum(map(int, arenas))


def quantized(name: str, path: Path) -> GraphView:
    """Write a network as ONNX Runtime quantizes it, and return it on integers."""
    from onnxruntime.quantization import QuantType, quantize_static

    from quantization import Samples

    view = load_onnx(zoo.build(name))
    fuse_batchnorm(view)
    plain = path.with_name("float.onnx")
    save_onnx(view, plain, opset=17)
    (value,) = zoo.build(name).graph.inputs
    dims = [int(size or 1) for size in value.dims or ()]
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(dims).astype(np.float32) for _ in range(4)]
    reader = Samples(value.name, arrays)
    quantize_static(plain, path, reader, per_channel=True, activation_type=QuantType.QUInt8)
    found = load_onnx(path)
    to_integer(found)
    return found


def measured(name: str, folder: Path, aidge: str) -> dict[str, object]:
    """Export a model, and time it beside its peers."""
    path = folder / f"{name}.onnx"
    plain = name.removesuffix("_int8")
    model = zoo.build(plain)
    view = None if plain == name else quantized(plain, path)
    if view is None:
        path.write_bytes(model.to_bytes())
    start, cpu = time.perf_counter(), time.process_time()
    package = export(view or load_onnx(model), folder / name, name=name)
    exported, used = time.perf_counter() - start, time.process_time() - cpu
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    package.build()
    built, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    compiled = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not package.run().is_equal:
        raise SystemExit(f"{name}: the bits differ")
    repeats, inner = repeats_of(name)
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
        "build processor seconds": round(compiled, 2),
        "promised build processor seconds": BUILD.get(name, 4.0),
        "seconds": min(one for one, _ in pairs),
        "onnxruntime seconds": min(other for _, other in pairs),
        "ratio": statistics.median(ratios),
        "lowest ratio": min(ratios),
        "highest ratio": max(ratios),
        "promised": PROMISED.get(name),
        **(against_aidge(package, path, aidge, ours) if aidge else {}),
    }


def threaded(name: str, folder: Path, count: int) -> dict[str, object]:
    """Export a model, and time it on several threads beside one, by the wall's clock."""
    plain = name.removesuffix("_int8")
    view = quantized(plain, folder / f"{name}.onnx") if plain != name else None
    package = export(view or load_onnx(zoo.build(plain)), folder / name, name=name)
    extra = f"-fopenmp -DNB_THREADS={count}"
    if package.run(extra=extra).differing_bits:
        raise SystemExit(f"{name}: the bits of {count} threads differ")
    one, many = (str(timer(package, *repeats_of(name), flags)) for flags in ("", extra))
    pairs = [(seconds([one, "wall"]), seconds([many, "wall"])) for _ in range(PAIRS)]
    ratios = [other / single for single, other in pairs]
    return {
        "model": name,
        "threads": count,
        "seconds": min(other for _, other in pairs),
        "one thread seconds": min(single for single, _ in pairs),
        "ratio": statistics.median(ratios),
        "lowest ratio": min(ratios),
        "highest ratio": max(ratios),
    }


def main() -> None:
    """Print a line per model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    parser.add_argument("--aidge", default="", metavar="PYTHON", help="has aidge_export_cpp")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="beside one thread")
    options = parser.parse_args()
    if options.threads > 1:
        # Each thread on a processor of its own: else two may take turns on one of them. Threads
        # that wait in a loop keep others from running, where processors are busy.
        os.environ.setdefault("OMP_PROC_BIND", "true")
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            if options.threads > 1:
                found = threaded(name, Path(folder), options.threads)
                write(f"export_{name}_threads", found)
                print(
                    f"{name:<18} {options.threads} threads {found['ratio']:.2f} × one, wall time "
                    f"({found['lowest ratio']:.2f} to {found['highest ratio']:.2f}); bits equal"
                )
                continue
            found = measured(name, Path(folder), options.aidge)
            write(f"export_{name}", found)
            print(
                f"{name:<16} {found['ratio']:.2f} × onnxruntime, one thread "
                f"({found['lowest ratio']:.2f} to {found['highest ratio']:.2f}, promised "
                f"{found['promised']}); arena {found['arena']} bytes; export "
                f"{found['export processor seconds']} s, build "
                f"{found['build processor seconds']} s of processor time (promised "
                f"{found['promised build processor seconds']})"
            )
            if "aidge takes" in found:
                print(
                    f"{'':<16} aidge_export_cpp, {found['aidge data format']} format: "
                    f"takes {found['aidge takes']} times as long as ours; "
                    f"arena {found['aidge arena']} bytes"
                )


if __name__ == "__main__":
    main()

"""The five queries of seed 003 on a vision transformer: fusing, and all that comes before a plan.

The peaks before and after come first: of plans, and of the layout as the seed asks for it.
``--aidge PYTHON`` names an interpreter that can import aidge_core and aidge_onnx: fusing is then
compared with theirs, on the same file.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from aidge_nb import (
    GraphView,
    SequentialScheduler,
    fuse_to_metaops,
    generate_optimized_memory_info,
    load_onnx,
    zoo,
)
from common import Side, code, compare, show, write

PROMISED = {"unfused": 5_131_776, "fused": 4_340_736}
"""Bytes at most, with nothing in place: what is alive at once in file order, and aidge_core's."""

LOAD = """
import time
from aidge_nb import fuse_to_metaops, load_onnx, zoo
model = load_onnx(zoo.dinov2_like())
"""
AIDGE = """
import time
import aidge_core
from aidge_core import fuse_to_metaops
from aidge_onnx import load_onnx
aidge_core.Log.set_console_level(aidge_core.Level.Fatal)
model = load_onnx({path!r})
"""
QUERIES = """
queries = {
    "Linear": "MatMul-*>Add",
    "LayerNorm": "ReduceMean-*>Sub#1~>(Pow#1->ReduceMean-*>Add#1->Sqrt)-*>Div#1-*>Mul#1-*>Add#2;"
    "Sub#1~*>Div#1;Pow#1<1~Producer;Add#1<*~Producer;Mul#1<*~Producer;Add#2<*~Producer;Sub#1~>$",
    "ScaledDotProductAttention": "MatMul->Div#1->Softmax-*>MatMul;Div#1<1~Producer",
    "MultiHeadAttention": "ScaledDotProductAttention#1->Transpose->Reshape#1->Linear;"
    "Reshape#1<1~Producer;ScaledDotProductAttention#1<0-(Transpose<-Reshape#2<-Add#1);"
    "ScaledDotProductAttention#1<1-(Transpose<-Reshape#3<-Add#2);"
    "ScaledDotProductAttention#1<2-(Transpose<-Reshape#4<-Add#3);Reshape#2<1~Producer;"
    "Add#1<*-0-Split#1;Add#2<*-1-Split#1;Add#3<*-2-Split#1;Split#1<-MatMul;Split#1<1~Producer",
    "GeLU": "Div#1->Erf->Add#1-*>Mul->Mul#2;Div#1<1~Producer;Add#1<*~Producer;Mul#2<*~Producer",
}
"""
FUSE = "counts = [fuse_to_metaops(model, query, kind) for kind, query in queries.items()]\n"
CHECK = "assert counts == [36, 25, 12, 12, 12], counts\n"
RESTART = "_start = time.perf_counter()\n"
PLAN = """
from aidge_nb import SequentialScheduler
model.set_backend("cpu")
model.forward_dims([[1, 3, 224, 224]], True)
scheduler = SequentialScheduler(model)
scheduler.generate_scheduling()
scheduler.plan_memory(in_place=False)
"""


def peaks(graph: GraphView) -> dict[str, int]:
    """Lay out the memory of a graph in three ways; give the peaks in bytes."""
    graph.set_backend("cpu")
    graph.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    scheduler = SequentialScheduler(graph)
    scheduler.generate_scheduling()
    as_in_the_seed, _ = generate_optimized_memory_info(scheduler, wrapping=False)
    return {
        "nothing in place": scheduler.plan_memory(in_place=False).peak,
        "as in the seed": as_in_the_seed,
        "in place": scheduler.plan_memory().peak,
    }


def show_peaks() -> None:
    """Print the peaks before and after the fusions, beside what is promised."""
    graph = load_onnx(zoo.dinov2_like())
    found = {"unfused": peaks(graph)}
    namespace: dict[str, dict[str, str]] = {}
    exec(QUERIES, namespace)  # the text is what fresh interpreters run
    for kind, query in namespace["queries"].items():
        fuse_to_metaops(graph, query, kind)
    found["fused"] = peaks(graph)
    for state, figures in found.items():
        listed = ", ".join(f"{how} {peak:,}" for how, peak in figures.items())
        print(f"{state:<8} {listed} bytes; promised <= {PROMISED[state]:,}")
    write("queries_peaks", {**found, "promised": PROMISED})


def aidge(python: str, path: Path) -> Side:
    """Measure the five fusions of aidge_core in another interpreter."""
    program = AIDGE.format(path=str(path)) + QUERIES + RESTART + FUSE + CHECK
    program += "print(time.perf_counter() - _start)"

    def measure() -> float:
        ran = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True)
        return float(ran.stdout.split()[-1])

    return Side("aidge_core", measure)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aidge", metavar="PYTHON", help="interpreter that has aidge_core")
    options = parser.parse_args()
    show_peaks()
    fused = code("five fusions", LOAD + QUERIES + RESTART + FUSE + CHECK)
    loaded = code("load_onnx of the same model", LOAD.replace("model =", RESTART + "model ="))
    found = [compare("queries", fused, loaded, limit=1.0)]
    whole = code("load, fuse, schedule, plan", LOAD + QUERIES + FUSE + PLAN)
    imports = code("import of the library", "from aidge_nb import memory, onnx_io, zoo")
    found.append(compare("queries whole", whole, imports, limit=10.0))
    if options.aidge:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "dinov2_like.onnx")
            zoo.dinov2_like().save(path)
            theirs = aidge(options.aidge, path)
            found.append(compare("queries aidge", fused, theirs, limit=5.0))
    show(*found)


if __name__ == "__main__":
    main()

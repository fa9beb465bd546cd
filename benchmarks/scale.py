"""How costs grow: a network in 14 × 14 tiles, and reports of long chains.

Times are processor time of this machine; ratios mean something on any.
"""

import sys
import tempfile
import time
from pathlib import Path

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView
from aidge_nb.tiling import apply_tiling, between, plan_tiling
from common import command, compare, show, write

REPORT = "import sys; from aidge_nb.cli import main; sys.exit(main(sys.argv[1:]))"


def in_tiles(parts: int) -> GraphView:
    """Cut the network of 33 operators into as many rows as columns of tiles."""
    view = zoo.load("inception_like")
    view.set_backend("cpu")
    view.forward_dims([[1, 3, 32, 32]])
    nodes = between(view, view.get_node("stem"), view.get_node("cell1_concat"))
    apply_tiling(view, plan_tiling(view, nodes, {2: parts, 3: parts}))
    return view


def tiles() -> None:
    """Plan the network in tiles, in topological and in the scheduler's order."""
    view = in_tiles(14)
    orders = {"topological": view.topological_order(), "default": aidge_nb.static_schedule(view)}
    for name, order in orders.items():
        start = time.process_time()
        plan = aidge_nb.plan_memory(view, order, parts=True)
        seconds = time.process_time() - start
        print(f"14 x 14 tiles, {name} order: {seconds:.2f} s, {plan!r}")
        write(f"scale_tiles_{name}", {"seconds": seconds, "peak": plan.peak})


def chain(folder: str, count: int) -> list[str]:
    """Write a chain of nodes; return the command that reports on it."""
    model = Path(folder, f"chain_{count}.onnx")
    view = aidge_nb.sequential([aidge_nb.ReLU(name=f"relu{i}") for i in range(count)])
    view.forward_dims([[1, 8]])
    aidge_nb.save_onnx(view, model)
    page = str(Path(folder, "report.html"))
    return [sys.executable, "-c", REPORT, "report", str(model), "-o", page, "--quiet"]


def chains() -> None:
    """Compare reports of chains of 8,000 and of 2,000 nodes."""
    with tempfile.TemporaryDirectory() as folder:
        many = command("8,000 nodes", chain(folder, 8_000))
        few = command("2,000 nodes", chain(folder, 2_000))
        show(compare("report_chain", many, few, limit=4.5, pairs=5))


if __name__ == "__main__":
    tiles()
    chains()

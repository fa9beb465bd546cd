"""What static scheduling costs, beside aidge_core where there is one, and how little loops matter.

``--aidge PYTHON`` names an interpreter that can import aidge_core and aidge_backend_cpu. Measured
is the time of the processor, in a fresh process each time, after the same was done with a small
model, without building the graph. What takes less than a few milliseconds on both sides is done to
several graphs in each process, and the median taken: a single one is at the mercy of the caches.

- ``schedule_*`` is `generate_scheduling()` alone. aidge_core computes early and late steps in it,
  we when they are first asked for;
- ``steps_*`` is that with all steps known, on both sides;
- ``fold_*`` is writing the factorized diagram of what was scheduled before;
- ``both_*`` is scheduling, steps and the factorized diagram together.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from common import Result, Side, compare, show, write

LSTM = """
def build(length):
    cell = aidge.LSTM(in_channels=4, hidden_channels=8, seq_length=length)
    model = aidge.get_connected_graph_view(cell)
    aidge.expand_metaops(model)
    return model
"""

CHAIN = """
def build(length):
    return aidge.sequential([aidge.ReLU(name=f"relu{i}") for i in range(length)])
"""

PIPELINE = """
class Lines(aidge.ProdConso):
    def __init__(self, op):
        aidge.ProdConso.__init__(self, op, False)
        self.begun = False
    def get_nb_required_data(self, input_idx):
        input = self.get_operator().get_input(input_idx)
        if input is None:
            return aidge.Elts_t.none_elts()
        return aidge.Elts_t.data_elts((1 if self.begun else 3) * width)
    def get_required_memory(self, output_idx, inputs_size):
        self.begun = True
        return aidge.Elts_t.data_elts(width)

class Impl(aidge.OperatorImpl):
    def __init__(self, op):
        aidge.OperatorImpl.__init__(self, op, "cpu")
    def get_prod_conso(self):
        return Lines(self.get_operator())

width = 16

def build(length):
    category = aidge.InputCategory
    ports = [category.Data, category.OptionalParam, category.OptionalParam]
    nodes = [aidge.Producer([1, 3, length, width], name="dataProvider")]
    nodes += [aidge.GenericOperator("Lines", ports, 1, name=f"conv{i}") for i in (1, 2, 3)]
    model = aidge.sequential(nodes)
    for node in model.get_nodes():
        if node.type() == "Lines":
            node.get_operator().set_impl(Impl(node.get_operator()))
            node.get_operator().set_forward_dims(lambda dims: [dims[0]])
    model.forward_dims()
    return model
"""

MEASURE = """
import sys, time
{imports}
{build}
def scheduler(length):
    model = build(length)
    {backend}
    return aidge.SequentialScheduler(model)
small = scheduler(8)
{warm}
times = []
for measured in [scheduler({length}) for _ in range({graphs})]:
    {first}
    start = time.process_time()
    {act}
    times.append(time.process_time() - start)
print(sorted(times)[len(times) // 2])
"""

OURS = "import aidge_nb as aidge"
AIDGE = """import aidge_core as aidge, aidge_backend_cpu
aidge.Log.set_console_level(aidge.Level.Fatal)"""

GENERATE = "measured.generate_scheduling()"
STEPS = f"{GENERATE}; measured.schedule()"
SAVE = "measured.save_factorized_static_scheduling_diagram(sys.argv[1])"
BOTH = f"{GENERATE}; {SAVE}"


FEW, MANY = 1, 15
"""Graphs per process; many where one takes a millisecond or so on both sides."""


def side(
    python: str | None, build: str, length: int, act: str = GENERATE, graphs: int = FEW
) -> Side:
    """Measure ours, or aidge_core in another interpreter."""
    program = MEASURE.format(
        imports=AIDGE if python else OURS,
        build=build,
        backend='model.set_backend("cpu")' if python and build is not PIPELINE else "pass",
        length=length,
        warm=(GENERATE + "; " + act if act is SAVE else act).replace("measured", "small"),
        first=GENERATE if act is SAVE else "pass",
        graphs=graphs,
        act=act,
    )

    def measure() -> float:
        ran = subprocess.run(
            [python or sys.executable, "-c", program, str(RESULTS_FILE)],
            check=True,
            capture_output=True,
            text=True,
        )
        return float(ran.stdout.split()[-1])

    return Side("aidge_core" if python else f"aidge_nb, {length}", measure)


RESULTS_FILE = Path(__file__).resolve().parent / "results" / "scheduling"


def with_aidge(python: str) -> list[Result]:
    """Compare with aidge_core."""
    cases = [
        ("lstm_100", LSTM, 100, 1.0, FEW, 5),
        ("lstm_400", LSTM, 400, 0.1, FEW, 5),
        ("lstm_1000", LSTM, 1000, 0.02, FEW, 5),
        ("lstm_4000", LSTM, 4000, 0.001, FEW, 7),
        ("chain_100", CHAIN, 100, 5.0, MANY, 9),
        ("chain_1000", CHAIN, 1000, 5.0, FEW, 5),
        ("pipeline_16", PIPELINE, 16, 5.0, MANY, 9),
        ("pipeline_1000", PIPELINE, 1000, 1.0, FEW, 5),
    ]
    results = [
        compare(
            f"schedule_{name}",
            side(None, build, length, graphs=graphs),
            side(python, build, length, graphs=graphs),
            limit=limit,
            pairs=pairs,
        )
        for name, build, length, limit, graphs, pairs in cases
    ]
    for length, limit in ((400, 0.2), (1000, 0.05), (4000, 0.001)):
        ours, theirs = (side(each, LSTM, length, SAVE) for each in (None, python))
        results.append(compare(f"fold_lstm_{length}", ours, theirs, limit=limit, pairs=3))
    for name, build, length, limit, graphs, pairs in (
        ("chain_100", CHAIN, 100, 5.0, MANY, 9),
        ("chain_1000", CHAIN, 1000, 5.0, FEW, 5),
        ("pipeline_16", PIPELINE, 16, 5.0, MANY, 9),
        ("lstm_4000", LSTM, 4000, 0.001, FEW, 7),
    ):
        steps = side(None, build, length, STEPS, graphs)
        plain = side(python, build, length, graphs=graphs)
        results.append(compare(f"steps_{name}", steps, plain, limit=limit, pairs=pairs))
    ours, theirs = (side(each, LSTM, 4000, BOTH) for each in (None, python))
    results.append(compare("both_lstm_4000", ours, theirs, limit=0.001, pairs=3))
    return results


def alone() -> list[Result]:
    """Compare long loops with short ones."""

    def sides(build: str, act: str) -> list[Side]:
        return [side(None, build, length, act, MANY) for length in (10**6, 10**2)]

    return [
        compare("schedule_lstm_long", *sides(LSTM, GENERATE), limit=1.5),
        compare("steps_lstm_long", *sides(LSTM, STEPS), limit=1.5),
        compare("schedule_pipeline_long", *sides(PIPELINE, GENERATE), limit=1.5),
        compare("fold_lstm_long", *sides(LSTM, SAVE), limit=1.5),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aidge", metavar="PYTHON", help="interpreter that has aidge_core")
    options = parser.parse_args()
    RESULTS_FILE.parent.mkdir(exist_ok=True)
    nodes = 10_000
    seconds = min(side(None, CHAIN, nodes).measure() for _ in range(5))
    print(f"{nodes:,} nodes in a row: {seconds:.3f} s (promised < 1 s)")
    write("schedule_10000_nodes", {"seconds": seconds, "limit": 1.0})
    show(*alone(), *(with_aidge(options.aidge) if options.aidge else []))


if __name__ == "__main__":
    main()

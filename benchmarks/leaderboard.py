"""Our planner beside each solver that is installed, on the same problems: peak, proof, time.

    python benchmarks/leaderboard.py [--time-limit S] [--minimalloc FOLDER] [--only NAME ...]
                                     [--save FILE]

Problems: `NAME.CAPACITY.csv` below FOLDER (those of google/minimalloc, folder `benchmarks/`; the
examples in our tests if left out), packings of 450 to 700 buffers whose optimum is known, networks
of the zoo, and live ranges of real networks. Then orders: on randomly wired cells the least peak
of live bytes, by the orders that the library knows. Solvers that are missing are named, with how
to get them. The table is printed, and written with a picture to `results/leaderboard.*`: after
each problem, so that a run that was ended keeps what it had. `--save docs/solvers.json` records
the table for the documentation (`python docs/solvers.py`).
"""

from __future__ import annotations

import argparse
import json
import re
from argparse import RawDescriptionHelpFormatter as RawText
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from time import perf_counter

import aidge_nb
from aidge_nb import zoo
from aidge_nb.advice.relayout import blocks_of
from aidge_nb.cli.text import say, table
from aidge_nb.memory import ContestResult, Leaderboard, LiveRange, compare_solvers, read_problem
from aidge_nb.memory.contest.board import TITLES, ranked
from aidge_nb.scheduling.order.order_result import order_for_memory
from aidge_nb.widgets.still.leaderboard import leaderboard_svg
from common import RESULTS
from orders import of_zoo, random_cell

OURS = Path(__file__).parents[1] / "tests" / "memory" / "place" / "data"
PACKINGS = ((1, 450), (2, 500), (3, 550), (4, 600), (5, 700))
"""Seed and number of buffers of each packing."""

CELLS = ((16, 0), (32, 0), (32, 1))
"""Number of nodes and seed of each randomly wired cell."""

ORDER_SECONDS = 30.0
"""Longest search for the order of a cell."""

Box = tuple[int, int, int, int]


def packing(seed: int, pieces: int, ticks: int = 400, units: int = 1024) -> list[LiveRange]:
    """Cut a rectangle of 1 MiB at random, now and then into a pinwheel of five."""
    draw = Random(seed)
    boxes: list[Box] = [(0, ticks, 0, units)]
    while len(boxes) < pieces:
        areas = [(b - a) * (d - c) for a, b, c, d in boxes]
        at = draw.choices(range(len(boxes)), areas)[0]
        boxes[at : at + 1] = _cut(draw, *boxes[at])
    draw.shuffle(boxes)
    return [LiveRange(left, right, 1024 * (top - low)) for left, right, low, top in boxes]


def _cut(draw: Random, left: int, right: int, low: int, top: int) -> list[Box]:
    if min(right - left, top - low) >= 4 and draw.random() < 0.25:
        a, c = sorted(draw.sample(range(left + 1, right), 2))
        b, d = sorted(draw.sample(range(low + 1, top), 2))
        around = [(left, c, low, b), (c, right, low, d), (a, right, d, top), (left, a, b, top)]
        return [*around, (a, c, b, d)]
    if right - left > 1 and (top - low == 1 or draw.random() < 0.5):
        tick = draw.randrange(left + 1, right)
        return [(left, tick, low, top), (tick, right, low, top)]
    if top - low == 1:
        return [(left, right, low, top)]
    cut = draw.randrange(low + 1, top)
    return [(left, right, low, cut), (left, right, cut, top)]


def problems(folder: Path) -> Iterator[tuple[str, Mapping[str, LiveRange] | list[LiveRange]]]:
    """Yield the placement problems with their names."""
    for name in zoo.MODELS:
        graph = of_zoo(name)
        yield name, blocks_of(aidge_nb.plan_memory(graph, aidge_nb.static_schedule(graph)))[0]
    for path in sorted((OURS / "nn").glob("*_plain.*.csv")):
        yield path.stem.partition(".")[0], read_problem(path.read_text("utf-8"), path.name)
    for path in sorted(folder.rglob("*.*.csv")):
        yield path.stem.partition(".")[0], read_problem(path.read_text("utf-8"), path.name)
    for seed, pieces in PACKINGS:
        yield f"packing {pieces}", packing(seed, pieces)


def orders() -> list[ContestResult]:
    """Compare orders of randomly wired cells: peaks of live bytes, the bound proven by the search.

    The cells are those on which SERENITY was measured (Ahn et al., MLSys 2020), in our sizes.
    """
    results: list[ContestResult] = []
    for count, seed in CELLS:
        name = f"wired {count} #{seed}"
        view = random_cell(count, seed, (8, 16, 32))
        begin = perf_counter()
        scheduler = aidge_nb.Scheduler(view)
        scheduler.generate_scheduling()
        order = scheduler.get_sequential_static_scheduling()
        scheduled = perf_counter() - begin
        begin = perf_counter()
        found = order_for_memory(view, order, time_limit=ORDER_SECONDS)
        took = perf_counter() - begin
        size, bound = len(order), found.lower_bound
        results += ranked(
            [
                ContestResult(name, "default order", size, found.default_bytes, bound, scheduled),
                ContestResult(name, "order of least memory", size, found.peak_bytes, bound, took),
            ]
        )
    return results


def write(targets: Sequence[Path], board: Leaderboard, wired: Leaderboard) -> None:
    """Write what was found so far as JSON, a result on each line."""
    everything = {"placement": board.to_dict(), "orders": wired.to_dict()}
    text = re.sub(r"\n {8,}|\n {6}(?=})", " ", json.dumps(everything, indent=2))
    for target in targets:
        target.write_text(text + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RawText)
    parser.add_argument("--time-limit", type=float, default=10.0, metavar="S")
    parser.add_argument("--minimalloc", type=Path, default=OURS / "minimalloc", metavar="FOLDER")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="solvers; all if left out")
    parser.add_argument("--save", type=Path, metavar="FILE", help="where to write the JSON, too")
    options = parser.parse_args(arguments)
    targets = [RESULTS / "leaderboard.json", *([options.save] if options.save else [])]
    RESULTS.mkdir(exist_ok=True)
    wired = Leaderboard(tuple(orders()), {}, ORDER_SECONDS)
    board = Leaderboard((), {}, options.time_limit)
    for name, buffers in problems(options.minimalloc):
        found = compare_solvers(
            {name: buffers},
            time_limit=options.time_limit,
            only=options.only,
            watch=lambda r: say(f"{r.problem}: {r.solver}: {r.peak or '-'}, {r.seconds:.2f} s\n"),
        )
        board = Leaderboard(board.results + found.results, found.missing, options.time_limit)
        write(targets, board, wired)
    say("\n" + table(TITLES, board.rows(), names=3))
    for solver in board.solvers:
        of_it = [each for each in board.results if each.solver == solver]
        say(f"{solver}: {sum(e.is_optimal for e in of_it)} of {len(of_it)} proven optimal\n")
    for line in board.how_to_get():
        say(line + "\n")
    say("\n" + table(TITLES, wired.rows(), names=3))
    (RESULTS / "leaderboard.svg").write_text(leaderboard_svg(board), "utf-8")
    say(f"\n{RESULTS / 'leaderboard.svg'}\n")


if __name__ == "__main__":
    main()

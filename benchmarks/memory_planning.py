"""How near to the lower bound plans come, and what that costs, on a folder of problems.

    python benchmarks/memory_planning.py FOLDER [--time-limit S] [--solver auto|numpy|cp-sat]

Every ``NAME.CAPACITY.csv`` below FOLDER (``id,lower,upper,size``, as minimalloc) is planned twice:
by one pass of first fit, largest buffer first, and by ``plan()``. Peaks are divided by the lower
bound, so that 1 cannot be beaten. CPU seconds are this machine's; what they are worth elsewhere is
told by the last column, which divides them by the time of the first-fit pass.
"""

from __future__ import annotations

import argparse
from argparse import RawDescriptionHelpFormatter as RawText
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import TypeVar, get_args

from aidge_nb.memory import LiveRange, best_placement, check_offsets, read_problem
from aidge_nb.memory.place.greedy import Problem, first_fit
from aidge_nb.memory.place.planners import Solver
from common import write

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """The figures of one problem; peaks and the bound are in bytes, times in CPU seconds."""

    name: str
    buffers: int
    capacity: int
    lower_bound: int
    first_fit: int
    peak: int
    proven: bool
    method: str
    first_fit_seconds: float
    seconds: float

    @property
    def fits(self) -> bool:
        """Whether the plan fits in the capacity of the file name."""
        return self.peak <= self.capacity


def timed(action: Callable[[], T], least: float = 0.02) -> tuple[T, float]:
    """Give a result and the CPU seconds of one run; short runs are repeated."""
    action()  # fill caches
    start, runs = process_time(), 0
    while True:
        result = action()
        runs += 1
        if process_time() - start >= least:
            return result, (process_time() - start) / runs


def measure(path: Path, time_limit: float | None, solver: Solver) -> Row:
    """Plan one problem, and check the plan."""
    ranges = list(read_problem(path.read_text(encoding="utf-8"), path.name).values())
    by_size = sorted(range(len(ranges)), key=lambda i: (-ranges[i].size, i))
    simple, simple_seconds = timed(lambda: first_fit(Problem(ranges), by_size))
    start = process_time()
    plan = best_placement(ranges, time_limit=time_limit, solver=solver)
    seconds = process_time() - start
    if seconds < 0.02:
        plan, seconds = timed(lambda: best_placement(ranges, time_limit=time_limit, solver=solver))
    check_offsets(ranges, plan.offsets, capacity=plan.peak)
    return Row(
        name=path.name,
        buffers=len(ranges),
        capacity=int(path.stem.rpartition(".")[2]),
        lower_bound=plan.lower_bound,
        first_fit=Problem(ranges).peak(simple),
        peak=plan.peak,
        proven=plan.is_optimal,
        method=plan.method,
        first_fit_seconds=simple_seconds,
        seconds=seconds,
    )


def many(count: int) -> list[LiveRange]:
    """Make buffers as a long network has them: short lives, a few long ones."""
    random = Random(count)
    lives = [1, 1, 1, 2, 3, 8, 30]
    return [
        LiveRange(tick, tick + 1 + random.choice(lives), 1024 * random.randint(1, 5000))
        for tick in range(count)
    ]


def show(rows: list[Row]) -> None:
    """Print the table."""
    width = max(len(row.name) for row in rows)
    titles = f"{'fits':>5} {'first fit':>10} {'peak/bound':>11} {'proven':>7} {'CPU s':>8} {'x':>7}"
    print(f"{'problem':<{width}} {'n':>5} {titles}  method")
    for row in rows:
        print(
            f"{row.name:<{width}} {row.buffers:>5} {'yes' if row.fits else 'NO':>5} "
            f"{row.first_fit / row.lower_bound:>10.3f} {row.peak / row.lower_bound:>11.3f} "
            f"{'yes' if row.proven else 'no':>7} {row.seconds:>8.3f} "
            f"{row.seconds / row.first_fit_seconds:>7.0f}  {row.method}"
        )
    fitting = sum(row.fits for row in rows)
    print(f"{fitting} of {len(rows)} fit, {sum(row.proven for row in rows)} are proven optimal")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=RawText)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--solver", default="numpy", choices=get_args(Solver))
    options = parser.parse_args(arguments)
    paths = sorted(options.folder.rglob("*.csv"))
    paths = [path for path in paths if path.stem.rpartition(".")[2].isdecimal()]
    if not paths:
        parser.error(f"{options.folder}: no file called NAME.CAPACITY.csv")
    rows = [measure(path, options.time_limit, options.solver) for path in paths]
    show(rows)
    start = process_time()
    plan = best_placement(many(10_000))
    seconds = process_time() - start
    print(f"10,000 buffers: {seconds:.2f} CPU s, {plan.peak / plan.lower_bound:.3f} of the bound")
    write("memory_planning", {"rows": [asdict(row) for row in rows], "many_seconds": seconds})


if __name__ == "__main__":
    main()

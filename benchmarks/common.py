"""Ratios that mean something on any machine: A and B take turns, each in fresh processes.

Absolute times depend on the machine and on what else runs there. Here the two sides of a comparison
run alternately, so that both meet the same disturbances, and the figure is the median of the ratios
of neighbours. Nothing here fails when a figure is bad: benchmarks are read, not passed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"

INSIDE = "import time; _start = time.perf_counter()\n{code}\nprint(time.perf_counter() - _start)"


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a label, and what measures it once, in seconds."""

    label: str
    measure: Callable[[], float]


@dataclass(frozen=True)
class Result:
    """The medians of a comparison; `limit` is what the project promises for `ratio`."""

    name: str
    first: str
    second: str
    pairs: int
    first_seconds: float
    second_seconds: float
    ratio: float
    lowest_ratio: float
    highest_ratio: float
    limit: float


def code(label: str, text: str) -> Side:
    """Measure Python code inside a fresh interpreter, without the interpreter's own start."""

    def measure() -> float:
        program = INSIDE.format(code=text)
        ran = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
        return float(ran.stdout.split()[-1])

    return Side(label, measure)


def command(label: str, arguments: Sequence[str]) -> Side:
    """Measure a whole process, from its start to its end."""

    def measure() -> float:
        start = time.perf_counter()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    return Side(label, measure)


def processor(label: str, arguments: Sequence[str], caches: Path) -> Side:
    """Measure the processor time of a whole process, which keeps its bytecode in a folder."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(caches)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def measure() -> float:
        start = os.times()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, env=environment)
        end = os.times()
        return end.children_user - start.children_user + end.children_system - start.children_system

    return Side(label, measure)


def compare(name: str, first: Side, second: Side, *, limit: float, pairs: int = 9) -> Result:
    """Run both sides in turn and return the median of first / second."""
    first.measure()  # fill caches of the file system and of bytecode
    second.measure()
    times = [(first.measure(), second.measure()) for _ in range(pairs)]
    ratios = [one / two for one, two in times]
    return Result(
        name=name,
        first=first.label,
        second=second.label,
        pairs=pairs,
        first_seconds=statistics.median(one for one, _ in times),
        second_seconds=statistics.median(two for _, two in times),
        ratio=statistics.median(ratios),
        lowest_ratio=min(ratios),
        highest_ratio=max(ratios),
        limit=limit,
    )


def show(*results: Result) -> None:
    """Print the results as a table and write each to ``results/<name>.json``."""
    print(f"{'benchmark':<16} {'ratio':>7} {'(low to high)':>17} {'promised':>9}   medians")
    for result in results:
        spread = f"({result.lowest_ratio:.3g} to {result.highest_ratio:.3g})"
        medians = (
            f"{result.first} {result.first_seconds:.3f} s / "
            f"{result.second} {result.second_seconds:.3f} s, {result.pairs} pairs"
        )
        promised = f"< {result.limit:g}"
        print(f"{result.name:<16} {result.ratio:>7.3g} {spread:>17} {promised:>9}   {medians}")
        write(result.name, asdict(result))


def write(name: str, figures: dict[str, object]) -> None:
    """Write figures to ``results/<name>.json``, with the versions they were measured with."""
    RESULTS.mkdir(exist_ok=True)
    figures = {**figures, "python": sys.version.split()[0], "platform": sys.platform}
    text = json.dumps(figures, indent=2) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")

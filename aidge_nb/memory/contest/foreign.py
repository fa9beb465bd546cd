"""Ask solvers that are programs of others: minimalloc, and the allocators of omnimalloc.

Each runs as a process of its own, which ends when its time is over. What they return is checked
like everything else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.contest.outcome import Outcome
from aidge_nb.memory.place.problem import read_solution, write_solution
from aidge_nb.memory.values.live_range import LiveRange, lower_bound

OMNIMALLOC = (
    "supermalloc",
    "telamalloc",
    "omni",
    "best_fit",
    "greedy_by_all",
    "hill_climb",
    "simulated_annealing",
    "tabu_search",
)
"""Names of allocators of omnimalloc 1.0: those that need nothing else and do not draw lots."""

_GRACE = 30.0
"""Seconds beyond its limit after which a process is ended: it has to start, too."""

_STATUS = re.compile(r"^[A-Z_]{5,}(: .{0,100})?", re.MULTILINE)
"""A status of Abseil, which minimalloc prints before the places in its source."""

_INSIDE = """
import inspect, json, sys, time
from omnimalloc import Allocation, allocate
from omnimalloc.allocators import BaseAllocator
name, seconds, ranges = json.load(sys.stdin)
kind = BaseAllocator.registry()[name]
known = inspect.signature(kind.__init__).parameters
options = {"timeout": seconds, "num_threads": 1}
allocator = kind(**{key: value for key, value in options.items() if key in known})
given = [Allocation(id=i, size=s, start=a, end=b) for i, (a, b, s) in enumerate(ranges)]
begin = time.perf_counter()
found = allocate(given, allocator)
seconds = time.perf_counter() - begin
json.dump([seconds, [[each.id, each.offset] for each in found]], sys.stdout)
"""
"""Runs in the process: live ranges come in, numbers and offsets of buffers go out."""


def has_omnimalloc() -> bool:
    """Return whether the package is installed."""
    return find_spec("omnimalloc") is not None


def has_minimalloc() -> bool:
    """Return whether the program is on the PATH."""
    return _program() is not None


def _program() -> str | None:
    """Return the path of minimalloc."""
    from shutil import which

    return which("minimalloc")


def ask_omnimalloc(name: str, ranges: Sequence[LiveRange], seconds: float) -> Outcome:
    """Let an allocator of omnimalloc place buffers."""
    import json

    given = json.dumps([name, seconds, [list(each) for each in ranges]])
    code, out, err = _run([sys.executable, "-c", _INSIDE], given, seconds)
    if code:
        return Outcome(None, note=_reason(code, err))
    took, found = json.loads(out)
    offsets = dict(found)
    return Outcome([offsets[number] for number in range(len(ranges))], seconds=took)


def ask_minimalloc(ranges: Sequence[LiveRange], seconds: float) -> Outcome:
    """Let minimalloc look for a placement as high as what lives at most: yes or no.

    Where it finds none in time, there is no placement to compare.
    """
    from tempfile import TemporaryDirectory

    bound = lower_bound(ranges).size
    problem = {str(number): each for number, each in enumerate(ranges)}
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.csv", Path(folder) / "out.csv"
        text = write_solution(problem, [0] * len(ranges))  # without the column of the offsets
        lines = [line.rpartition(",")[0] for line in text.splitlines()]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        program = _program() or "minimalloc"
        options = [f"--capacity={bound}", f"--timeout={seconds}s"]
        options += [f"--input={source}", f"--output={target}"]
        code, _, err = _run([program, *options], "", seconds)
        if code or not target.exists():
            status = _STATUS.search(err)
            return Outcome(None, note=status[0] if status else _reason(code, err))
        try:
            found, offsets = read_solution(target.read_text(encoding="utf-8"), "minimalloc")
        except MemoryPlanError as error:
            return Outcome(None, note=str(error))
    by_name = dict(zip(found, offsets or [], strict=False))
    if by_name.keys() != problem.keys():
        return Outcome(None, note="its answer lists other buffers")
    return Outcome([by_name[name] for name in problem])


def _run(command: list[str], given: str, seconds: float) -> tuple[int, str, str]:
    """Run a process; return its exit code (-1 when it was ended), output and messages."""
    import subprocess

    try:
        ran = subprocess.run(
            command,
            input=given,
            capture_output=True,
            text=True,
            timeout=seconds + _GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "", "not in time"
    except OSError as error:
        return -1, "", str(error)
    return ran.returncode, ran.stdout, ran.stderr


def _reason(code: int, err: str) -> str:
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    return lines[-1][:120] if lines else f"ended with exit code {code}"

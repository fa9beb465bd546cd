"""The command ``aidge-nb plan``: place the buffers of a CSV file in a memory, or check a placement.

Exit codes: 0 they fit (or, without a capacity, they are placed), 1 no placement was found that
fits or the checked one breaks a rule, 2 wrong arguments or bad input.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, get_args

from aidge_nb.cli_options import check_target
from aidge_nb.errors import MemoryPlanError, explain
from aidge_nb.files import naming, write_atomically

if TYPE_CHECKING:
    from aidge_nb.memory.lower_bound import LiveRange
    from aidge_nb.memory.solver import Progress

__all__ = ["run_plan"]


def run_plan(options: argparse.Namespace) -> None:
    """Do what ``aidge-nb plan`` was asked to do."""
    from aidge_nb.memory.problem import read_solution

    if options.output is not None:
        check_target(options.output, (".csv",))
    problem, offsets = read_solution(_text(options.file), options.file)
    if options.check:
        _check(options, problem, offsets)
    else:
        _plan(options, problem)


def _text(path: str) -> str:
    with naming(path), open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
        try:
            return file.read()
        except UnicodeDecodeError as error:
            raise MemoryPlanError(
                explain(path, "is not text", expected="UTF-8", found=str(error.reason))
            ) from error


def _plan(options: argparse.Namespace, problem: dict[str, LiveRange]) -> None:
    from aidge_nb.memory.planners import best_placement
    from aidge_nb.memory.problem import write_solution
    from aidge_nb.memory.search import Solver

    if options.solver not in get_args(Solver):
        raise MemoryPlanError(
            explain(
                "--solver", "unknown", expected=", ".join(get_args(Solver)), found=options.solver
            )
        )
    show = sys.stderr.isatty() and not options.quiet
    try:
        found = best_placement(
            problem,
            options.capacity,
            alignment=options.alignment,
            time_limit=options.time_limit,
            solver=options.solver,
            progress=_show if show else None,
        )
    finally:
        if show:
            sys.stderr.write("\r\033[K")
    verdict = "optimal" if found.gap == 0 else f"{found.gap / found.lower_bound:.2%} above"
    sys.stdout.write(
        f"peak {found.peak} bytes, lower bound {found.lower_bound} bytes, "
        f"gap {found.gap} bytes ({verdict})\n"
        f"{len(problem)} buffers, placed by: {found.method}\n"
    )
    _judge(options.capacity, found.peak, is_proven=_exceeds(found.lower_bound, options.capacity))
    if options.output is not None:
        write_atomically(options.output, write_solution(problem, found.offsets))
        sys.stdout.write(f"{options.output}\n")


def _check(
    options: argparse.Namespace, problem: dict[str, LiveRange], offsets: list[int] | None
) -> None:
    from aidge_nb.memory.check import check_offsets
    from aidge_nb.memory.lower_bound import lower_bound

    if offsets is None:
        raise MemoryPlanError(
            explain(
                f"{options.file}, line 1",
                "nothing to check",
                expected="a column offset",
                cure="Without --check, the buffers are placed.",
            )
        )
    ranges = list(problem.values())
    try:
        check_offsets(problem, offsets, alignment=options.alignment)
    except MemoryPlanError as error:
        sys.stderr.write(f"aidge-nb: {options.file}: {error}\n")
        raise SystemExit(1) from None
    ends = (offset + each.size for offset, each in zip(offsets, ranges, strict=True))
    peak, bound = max(ends, default=0), lower_bound(ranges).size
    sys.stdout.write(
        f"every rule is kept: {len(problem)} buffers, peak {peak} bytes, "
        f"lower bound {bound} bytes, gap {peak - bound} bytes\n"
    )
    _judge(options.capacity, peak, is_proven=_exceeds(bound, options.capacity))


def _exceeds(size: int, capacity: int | None) -> bool:
    return capacity is not None and size > capacity


def _judge(capacity: int | None, peak: int, *, is_proven: bool) -> None:
    """Say whether it fits; end with exit code 1 if not."""
    if capacity is None:
        return
    if peak <= capacity:
        sys.stdout.write(f"fits {capacity} bytes\n")
        return
    why = "which is proven to be impossible" if is_proven else "try longer with --time-limit"
    sys.stderr.write(
        f"aidge-nb: does not fit {capacity} bytes: {peak - capacity} bytes too many; {why}\n"
    )
    raise SystemExit(1)


def _show(progress: Progress) -> None:
    gap = progress.peak / progress.lower_bound - 1
    sys.stderr.write(
        f"\r\033[K{progress.seconds:6.1f} s  peak {progress.peak} bytes, "
        f"{gap:.2%} above the bound, by {progress.method}"
    )
    sys.stderr.flush()

"""The command ``aidge-nb plan``: place the buffers of a CSV file, or check a placement.

Exit codes: 0 they fit (or, without a capacity, they are placed), 1 no placement was found that
fits or the checked one breaks a rule, 2 wrong arguments or bad input.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, get_args

from aidge_nb.cli.options import check_target
from aidge_nb.cli.text import complain, say, table
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.files import naming, write_atomically

if TYPE_CHECKING:
    from aidge_nb.memory.place.solver import Progress
    from aidge_nb.memory.values.live_range import LiveRange

MOST_ROWS = 50
"""Longest placement that is printed, in buffers."""


def run_plan(options: argparse.Namespace) -> None:
    """Run ``aidge-nb plan``."""
    from aidge_nb.memory.place.problem import read_solution

    if options.output is not None:
        check_target(options.output, (".csv",))
    text = _text(options.file)
    _refuse_table_of_plan(text, options.file)
    problem, offsets = read_solution(text, options.file)
    if options.check:
        _check(options, problem, offsets)
    else:
        _plan(options, problem)


def _refuse_table_of_plan(text: str, path: str) -> None:
    """Reject the table of a plan with shared bytes, which this check would call errors."""
    header = {name.strip() for name in text.partition("\n")[0].split(",")}
    if {"in_place_of", "view_of"} & header:
        raise MemoryPlanError.at(
            f"{path}, line 1",
            "is the table of a plan, whose buffers may share bytes, and not a list of buffers",
            expected="id,lower,upper,size and perhaps offset",
            found=", ".join(sorted({"in_place_of", "view_of"} & header)),
            cure="aidge-nb memory has already checked this plan. To place its buffers again, each "
            "in bytes of its own, keep the first four columns.",
        )


def _text(path: str) -> str:
    with naming(path), open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
        try:
            return file.read()
        except UnicodeDecodeError as error:
            raise MemoryPlanError.at(
                path, "is not text", expected="UTF-8", found=str(error.reason)
            ) from error


def _plan(options: argparse.Namespace, problem: dict[str, LiveRange]) -> None:
    from aidge_nb.memory.place.planners import Solver, best_placement
    from aidge_nb.memory.place.problem import write_solution

    if options.solver not in get_args(Solver):
        raise MemoryPlanError.at(
            "--solver", "unknown", expected=", ".join(get_args(Solver)), found=options.solver
        )
    show = sys.stderr.isatty() and not options.quiet
    try:
        found = best_placement(
            problem,
            options.capacity,
            alignment=options.alignment,
            time_limit=options.time_limit,
            solver=options.solver,
            progress=_show if show else False,
        )
    finally:
        if show:
            sys.stderr.write("\r\033[K")
    show_table = options.output is None and len(problem) <= MOST_ROWS
    if show_table:
        rows = [
            (*map(str, (offset, live.size, live.lower, live.upper)), name)
            for (name, live), offset in zip(problem.items(), found.offsets, strict=True)
        ]
        say(table(("offset", "bytes", "from", "until", "buffer"), rows))
    verdict = "optimal" if found.gap == 0 else f"{found.gap / found.lower_bound:.2%} above"
    say(
        f"peak {found.peak} bytes, lower bound {found.lower_bound} bytes, "
        f"gap {found.gap} bytes ({verdict})\n"
        f"{len(problem)} buffers, placed by: {found.method}\n"
    )
    if options.output is None and not show_table:
        say("-o OUT.csv writes the offsets\n")
    is_proven = _exceeds(found.lower_bound, options.capacity)
    why = "no placement can fit" if is_proven else "search longer with --time-limit"
    _judge(options.capacity, found.peak, why)
    if options.output is not None:
        write_atomically(options.output, write_solution(problem, found.offsets))
        say(f"{options.output}\n")


def _check(
    options: argparse.Namespace, problem: dict[str, LiveRange], offsets: list[int] | None
) -> None:
    from aidge_nb.memory.check.plan import check_offsets
    from aidge_nb.memory.place.planners import checked_buffers, checked_count
    from aidge_nb.memory.values.live_range import lower_bound

    alignment = checked_count("alignment", options.alignment, 1)
    if offsets is None:
        raise MemoryPlanError.at(
            f"{options.file}, line 1",
            "nothing to check",
            expected="a column offset",
            cure="Leave out --check to compute offsets.",
        )
    ranges, _ = checked_buffers(problem, alignment)  # sizes as the planner counts them
    try:
        check_offsets(problem, offsets, alignment=alignment)
    except MemoryPlanError as error:
        complain(f"aidge-nb: {options.file}: {error}\n")
        raise SystemExit(1) from None
    ends = (offset + each.size for offset, each in zip(offsets, ranges, strict=True))
    peak, bound = max(ends, default=0), lower_bound(ranges).size
    aligned = f", all offsets are multiples of {alignment}" if alignment > 1 else ""
    say(
        f"no two of {len(problem)} buffers overlap{aligned}: "
        f"peak {peak} bytes, lower bound {bound} bytes, gap {peak - bound} bytes\n"
    )
    why = (
        "no placement can fit"
        if _exceeds(bound, options.capacity)
        else "leave out --check to search for a placement that fits"
    )
    _judge(options.capacity, peak, why)


def _exceeds(size: int, capacity: int | None) -> bool:
    return capacity is not None and size > capacity


def _judge(capacity: int | None, peak: int, why: str) -> None:
    """Print whether the peak fits; exit with code 1 if not."""
    if capacity is None:
        return
    if peak <= capacity:
        say(f"fits {capacity} bytes\n")
        return
    complain(f"aidge-nb: does not fit {capacity} bytes: {peak - capacity} bytes too many; {why}\n")
    raise SystemExit(1)


def _show(progress: Progress) -> None:
    gap = progress.peak / progress.lower_bound - 1
    sys.stderr.write(
        f"\r\033[K{progress.seconds:6.1f} s  peak {progress.peak} bytes, "
        f"{gap:.2%} above the bound, by {progress.method}"
    )
    sys.stderr.flush()

"""The command ``aidge-nb plan``: show the plan of another tool, place buffers, check a placement.

Exit codes: 0 they fit (or, without a capacity, they are placed), 1 no placement was found that
fits or the checked one breaks a rule, 2 wrong arguments or bad input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from aidge_nb.cli.compare import run_comparison
from aidge_nb.cli.given_plan import GivenPlan, read_given
from aidge_nb.cli.options import check_target
from aidge_nb.cli.text import complain, say, table
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.files import write_atomically
from aidge_nb.core.text import terminal_text

if TYPE_CHECKING:
    from aidge_nb.memory.place.solver.clock import Progress
    from aidge_nb.memory.values.plan import MemoryPlan

MOST_ROWS = 50
"""Longest placement that is printed, in buffers."""

_PICTURES = (".html", ".htm", ".svg", ".png")


def run_plan(options: argparse.Namespace) -> None:
    """Run ``aidge-nb plan``."""
    if options.compare:
        run_comparison(options)
        return
    if len(options.files) != 1:
        raise MemoryPlanError.at(
            "aidge-nb plan",
            "reads one file",
            expected="FILE",
            found=", ".join(options.files) or "none",
            cure="--compare takes several.",
        )
    options.file = options.files[0]
    if options.output is not None:
        check_target(options.output, (".csv", *_PICTURES))
    given = read_given(options.file, options.alignment, arena=options.arena, is_check=options.check)
    if options.check:
        _check(options, given)
        return
    if given.plan is not None:
        _show_plan(given.plan, options.file)
    _plan(options, given)


def _show_plan(plan: MemoryPlan, path: str) -> None:
    """Print a plan as it was read: its figures, and what fills its peak."""
    from aidge_nb.advice.reading import plan_findings
    from aidge_nb.widgets.scene.findings import cards_of

    waste = f"{plan.gap} bytes wasted" if plan.gap else "nothing wasted"
    say(
        f"{path}: {len(plan.buffers)} buffers over {len(plan.order)} ticks, "
        f"peak {plan.peak} bytes, lower bound {plan.lower_bound} bytes, {waste}\n"
    )
    for card in cards_of(plan_findings(plan), {}):
        say(terminal_text(card.words()) + "\n")
    say("\nplaced again:\n")


def _write(options: argparse.Namespace, given: GivenPlan, offsets: Sequence[int]) -> None:
    """Write our offsets as CSV, or a picture of the plan that was read, or else of ours."""
    from aidge_nb.memory.place.problem import write_solution
    from aidge_nb.plan_io.rows import BufferRow, plan_of_rows

    target = check_target(options.output, (".csv", *_PICTURES))
    suffix = target.suffix.lower()
    if suffix == ".csv":
        write_atomically(target, write_solution(given.problem, offsets))
    else:
        rows = [
            BufferRow(name, *live, offset)
            for (name, live), offset in zip(given.problem.items(), offsets, strict=True)
        ]
        plan = given.plan or plan_of_rows(rows, options.file, alignment=given.alignment)
        write_atomically(target, _picture(plan, suffix, Path(options.file).name))
    say(f"{options.output}\n")


def _picture(plan: MemoryPlan, suffix: str, title: str) -> str | bytes:
    from aidge_nb.widgets import to_html, to_png, to_svg
    from aidge_nb.widgets.scene.build import build_scene

    scene = build_scene(plan=plan, title=title)
    if suffix == ".png":
        return to_png(scene)
    return to_svg(scene) if suffix == ".svg" else to_html(scene)


def _plan(options: argparse.Namespace, given: GivenPlan) -> None:
    from aidge_nb.memory.place.planners import Solver, best_placement

    problem = given.problem
    if options.solver not in get_args(Solver):
        raise MemoryPlanError.at(
            "--solver", "unknown", expected=", ".join(get_args(Solver)), found=options.solver
        )
    show = sys.stderr.isatty() and not options.quiet
    try:
        found = best_placement(
            problem,
            options.capacity,
            alignment=given.alignment,
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
        _write(options, given, found.offsets)


def _check(options: argparse.Namespace, given: GivenPlan) -> None:
    from aidge_nb.memory.check.plan import check_offsets
    from aidge_nb.memory.place.planners import checked_buffers, checked_count
    from aidge_nb.memory.values.live_range import lower_bound

    problem, offsets = given.problem, given.offsets
    alignment = checked_count("alignment", given.alignment, 1)
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

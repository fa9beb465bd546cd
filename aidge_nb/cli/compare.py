"""The command ``aidge-nb plan --compare``: the same buffers placed by every solver there is."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from aidge_nb.cli.given_plan import GivenPlan, read_given
from aidge_nb.cli.options import check_target
from aidge_nb.cli.text import say, table
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.files import write_atomically
from aidge_nb.core.text import csv_text

if TYPE_CHECKING:
    from aidge_nb.memory.contest.board import ContestResult, Leaderboard

_SECONDS = 10.0
"""Time limit of each solver for each problem, if none is given."""

_AS_IT_IS = "the file as it is"


def run_comparison(options: argparse.Namespace) -> None:
    """Run ``aidge-nb plan --compare``."""
    from aidge_nb.memory.contest.board import TITLES, Leaderboard

    if options.check:
        raise MemoryPlanError.at(
            "--compare", "cannot be combined with --check", cure="Leave out one of the two."
        )
    if options.output is not None:
        check_target(options.output, (".csv", ".json", ".svg"))
    seconds = _SECONDS if options.time_limit is None else options.time_limit
    if not seconds > 0:
        raise MemoryPlanError.at(
            "--time-limit", "is not an amount", expected="more than 0", found=seconds
        )
    is_shown = sys.stderr.isatty() and not options.quiet
    results: list[ContestResult] = []
    missing: dict[str, str] = {}
    try:
        for name, given in _given(options):
            board = _compared(name, given, seconds, is_shown=is_shown)
            results += board.results
            missing |= board.missing
    finally:
        if is_shown:
            sys.stderr.write("\r\033[K")
    board = Leaderboard(tuple(results), missing, seconds)
    say(table(TITLES, board.rows(), names=3))
    for line in board.how_to_get():
        say(line + "\n")
    if options.output is not None:
        _write(options.output, board)
        say(f"{options.output}\n")


def _given(options: argparse.Namespace) -> Iterator[tuple[str, GivenPlan]]:
    """Yield the files that are named, or networks of the zoo, with the names for the table."""
    if options.files:
        names = [Path(path).name for path in options.files]
        for path, name in zip(options.files, names, strict=True):
            label = name if names.count(name) == 1 else path
            yield label, read_given(path, options.alignment, arena=options.arena)
        return
    from aidge_nb import zoo
    from aidge_nb.advice.relayout import blocks_of
    from aidge_nb.memory.plan import plan_memory
    from aidge_nb.scheduling.solve.outline import static_schedule

    for name in zoo.MODELS:
        model, graph = zoo.build(name), zoo.load(name)
        inputs = [[dim for dim in each.dims or () if isinstance(dim, int)] for each in model.inputs]
        graph.forward_dims(inputs, allow_data_dependency=True)
        problem, _ = blocks_of(plan_memory(graph, static_schedule(graph)))
        yield f"zoo:{name}", GivenPlan(problem, None, None, options.alignment or 1)


def _compared(name: str, given: GivenPlan, seconds: float, *, is_shown: bool) -> Leaderboard:
    """Compare the solvers, and beside them the offsets that the file has."""
    from aidge_nb.memory.contest.board import Leaderboard, compare_solvers, given_result, ranked

    def watch(result: ContestResult) -> None:
        if is_shown:
            sys.stderr.write(f"\r\033[K{result.problem}: {result.solver}")
            sys.stderr.flush()

    board = compare_solvers(
        {name: given.problem}, time_limit=seconds, alignment=given.alignment, watch=watch
    )
    if given.offsets is None:
        return board
    own = given_result(name, _AS_IT_IS, given.problem, given.offsets, given.alignment)
    return Leaderboard(tuple(ranked([*board.results, own])), board.missing, seconds)


def _write(output: str, board: Leaderboard) -> None:
    """Write the table, or the picture."""
    from aidge_nb.memory.contest.board import TITLES
    from aidge_nb.widgets.still.leaderboard import leaderboard_svg

    suffix = Path(output).suffix.lower()
    if suffix == ".svg":
        text = leaderboard_svg(board)
    elif suffix == ".json":
        text = json.dumps(board.to_dict(), indent=2) + "\n"
    else:
        text = csv_text([TITLES, *board.rows()])
    write_atomically(Path(output), text)

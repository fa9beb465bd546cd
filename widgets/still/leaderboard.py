"""Draw a comparison of solvers: problems downwards, solvers across, a cell for each pair."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from aidge_nb.memory.contest.board import ContestResult, Leaderboard
from aidge_nb.widgets.shared import COLOURS
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    WARN,
    document,
    fit,
    rect,
    text,
)

_GOOD: str = COLOURS["light"]["good"]

_LABEL = f'font-size="11" fill="{INK}"'
_LEFT, _TOP, _WIDE, _HIGH = 170.0, 116.0, 64.0, 34.0
_FOOT = 40.0
_WORST = 1.0
"""Twice the bound, and all above it, has the full colour of a warning."""


def leaderboard_svg(board: Leaderboard) -> str:
    """Draw a leaderboard as SVG text.

    Cells tell how far the peak is above the bound, and the seconds. Green is proven to be optimal;
    the redder the farther above; empty cells have no placement.

    Examples
    --------
    >>> from aidge_nb.memory import compare_solvers
    >>> board = compare_solvers({"two": [(0, 2, 8), (1, 3, 16)]}, only=["aidge_nb"])
    >>> "two" in leaderboard_svg(board)
    True
    """
    problems, solvers = board.problems, board.solvers
    width = _LEFT + _WIDE * len(solvers) + 70
    height = _TOP + _HIGH * len(problems) + _FOOT
    found = {(each.problem, each.solver): each for each in board.results}
    parts = [
        *_heads(board),
        *(
            part
            for row, problem in enumerate(problems)
            for part in _row(found, problem, solvers, _TOP + row * _HIGH)
        ),
        text(
            12,
            height - 14,
            f"Peak above the bound, and seconds; at most {board.time_limit:g} s each. "
            "Green: proven to be optimal.",
            SMALL,
        ),
    ]
    return document(width, height, "Solvers on placement problems", parts)


def _heads(board: Leaderboard) -> Iterator[str]:
    """Write the names of the solvers upwards, with the number of problems that each solved."""
    for column, solver in enumerate(board.solvers):
        x = _LEFT + (column + 0.5) * _WIDE
        solved = sum(each.is_optimal for each in board.results if each.solver == solver)
        turned = f'transform="rotate(-35 {x:g} {_TOP - 22:g})" font-size="11" fill="{INK}"'
        yield text(x - 8, _TOP - 22, fit(solver, 130, 11), turned)
        yield text(x, _TOP - 6, f"{solved} of {len(board.problems)}", f"{CENTRED} {SMALL}")


def _row(
    found: dict[tuple[str, str], ContestResult],
    problem: str,
    solvers: tuple[str, ...],
    top: float,
) -> Iterator[str]:
    name = fit(problem, _LEFT - 20, 11)
    yield text(_LEFT - 8, top + _HIGH / 2 + 4, name, f"{AT_END} {_LABEL}")
    for column, solver in enumerate(solvers):
        left, result = _LEFT + column * _WIDE, found.get((problem, solver))
        colour, strength = _shade(result)
        shade = f'fill="{colour}" fill-opacity="{strength:.2f}" stroke="{PAPER}" stroke-width="2"'
        yield rect(left, top, _WIDE, _HIGH, shade)
        middle = left + _WIDE / 2
        if result is None or result.above is None:
            yield text(middle, top + _HIGH / 2 + 4, "–", f"{CENTRED} {SMALL}")
            continue
        label = "optimal" if result.is_optimal else f"{result.above:+.1%}"
        yield text(middle, top + 14, label, f"{CENTRED} {_LABEL}")
        yield text(middle, top + 28, _seconds(result.seconds), f"{CENTRED} {_LABEL}")


def _shade(result: ContestResult | None) -> tuple[str, float]:
    """Return the colour of a cell and how opaque it is."""
    if result is None or result.above is None:
        return LINE, 0.35
    if result.is_optimal:
        return _GOOD, 0.3
    far = min(1.0, max(0.0, result.above) / _WORST)
    return (WARN, 0.1 + 0.35 * far) if far else (MUTED, 0.15)


def _seconds(value: float) -> str:
    """Write seconds with two digits, milliseconds below a tenth.

    Examples
    --------
    >>> _seconds(0.0123), _seconds(12.34)
    ('12 ms', '12 s')
    """
    if value < 0.1:
        return f"{1000 * value:.0f} ms" if value >= 0.001 else "< 1 ms"
    return f"{value:.{max(0, 1 - int(log10(value)))}f} s" if value < 10 else f"{value:.0f} s"

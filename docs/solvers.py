"""Makes what the documentation says of solvers: a table, and a page with the picture.

    python benchmarks/leaderboard.py --save docs/solvers.json
    python docs/solvers.py

writes the table into ``howto/plans.md``. The page with the picture is made with the site.
"""

from __future__ import annotations

import json
from pathlib import Path

from aidge_nb.memory import Leaderboard
from aidge_nb.widgets.still.leaderboard import leaderboard_svg

HERE = Path(__file__).resolve().parent
GUIDE = HERE / "howto" / "plans.md"
BEGIN, END = "<!-- table: made by docs/solvers.py -->", "<!-- end of table -->"

_TEXT = """# Solvers side by side

What `benchmarks/leaderboard.py` found: each solver places the buffers of each problem, at most
{limit:g} s each. The machine has two cores and had 12 to 17 other things to do: each solver had a
small part of a core. (Alone, ours solved the packings in 0.7 to 1.7 s each.) The problems A to K
are minimalloc's. How to run it: [Compare solvers](howto/plans.md).
"""

_ORDERS = """## Orders

On randomly wired cells: the least peak of live bytes that an order of the nodes has, at most
{limit:g} s each.
"""


def boards() -> tuple[Leaderboard, Leaderboard]:
    """Return what was recorded: placements, and orders of wired cells."""
    found = json.loads((HERE / "solvers.json").read_text("utf-8"))
    return Leaderboard.from_dict(found["placement"]), Leaderboard.from_dict(found["orders"])


def table(board: Leaderboard) -> str:
    """Return a line for each solver: problems proven, how far above at worst, seconds of all."""
    lines = [
        "| solver | proven optimal | above the bound, at most | no placement | seconds, all |",
        "|---|---|---|---|---|",
    ]
    for solver in board.solvers:
        of_it = [each for each in board.results if each.solver == solver]
        solved = f"{sum(each.is_optimal for each in of_it)} of {len(of_it)}"
        farthest = max((each.above for each in of_it if each.above is not None), default=0.0)
        missing = sum(each.peak is None for each in of_it)
        seconds = sum(each.seconds for each in of_it)
        lines.append(f"| {solver} | {solved} | {farthest:.1%} | {missing or '-'} | {seconds:.1f} |")
    return "\n".join(lines)


def _orders(board: Leaderboard) -> str:
    lines = ["| cell | nodes | order | peak | bound | seconds |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.problem} | {r.buffers} | {r.solver} | {r.peak:,} | {r.bound:,} | {r.seconds:.1f} |"
        for r in board.results
    ]
    return "\n".join(lines)


def page(folder: Path) -> str:
    """Write the picture into a folder; return the page that shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    placed, ordered = boards()
    (folder / "board.svg").write_text(leaderboard_svg(placed), "utf-8")
    words = f"{len(placed.problems)} problems, {len(placed.solvers)} solvers"
    picture = f'<img src="{folder.name}/board.svg" alt="{words}">'
    parts = [_TEXT.format(limit=placed.time_limit), table(placed), "", picture, ""]
    parts += [_ORDERS.format(limit=ordered.time_limit), _orders(ordered), ""]
    return "\n".join(parts)


def with_table(text: str) -> str:
    """Return the guide with the table between its marks."""
    before, rest = text.split(BEGIN)
    placed = boards()[0]
    said = (
        f"On {len(placed.problems)} problems, at most {placed.time_limit:g} s for each, on two "
        "cores ([picture](../solvers.md)):"
    )
    return f"{before}{BEGIN}\n\n{said}\n\n{table(placed)}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    GUIDE.write_text(with_table(GUIDE.read_text("utf-8")), "utf-8")

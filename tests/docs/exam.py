"""Answers of the exam in docs/teachers.md, worked out by the library for its three variants.

python -m tests.docs.exam      print the table
"""

from __future__ import annotations

from functools import cache
from typing import Any

import aidge_nb
from aidge_nb import hardware, tiling
from aidge_nb.course import graphs, machines
from aidge_nb.course.steps import steps_of
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling import repetition_vector

VARIANTS: dict[str, dict[str, int]] = {
    "A": {},
    "B": {"channels": 8, "kernel": 5},
    "C": {"size": 32, "pool": 4},
}
GIVEN = ("stem", "relu", "quick", "wide", "relu_wide", "pool_wide", "both", "mean")
WIDE_FIRST = ("stem", "relu", "wide", "relu_wide", "pool_wide", "quick", "both", "mean")
WITH_TANH = {"B": "quick", "C": "pool_wide"}
"""Behind which operator a Tanh stands in questions 1 and 2."""


def net(variant: str) -> GraphView:
    return graphs.exam_net(**VARIANTS[variant])


def with_tanh(variant: str) -> GraphView:
    """Return the network of questions 1 and 2."""
    view = net(variant)
    if variant in WITH_TANH:
        before = view.get_node(WITH_TANH[variant])
        port = 0 if WITH_TANH[variant] == "quick" else 1
        tanh, both = aidge_nb.Tanh(name="tanh"), view.get_node("both")
        before.remove_child(both)
        before.add_child(tanh)
        tanh.add_child(both, 0, port)
        view = aidge_nb.get_connected_graph_view(before)
        options = VARIANTS[variant]
        size = options.get("size", 16)
        view.forward_dims([[1, 1, size, size]])
    return view


def span(first: int, last: int) -> str:
    return f"{first}–{last}"


def plan(variant: str, order: tuple[str, ...], **options: Any) -> Any:
    return aidge_nb.plan_memory(net(variant), order, **options)


def peak_text(found: Any) -> str:
    live = found.live_bytes()
    names = [name for name, taken in zip(found.order, live, strict=True) if taken == max(live)]
    return f"{found.peak:,}, {', '.join(names)}"


@cache
def answers(variant: str) -> tuple[str, ...]:
    """Return the answers of a variant, one for each question."""
    options = VARIANTS[variant]
    tanh = with_tanh(variant)
    steps, size = steps_of(tanh), options.get("size", 16)
    early, late = steps["quick"]
    waiting = [name for name, (first, last) in steps.items() if last > first]
    rates = repetition_vector(graphs.rates(size, (1, 1), (options.get("pool", 2), 1)))
    apart = plan(variant, GIVEN, in_place=False)
    given, wide = plan(variant, GIVEN), plan(variant, WIDE_FIRST)
    best = aidge_nb.order_for_memory(net(variant))
    better = "no" if best.peak_bytes == given.peak and best.proven else "yes"
    view = net(variant)
    chain = tiling.between(view, view.get_node("stem"), view.get_node("both"))
    cut = aidge_nb.plan_tiling(view, chain, {2: 4})
    stripe = {part.node: part for part in cut.tiles[1].parts}
    read = stripe["stem"].inputs[0][1][2]
    relu = stripe["relu"].output[2]
    aidge_nb.apply_tiling(view, cut)
    tiled = aidge_nb.plan_memory(view, aidge_nb.order_for_memory(view), parts=True)
    target = machines.duo()
    one = hardware.as_constraints({"for": "duo", "use": ["core/0"]}, "exam", target)
    alone = hardware.map_schedule(net(variant), target, constraints=one).cycles
    both = hardware.map_schedule(net(variant), target)
    share = hardware.binding(both)["bus"] / both.cycles
    of_wide = sum(part.macs for tile in cut.tiles for part in tile.parts if part.node == "wide")
    return (
        f"{span(early, late)}, {late - early}",
        f"{', '.join(waiting)}; {aidge_nb.static_schedule(tanh).n_steps}",
        f"{rates['a']}, {rates['b']}",
        peak_text(apart),
        peak_text(given),
        f"{wide.peak:,}; {better}",
        f"{plan(variant, GIVEN, by_rows=True).peak:,}",
        f"{span(relu.start, relu.stop - 1)}; {span(read.start, read.stop - 1)}",
        f"{cut.macs:,} → {cut.tiled_macs:,}, {cut.overhead:.2%}; {tiled.peak:,}",
        (
            f"{of_wide // 4:,}; {alone:,.0f} / {both.cycles:,.0f} = {alone / both.cycles:.2f}; "
            f"bus, {share:.0%}"
        ),
    )


QUESTIONS = (
    "Steps at which `quick` can run, and its slack (step 0: producers)",
    "Which operators, Producers apart, have slack there; how many steps in all",
    "Line by line: how often do `wide` and `pool_wide` fire for one image",
    "Peak with nothing in place, and who runs then (name all)",
    "Peak in place, and who runs then (name all)",
    "The same with branch wide first; is there a better order than the given one",
    "Peak row by row",
    "`stem` … `both` in 4 stripes: rows of `relu`, and of the image, that stripe 2 needs",
    "MACs of the convolutions whole and then, recomputed; peak in the best order",
    "DUO: ideal cycles of `wide` on two cores; all on one and on two cores; share of the bus",
)


def table() -> list[str]:
    """Return the rows of the table in the guide."""
    columns = [answers(variant) for variant in VARIANTS]
    return [
        f"| {number} | {question} | {' | '.join(cells)} |"
        for number, (question, *cells) in enumerate(zip(QUESTIONS, *columns, strict=True), start=1)
    ]


if __name__ == "__main__":
    import sys

    sys.stdout.write("\n".join(table()) + "\n")

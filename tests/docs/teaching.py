"""The ten questions of docs/teaching.md, answered by the library on a graph of no tutorial.

python -m tests.docs.teaching                         print the table
python -m tests.docs.teaching CHANNELS SIZE EXTRA     that of another graph of the same form
"""

from __future__ import annotations

import re
import sys
from functools import cache
from random import Random
from typing import Any, NamedTuple

import aidge_nb
from aidge_nb import hardware, memory, tiling
from aidge_nb.course import generators, graphs, machines
from aidge_nb.course.steps import steps_of
from aidge_nb.graph.view import GraphView
from tests.docs.exam import peak_text, span

WINDOWS = (4, 2, 3)


class Asked(NamedTuple):
    """A question, its answer, and where it is taught: tutorials and their headings."""

    text: str
    answer: str
    taught: tuple[tuple[str, str], ...]


def delayed(view: GraphView, name: str) -> str:
    """Let an operator begin one step later; say what moves, and how many steps there are."""
    before = steps_of(view)
    late, node = view.clone(), aidge_nb.Identity(name="wait")
    operator = late.get_node(name)
    (parent,) = (each for each in operator.get_parents() if each and each.type() != "Producer")
    parent.remove_child(operator)
    parent.add_child(node)
    node.add_child(operator, 0, 0)
    late = aidge_nb.get_connected_graph_view(parent)
    after = steps_of(late)
    moved = [each for each in before if each != name and after[each][0] > before[each][0]]
    return f"{', '.join(moved)}; {aidge_nb.static_schedule(late).n_steps}"


@cache
def four_blocks(seed: int) -> dict[str, tuple[int, int, int]]:
    """Draw four blocks of which first fit makes more than is needed."""
    random = Random(seed)
    ranges = [(lower, upper) for lower in range(4) for upper in range(lower + 1, 5)]
    while True:
        found = {name: (*random.choice(ranges), random.randint(1, 4)) for name in "abcd"}
        begins = {lower for lower, _, _ in found.values()}
        if len(begins) > 2 and generators.first_fit(found) > memory.plan(found).peak + 1:
            return found


def ticks(lower: int, upper: int) -> str:
    return f"tick {lower}" if upper == lower + 1 else f"ticks {span(lower, upper - 1)}"


def rows(*numbers: int) -> str:
    """Return the rows that stripe 2 of 3 needs, and the work of the stripes."""
    chain = graphs.two_heads(*numbers, ends=1)
    nodes = tiling.between(chain, chain.get_node("stem"), chain.get_node("near_pool"))
    cut = aidge_nb.plan_tiling(chain, nodes, {2: 3})
    parts = {part.node: part for part in cut.tiles[1].parts}
    read = parts["stem"].inputs[0][1][2]
    near, stem = parts["near"].output[2], parts["stem"].output[2]
    found = (near, stem, read)
    shown = (span(each.start, each.stop - 1) for each in found)
    return f"{'; '.join(shown)}|{cut.macs:,} → {cut.tiled_macs:,}, {cut.overhead:.2%}"


def stages(lines: int) -> str:
    """Return what a pipeline of three stages does: first firings, period, end."""
    found = aidge_nb.static_schedule(graphs.pipeline(lines, WINDOWS))
    first = [found.early(f"conv{stage}") for stage in (1, 2, 3)]
    last = found.order.count("conv1") - 1
    text = re.sub(r"(\d+×\([^()]*conv3\))", r"**\1**", found.to_text())
    period = found.early("conv3", 2) - found.early("conv3", 1)
    drains = found.early("conv1", last) + 1
    numbers = f"{', '.join(map(str, first))}; {period}; {drains}; {found.n_steps}"
    return f"{numbers}: {text}"


def waiting(view: GraphView) -> str:
    """Say when the cores begin `near`, and for what core 1 waited."""
    mapped = hardware.map_schedule(view, machines.duo())
    computed = {(each.work, each.tile): each for each in mapped.steps if "compute" in each.name}
    begins = [computed["near", tile].start for tile in (0, 1)]
    idle = computed["stem", 1].end
    meanwhile = [
        f"{each.name} of {each.work}"
        for each in mapped.steps
        if "bus" in each.devices and idle <= each.start and each.end <= begins[1]
    ]
    numbers = f"{begins[0]:,} and {begins[1]:,}; {begins[1] - idle:,}"
    return f"{numbers}; for the bus: {', '.join(meanwhile)}"


@cache
def asked(channels: int = 4, size: int = 24, extra: int = 0) -> tuple[Asked, ...]:
    """Return the ten questions on a graph, with their answers."""
    view = graphs.two_heads(channels, size, extra)
    steps = steps_of(view)

    def plan(*branches: str, **options: Any) -> Any:
        order = [name for branch in ("stem", "relu", *branches) for name in of_branch(branch)]
        return aidge_nb.plan_memory(view, order, **options)

    def of_branch(name: str) -> list[str]:
        return [
            node.name()
            for node in view.topological_order()
            if node.name() in steps and node.name().startswith(name)
        ]

    near, wide = plan("near", "wide"), plan("wide", "near")
    sizes = {buffer.name: buffer.size for buffer in near.buffers}
    first, other = ("wide", "near") if wide.peak < near.peak else ("near", "wide")
    peaks = sorted((near.peak, wide.peak))
    blocks = four_blocks(size)
    listed = "; ".join(f"{n} {ticks(a, b)}, {taken} B" for n, (a, b, taken) in blocks.items())
    needed, work = rows(channels, size, extra).split("|")
    slack = [name for name, (early, late) in steps.items() if late > early]
    lates = ", ".join(f"{name} {steps[name][1]}" for name in ("near_pool", "wide_pool", "wide"))
    return (
        Asked(
            "Early steps of `near`, `wide` and both poolings (step 0: producers)",
            ", ".join(
                f"{name} {steps[name][0]}" for name in ("near", "wide", "near_pool", "wide_pool")
            ),
            (("01_scheduling", "As many at once as you like"),),
        ),
        Asked(
            "Late steps of both ends and of `wide`; which operators, Producers apart, have slack",
            f"{lates}; {', '.join(slack)} share {steps['wide'][1] - steps['wide'][0]}",
            (("01_scheduling", "Two ends"), ("01_scheduling", "Who can wait?")),
        ),
        Asked(
            "`wide` begins a step late: what moves, how many steps in all? And `near`?",
            f"{delayed(view, 'wide')}. {delayed(view, 'near')}",
            (("01_scheduling", "Two that share"), ("01_scheduling", "Change one thing")),
        ),
        Asked(
            "Peak (most live bytes) and who runs then (name all), branch `near` first: nothing in "
            "place, and in place",
            f"{peak_text(plan('near', 'wide', in_place=False))}; {peak_text(near)}",
            (("04_memory", "How large, and how long?"), ("04_memory", "Write over what is dead")),
        ),
        Asked(
            "All in place: which branch should go first, and why? Peak then",
            f"{first}: gives back {sizes[first]:,}, {other} {sizes[other]:,}; {peaks[0]:,}",
            (("03_policies", "Finish one branch first"),),
        ),
        Asked(
            f"Four blocks, both ticks included: {listed}. First fit, and the least",
            f"{generators.first_fit(blocks)}; {memory.plan(blocks).peak}",
            (("04_memory", "Place them by hand"),),
        ),
        Asked(
            "Without the branch `wide`, 3 stripes: rows of `near`, `stem`, image for stripe 2",
            needed,
            (("06_tiling", "Strides"), ("06_tiling", "A chain")),
        ),
        Asked(
            "Without the branch `wide`: MACs, whole and in these stripes, halos computed again",
            work,
            (("06_tiling", "What it costs"),),
        ),
        Asked(
            f"`course.graphs.pipeline({size}, {WINDOWS})`: first step of each stage; period; the "
            "first step after the last firing of `conv1`; steps in all; which part repeats",
            stages(size),
            (("02_cp_model", "A pipeline"), ("02_cp_model", "At which step?")),
        ),
        Asked(
            "On DUO: when do the cores begin `near`, how long is core 1 idle before, and for what",
            waiting(view),
            (("07_hardware", "Twice the cores"),),
        ),
    )


def anchored(heading: str) -> str:
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def table(*numbers: int) -> list[str]:
    """Return the rows of the table of the page."""
    return [
        f"| {number} | {each.text} | {each.answer} | "
        + ", ".join(
            f"[{name.partition('_')[0]} {heading}](tutorials/{name}.ipynb#{anchored(heading)})"
            for name, heading in each.taught
        )
        + " |"
        for number, each in enumerate(asked(*numbers), start=1)
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join(table(*map(int, sys.argv[1:]))) + "\n")

"""How far default orders are above the least peak, and what it costs to find and prove that."""

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory.joint import plan_jointly
from aidge_nb.scheduling.order.order_result import order_for_memory
from common import write

CELLS = range(5)
"""Seeds of the randomly wired cells."""

NO_LIMIT = 3600.0
"""Seconds: never reached, but with a limit nothing is remembered from one run to the next."""


def of_zoo(name: str) -> GraphView:
    """Load a model of the zoo with its dimensions."""
    model = zoo.build(name)
    view = zoo.load(name)
    inputs = [[dim for dim in value.dims or () if isinstance(dim, int)] for value in model.inputs]
    view.forward_dims(inputs, allow_data_dependency=True)
    return view


def random_cell(count: int, seed: int, channels: tuple[int, ...]) -> GraphView:
    """Wire ReLU-Conv-BatchNorm nodes at random: a ring whose edges are moved with p = 0.75.

    S. Xie et al., "Exploring Randomly Wired Neural Networks for Image Recognition", 2019: WS(4,
    0.75). Each node sums what it reads; with several ``channels`` each node reads through 1×1
    convolutions of its own size.
    """
    draw = random.Random(seed)
    wired: set[tuple[int, int]] = set()
    for node in range(count):
        for step in (1, 2):
            other = (node + step) % count
            if draw.random() < 0.75:
                free = [each for each in range(count) if each != node]
                other = draw.choice([e for e in free if _edge(node, e) not in wired])
            wired.add(_edge(node, other))
    size = [draw.choice(channels) for _ in range(count)]
    stem = aidge_nb.PaddedConv2D(3, size[0], [3, 3], padding_dims=[1, 1, 1, 1], name="stem")
    ends: list[tuple[Node, int]] = []
    for node in range(count):
        parents = [ends[first] for first, second in sorted(wired) if second == node]
        ends.append((_node(node, parents or [(stem, size[0])], size[node]), size[node]))
    loose = [ends[n] for n in range(count) if all(first != n for first, _ in wired)]
    _node(count, loose, size[0])
    view = aidge_nb.get_connected_graph_view(stem)
    view.forward_dims([[1, 3, 16, 16]])
    return view


def _edge(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


def _node(number: int, parents: list[tuple[Node, int]], channels: int) -> Node:
    """Make one node of a cell; give the last of its operators."""
    total = aidge_nb.Sum(len(parents), name=f"sum{number}")
    for index, (parent, given) in enumerate(parents):
        if given != channels:
            resize = aidge_nb.Conv2D(given, channels, [1, 1], name=f"resize{number}_{index}")
            parent.add_child(resize, 0, 0)
            parent = resize
        parent.add_child(total, 0, index)
    last = total
    for each in (
        aidge_nb.ReLU(name=f"relu{number}"),
        aidge_nb.PaddedConv2D(
            channels, channels, [3, 3], padding_dims=[1, 1, 1, 1], name=f"conv{number}"
        ),
        aidge_nb.BatchNorm2D(channels, name=f"bn{number}"),
    ):
        last.add_child(each, 0, 0)
        last = each
    return last


def graphs() -> Iterator[tuple[str, Callable[[], GraphView]]]:
    """Yield what is measured: a label, and what makes the graph."""
    for name in zoo.MODELS:
        yield name, lambda name=name: of_zoo(name)  # type: ignore[misc]
    yield "densenet 12", lambda: _sized("densenet_like", layers=12)
    yield "inception 9", lambda: _sized("inception_like", cells=9)
    for count, channels in ((32, (16,)), (32, (8, 16, 32)), (40, (8, 16, 32)), (64, (16,))):
        for seed in CELLS:
            label = f"wired {count}{'' if len(channels) == 1 else ' mixed'} #{seed}"
            yield label, lambda c=count, s=seed, k=channels: random_cell(c, s, k)  # type: ignore[misc]


def _sized(name: str, **options: int) -> GraphView:
    view = zoo.load(name, **options)
    view.forward_dims([[1, 3, 32, 32]])
    return view


def main() -> None:
    """Measure and print a line per graph; an argument picks those whose label begins so."""
    start = sys.argv[1] if len(sys.argv) > 1 else ""
    print(
        f"{'graph':<20} {'firings':>7} {'default':>10} {'least':>10} {'above':>7} "
        f"{'bound':>10} {'arena':>10} {'states':>7}  time / scheduling it"
    )
    above, proven = [], 0
    for label, build in graphs():
        if not label.startswith(start):
            continue
        figures = measure(build())
        above.append(figures["above"])
        proven += figures["least"] == figures["bound"]
        print(
            f"{label:<20} {figures['firings']:>7} {figures['default']:>10,} "
            f"{figures['least']:>10,} {figures['above']:>7.1%} {figures['bound']:>10,} "
            f"{figures['arena']:>10,} {figures['states']:>7}  {figures['ratio']:.2f}"
        )
        write(f"orders_{label.replace(' ', '_').replace('#', '')}", dict(figures))
    worse = [each for each in above if each > 0]
    print(f"\nproven optimal on {proven} of {len(above)} graphs")
    print(f"the default order is above the least peak on {len(worse)} of {len(above)} graphs")
    if worse:
        print(f"there by {statistics.mean(worse):.1%} on average, {max(worse):.1%} at most")


def measure(view: GraphView) -> dict[str, float]:
    """Schedule a graph, find its order of least memory, and lay it out; compare."""
    times, order = [], []
    for _ in range(3):
        begin = time.perf_counter()
        scheduler = aidge_nb.Scheduler(view)
        scheduler.generate_scheduling()
        order = scheduler.get_sequential_static_scheduling()
        scheduled = time.perf_counter() - begin
        found = order_for_memory(view, order, time_limit=NO_LIMIT)
        times.append(found.seconds / scheduled)
    joint = plan_jointly(view, order)
    return {
        "firings": len(order),
        "default": found.default_bytes,
        "least": found.peak_bytes,
        "bound": found.lower_bound,
        "above": found.default_bytes / found.peak_bytes - 1,
        "arena": joint.peak,
        "states": found.states,
        "ratio": statistics.median(times),
    }


if __name__ == "__main__":
    main()

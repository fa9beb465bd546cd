"""Unit 3: orders, and the bytes that they keep alive."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from aidge_nb import ops
from aidge_nb.course import generators
from aidge_nb.course.answers.choice import ChoiceQuestion
from aidge_nb.course.answers.firing_order import OrderQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.graphs import chained
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.graph.builders import get_connected_graph_view
from aidge_nb.memory import plan_memory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan

SIDE = 8  # of the square maps, in points
CHANNELS = (3, 4, 5, 6, 8, 10, 12)


def valid_order(seed: int) -> Drawing | None:
    """Ask for any order in which a fork can run."""
    view = generators.fork(seed)
    names = [node.name() for node in view.topological_order()]
    if not 6 <= len(names) <= 8 or "a2" not in names:
        return None
    asked = OrderQuestion(
        f"Give an order in which these operators can run: {chains_text(view)}.",
        view,
        hints=[
            "Who reads nothing that another operator writes?",
            "Take any operator whose inputs are written, and repeat.",
            "in runs first, out last.",
        ],
        why="Each operator stands behind all that it reads.",
    )
    place = names.index("a2")
    wrong = ["a2" if name == "a1" else name for name in names[:place]]
    wrong += ["a1", *names[place + 1 :]]
    return Drawing(asked, (Mistake(wrong, "It reads a1, which stands later.", "reader first"),))


def branches(channels: Sequence[int], pools: Sequence[int]) -> GraphView:
    """Make branches that grow to some channels and shrink by pooling."""
    split = ops.ReLU(name="split")
    for letter, count, pool in zip("abc", channels, pools, strict=False):
        grow = ops.Conv2D(2, count, [1, 1], name=f"grow_{letter}")
        shrink = ops.MaxPooling2D([pool, pool], f"shrink_{letter}", stride_dims=[pool, pool])
        chained([split, grow, shrink])
    view = get_connected_graph_view(split)
    view.forward_dims([[1, 2, SIDE, SIDE]])
    return view


def planned(view: GraphView, names: Sequence[str], *, in_place: bool = True) -> MemoryPlan:
    """Plan the memory of an order that is given by names."""
    nodes = [view.get_node(name) for name in names]
    return plan_memory(view, nodes, in_place=in_place)


def sizes_text(view: GraphView, names: Sequence[str]) -> str:
    """Return the bytes of results as text."""
    sizes = {buffer.name: buffer.size for buffer in planned(view, names, in_place=False).buffers}
    return ", ".join(f"{name} {sizes[name]:,}" for name in names)


def live_bytes(seed: int) -> Drawing:
    """Ask for the bytes alive at each tick of an order."""
    random = Random(seed)
    channels, pools = random.sample(CHANNELS, 2), random.choices([2, 4], k=2)
    view = branches(channels, pools)
    first, second = random.sample("ab", 2)
    order = [
        "split",
        *(f"{kind}_{each}" for each in (first, second) for kind in ("grow", "shrink")),
    ]

    def right() -> dict[str, float]:
        live = planned(view, order, in_place=False).live_bytes()
        return {f"tick {tick}": live[tick] for tick in range(len(order))}

    split = _size(view, "split")
    asked = ValuesQuestion(
        f"Results take, in bytes: {sizes_text(view, order)}. {chains_text(view)}. The order is "
        f"{' '.join(order)}, nothing in place, ticks from 0. How many bytes are alive at each "
        "tick?",
        right,
        hints=[
            "Alive is what is written now, and what is still to be read.",
            (
                f"split is read twice: until grow_{second} has run, it is there. Both ends of the "
                "graph stay."
            ),
            f"Tick 0: split, {split}. Tick 1: split and grow_{first}.",
        ],
        why=f"split stays until tick 3, in which grow_{second} reads it.",
    )
    forgets = {**right(), "tick 2": right()["tick 2"] - split}
    return Drawing(asked, (Mistake(forgets, "Who still reads split?", "fork forgotten"),))


def which_first(seed: int) -> Drawing | None:
    """Ask which branch should run first."""
    view = generators.fork_bytes(seed)
    names = [node.name() for node in view.topological_order() if node.type() != "Producer"]
    orders = {
        first: [
            "split",
            *(
                name
                for letter in (first, *"ab".replace(first, ""))
                for name in sorted((n for n in names if n.endswith(f"_{letter}")), key=_place)
            ),
        ]
        for first in "ab"
    }
    peaks = {first: planned(view, order).peak for first, order in orders.items()}
    if peaks["a"] == peaks["b"]:
        return None

    other = max("ab", key=lambda first: peaks[first])
    says = "Climb minus rest, and who goes last frees split as soon as it has read it."
    options = {
        "a": f"a first: {peaks['a']:,} bytes.",
        "b": f"b first: {peaks['b']:,} bytes.",
        other: says,
    }
    asked = ChoiceQuestion(
        f"{chains_text(view)}. Results take, in bytes: {sizes_text(view, orders['a'])}. Which "
        "branch should run first, so that fewer bytes are alive?",
        dict(sorted(options.items())),
        lambda: min("ab", key=lambda first: planned(view, orders[first]).peak),
        hints=[
            "Each branch climbs while it shrinks: the large and the small result are both there.",
            (
                "The rest of the first branch lies under the climb of the second one; split stays "
                "until the second one has read it."
            ),
            (
                f"Branch a rests at {_size(view, 'shrink_a'):,}, branch b at "
                f"{_size(view, 'shrink_b'):,}."
            ),
        ],
        why=f"a first: {peaks['a']:,} bytes; b first: {peaks['b']:,}.",
    )
    return Drawing(asked, (Mistake(other, says, "rest alone"),))


def _place(name: str) -> int:
    return ("grow", "act", "shrink").index(name.split("_")[0])


def _size(view: GraphView, name: str) -> int:
    names = [node.name() for node in view.topological_order() if node.type() != "Producer"]
    buffers = planned(view, names, in_place=False).buffers
    return next(buffer.size for buffer in buffers if buffer.name == name)


def best_order(seed: int) -> Drawing | None:
    """Ask for the order of three branches that needs least memory."""
    random = Random(seed)
    view = branches(random.sample(CHANNELS, 3), random.choices([2, 4], k=3))
    mixed = ["split", *(f"{kind}_{letter}" for kind in ("grow", "shrink") for letter in "abc")]
    asked = OrderQuestion(
        f"{chains_text(view)}. Results take, in bytes: {sizes_text(view, mixed)}. Give the order "
        "with the fewest live bytes.",
        view,
        "peak",
        hints=[
            "Finish a branch before the next one begins.",
            (
                "Much climb minus rest speaks for going first; but the last branch frees split as "
                "soon as it has read it. Compare."
            ),
            "Climb minus rest: "
            + ", ".join(f"{letter} {_size(view, f'grow_{letter}'):,}" for letter in "abc")
            + ".",
        ],
        why="No order needs less, by exact search.",
    )
    found = asked._judge(mixed)
    if found.correct:
        return None
    live = planned(view, mixed).live_bytes()
    tick = live.index(max(live))
    says = f"Most bytes are alive at tick {tick}, while {mixed[tick]} runs: all grow, none shrinks."
    return Drawing(asked, (Mistake(mixed, says, "interleaved"),))

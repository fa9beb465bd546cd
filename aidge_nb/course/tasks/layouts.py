"""Unit 4: live ranges, the bound, and layouts."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from aidge_nb import ops
from aidge_nb.course import generators
from aidge_nb.course.answers.bars import BarsQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.placing import PlacingQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.graphs import chained
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.graph.builders import get_connected_graph_view
from aidge_nb.memory import live_bytes, lower_bound, plan, plan_memory
from aidge_nb.scheduling import static_schedule

Blocks = dict[str, tuple[int, int, int]]

_TYPES = (ops.ReLU, ops.Tanh, ops.Sqrt, ops.Exp, ops.Abs, ops.Sigmoid)

_NO_LUCK: tuple[tuple[tuple[int, int, int], ...], ...] = (
    ((2, 5, 2), (0, 1, 2), (1, 4, 1), (1, 3, 1), (5, 6, 3), (3, 6, 2), (0, 2, 3)),
    ((5, 8, 2), (6, 8, 2), (3, 5, 1), (1, 4, 2), (1, 3, 2), (3, 6, 1), (0, 1, 2), (4, 6, 1)),
)
"""Blocks that no layout fits into their bound; found by search."""


def live_ranges(seed: int) -> Drawing:
    """Ask for the live ranges of a chain with a skip."""
    random = Random(seed)
    chain = [random.choice(_TYPES)(name=name) for name in "abcde"]
    join, place = ops.Add(name="join"), random.randint(3, 5)
    chained(chain[:place]).add_child(join, 0, 0)
    chain[random.randrange(0, place - 2)].add_child(join, 0, 1)
    chained([join, *chain[place:]])
    view = get_connected_graph_view(chain[0])
    view.forward_dims([[1, 16]])
    schedule = static_schedule(view)
    asked = BarsQuestion(
        f"{chains_text(view)}. The order is {' '.join(schedule.order)}, ticks from 0. At which "
        "ticks is each result alive, first and last?",
        view,
        "ticks",
        hints=[
            "A result is alive from the tick that writes it.",
            "It stays until its last reader has run; one result has two readers.",
            f"a is written at tick 0, b at tick 1, and so on. {schedule.order[-1]} is the result.",
        ],
        why="From the tick that writes to the last that reads, both included.",
    )
    buffers = plan_memory(view, schedule).buffers
    spans = {buffer.name: (buffer.lower, buffer.upper - 1) for buffer in buffers}
    writes = {
        name: (first, max(first, last - 1) if name != schedule.order[-1] else last)
        for name, (first, last) in spans.items()
    }
    return Drawing(asked, (Mistake(writes, "The reader's tick counts.", "reader's tick"),))


def blocks_text(blocks: Mapping[str, tuple[int, int, int]]) -> str:
    """Return blocks as text: ticks, both ends included, and bytes."""
    parts = []
    for name, (lower, upper, size) in blocks.items():
        ticks = f"ticks {lower}–{upper - 1}" if upper - lower > 1 else f"tick {lower}"
        parts.append(f"{name} {ticks}, {size} B")
    return "; ".join(parts)


def the_bound(seed: int) -> Drawing | None:
    """Ask for the bound of six blocks, and for its tick."""
    random = Random(seed)
    blocks: Blocks = {}
    for name in "abcdef":
        lower = random.randrange(6)
        blocks[name] = (lower, min(7, lower + random.randint(1, 3)), 4 * random.randint(1, 16))
    ticks = range(max(upper for _, upper, _ in blocks.values()))
    live = live_bytes(list(blocks.values()), ticks).tolist()
    if live.count(max(live)) > 1:
        return None

    def right() -> dict[str, float]:
        found = lower_bound(list(blocks.values()))
        return {"bytes": found.size, "tick": found.tick}

    total = sum(size for _, _, size in blocks.values())
    if total == max(live):
        return None
    asked = ValuesQuestion(
        f"{blocks_text(blocks)}. How many bytes are needed at least, and at which tick?",
        right,
        hints=[
            "Draw a line through one tick: which blocks does it cut?",
            "Add what is alive at each tick; take the largest sum.",
            f"At tick {ticks[-1]} it is {live[-1]} bytes. Which tick has more?",
        ],
        why=f"Alive at ticks {ticks[0]}–{ticks[-1]}: {', '.join(map(str, live))} bytes.",
    )
    answer = {"bytes": total, "tick": live.index(max(live))}
    return Drawing(asked, (Mistake(answer, "Only what lives at one tick.", "sum of all"),))


def place(seed: int) -> Drawing:
    """Ask to place five blocks better than first fit does."""
    blocks = generators.blocks(seed)
    longest = max(blocks, key=lambda name: blocks[name][1] - blocks[name][0])
    best = plan(blocks)
    asked = PlacingQuestion(
        f"Place these blocks in as few bytes as you can: {blocks_text(blocks)}. First fit needs "
        f"{generators.first_fit(blocks)} bytes.",
        blocks,
        hints=[
            "Which block lives longest?",
            "Place the long and large blocks first, then the others around them.",
            f"{longest} can lie at byte {best.offsets[list(blocks).index(longest)]}.",
        ],
        why=f"{best.peak} bytes: proven to be the least.",
    )
    wrong = generators.first_fit_offsets(blocks)
    says = "That is first fit. Which lives longest? It first."
    return Drawing(asked, (Mistake(wrong, says, "first fit"),))


def no_luck(seed: int) -> Drawing | None:
    """Ask for the least bytes of blocks that do not fit into their bound."""
    random = Random(seed)
    given, factor = random.choice(_NO_LUCK), random.choice([1, 2, 3, 4, 8])
    end = max(upper for _, upper, _ in given)
    if random.random() < 0.5:
        given = tuple((end - upper, end - lower, size) for lower, upper, size in given)
    shuffled = random.sample(given, len(given))
    blocks = {
        name: (lower, upper, size * factor)
        for name, (lower, upper, size) in zip("abcdefgh", shuffled, strict=False)
    }
    bound, best = lower_bound(list(blocks.values())).size, plan(blocks)
    if best.peak <= bound or not best.is_optimal:
        return None
    says = f"Show me: place them, with course.place_blocks({blocks!r})."
    asked = NumberQuestion(
        f"{blocks_text(blocks)}. At no tick are more than {bound} bytes alive. What is the "
        "smallest memory in which they fit?",
        lambda: plan(blocks).peak,
        "bytes",
        near={bound: says},
        hints=[
            "The bound is a promise in one direction only.",
            "Try to place them without a hole; where is one left?",
            f"All sizes are multiples of {factor}: so is the answer.",
        ],
        why=f"No layout reaches the bound of {bound}; {best.peak} is proven to be the least.",
    )
    return Drawing(asked, (Mistake(bound, says, "bound reached"),))

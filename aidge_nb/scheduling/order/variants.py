"""Other orders of little memory: which of them packs best is for a planner to find out."""

from __future__ import annotations

import random
from collections.abc import Iterator

from aidge_nb.scheduling.order.budget import Budget
from aidge_nb.scheduling.order.joining import group_tasks
from aidge_nb.scheduling.order.problem import OrderProblem, bits
from aidge_nb.scheduling.order.segments import Segment, cut
from aidge_nb.scheduling.order.walks import Backward, Forward, State, Walk


def other_orders(
    problem: OrderProblem, limit: int, count: int, *, max_states: int = 2_000
) -> Iterator[tuple[int, ...]]:
    """Yield different orders whose peak is below a limit, found by wandering at random.

    Parameters
    ----------
    problem
        Tasks and their memory.
    limit
        A peak that orders must stay below.
    count
        How often to try; fewer orders come when some are the same or none is found.
    max_states
        How many states each try may look at. Each has its own seed, so the orders are the same
        each time.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import Block
    >>> blocks = (Block(4, 0, 0b110), Block(9, 1, 0b1000), Block(8, 2, 0b1000))
    >>> problem = OrderProblem((0, 0b1, 0b1, 0b110), blocks)
    >>> sorted(other_orders(problem, limit=22, count=8))
    [(0, 1, 2, 3), (0, 2, 1, 3)]
    """
    segments = cut(group_tasks(problem))
    seen: set[tuple[int, ...]] = set()
    for seed in range(count):
        draw, budget = random.Random(seed), Budget(max_states)
        order = _wander_through(segments, problem.live_at_start, limit, draw, budget)
        if order is not None and order not in seen:
            seen.add(order)
            yield order


def _wander_through(
    segments: list[Segment], live: int, limit: int, draw: random.Random, budget: Budget
) -> tuple[int, ...] | None:
    order: list[int] = []
    for segment in segments:
        walk: Walk = draw.choice((Forward, Backward))(segment, live)
        found = _wander(walk, limit, draw, budget)
        if found is None:
            return None
        live = segment.run(found, live)[1]
        order += [task for group in found for task in segment.choices[group].tasks]
    return tuple(order)


def _wander(walk: Walk, limit: int, draw: random.Random, budget: Budget) -> list[int] | None:
    """Walk at random below the limit; turn back where it does not go on, and never go there again.

    From a set that was left once nothing leads on: what is behind it does not depend on the way.
    """
    first = walk.start()
    if first.peak >= limit:
        return None
    seen = {first.done}
    trail: list[State] = [first]
    ways = [_shuffled(first, draw)]
    while trail:
        state = trail[-1]
        if not state.todo:
            return walk.order(list(state.trail))
        if not ways[-1] or budget.is_over:
            trail.pop()
            ways.pop()
            continue
        budget.spent += 1
        follower = walk.step(state, ways[-1].pop())
        if follower.peak < limit and follower.done not in seen:
            seen.add(follower.done)
            trail.append(follower)
            ways.append(_shuffled(follower, draw))
    return None


def _shuffled(state: State, draw: random.Random) -> list[int]:
    ready = list(bits(state.ready))
    draw.shuffle(ready)
    return ready

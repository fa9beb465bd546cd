"""Sample further orders with a small peak, for planners to try."""

from __future__ import annotations

import random
from collections.abc import Iterator

from aidge_nb.scheduling.order.groups import group_tasks
from aidge_nb.scheduling.order.problem import OrderProblem, bits
from aidge_nb.scheduling.order.search import Budget
from aidge_nb.scheduling.order.segments import cut
from aidge_nb.scheduling.order.walks import Backward, Direction, Forward, SearchState


def other_orders(
    problem: OrderProblem, limit: int, count: int, *, max_states: int = 2_000
) -> Iterator[tuple[int, ...]]:
    """Yield different orders whose peak is below a limit, found by random walks.

    Parameters
    ----------
    problem
        Tasks and their memory.
    limit
        Upper limit (exclusive) of the peak, in bytes.
    count
        Number of tries; each can fail or repeat an order.
    max_states
        Limit on the states of each try. Seeds are fixed, so that results are reproducible.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import MemoryBlock
    >>> blocks = (MemoryBlock(4, 0, 0b110), MemoryBlock(9, 1, 0b1000), MemoryBlock(8, 2, 0b1000))
    >>> problem = OrderProblem((0, 0b1, 0b1, 0b110), blocks)
    >>> sorted(other_orders(problem, limit=22, count=8))
    [(0, 1, 2, 3), (0, 2, 1, 3)]
    """
    segments = cut(group_tasks(problem))
    seen: set[tuple[int, ...]] = set()
    for seed in range(count):
        draw, budget = random.Random(seed), Budget(max_states)
        live, tasks = problem.live_at_start, list[int]()
        for segment in segments:
            walk: Direction = draw.choice((Forward, Backward))(segment, live)
            found = _wander(walk, limit, draw, budget)
            if found is None:
                break
            live = segment.run(found, live)[1]
            tasks += [task for group in found for task in segment.groups[group].tasks]
        else:
            if (order := tuple(tasks)) not in seen:
                seen.add(order)
                yield order


def _wander(walk: Direction, limit: int, draw: random.Random, budget: Budget) -> list[int] | None:
    """Walk at random below the limit, with backtracking; visit each set of groups once.

    The orders after a set do not depend on the way to it, so a set that failed once always fails.
    """
    first = walk.start()
    if first.peak >= limit:
        return None
    seen = {first.done}
    trail: list[SearchState] = [first]
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


def _shuffled(state: SearchState, draw: random.Random) -> list[int]:
    ready = list(bits(state.ready))
    draw.shuffle(ready)
    return ready

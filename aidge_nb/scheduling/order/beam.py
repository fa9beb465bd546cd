"""Beam search for orders of small peak, where exact search would take too long."""

from __future__ import annotations

from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment
from aidge_nb.scheduling.order.walks import Backward, Forward, State, Walk


def beam_search(segment: Segment, live: int, width: int) -> tuple[list[int], int]:
    """Give a good order of the groups of a segment, and its peak: the better of two directions.

    Parameters
    ----------
    segment
        The segment.
    live
        Bytes that are live where it begins.
    width
        How many partial orders to go on with, at each length.
    """
    walks: list[Walk] = [Backward(segment, live), Forward(segment, live)]
    return min((_search(walk, width) for walk in walks), key=lambda found: found[1])


def _search(walk: Walk, width: int) -> tuple[list[int], int]:
    first = walk.start()
    waiting = {first.todo: {first.done: first}}
    for todo in range(first.todo, 0, -1):
        for state in sorted(waiting.pop(todo, {}).values(), key=_promise)[:width]:
            for group in bits(state.ready):
                follower = walk.step(state, group)
                level = waiting.setdefault(follower.todo, {})
                known = level.get(follower.done)
                if known is None or follower.peak < known.peak:
                    level[follower.done] = follower
    (best,) = waiting[0].values()
    return walk.order(list(best.trail)), best.peak


def _promise(state: State) -> tuple[int, int, int]:
    return state.peak, state.live, state.done

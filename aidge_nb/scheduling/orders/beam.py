"""Beam search for orders of small peak, where exact search would take too long."""

from __future__ import annotations

from aidge_nb.scheduling.orders.exact import State, settle, start
from aidge_nb.scheduling.orders.problem import bits
from aidge_nb.scheduling.orders.segments import Segment

__all__ = ["beam_search"]


def beam_search(segment: Segment, live: int, width: int) -> tuple[list[int], int]:
    """Give a good order of the groups of a segment, and its peak.

    Parameters
    ----------
    segment
        The segment.
    live
        Bytes that are live where it begins.
    width
        How many partial orders to go on with, at each length.
    """
    waiting: dict[int, dict[int, State]] = {}
    first = start(segment, live)
    waiting[first.todo] = {first.done: first}
    for todo in range(len(segment), 0, -1):
        states = sorted(waiting.pop(todo, {}).values(), key=_promise)[:width]
        for state in states:
            for number in bits(state.ready):
                follower = settle(segment, state, number)
                level = waiting.setdefault(follower.todo, {})
                known = level.get(follower.done)
                if known is None or follower.peak < known.peak:
                    level[follower.done] = follower
    (best,) = waiting[0].values()
    return list(best.trail), best.peak


def _promise(state: State) -> tuple[int, int, int]:
    return state.peak, state.live, state.done

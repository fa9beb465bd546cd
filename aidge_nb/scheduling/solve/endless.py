"""Noticing that a schedule never ends although no loop was found in it.

One state of the past, the *anchor*, is compared with the state before each round; it is replaced at
growing distances (Brent, An improved Monte Carlo factorization algorithm, 1980), so that a period
of any length is found in a few times that many rounds. If consumers, still-consumers and phases are
those of the anchor, and each backlog is too, or has grown and was never near what it is compared
with, then all comparisons since come out the same again, and so for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling.solve.drift import Drift, describe_endless

if TYPE_CHECKING:
    from aidge_nb.scheduling.model.compiled import Move
    from aidge_nb.scheduling.solve.dataflow import Dataflow


class Watch:
    """Compares states with one of the past.

    Parameters
    ----------
    flow
        The graph and its state.
    """

    def __init__(self, flow: Dataflow) -> None:
        self._flow = flow
        self._seen = 0
        self._limit = 16
        self._anchor: object = None
        self._taken: list[int] = []
        self._backlogs: list[tuple[int, int]] = []
        self._left: list[int | None] = []
        self._moves: dict[tuple[int, Move], int] = {}

    def append(self, moves: Iterable[tuple[int, Move]]) -> None:
        """Note who ran in a round."""
        self._moves.update(dict.fromkeys(moves, 1))

    def check(self, key: object) -> None:
        """Compare the state before a round with the anchor.

        Raises
        ------
        SchedulingError
            When it is the same again.
        """
        if key == self._anchor and self._moves:
            self._compare()
        self._seen += 1
        if self._seen >= self._limit:
            self._limit += self._limit // 2
            self._seen = 0
            self._anchor = key
            self._taken = list(self._flow.taken)
            self._backlogs = self._find_backlogs()
            self._left = self._find_left()
            self._moves.clear()

    def _find_left(self) -> list[int | None]:
        return [self._flow.models[number].left() for number in self._flow.varying]

    def _find_backlogs(self) -> list[tuple[int, int]]:
        """Give what is left at each edge, as it is compared with 1 and with what is needed."""
        flow = self._flow
        pairs = zip(flow.taken, flow.left_at, flow.need_at, strict=True)
        return [(flow.given[left] - t, flow.given[need] - t) for t, left, need in pairs]

    def _compare(self) -> None:
        if self._find_left() != self._left:
            return  # a loop that ends by counting
        ranges = {}
        for edge, (new, old) in enumerate(zip(self._find_backlogs(), self._backlogs, strict=True)):
            took = self._flow.taken[edge] - self._taken[edge]
            for now, before in zip(new, old, strict=True):
                if now < before or (now > before and before - took < self._highest(edge)):
                    return
            if new != old:
                ranges[edge] = (max(new[0] - old[0], new[1] - old[1]), 0, 0)
        raise SchedulingError(describe_endless(self._flow, Drift(ranges, self._moves)))

    def _highest(self, edge: int) -> int:
        """Give the most that the backlog of an edge is compared with."""
        flow = self._flow
        number, index = flow.target[edge]
        if index < 0:
            return 1
        place = flow.edges[number].index(edge)
        needs = [needs[place] for (actor, _), needs in flow.needs.items() if actor == number]
        return max(1, flow.need[edge], *needs)

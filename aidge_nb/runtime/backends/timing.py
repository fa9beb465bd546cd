"""Collect execution times over several passes (Welford 1962)."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from aidge_nb.graph.node import Node
from aidge_nb.scheduling.schedule.elements import SchedulingElement


class NodeExecTime:
    """Mean and standard deviation of a node's execution time, in microseconds.

    Examples
    --------
    >>> time = NodeExecTime()
    >>> for end in (2000, 4000):
    ...     time.update(0, end)
    >>> time.mean(), time.std_dev()
    (3.0, 1.0)
    """

    __slots__ = ("_mean", "_squares", "count")

    def __init__(self) -> None:
        self.count = 0
        self._mean = 0.0
        self._squares = 0.0

    def update(self, start: int, end: int) -> None:
        """Add an execution; times in nanoseconds."""
        duration = (end - start) / 1000
        self.count += 1
        difference = duration - self._mean
        self._mean += difference / self.count
        self._squares += difference * (duration - self._mean)

    def mean(self) -> float:
        """Return the mean time in microseconds."""
        return self._mean

    def std_dev(self) -> float:
        """Return the standard deviation in microseconds."""
        return sqrt(self._squares / self.count) if self.count else 0.0


class ExecTime:
    """Execution times of the nodes of a graph."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        self._times: dict[Node, NodeExecTime] = {}

    def update(self, scheduling: Sequence[SchedulingElement]) -> None:
        """Add the executions of a pass."""
        for element in scheduling:
            time = self._times.setdefault(element.node, NodeExecTime())
            time.update(element.start, element.end)

    def get(self) -> dict[Node, NodeExecTime]:
        """Return the times by node."""
        return dict(self._times)

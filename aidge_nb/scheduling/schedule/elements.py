"""Elements of schedules, as the seeds' API hands them out: with their nodes."""

from __future__ import annotations

from dataclasses import field

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node


@dataclass(slots=True, eq=False)
class StaticSchedulingElement:
    """One execution of a node in a static schedule.

    Attributes
    ----------
    node
        The node.
    early, late
        First and last step at which it may run without delaying the end.
    earlier_than
        Elements that it must precede.
    later_than
        Elements that it must follow.
    """

    node: Node
    early: int = -1
    late: int = -1
    earlier_than: list[StaticSchedulingElement] = field(default_factory=list, repr=False)
    later_than: list[StaticSchedulingElement] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True)
class SchedulingElement:
    """One execution of a node as it was measured.

    Attributes
    ----------
    node
        The node.
    start, end
        When it ran, in nanoseconds of a monotonic clock.
    """

    node: Node
    start: int
    end: int

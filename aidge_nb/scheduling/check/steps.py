"""Check the early and late steps of a flat schedule, which follow from the order of firings alone.

A firing must follow the last execution of each node that feeds it and, if its node ran before, of
the readers of that output. It must precede the next execution of its readers and, if its node runs
again, of the nodes that feed it until then. Its early step is one after the last firing that it
must follow, its late step one before the first firing that it must precede.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule


def check_steps(run: Run, waits_for: Sequence[Iterable[int]]) -> None:
    """Check the steps of all firings, and the dependencies that the schedule states."""
    _check_early(run)
    _check_late(run)
    _check_waits(run, waits_for)


class Run:
    """The order in which nodes ran, with the last and next firing of a node at each position."""

    def __init__(
        self, view: GraphView, schedule: StaticSchedule, firings: Sequence[Firing]
    ) -> None:
        self.firings = firings
        self.names = [schedule.name_of(firing) for firing in firings]
        known = {name: node for node, name in view.unique_names().items()}
        for position, name in enumerate(self.names):
            if name not in known:
                raise SchedulingError.at(self.where(position), "no such node in this graph")
        self.nodes = [known[name] for name in self.names]
        self.positions: dict[Node, list[int]] = {node: [] for node in view}
        for position, node in enumerate(self.nodes):
            self.positions[node].append(position)
        self.slots = {
            node: [*node.get_parents(), *condition_nodes(node)] for node in self.positions
        }
        self.readers: dict[Node, list[Node]] = {node: [] for node in self.positions}
        for reader, feeding in self.slots.items():
            for parent in dict.fromkeys(feeding):
                if parent in self.readers:
                    self.readers[parent].append(reader)

    def where(self, position: int) -> str:
        """Return the name of a firing for messages."""
        execution = self.firings[position].execution
        return f"firing {position}, execution {execution} of {self.names[position]}"

    def last(self, node: Node | None, position: int) -> int | None:
        """Return the last position of a node before a position."""
        places = self.positions.get(node, []) if node is not None else []
        index = bisect_left(places, position)
        return places[index - 1] if index else None

    def next(self, node: Node | None, position: int) -> int | None:
        """Return the first position of a node after a position."""
        places = self.positions.get(node, []) if node is not None else []
        index = bisect_right(places, position)
        return places[index] if index < len(places) else None

    def before(self, position: int) -> set[int]:
        """Return the positions that the firing at a position must follow."""
        node = self.nodes[position]
        found = {self.last(parent, position) for parent in self.slots[node]}
        previous = self.last(node, position)
        if previous is not None:
            for reader in self.readers[node] or [node]:
                found.add(max(self.last(reader, position) or 0, previous))
        return {place for place in found if place is not None}

    def after(self, position: int) -> set[int]:
        """Return the positions that the firing at a position must precede."""
        node = self.nodes[position]
        found = {self.next(reader, position) for reader in self.readers[node]}
        again = self.next(node, position)
        if again is not None:
            for parent in self.slots[node]:
                place = self.next(parent, position)
                found.add(again if place is None else min(place, again))
        return {place for place in found if place is not None}


def _check_early(run: Run) -> None:
    """Check that each early step is one after the last firing that it must follow."""
    for position, firing in enumerate(run.firings):
        before = run.before(position)
        cause = max(before, key=lambda place: run.firings[place].early, default=None)
        earliest = 0 if cause is None else run.firings[cause].early + 1
        if firing.early == earliest:
            continue
        name = None if cause is None else run.names[cause]
        raise SchedulingError(describe_early(run.where(position), name, earliest, firing.early))


def describe_early(where: str, cause: str | None, expected: int, found: int) -> str:
    """Describe a wrong early step; ``cause`` is the last firing that it must follow."""
    problem = "early step is not the first possible"
    if cause is not None and found < expected:
        problem = f"early step is not after that of {cause}, which it waits for"
    return explain(where, problem, expected=expected, found=found)


def _check_late(run: Run) -> None:
    """Check that each late step is one before the first firing that it must precede."""
    end = max((firing.early for firing in run.firings), default=0)
    for position in range(len(run.firings) - 1, -1, -1):
        firing = run.firings[position]
        after = run.after(position)
        cause = min(after, key=lambda place: run.firings[place].late, default=None)
        latest = end if cause is None else run.firings[cause].late - 1
        if firing.late == latest:
            continue
        name = None if cause is None else run.names[cause]
        raise SchedulingError(describe_late(run.where(position), name, latest, firing.late))


def describe_late(where: str, cause: str | None, expected: int, found: int) -> str:
    """Describe a wrong late step; ``cause`` is the first firing that it must precede."""
    problem = "late step is not the last possible"
    if found > expected:
        problem = "late step would delay the end"
        problem += "" if cause is None else f": {cause} waits for it"
    return explain(where, problem, expected=expected, found=found)


def _check_waits(run: Run, waits_for: Sequence[Iterable[int]]) -> None:
    """Check the dependencies that the schedule states."""
    if len(waits_for) != len(run.firings):
        raise SchedulingError.at(
            "schedule",
            "does not state the dependencies of each firing",
            expected=f"{len(run.firings)} entries in waits_for",
            found=len(waits_for),
        )
    for position, said in enumerate(waits_for):
        before = run.before(position)
        if set(said) != before:
            raise SchedulingError.at(
                run.where(position),
                "waits for other firings than the schedule states",
                expected=sorted(before),
                found=sorted(said),
            )

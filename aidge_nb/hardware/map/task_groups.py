"""Group the nodes of a schedule into tasks.

A group is one execution of a node, nodes tiled together, or a node with the in-place operators
after it (normalisations, activations), which need no transfers of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.tiling import Tiling
from aidge_nb.tiling.rules import can_tile

Group = tuple[list[Node], Tiling | None]
"""Nodes in order, and their given tiling."""

_MANY = 20_000


def order_of(view: GraphView, schedule: StaticSchedule | Sequence[Node] | None) -> list[Node]:
    """Return the nodes in the order of a schedule, by default topological.

    Raises
    ------
    HardwareError
        For a schedule of another graph, or one that is too long.
    """
    if schedule is None:
        schedule = view.topological_order()
    elif isinstance(schedule, StaticSchedule):
        by_name = {name: node for node, name in view.unique_names().items()}
        missing = [name for name in schedule.order if name not in by_name]
        if missing:
            problem = "is of another graph"
            cure = "Schedule this one: static_schedule(view)."
            found = f"no node called {missing[0]}"
            raise HardwareError.at("schedule", problem, found=found, cure=cure)
        schedule = [by_name[name] for name in schedule.order]
    given: Sequence[object] = schedule
    for node in given:
        if not isinstance(node, Node) or node not in view:
            problem = "lists nodes of this graph"
            found = node.label if isinstance(node, Node) else repr(node)
            cure = "Take view.topological_order(), or static_schedule(view)."
            raise HardwareError.at("schedule", problem, found=found, cure=cure)
    order = [node for node in schedule if node.type() != "Producer"]
    if len(order) > _MANY:
        problem = "the schedule is too long to be mapped execution by execution"
        raise HardwareError.at(
            "map_schedule", problem, expected=_MANY, found=len(order), cure="Map one round of it."
        )
    return order


def grouped(view: GraphView, order: Sequence[Node], tilings: Sequence[Tiling]) -> list[Group]:
    """Group nodes into tasks; a tiled group takes the place of its last node.

    Raises
    ------
    HardwareError
        For tilings of another graph, or two tilings of one node.
    """
    ends = _ends(view, order, tilings)
    taken = {node for members, _ in ends.values() for node in members}
    results = set(view.get_ordered_outputs())
    counts = Counter(order)
    groups: list[Group] = []
    for node in order:
        if node in ends:
            groups.append(ends[node])
        elif node not in taken or counts[node] > 1:
            members = [node]
            while (following := _follower(members[-1], results)) is not None:
                if following in taken or counts[following] != 1 or counts[node] != 1:
                    break
                members.append(following)
            taken |= set(members)
            groups.append((members, None))
    return groups


def _ends(view: GraphView, order: Sequence[Node], tilings: Sequence[Tiling]) -> dict[Node, Group]:
    """Return the group of each tiling, by the last of its nodes."""
    by_name = {name: node for node, name in view.unique_names().items()}
    place = {node: number for number, node in reversed(list(enumerate(order)))}
    found: dict[Node, Group] = {}
    taken: set[Node] = set()
    for tiling in tilings:
        if not isinstance(tiling, Tiling):
            cure = "Pass what plan_tiling() gave, or best.plan(view) of a search."
            raise HardwareError.at("tilings", "must be Tilings", found=repr(tiling), cure=cure)
        if not set(tiling.nodes) <= set(by_name):
            problem = "belongs to another graph, or was applied already"
            raise HardwareError.at(
                "tiling",
                problem,
                found=", ".join(tiling.nodes),
                cure="Plan it for this graph, before it is applied.",
            )
        members = [by_name[name] for name in tiling.nodes]
        left = [node.label for node in members if node not in place]
        if left:
            problem, cure = "tiles nodes that are not in the schedule", "Schedule the whole graph."
            raise HardwareError.at("tiling", problem, found=", ".join(left), cure=cure)
        if not taken.isdisjoint(members):
            problem = "shares a node with another tiling"
            raise HardwareError.at(
                f"tiling of {tiling.nodes[-1]}", problem, cure="Leave one of them out."
            )
        taken.update(members)
        found[max(members, key=place.__getitem__)] = (members, tiling)
    return found


def _follower(node: Node, results: set[Port]) -> Node | None:
    """Return the only reader of a node, if it works in place and reads only parameters besides."""
    readers = node.output(0)
    if len(readers) != 1 or Port(node, 0) in results or node.get_nb_outputs() != 1:
        return None
    following, index = readers[0].node, readers[0].index
    operator = following.get_operator()
    others = [parent.node for _, parent in following.edges_in() if parent.node is not node]
    source, result = operator.get_input(index), operator.get_output(0)
    works_there = index in operator.spec.overwrites and not operator.spec.is_view
    if not works_there or not can_tile(following) or source is None or source.undefined:
        return None
    if any(each.type() != "Producer" for each in others) or source.nbytes != result.nbytes:
        return None
    return following

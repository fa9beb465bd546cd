"""Branches: what lies between a fork and the joins behind it.

A *fork* is a node that several nodes read. Each of its connections begins a branch, unless it
leads straight to where another branch goes anyway (the shortcut of a residual block). A node is in
a branch when everything it reads is: the fork itself, nodes of the same branch, or nodes that feed
nothing but this branch, such as the Producers of its weights; these belong to the branch as well.
Where branches meet, the branch ends.
"""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView

__all__ = ["FORK_BRANCH", "find_fork_branches", "tag_fork_branches"]

FORK_BRANCH = "schedule.forkBranch"
"""Annotation of a node: its forks, each with the number of the branch that the node is in."""

Branches = dict[Node, dict[Node, int]]


def tag_fork_branches(view: GraphView, allow_shared_producers: bool = False) -> None:
    """Note on every node of a graph the branches that it is in."""
    for node in view.get_nodes():
        node.annotations.pop(FORK_BRANCH, None)
    for node, branches in find_fork_branches(view, allow_shared_producers).items():
        node.annotations[FORK_BRANCH] = branches


def find_fork_branches(view: GraphView, allow_shared_producers: bool = False) -> Branches:
    """Find the branches of all forks of a graph.

    Parameters
    ----------
    view
        The graph.
    allow_shared_producers
        Whether a Producer that several nodes read neither forks nor ends a branch.

    Returns
    -------
    dict
        For each node that is in a branch its forks, and the number of the branch: the position
        of its first connection among those of the fork.
    """
    order = view.topological_order()
    branches: Branches = {}
    for fork in order:
        if allow_shared_producers and fork.type() == "Producer":
            continue
        starts = [port.node for ports in fork.outputs() for port in ports if port.node in view]
        if len(set(starts)) < 2:
            continue
        for node, number in _branches_of(fork, starts, order, allow_shared_producers).items():
            branches.setdefault(node, {})[fork] = number
    return branches


def _branches_of(
    fork: Node, starts: list[Node], order: list[Node], allow_shared_producers: bool
) -> dict[Node, int]:
    """Number the nodes in the branches of one fork."""
    reached = _reach(fork, starts, order)
    member = {node: numbers.pop() for node, numbers in reached.items() if len(numbers) == 1}
    known = set(order)
    while True:
        feeders = _private_feeders(fork, member, reached, order)
        strays = [
            node
            for node in order
            if node in member
            and not all(
                parent is fork
                or member.get(parent, -1) == member[node]
                or feeders.get(parent, -1) == member[node]
                or (allow_shared_producers and parent.type() == "Producer")
                for parent in _parents(node)
                if parent in known
            )
        ]
        if not strays:
            return member | feeders
        for node in strays:
            del member[node]


def _parents(node: Node) -> Iterable[Node]:
    return (port.node for index, port in node.edges_in() if not node.parent_is_back_edge(index))


def _reach(fork: Node, starts: list[Node], order: list[Node]) -> dict[Node, set[int]]:
    """Tell from which connections of the fork each node can be reached."""
    first = {node: starts.index(node) for node in reversed(starts)}
    reached: dict[Node, set[int]] = {}
    for node in order:
        if node is fork:
            continue
        numbers: set[int] = set()
        for parent in _parents(node):
            numbers |= reached.get(parent, set())
        if node in first and not numbers:
            numbers = {first[node]}
        if numbers:
            reached[node] = numbers
    return reached


def _private_feeders(
    fork: Node, member: dict[Node, int], reached: dict[Node, set[int]], order: list[Node]
) -> dict[Node, int]:
    """Find the nodes that, with all behind them, come not from the fork and feed one branch."""
    known = set(order)
    outside = [node for node in order if node is not fork and node not in reached]
    feeders: dict[Node, int] = {}
    for node in reversed(outside):
        children = [child for child in node.get_children() if child in known]
        fed = {member.get(child, feeders.get(child, -1)) for child in children}
        if len(fed) == 1 and -1 not in fed:
            feeders[node] = fed.pop()
    for node in outside:
        if any(parent in known and parent not in feeders for parent in _parents(node)):
            feeders.pop(node, None)
    return feeders

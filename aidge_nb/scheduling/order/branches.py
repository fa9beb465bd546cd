"""Branches between a fork and its joins: find them, and order firings branch by branch.

A *fork* is a node with several readers. Each of its connections begins a branch, unless it leads
straight to a node that another branch reaches anyway (the shortcut of a residual block). Branches
are followed from their beginning, in the order of the connections. A node is in a branch when all
its inputs come from the fork, from nodes of the same branch, or from *feeders*: nodes that serve
this node alone, such as Producers of its weights, which then belong to the branch too. A branch
ends where it meets another one.

The rule is Aidge's, also for feeders of the join itself: inputs are visited in order, and a feeder
that comes before the output of another branch is already counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.schedule.nest import Firing

FORK_BRANCH = "schedule.forkBranch"
"""Annotation of a node: its forks, each with the number of the branch that the node is in."""

NodeBranches = dict[Node, dict[Node, int]]

Membership = Mapping[int, Mapping[int, int]]
"""For each actor its forks, each with the number of the branch that the actor is in."""

Branches = Sequence[Sequence[Firing]]
"""The remaining firings of the branches of a fork, by number; no branch is empty."""

Arrange = Callable[[Firing, Branches], list[Firing]]
"""Puts the branches after a firing of their fork into one order."""


def tag_fork_branches(view: GraphView, allow_shared_producers: bool = False) -> None:
    """Annotate each node of a graph with the branches that it is in."""
    for node in view.get_nodes():
        node.annotations.pop(FORK_BRANCH, None)
    for node, branches in find_fork_branches(view, allow_shared_producers).items():
        node.annotations[FORK_BRANCH] = branches


def find_fork_branches(view: GraphView, allow_shared_producers: bool = False) -> NodeBranches:
    """Return the branches of all forks of a graph.

    Returns
    -------
    dict
        For each node in a branch its forks, each with the number of the branch: the position of
        its first connection among those of the fork.
    """
    finder = _BranchFinder(view, allow_shared_producers)
    branches: NodeBranches = {node: {} for node in finder.order}
    for fork in finder.order:
        if fork in finder.shared:
            continue
        starts = [port.node for ports in fork.outputs() for port in ports if port.node in view]
        if len(set(starts)) < 2:
            continue
        for node, number in finder.follow(fork, starts).items():
            branches[node][fork] = number
    return {node: forks for node, forks in branches.items() if forks}


class _BranchFinder:
    """Parents, children and feeders of the nodes of one graph."""

    def __init__(self, view: GraphView, allow_shared_producers: bool) -> None:
        self.order = view.topological_order()
        known = set(self.order)
        self.parents = {
            node: [
                port.node
                for index, port in node.edges_in()
                if port.node in known and not node.parent_is_back_edge(index)
            ]
            for node in self.order
        }
        self.children = {
            node: [child for child in dict.fromkeys(node.get_children()) if child in known]
            for node in self.order
        }
        self.shared = {
            node for node in self.order if allow_shared_producers and node.type() == "Producer"
        }
        self.feeders: set[Node] = set(self.shared)
        for node in self.order:
            if len(self.children[node]) == 1 and self.feeders.issuperset(self.parents[node]):
                self.feeders.add(node)

    def follow(self, fork: Node, starts: list[Node]) -> dict[Node, int]:
        """Return the branch number of each node in the branches of one fork."""
        member: dict[Node, int] = {}
        for number, start in enumerate(starts):
            pending = [start]
            for node in pending:
                if node not in member and self._joins(node, fork, number, member):
                    member[node] = number
                    pending += self.children[node]
        return member

    def _joins(self, node: Node, fork: Node, number: int, member: dict[Node, int]) -> bool:
        """Tell whether all inputs of a node are in a branch, and add its feeders to the branch."""
        for parent in self.parents[node]:
            if parent is fork or member.get(parent) == number:
                continue
            if parent not in self.feeders or (parent in member and parent not in self.shared):
                return False
            pending = [parent]
            for feeder in pending:
                member.setdefault(feeder, number)
                pending += self.parents[feeder]
        return True


def order_by_branches(
    firings: Sequence[Firing], membership: Membership, arrange: Arrange
) -> list[Firing]:
    """Order firings so that the branches of a fork follow it.

    Parameters
    ----------
    firings
        The firings, in default order.
    membership
        The branches that each actor is in.
    arrange
        Puts the branches of a fork into an order.

    Returns
    -------
    list of Firing
        The same firings. Each execution of an actor follows the same execution of its fork.
    """
    inside: dict[tuple[int, int], dict[int, list[Firing]]] = {}
    for firing in firings:
        for fork, number in membership.get(firing.actor, {}).items():
            groups = inside.setdefault((fork, firing.execution), {})
            groups.setdefault(number, []).append(firing)
    ordered: list[Firing] = []
    done: set[Firing] = set()
    pending = list(reversed(firings))
    while pending:
        firing = pending.pop()
        if firing in done:
            continue
        done.add(firing)
        ordered.append(firing)
        branches = [
            [each for each in branch if each not in done]
            for _, branch in sorted(inside.get((firing.actor, firing.execution), {}).items())
        ]
        pending += reversed(arrange(firing, [branch for branch in branches if branch]))
    return ordered


def by_weight(weight: Callable[[Sequence[Firing]], int]) -> Arrange:
    """Take one branch after the other, the one with the smallest weight first."""

    def arrange(fork: Firing, branches: Branches) -> list[Firing]:
        return [firing for branch in sorted(branches, key=weight) for firing in branch]

    return arrange


def shrinking_first(size: Callable[[Firing], int]) -> Arrange:
    """Take the firings that shrink the fork's output first, from each branch, then the rest.

    A branch is taken from its beginning as long as each output is smaller than the one before it,
    starting with that of the fork.
    """

    def arrange(fork: Firing, branches: Branches) -> list[Firing]:
        shrinking: list[Firing] = []
        rest: list[Firing] = []
        for branch in branches:
            sizes = [size(fork), *map(size, branch)]
            count = 0
            while count < len(branch) and sizes[count + 1] < sizes[count]:
                count += 1
            shrinking += branch[:count]
            rest += branch[count:]
        return shrinking + rest

    return arrange

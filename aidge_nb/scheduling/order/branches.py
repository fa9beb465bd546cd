"""Branches: what lies between a fork and the joins behind it.

A *fork* is a node that several nodes read. Each of its connections begins a branch, unless it
leads straight to where another branch goes anyway (the shortcut of a residual block). Branches are
followed from their beginning, in the order of the connections. A node is in a branch when all that
it reads is: the fork itself, nodes of the same branch, or *feeders* that serve this node alone,
such as the Producers of its weights; these belong to the branch as well. Where branches meet, the
branch ends.

The rule is Aidge's, down to what feeds the join itself: inputs are looked at in order, and a feeder
that comes before what another branch gives has been counted by then.
"""

from __future__ import annotations

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView

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
    finder = _Finder(view, allow_shared_producers)
    branches: Branches = {node: {} for node in finder.order}
    for fork in finder.order:
        if fork in finder.shared:
            continue
        starts = [port.node for ports in fork.outputs() for port in ports if port.node in view]
        if len(set(starts)) < 2:
            continue
        for node, number in finder.follow(fork, starts).items():
            branches[node][fork] = number
    return {node: forks for node, forks in branches.items() if forks}


class _Finder:
    """Who reads whom in one graph, and who feeds nobody but one node."""

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
        """Number the nodes in the branches of one fork."""
        member: dict[Node, int] = {}
        for number, start in enumerate(starts):
            pending = [start]
            for node in pending:
                if node not in member and self._joins(node, fork, number, member):
                    member[node] = number
                    pending += self.children[node]
        return member

    def _joins(self, node: Node, fork: Node, number: int, member: dict[Node, int]) -> bool:
        """Tell whether all that a node reads is in a branch; what feeds it alone becomes so."""
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

"""Ask the C kernels what computes each node of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.plan.prepare import STATEFUL, enough_memory, known_inputs
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Site, describe_site
from aidge_nb.kernels.c.node_calls import calls_at

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]
Calls = Mapping[Node, tuple[CCall, ...]]


def known_of(view: GraphView) -> dict[Node, dict[int, Array]]:
    """Return the known values of inputs that nothing in the graph feeds, by node."""
    known: dict[Node, dict[int, Array]] = {}
    for port, array in known_inputs(view).items():
        known.setdefault(port.node, {})[port.index] = array
    return known


Sites = Callable[[Node], Site]


def sites_of(
    view: GraphView, known: Mapping[Node, dict[int, Array]], memory: MemoryPlan
) -> tuple[Sites, frozenset[Node]]:
    """Return what describes a node to the kernels, and the nodes with parameters in the arena.

    Kernels read those where they lie: they are not known before the program runs.
    """
    names = view.unique_names()
    there = {b.node for b in memory.buffers if b.kind == "producer"}
    loaded: dict[Node, set[int]] = {}
    for node in view.get_nodes() if there else ():
        for index, port in node.edges_in():
            if port.node.type() == "Producer" and names[port.node] in there:
                loaded.setdefault(node, set()).add(index)
    results = set(view.get_ordered_outputs())

    def site_of(node: Node) -> Site:
        unread = [
            index
            for index in node.get_operator().spec.optional_outputs
            if not node.output(index) and Port(node, index) not in results
        ]
        site = describe_site(node, known.get(node), unread)
        if node not in loaded:
            return site
        left = {i: array for i, array in site.constants.items() if i not in loaded[node]}
        return replace(site, constants=MappingProxyType(left))

    return site_of, frozenset(loaded)


def find_calls(order: Sequence[Node], target: str, site_of: Sites) -> Calls:
    """Ask the kernels what computes each node."""
    found: dict[Node, tuple[CCall, ...]] = {}
    for node in dict.fromkeys(order):
        operator = node.get_operator()
        empty = all(operator.get_output(i).size == 0 for i in range(operator.nb_outputs))
        if empty or node.type() == "Producer" or _moves_only(node):
            continue
        with enough_memory(node, "store its constants"):
            site = site_of(node)
            try:
                found[node] = calls_at(site, operator, target)
            except ExportError:
                # A kernel that wants to know a parameter keeps it in a form of its own.
                whole = describe_site(node, site.constants, site.unread)
                if len(whole.constants) == len(site.constants):
                    raise
                found[node] = calls_at(whole, operator, target)
    return found


def _moves_only(node: Node) -> bool:
    spec = node.get_operator().spec
    return spec.is_view or spec.cp in STATEFUL or node.type() == "Select"

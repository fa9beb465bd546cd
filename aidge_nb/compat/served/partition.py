"""Splits of a graph over processors, as ``aidge_core.export_utils`` has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView


@dataclass(frozen=True)
class ExecutionRegion:
    """Nodes that one processor runs, in order, and the graph that they and their Producers make."""

    name: str
    processing_element: str
    graph: GraphView
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class RegionTransfer:
    """A tensor that goes from one region to another."""

    source_region: str
    destination_region: str
    source_node: Node
    source_output: int
    destination_node: Node
    destination_input: int

    @property
    def tensor(self) -> Tensor:
        """The tensor."""
        return self.source_node.get_operator().get_output(self.source_output)


@dataclass(frozen=True)
class HeterogeneousPartition:
    """The regions of a graph, and what goes between them."""

    regions: tuple[ExecutionRegion, ...]
    transfers: tuple[RegionTransfer, ...]


def _scheduled(scheduler: Any) -> list[Node]:
    """List the nodes that compute, in the order of the schedule, each once."""
    order = dict.fromkeys(scheduler.get_sequential_static_scheduling())
    return [node for node in order if node.type() != "Producer"]


def sequential_node_placement(
    scheduler: Any, processing_elements: Sequence[str], *, split_after: str | Node | None = None
) -> dict[Node, str]:
    """Place the nodes of a schedule on processors, in parts of about the same size.

    Parameters
    ----------
    scheduler
        A scheduler that has scheduled its graph.
    processing_elements
        The processors, in order.
    split_after
        The last node of the first of two processors.
    """
    count = len(processing_elements)
    if count < 2:
        raise ValueError("a split needs at least two processing elements")
    order = _scheduled(scheduler)
    if split_after is None:
        least, more = divmod(len(order), count)
        sizes = [least + (number < more) for number in range(count)]
    elif count == 2:
        names: list[Any] = [
            node if isinstance(split_after, Node) else node.name() for node in order
        ]
        first = names.index(split_after) + 1
        sizes = [first, len(order) - first]
    else:
        raise ValueError("split_after is for exactly two processing elements")
    places = [pe for pe, size in zip(processing_elements, sizes, strict=True) for _ in range(size)]
    return dict(zip(order, places, strict=True))


def partition_by_placement(
    graph: GraphView,
    scheduler: Any,
    placement: Mapping[Node, str],
    *,
    region_names: Mapping[str, str] | None = None,
) -> HeterogeneousPartition:
    """Cut a graph into regions: runs of the schedule on the same processor."""
    runs: list[tuple[str, list[Node]]] = []
    for node in _scheduled(scheduler):
        if not runs or runs[-1][0] != placement[node]:
            runs.append((placement[node], []))
        runs[-1][1].append(node)
    regions = []
    for number, (element, nodes) in enumerate(runs):
        part = GraphView()
        part.add(nodes)
        name = (region_names or {}).get(element) or f"region_{number}_{element}"
        regions.append(ExecutionRegion(name, element, part, tuple(nodes)))
    home = {node: region.name for region in regions for node in region.nodes}
    transfers = [
        RegionTransfer(home[port.node], region.name, port.node, port.index, node, index)
        for region in regions
        for node in region.nodes
        for index, port in node.edges_in()
        if home.get(port.node, region.name) != region.name and port.node in graph
    ]
    return HeterogeneousPartition(tuple(regions), tuple(transfers))


def partition_sequential_graph(
    graph: GraphView,
    scheduler: Any,
    processing_elements: Sequence[str],
    *,
    split_after: str | Node | None = None,
    region_names: Mapping[str, str] | None = None,
) -> HeterogeneousPartition:
    """Cut a graph into one region for each processor, of about the same size."""
    placement = sequential_node_placement(scheduler, processing_elements, split_after=split_after)
    return partition_by_placement(graph, scheduler, placement, region_names=region_names)


def find_single_transfer_split(scheduler: Any) -> Node:
    """Find the node, nearest the middle, after which a single tensor goes on to the rest."""
    order = _scheduled(scheduler)
    found = []
    for place in range(1, len(order)):
        before, after = order[:place], set(order[place:])
        crossing = {
            (node, index)
            for node in before
            for index, ports in enumerate(node.outputs())
            for port in ports
            if port.node in after
        }
        readers = [p for node, index in crossing for p in node.output(index) if p.node in after]
        if len(crossing) == 1 and len(readers) == 1:
            found.append((abs(2 * place - len(order)), place))
    if not found:
        raise ValueError("no place in the schedule has a single tensor going on")
    return order[min(found)[1] - 1]


def is_residual_add_sink(node: Node, current_run: Sequence[Node]) -> bool:
    """Return whether a node adds up what comes from several nodes of a run."""
    parents = [port.node for _, port in node.edges_in() if port.node.type() != "Producer"]
    return (
        node.type() in ("Add", "Sum")
        and len(parents) > 1
        and all(parent in current_run for parent in parents)
    )


def supported_subgraphs(
    model: GraphView,
    is_supported_fn: Callable[[Node], bool],
    *,
    split_after_node_names: Collection[str] | None = None,
    max_nodes_per_region: int | None = None,
) -> list[list[Node]]:
    """List the largest connected sets of nodes that a function accepts, each in order.

    Parameters
    ----------
    model, is_supported_fn
        The graph, and what tells whether a node is accepted; Producers never are.
    split_after_node_names
        Nodes after which a set ends.
    max_nodes_per_region
        How many nodes a set may have.
    """
    cut = set(split_after_node_names or ())
    group: dict[Node, list[Node]] = {}
    for node in model.topological_order():
        if node.type() == "Producer" or not is_supported_fn(node):
            continue
        mine = [node]
        for _, port in node.edges_in():
            other = group.get(port.node)
            if other is None or port.node.name() in cut or other is mine:
                continue
            if max_nodes_per_region and len(other) + len(mine) > max_nodes_per_region:
                continue
            mine = other + mine
            for each in mine:
                group[each] = mine
        group[node] = mine
    return list({id(nodes): nodes for nodes in group.values()}.values())

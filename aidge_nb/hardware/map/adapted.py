"""The hardware-adapted graph: tilings applied, nodes in mapping order, values in memories.

It is the result of the mapping phase and the input of code generation.
"""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping, need_nodes
from aidge_nb.tiling.build import apply_tilings


@dataclass(frozen=True, eq=False)
class AdaptedGraph:
    """A graph as it runs on a target.

    Attributes
    ----------
    view
        The graph, tiled.
    order
        Its nodes without Producers, in the order in which the mapping begins them.
    memory_of
        Path of the memory of the output of each node; inside a tile, that of its element.
    element_of
        Path of the element that computes each node; Slice, Concat and Reshape have none.
    """

    view: GraphView
    order: tuple[Node, ...]
    memory_of: dict[Node, str]
    element_of: dict[Node, str]


def adapt(view: GraphView, mapping: Mapping) -> AdaptedGraph:
    """Make the graph that a mapping describes, from a copy of ``view``.

    Raises
    ------
    HardwareError
        When the mapping belongs to another graph.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> view = aidge_nb.sequential([aidge_nb.ReLU("relu"), aidge_nb.MaxPooling2D([2, 2], "pool")])
    >>> view.forward_dims([[1, 1, 4, 4]])
    True
    >>> adapted = adapt(view, hardware.map_schedule(view, hardware.target("mcu")))
    >>> [(node.name(), adapted.memory_of[node]) for node in adapted.order]
    [('relu', 'ram'), ('pool', 'ram')]
    """
    need_nodes(mapping, view.unique_names().values())
    copy = view.clone()
    nodes_of, memory_of = cut_and_place(copy, mapping)
    element_of: dict[Node, str] = {}
    begun: list[Node] = []
    home = next((each.memory for each in mapping.placements if each.holds), "")  # whole tensors
    for step in mapping.steps:
        if step.kind == "operation":
            nodes = nodes_of[step.work][step.tile]
            computing = [node for node in nodes if node.type() not in ("Slice", "Concat")]
            element_of = dict.fromkeys(computing, step.devices[0]) | element_of
            begun += nodes
    order = _complete(copy, begun)
    memories = {node: memory_of.get(node, home) for node in order}
    return AdaptedGraph(copy, tuple(order), memories, element_of)


def cut_and_place(
    view: GraphView, mapping: Mapping
) -> tuple[dict[str, list[list[Node]]], dict[Node, str]]:
    """Cut a graph into the tiles of a mapping, in place; find the memory that each node writes to.

    Return the nodes of each tile by the name of its work, a work as a whole as one tile; and the
    paths of memories: of a whole tensor where the mapping has it, inside a tile that of its
    element. Raise GraphError when the mapping belongs to another graph.
    """
    by_name = {name: node for node, name in view.unique_names().items()}
    nodes_of = {
        work.name: [[by_name[name] for name in work.nodes if name in by_name]]
        for work in mapping.works
    }
    holds = {name: each.memory for each in mapping.placements for name in each.holds}
    memory_of = {by_name[name]: memory for name, memory in holds.items() if name in by_name}
    tilings = {work.name: work.tiling for work in mapping.works if work.tiling is not None}
    for name, applied in zip(tilings, apply_tilings(view, list(tilings.values())), strict=True):
        nodes_of[name] = applied.tiles
        memory_of |= {node: holds[whole] for node, whole in applied.of.items() if whole in holds}
    placed = {each.buffer: each.memory for each in mapping.placements}
    for step in mapping.steps:
        inside = next((placed[name] for name in step.writes if name in placed), None)
        if step.kind == "operation" and inside is not None:
            nodes = nodes_of[step.work][step.tile]
            is_tile = step.work in tilings  # else the last one lies with the whole tensors
            memory_of |= dict.fromkeys(nodes if is_tile else nodes[:-1], inside)
    return nodes_of, memory_of


def _complete(view: GraphView, begun: list[Node]) -> list[Node]:
    """Add nodes without a step: before their first reader, or at the end."""
    order: dict[Node, None] = {}

    def add(node: Node) -> None:
        pending = [node]
        while pending:
            here = pending[-1]
            sources = [
                port.node
                for index, port in here.edges_in()
                if not here.parent_is_back_edge(index)
                and port.node.type() != "Producer"
                and port.node not in order
            ]
            if sources:
                pending += sources
                continue
            order.setdefault(pending.pop())

    for node in (*begun, *view.topological_order()):
        if node.type() != "Producer" and node not in order:
            add(node)
    return list(order)

"""The hardware-adapted graph: tilings applied, nodes in mapping order, values in memories.

It is the result of the mapping phase and the input of code generation.
"""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping
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
    names = set(view.unique_names().values())
    missing = [name for work in mapping.works for name in work.nodes if name not in names]
    if missing:
        problem, found = "belongs to another graph", f"no node called {missing[0]}"
        raise HardwareError.at(
            "mapping", problem, found=found, cure="Pass the graph that was mapped."
        )
    copy = view.clone()
    by_name = {name: node for node, name in copy.unique_names().items()}
    tiled = [work for work in mapping.works if work.tiling is not None]
    applied = apply_tilings(copy, [work.tiling for work in tiled if work.tiling is not None])
    tiles = {work.name: each.tiles for work, each in zip(tiled, applied, strict=True)}
    memory_of: dict[Node, str] = {}
    element_of: dict[Node, str] = {}
    begun: list[Node] = []
    home = next((each.memory for each in mapping.placements if each.holds), "")  # whole tensors
    placed = {each.buffer: each.memory for each in mapping.placements}
    works = {work.name: work for work in mapping.works}
    for step in mapping.steps:
        if step.kind != "operation":
            continue
        inside = next((placed[name] for name in step.writes if name in placed), home)
        whole = [by_name[name] for name in works[step.work].nodes if name in by_name]
        nodes = tiles[step.work][step.tile] if step.work in tiles else whole
        for node in nodes:
            memory_of.setdefault(node, inside)
            if node.type() not in ("Slice", "Concat"):
                element_of.setdefault(node, step.devices[0])
        if step.work not in tiles:
            memory_of[nodes[-1]] = home
        begun += nodes
    order = _complete(copy, begun)
    for node in order:
        memory_of.setdefault(node, home)
    return AdaptedGraph(copy, tuple(order), memory_of, element_of)


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

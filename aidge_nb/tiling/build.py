"""Apply a tiling: replace nodes by nodes that compute their tiles.

Nodes are added tile by tile. A topological order keeps the order of addition where it can, so it is
depth-first: values of a tile die before the next tile begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np

from aidge_nb.core.errors import GraphError, listed
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inference import copy_dims, infer_dims_of
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.ops.slicing import Concat, Slice
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.tiling.chain import Chain, as_chain
from aidge_nb.tiling.ranges import Range, Region, index_of, whole
from aidge_nb.tiling.rules import steps_of
from aidge_nb.tiling.tile_nodes import NodeRecipe, PartStep, recipes_of
from aidge_nb.tiling.tiles import Tile, TilePart, Tiling

Value = tuple[Region, Port]
"""A region of a node's output, and the port that holds it."""


def apply_tiling(view: GraphView, tiling: Tiling) -> Node:
    """Rewrite a graph so that it computes tile by tile, with the same bits as before.

    Tiles share parameters, or parts of them where channels are cut. In
    ``view.topological_order()`` tiles follow each other: plan the memory in this order, or in that
    of :func:`aidge_nb.order_for_memory`. A static schedule fires equal steps of all tiles together.

    Parameters
    ----------
    view
        The graph for which the tiling was planned.
    tiling
        The tiling.

    Returns
    -------
    Node
        The node of the result, in place of the last tiled node.

    Raises
    ------
    GraphError
        When the tiling does not belong to the graph; the graph is not changed.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.MaxPooling2D([2, 2], name="pool")])
    >>> view.forward_dims([[1, 1, 6, 6]])
    True
    >>> tiling = aidge_nb.tiling.plan_tiling(view, list(view), {2: 2})
    >>> apply_tiling(view, tiling).type(), len(view)
    ('Concat', 5)
    """
    return apply_tilings(view, [tiling])[0].result


@dataclass(frozen=True, slots=True)
class Applied:
    """An applied tiling: the node of the result, and the nodes of each tile.

    Shared slices belong to the first tile that needs them; joining nodes belong to no tile.
    ``of`` names the tiled node that each new node computes a part of, or moves data for.
    """

    result: Node
    tiles: list[list[Node]]
    of: dict[Node, str]


def apply_tilings(view: GraphView, tilings: Sequence[Tiling]) -> list[Applied]:
    """Rewrite a graph by several tilings planned for it, as :func:`apply_tiling`.

    Raises
    ------
    GraphError
        When one does not belong to the graph, or two tile the same node; the graph is not
        changed.
    """
    check_view(view, "tiling")
    chains = [_chain_of(view, tiling) for tiling in tilings]
    taken: set[Node] = set()
    for chain in chains:
        if taken & set(chain.nodes):
            raise GraphError.at(chain.last.label, "is in several tilings")
        taken |= set(chain.nodes)
    applied = []
    for chain, tiling in zip(chains, tilings, strict=True):
        with editing(view) as edit:
            builder = _TileBuilder(edit, chain, tiling)
            result = builder.build()
            edit.redirect(Port(chain.last, 0), result)
        applied.append(Applied(result.node, builder.made, builder.of))
    return applied


def _chain_of(view: GraphView, tiling: Tiling) -> Chain:
    if not isinstance(tiling, Tiling):
        cure = "Make one with plan_tiling(), or with tile_for(view, memory=…).best.plan(view)."
        raise GraphError.at("tiling", "must be a Tiling", found=type(tiling).__name__, cure=cure)
    by_name = {name: node for node, name in view.unique_names().items()}
    missing = [name for name in tiling.nodes if name not in by_name]
    if missing:
        raise GraphError.at(
            "tiling",
            "belongs to another graph",
            expected=f"nodes called {listed(missing)}",
            cure="Plan it for this graph; a tiling is applied once.",
        )
    chain = as_chain(view, [by_name[name] for name in tiling.nodes])
    covered = [tile.output for tile in tiling.tiles]
    ends = tuple(max(region[axis].stop for region in covered) for axis in range(len(covered[0])))
    if ends != chain.dims:
        raise GraphError.at(
            chain.last.label, "was tiled for other dimensions", expected=ends, found=chain.dims
        )
    return chain


@dataclass
class _TileBuilder:
    """Adds nodes, tile by tile."""

    edit: Edit
    chain: Chain
    tiling: Tiling
    current: dict[Node, Value] = field(default_factory=dict)
    kept: dict[Node, Value] = field(default_factory=dict)
    cut: dict[object, Port] = field(default_factory=dict)
    number: int = 0
    made: list[list[Node]] = field(default_factory=list)
    of: dict[Node, str] = field(default_factory=dict)
    joins: bool = False
    steps: dict[Node, Callable[[Region], PartStep]] = field(default_factory=dict)
    recipes: dict[Node, Callable[[PartStep], NodeRecipe]] = field(default_factory=dict)
    read: dict[Node, list[Region | None]] = field(default_factory=dict)
    alike: dict[object, Node] = field(default_factory=dict)

    def build(self) -> Port:
        """Add all tiles, and join their results as soon as possible."""
        for node in self.chain.nodes:
            self.steps[node], self.recipes[node] = steps_of(node), recipes_of(node)
            tensors = node.get_operator().get_inputs()
            self.read[node] = [None if each is None else whole(each.dims) for each in tensors]
        waiting: list[list[Port]] = [[] for _ in (None, *self.tiling.axes)]
        for number, tile in enumerate(self.tiling.tiles):
            self.number, self.current = number, {}
            self.made.append([])
            for node in self.chain.nodes:
                part = tile.part(self.chain.names[node])
                if part is not None:
                    self._add_part(node, part)
                elif node in self.kept:
                    self.current[node] = self.kept[node]
                if self.tiling.halo == "cache" and node in self.current:
                    self._keep(node)
            waiting[-1].append(self._take(self.chain.last, tile.output))
            self.joins = True
            self._join(waiting, tile)
            self.joins = False
        return waiting[0][0]

    def _add(self, made: Node, like: Node) -> Node:
        """Add a node like another one, and note both, and its tile."""
        self.of[made] = self.chain.names[like]
        if not self.joins:
            self.made[-1].append(made)
        return self.edit.add(made, like)

    def _add_part(self, node: Node, part: TilePart) -> None:
        computed = self.steps[node](part.output)
        sources = {
            index: self._source(node, index, region) for index, region in computed.inputs.items()
        }
        tile = self.recipes[node](computed).make(self._name(node, ""))
        self._add(tile, node)
        for index, source in sources.items():
            feeding = node.source(index) if source is None else source
            if feeding is None:
                self.edit.feed_like(tile, index, node, index)
            else:
                feeding.node.add_child(tile, feeding.index, index)
        self._find_dims(tile, node, computed)
        made = Port(tile, 0)
        if part.needed != part.output:
            axis = next(i for i, ends in enumerate(part.output) if ends != part.needed[i])
            before = list(part.needed)
            before[axis] = Range(part.needed[axis].start, part.output[axis].start)
            self.current[node] = self.kept[node]
            # Cut again here, so that the kept value stays small.
            kept = self._take(node, tuple(before), anew=True)
            made = self._concat([kept, made], axis, node)
        self.current[node] = (part.needed, made)

    def _find_dims(self, tile: Node, node: Node, computed: PartStep) -> None:
        """Set the dimensions of a tile, copied from an earlier tile of equal inputs if any."""
        sizes = [end - start for each in computed.inputs.values() for start, end in each]
        key = (node, *sizes, str(computed.changes), computed.pads)
        known = self.alike.setdefault(key, tile)
        if known is tile:
            infer_dims_of([tile], allow_data_dependency=True)
        else:
            copy_dims(tile, known)

    def _keep(self, node: Node) -> None:
        """Keep the region of a node that the next reading tile needs (a line buffer)."""
        have, _ = self.current[node]
        name = self.chain.names[node]
        following = (_needed(tile, name) for tile in self.tiling.tiles[self.number + 1 :])
        wanted = next((region for region in following if region is not None), None)
        self.kept.pop(node, None)
        if wanted is None or node is self.chain.last:
            return
        common = tuple(
            Range(max(a.start, b.start), min(a.stop, b.stop))
            for a, b in zip(have, wanted, strict=True)
        )
        if all(each.size > 0 for each in common):
            self.kept[node] = (common, self._take(node, common))

    def _source(self, node: Node, index: int, region: Region) -> Port | None:
        """Find or make the input of a part; None for the whole input of the node."""
        port = node.source(index)
        if port is not None and port.node in self.chain.names:
            return self._take(port.node, region)
        if self.read[node][index] in (None, region):
            return None
        is_parameter = port is not None and port.node.type() == "Producer"
        key = (self.edit.source(node, index), region, is_parameter or self.number)
        if key not in self.cut:
            if is_parameter and port is not None:
                self.cut[key] = self._cut_parameter(port.node, region)
            else:
                piece = self._slice(region, node)
                self.edit.feed_like(piece, 0, node, index)
                infer_dims_of([piece])
                self.cut[key] = Port(piece, 0)
        return self.cut[key]

    def _take(self, node: Node, region: Region, *, anew: bool = False) -> Port:
        """Return a region of a computed value; with ``anew``, always as a new Slice."""
        have, port = self.current[node]
        if have == region and not anew:
            return port
        moved = tuple(
            Range(part.start - base.start, part.stop - base.start)
            for part, base in zip(region, have, strict=True)
        )
        dims = () if anew else tuple(each.size for each in have)
        piece = self._slice(moved, node, dims)
        self.edit.feed(piece, 0, port)
        infer_dims_of([piece])
        return Port(piece, 0)

    def _cut_parameter(self, producer: Node, region: Region) -> Port:
        tensor = producer.get_operator().get_output(0)
        if not tensor.has_data:
            cure = "Give it values before tiling."
            raise GraphError.at(producer.label, "has no values to cut", cure=cure)
        values = tensor.array[index_of(region)]
        name = self._name(producer, "")
        return self.edit.add_producer(np.ascontiguousarray(values), name, producer)

    def _slice(self, region: Region, like: Node, dims: Sequence[int] = ()) -> Node:
        axes = [axis for axis, part in enumerate(region) if not dims or part != (0, dims[axis])]
        piece = Slice(
            [region[axis].start for axis in axes],
            [region[axis].stop for axis in axes],
            axes,
            [1] * len(axes),
            self._name(like, "Slice"),
        )
        return self._add(piece, like)

    def _concat(self, ports: Sequence[Port], axis: int, like: Node) -> Port:
        joined = Concat(len(ports), axis, self._name(like, "Concat"))
        self._add(joined, like)
        for index, port in enumerate(ports):
            self.edit.feed(joined, index, port)
        infer_dims_of([joined])
        return Port(joined, 0)

    def _join(self, waiting: list[list[Port]], tile: Tile) -> None:
        """Concatenate waiting results along each axis that a tile completes."""
        for level in range(len(self.tiling.axes), 0, -1):
            if tile.place[level - 1] < self.tiling.grid[level - 1] - 1:
                return
            ports, waiting[level] = waiting[level], []
            axis = self.tiling.axes[level - 1]
            joined = ports[0] if len(ports) == 1 else self._concat(ports, axis, self.chain.last)
            waiting[level - 1].append(joined)

    def _name(self, node: Node, what: str) -> str:
        if not node.name():
            return ""
        return "_".join(filter(None, (node.name(), what, str(self.number))))


def _needed(tile: Tile, node: str) -> Region | None:
    part = tile.part(node)
    return part.needed if part is not None else dict(tile.reused).get(node)

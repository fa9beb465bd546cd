"""Tilings as values: the regions that each tile computes and reads.

They are frozen; checkers, pictures, reports and searches read them. A tiling names the graph that
it was planned for, so that its picture can tell the peak; no figure of it depends on that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import GraphError, reading
from aidge_nb.core.forms import as_plain, read_form
from aidge_nb.core.pictures import Shown
from aidge_nb.core.values import dataclass
from aidge_nb.tiling.ranges import Region, elements
from aidge_nb.tiling.saved import check_saved_tiling

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class TilePart:
    """The part of one node that a tile computes.

    Attributes
    ----------
    node
        Name of the node, unique in the graph.
    output
        Region of its output that is computed.
    needed
        Region of its output that the tile needs: larger than ``output`` by a kept halo.
    inputs
        Regions that are read, by the number of the input.
    pads
        Padding before each spatial axis, then after each; empty if none.
    macs
        Multiply-accumulates.
    """

    node: str
    output: Region
    needed: Region
    inputs: tuple[tuple[int, Region], ...]
    pads: tuple[int, ...] = ()
    macs: int = 0

    @property
    def kept(self) -> int:
        """Elements kept from the tile before (a line buffer)."""
        return 0 if self.needed == self.output else elements(self.needed) - elements(self.output)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile.

    Attributes
    ----------
    place
        Place in the grid: a number from 0 for each cut axis.
    parts
        Its parts, in order.
    reused
        Regions needed of nodes that earlier tiles computed; these have no part.
    """

    place: tuple[int, ...]
    parts: tuple[TilePart, ...]
    reused: tuple[tuple[str, Region], ...] = ()

    @property
    def output(self) -> Region:
        """The region of the result that it computes."""
        return self.parts[-1].needed

    @property
    def macs(self) -> int:
        """Multiply-accumulates of the tile."""
        return sum(part.macs for part in self.parts)

    def part(self, node: str) -> TilePart | None:
        """Return the part of a node, or None."""
        return next((part for part in self.parts if part.node == node), None)


@dataclass(frozen=True, repr=False)
class Tiling(Shown):
    """One node, or a chain of nodes, cut into tiles.

    Attributes
    ----------
    nodes
        Names of the tiled nodes, in order; the last gives the result.
    axes, grid
        The cut axes of the result, and their numbers of parts.
    halo
        ``recompute``: tiles are independent. ``cache``: each keeps what the next needs too.
    tiles
        The tiles, in order of computation.
    macs
        Multiply-accumulates of the untiled nodes.
    itemsize
        Bytes per element.
    links
        Pairs of names of nodes; the second reads the first.
    view
        The graph that it was planned for; None for a tiling made by :meth:`from_dict`.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    >>> tiling = aidge_nb.tiling.plan_tiling(view, [view.get_node("conv0")], {2: 5})
    >>> tiling
    Tiling(conv0, axis 2 in 5: 5 tiles, 0.0 % more MACs)
    >>> [tile.output[2].size for tile in tiling.tiles]
    [13, 13, 13, 13, 12]
    """

    nodes: tuple[str, ...]
    axes: tuple[int, ...]
    grid: tuple[int, ...]
    halo: str
    tiles: tuple[Tile, ...]
    macs: int
    itemsize: int = 4
    links: tuple[tuple[str, str], ...] = ()
    view: GraphView | None = field(default=None, compare=False)

    @cached_property
    def tiled_macs(self) -> int:
        """Multiply-accumulates of all tiles."""
        return sum(tile.macs for tile in self.tiles)

    @property
    def overhead(self) -> float:
        """Extra multiply-accumulates, as a fraction of those of the untiled nodes."""
        return self.tiled_macs / self.macs - 1 if self.macs else 0.0

    def read(self, node: str, index: int = 0) -> int:
        """Return the bytes that all tiles read at an input of a node, halos each time."""
        found = (part for tile in self.tiles if (part := tile.part(node)) is not None)
        return self.itemsize * sum(elements(dict(part.inputs)[index]) for part in found)

    def __iter__(self) -> Iterator[Tile]:
        return iter(self.tiles)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        values = as_plain(replace(self, view=None))
        del values["view"]
        return values

    @classmethod
    @reading("tiling", GraphError)
    def from_dict(cls, values: Mapping[str, Any]) -> Tiling:
        """Make a tiling from the result of :meth:`to_dict`.

        Raises
        ------
        GraphError
            For anything else.
        """
        check_saved_tiling(values)
        tiling: Tiling = read_form(values, cls, "tiling", GraphError)
        return tiling

    def __repr__(self) -> str:
        ends = self.nodes[0] if len(self.nodes) == 1 else f"{self.nodes[0]} … {self.nodes[-1]}"
        cuts = ", ".join(
            f"axis {axis} in {count}" for axis, count in zip(self.axes, self.grid, strict=True)
        )
        kept = ", halo kept" if self.halo == "cache" else ""
        return (
            f"Tiling({ends}, {cuts}: {len(self.tiles)} tiles{kept}, "
            f"{100 * self.overhead:.1f} % more MACs)"
        )

"""Tilings as values: which part of which tensor each tile computes, and what it reads for it.

They are frozen, hold no graph, and are what checkers, pictures, reports and searches read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from aidge_nb.core.pictures import Shown
from aidge_nb.tiling.ranges import Range, Region, elements


@dataclass(frozen=True, slots=True)
class TilePart:
    """What a tile computes of one node.

    Attributes
    ----------
    node
        Name of the node, unique in the graph.
    output
        The part of its output that is computed here.
    needed
        The part that this tile needs: more than ``output`` where the halo is kept from the tile
        before.
    inputs
        What is read, by the number of the input.
    pads
        Padding of its own, before each spatial axis, then behind each; empty without.
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
        """Elements that are kept from the tile before (a line buffer)."""
        return 0 if self.needed == self.output else elements(self.needed) - elements(self.output)


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile.

    Attributes
    ----------
    place
        Its place in the grid: a number for each axis that is cut, from 0.
    parts
        What it computes, in order.
    reused
        What it needs of nodes of which all was computed by earlier tiles: those have no part.
    """

    place: tuple[int, ...]
    parts: tuple[TilePart, ...]
    reused: tuple[tuple[str, Region], ...] = ()

    @property
    def output(self) -> Region:
        """The part of the result that it gives."""
        return self.parts[-1].needed

    @property
    def macs(self) -> int:
        """Multiply-accumulates of the tile."""
        return sum(part.macs for part in self.parts)

    def part(self, node: str) -> TilePart | None:
        """Give the part of a node, None when it has none."""
        return next((part for part in self.parts if part.node == node), None)


@dataclass(frozen=True, repr=False)
class Tiling(Shown):
    """A cut of one node, or of a chain of them, into tiles.

    Attributes
    ----------
    nodes
        Names of the nodes that are tiled, in order; the last one gives the result.
    axes, grid
        The axes of the result that are cut, and into how many parts.
    halo
        ``recompute``: tiles are independent. ``cache``: each keeps what the next one needs too.
    tiles
        The tiles, in the order in which they are computed.
    macs
        Multiply-accumulates of the nodes without tiles.
    itemsize
        Bytes per element.
    links
        Who reads whom among the nodes: pairs of their names, of which the second reads the first.

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

    @cached_property
    def tiled_macs(self) -> int:
        """Multiply-accumulates of all tiles."""
        return sum(tile.macs for tile in self.tiles)

    @property
    def overhead(self) -> float:
        """Multiply-accumulates beyond those of the nodes without tiles, as a part of these."""
        return self.tiled_macs / self.macs - 1 if self.macs else 0.0

    def read(self, node: str, index: int = 0) -> int:
        """Count the bytes that all tiles read at an input of a node; halos count each time."""
        found = (part for tile in self.tiles if (part := tile.part(node)) is not None)
        return self.itemsize * sum(elements(dict(part.inputs)[index]) for part in found)

    def __iter__(self) -> Iterator[Tile]:
        return iter(self.tiles)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
        return {
            "nodes": list(self.nodes),
            "axes": list(self.axes),
            "grid": list(self.grid),
            "halo": self.halo,
            "macs": self.macs,
            "itemsize": self.itemsize,
            "links": [list(link) for link in self.links],
            "tiles": [
                {
                    "place": list(tile.place),
                    "parts": [_part_to_dict(part) for part in tile.parts],
                    "reused": [[name, _plain(region)] for name, region in tile.reused],
                }
                for tile in self.tiles
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Tiling:
        """Make a tiling of what :meth:`to_dict` gave."""
        return cls(
            tuple(values["nodes"]),
            tuple(values["axes"]),
            tuple(values["grid"]),
            values["halo"],
            tuple(
                Tile(
                    tuple(tile["place"]),
                    tuple(_part_from_dict(part) for part in tile["parts"]),
                    tuple((name, _region(region)) for name, region in tile["reused"]),
                )
                for tile in values["tiles"]
            ),
            values["macs"],
            values["itemsize"],
            tuple((source, reader) for source, reader in values.get("links", ())),
        )

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


def _plain(region: Region) -> list[list[int]]:
    return [list(each) for each in region]


def _region(values: list[list[int]]) -> Region:
    return tuple(Range(*each) for each in values)


def _part_to_dict(part: TilePart) -> dict[str, Any]:
    return {
        "node": part.node,
        "output": _plain(part.output),
        "needed": _plain(part.needed),
        "inputs": [[index, _plain(region)] for index, region in part.inputs],
        "pads": list(part.pads),
        "macs": part.macs,
    }


def _part_from_dict(values: Mapping[str, Any]) -> TilePart:
    return TilePart(
        values["node"],
        _region(values["output"]),
        _region(values["needed"]),
        tuple((index, _region(region)) for index, region in values["inputs"]),
        tuple(values["pads"]),
        values["macs"],
    )

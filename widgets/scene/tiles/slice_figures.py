"""Compute the figures of tilings into 1, 2, 3, … slices, without keeping their tiles.

With recomputed halos a tile is a product: what it needs along one axis does not depend on its place
along the other. Slices along each axis, planned once, therefore give the figures of all grids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from aidge_nb.tiling.chain import Chain
from aidge_nb.tiling.plan import plan_chain
from aidge_nb.tiling.ranges import Range, Region, elements
from aidge_nb.tiling.tiles import TilePart, Tiling
from aidge_nb.widgets.still.charts import Figures

_NOTHING: Region = (Range(0, 0),)


class _Slices(NamedTuple):
    """Slices along one axis: by node, how many parts give and read so many elements.

    ``cut`` are the axes of outputs (0) and inputs (1) along which parts are less than the whole.
    """

    figures: Figures
    parts: dict[str, Counter[tuple[int, int]]]
    cut: set[tuple[str, int, int]]


class SliceFigures:
    """Figures of a chain for all numbers of slices, computed on first use.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.tiling.chain import as_chain
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    >>> figures = SliceFigures(as_chain(view, view.get_node("conv0")))
    >>> [each.bytes for each in figures.up_to(2, columns=4)]
    [581312, 291520]
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._whole = {part.node: part for part in plan_chain(chain, {}).tiles[0].parts}
        self._known: dict[tuple[int, int, str], _Slices] = {}

    def up_to(self, most: int, columns: int = 1, halo: str = "recompute") -> list[Figures]:
        """Return the figures of 1 to ``most`` slices, each cut into columns.

        Raises
        ------
        ShapeError
            When the chain cannot be cut this way.
        """
        counts = range(1, most + 1)
        rows = [self._slices(2, count, halo) for count in counts]
        if columns == 1:
            return [each.figures for each in rows]
        across = self._slices(3, columns, halo)
        # Windows that spread count what they read, rounded twice.
        spreads = any("ConvTranspose" in node.type() for node in self._chain.nodes)
        if spreads or halo != "recompute" or any(each.cut & across.cut for each in rows):
            grids = ({2: count, 3: columns} for count in counts)
            return [Figures.of(plan_chain(self._chain, grid, halo)) for grid in grids]
        return [self._of_grid(each, across) for each in rows]

    def _slices(self, axis: int, count: int, halo: str) -> _Slices:
        key = (axis, count, halo)
        if key not in self._known:
            self._known[key] = self._measured(plan_chain(self._chain, {axis: count}, halo))
        return self._known[key]

    def _measured(self, tiling: Tiling) -> _Slices:
        parts: dict[str, Counter[tuple[int, int]]] = {name: Counter() for name in self._whole}
        cut: set[tuple[str, int, int]] = set()
        for tile in tiling if tiling.halo == "recompute" else ():
            for part in tile.parts:
                whole = self._whole[part.node]
                given, read = part.output, _read_by(part)
                parts[part.node][elements(given), elements(read)] += 1
                cut |= {(part.node, 0, axis) for axis in _shorter(given, whole.output)}
                cut |= {(part.node, 1, axis) for axis in _shorter(read, _read_by(whole))}
        return _Slices(Figures.of(tiling), parts, cut)

    def _of_grid(self, rows: _Slices, columns: _Slices) -> Figures:
        most = total = macs = 0
        for node in self._chain.nodes:
            name, operator = self._chain.names[node], node.get_operator()
            whole, own = self._whole[name], operator.macs() or 0
            given, read = elements(whole.output), elements(_read_by(whole))
            size, macs = max(1, operator.get_output(0).size), macs + own
            pairs = product(rows.parts[name].items(), columns.parts[name].items())
            for ((high, taller), many), ((wide, broader), often) in pairs:
                gives, reads = high * wide // given, taller * broader // read if read else 0
                most = max(most, gives + reads)
                total += many * often * (own * gives // size)
        return Figures(self._chain.itemsize * most, total / macs - 1 if macs else 0.0)


def _read_by(part: TilePart) -> Region:
    """Return what a part reads of its first input; nothing without inputs."""
    return part.inputs[0][1] if part.inputs else _NOTHING


def _shorter(region: Region, whole: Region) -> Iterator[int]:
    """List the axes along which a region is not the whole."""
    return (axis for axis, ends in enumerate(region) if ends != whole[axis])

"""Cut the chain of layers at the peak of memory into tiles, and draw them, as settings say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError
from aidge_nb.tiling.at_peak import tile_at_peak
from aidge_nb.widgets.exploration import Control
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

_MOST_ROWS, _MOST_COLUMNS = 16, 8
_HALOS = (("kept for the next tile", "cache"), ("computed again", "recompute"))


@dataclass(frozen=True, slots=True)
class TileWish:
    """How the chain is to be cut.

    Attributes
    ----------
    rows, columns
        Number of rows and of columns of tiles.
    halo
        ``cache`` or ``recompute``.
    """

    rows: int
    columns: int
    halo: str


class PeakTiles:
    """The chain around the operator that needs most memory, and ways to cut it.

    Parameters
    ----------
    peak
        Bytes of the plan at first.

    Raises
    ------
    GraphError
        When cutting no chain there lowers the peak.

    Examples
    --------
    >>> import aidge_nb
    >>> convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    >>> view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    >>> view.forward_dims([[1, 8, 38, 38]])
    True
    >>> tiles = PeakTiles(view, 78_464)
    >>> tiles.first, tiles.words
    (TileWish(rows=4, columns=1, halo='cache'), 'conv0 … pool: 30.5 KiB instead of 76.6 KiB')
    >>> tiles.drawn(tiles.first)
    Scene('conv0 … pool in 4 tiles': 4 nodes)
    """

    def __init__(self, view: GraphView, peak: int) -> None:
        best = tile_at_peak(view, peak // 2).best
        if not best.chains:
            raise GraphError.at("tiles", "no layers around the peak need less when they are cut")
        self._view, self._best = view, best
        (chain,) = best.chains
        rows, columns = chain.grid
        self.first = TileWish(rows, columns, chain.halo)
        ends = " … ".join(dict.fromkeys((chain.nodes[0], chain.nodes[-1])))
        self.words = f"{ends}: {size_text(best.peak)} instead of {size_text(peak)}"

    def controls(self) -> tuple[Control, ...]:
        """Return the settings that a reader may change."""
        rows, columns = (
            tuple((str(count), count) for count in range(1, max(most, first) + 1))
            for most, first in ((_MOST_ROWS, self.first.rows), (_MOST_COLUMNS, self.first.columns))
        )
        return (
            Control("rows", "rows of tiles", "number", self.first.rows, rows),
            Control("columns", "columns", "number", self.first.columns, columns),
            Control("halo", "edges that tiles share are", "list", self.first.halo, _HALOS),
        )

    def drawn(self, wish: TileWish) -> Scene:
        """Cut the chain and draw its tiles.

        Raises
        ------
        GraphError
            When it cannot be cut so.
        """
        chain = replace(self._best.chains[0], grid=(wish.rows, wish.columns), halo=wish.halo)
        (tiling,) = replace(self._best, chains=(chain,)).plan(self._view)
        return tiling_scene(tiling)

"""Values of a tiling: its maps, what each stripe or tile needs of them, and memory, per way.

A way is a number of stripes, or of tiles of a grid, with one treatment of halos. The first way is
the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.parts import Ints

if TYPE_CHECKING:
    from collections.abc import Callable

    from aidge_nb.widgets.scene.findings import Card

OWN, KEPT, OTHER = range(3)
"""Kinds of rectangles: of a stripe, data moved or kept between stripes, and of other operators."""


@dataclass(frozen=True, slots=True)
class StripeMap:
    """A tensor of the chain: its name, a short one, its rows, its family, and whether it is read.

    ``follows`` is set where its operator reads the map before it; ``columns`` is 1 where only rows
    are cut.
    """

    name: str
    label: str
    rows: int
    family: int
    follows: bool = True
    columns: int = 1


@dataclass(frozen=True, slots=True)
class DrawnWay:
    """Figures of one way.

    Attributes
    ----------
    count, kept
        The number of stripes, and whether halos are kept.
    peak, bound
        Peak and lower bound of the memory plan in bytes; -1 where there is no plan.
    macs, extra
        Multiply-accumulates, and their increase as a fraction.
    ticks
        The ticks of the stripes in the plan, half-open.
    cards
        Findings.
    label
        Its number of stripes, or the two numbers of its grid.
    columns
        Its number of tiles along the second cut axis.
    """

    count: int
    kept: bool
    peak: int
    bound: int
    macs: int
    extra: float
    ticks: tuple[int, int]
    cards: tuple[Card, ...] = ()
    label: str = ""
    columns: int = 1

    @property
    def middle(self) -> int:
        """The stripe or tile in the middle."""
        rows = self.count // self.columns
        return (rows - 1) // 2 * self.columns + (self.columns - 1) // 2


@dataclass(frozen=True, slots=True, eq=False)
class StripeDrawing:
    """A chain in stripes or in tiles of a grid, in all ways that were planned.

    Attributes
    ----------
    maps
        The input of the chain, then the output of each of its operators.
    unit
        What is counted along the cut axis: ``rows``, mostly.
    ways
        The ways, the whole first where it is known.
    chosen
        Index of the way that was asked for.
    cells
        A row for each map of each stripe: way, stripe, map, first own row, row after the last own
        row, first row needed, row after the last row needed; then the same for columns. Of stripes,
        each map is one column.
    boxes
        A row for each rectangle of memory: way, first tick, tick after the last, address, bytes,
        map that is drawn or -1, stripe or -1, kind, family or -1. Ticks are those of the plan.
    runs
        A row for each tick of the stripes: way, tick, stripe or -1.
    hidden
        Number of maps between those that are drawn, and the index that they come before.
    note
        What is missing, and why; empty if nothing is.
    across
        What is counted along the second cut axis: ``columns``, mostly; empty for stripes.
    """

    maps: tuple[StripeMap, ...]
    unit: str
    ways: tuple[DrawnWay, ...]
    chosen: int
    cells: Ints
    boxes: Ints
    runs: Ints
    hidden: tuple[int, int] = (0, 0)
    note: str = ""
    across: str = ""

    @property
    def noun(self) -> str:
        """Name of a part: stripe or tile."""
        return "tile" if self.across else "stripe"

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of stripes that were planned, rising.

        Examples
        --------
        >>> import numpy as np
        >>> none = np.zeros((0, 7), np.int64)
        >>> ways = [DrawnWay(count, False, 9, 9, 1, 0.0, (0, 1)) for count in (4, 1)]
        >>> StripeDrawing((), "rows", tuple(ways), 0, none, none, none).counts
        (1, 4)
        """
        return tuple(sorted({way.count for way in self.ways}))

    def to_meta(self, find: Callable[[str], int]) -> dict[str, Any]:
        """Return plain values for the browser; ``find`` tells the number of a node."""
        return {
            "maps": [
                [each.name, each.label, each.rows, each.family, each.follows, each.columns]
                for each in self.maps
            ],
            "unit": self.unit,
            "across": self.across,
            "ways": [
                [
                    way.count,
                    way.kept,
                    way.peak,
                    way.bound,
                    way.macs,
                    way.extra,
                    f"{100 * way.extra:.1f} %",
                    *way.ticks,
                    [card.to_meta(find) for card in way.cards],
                    way.label or str(way.count),
                    way.columns,
                ]
                for way in self.ways
            ],
            "chosen": self.chosen,
            "hidden": list(self.hidden),
            "note": self.note,
        }

"""Choices of tilings as values: tiled chains, and the costs of the graph."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any, Protocol, TypeVar

from aidge_nb.core.errors import GraphError
from aidge_nb.core.forms import as_plain
from aidge_nb.core.pictures import Shown
from aidge_nb.core.values import dataclass
from aidge_nb.graph.view import GraphView
from aidge_nb.tiling.build import apply_tilings
from aidge_nb.tiling.plan import plan_tiling
from aidge_nb.tiling.tiles import Tiling


@dataclass(frozen=True, slots=True)
class ChainChoice:
    """A chain to tile, with its grid.

    Attributes
    ----------
    nodes
        Names of its nodes, in order.
    grid
        Number of rows and of columns of tiles.
    halo
        ``recompute`` or ``cache``.
    """

    nodes: tuple[str, ...]
    grid: tuple[int, int]
    halo: str

    def __str__(self) -> str:
        rows, columns = self.grid
        cut = f"{rows}x{columns} tiles"
        if min(self.grid) == 1:
            cut = f"{rows} stripes" if columns == 1 else f"{columns} upright stripes"
        return f"{self.nodes[0]} … {self.nodes[-1]} in {cut}, halo={self.halo!r}"


@dataclass(frozen=True, slots=True)
class TilingChoice:
    """One way to tile a graph, and the costs of the whole graph.

    Attributes
    ----------
    chains
        The tiled chains, in order; empty for the untiled graph.
    peak
        Bytes of activations without graph inputs. Operators overwrite inputs where they may; the
        result of a chain is reserved from its beginning: a memory plan can need less.
    macs
        Multiply-accumulates.
    traffic
        Bytes moved between the memory of whole tensors and the memory of computations; in-place
        operators move nothing.
    """

    chains: tuple[ChainChoice, ...]
    peak: int
    macs: int
    traffic: int

    def plan(self, view: GraphView) -> tuple[Tiling, ...]:
        """Plan the tilings of the searched graph.

        Raises
        ------
        GraphError
            When nothing is tiled, or for another graph.
        """
        by_name = {name: node for node, name in view.unique_names().items()}
        wanted = {name for chain in self.chains for name in chain.nodes}
        if not wanted or not wanted <= set(by_name):
            raise GraphError.at("tiling", "nothing in this graph is to be tiled")
        return tuple(
            plan_tiling(
                view,
                [by_name[name] for name in chain.nodes],
                {axis: count for axis, count in zip((2, 3), chain.grid, strict=True) if count > 1},
                halo=chain.halo,
            )
            for chain in self.chains
        )


class _Costly(Protocol):
    """A value with the three costs."""

    @property
    def peak(self) -> int: ...
    @property
    def macs(self) -> int: ...
    @property
    def traffic(self) -> int: ...


Costly = TypeVar("Costly", bound=_Costly)


def nondominated(choices: Iterable[Costly]) -> tuple[Costly, ...]:
    """Return the choices that are not dominated, by peak; of equal ones the first."""
    front: list[Costly] = []
    stairs: list[tuple[int, int]] = []  # macs rise, traffic falls
    for choice in sorted(choices, key=lambda each: (each.peak, each.macs, each.traffic)):
        mine = (choice.macs, choice.traffic)
        at = bisect_right(stairs, mine)
        if at and stairs[at - 1][1] <= choice.traffic:
            continue
        front.append(choice)
        behind = at
        while behind < len(stairs) and stairs[behind][1] >= choice.traffic:
            behind += 1
        stairs[at:behind] = [mine]
    return tuple(front)


@dataclass(frozen=True, repr=False)
class TilingSearch(Shown):
    """The result of a search.

    Attributes
    ----------
    untiled
        The untiled graph.
    front
        The choices not dominated in peak, multiply-accumulates and traffic; by peak.
    best
        The untiled graph if it fits; else the fitting choice with the fewest
        multiply-accumulates, then least traffic.
    memory
        The budget in bytes, or None.
    tried
        Number of tilings of single chains that were compared, in all combinations.
    """

    untiled: TilingChoice
    front: tuple[TilingChoice, ...]
    best: TilingChoice
    memory: int | None
    tried: int = field(compare=False)

    @property
    def extra_macs(self) -> float:
        """Extra multiply-accumulates of the best choice, as a fraction."""
        return self.extra_of(self.best)

    def extra_of(self, choice: TilingChoice) -> float:
        """Return the share of multiply-accumulates that a choice adds to those without tiles."""
        return choice.macs / self.untiled.macs - 1 if self.untiled.macs else 0.0

    def apply(self, view: GraphView) -> tuple[Tiling, ...]:
        """Rewrite the graph by the best choice; return its tilings, () if untiled.

        Plan the memory of the graph in an order that keeps tiles together:
        ``plan_memory(graph, order_for_memory(graph), parts=True)``.
        """
        if not self.best.chains:
            return ()
        tilings = self.best.plan(view)
        apply_tilings(view, tilings)
        return tilings

    def __iter__(self) -> Iterator[TilingChoice]:
        return iter(self.front)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return as_plain(self)

    def __repr__(self) -> str:
        best, before = self.best, self.untiled.peak
        if not best.chains:
            return f"TilingSearch(peak {before} bytes as it is, {len(self.front)} trade-offs)"
        chains = "; ".join(map(str, best.chains))
        return (
            f"TilingSearch(peak {before} → {best.peak} bytes, {100 * self.extra_macs:.1f} % more "
            f"MACs: {chains}; {len(self.front)} trade-offs)"
        )

"""Compute what each choice of moves leads to: bytes, work, and what lies where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from aidge_nb import tiling
from aidge_nb.course import graphs
from aidge_nb.course.fit.moves import BEFORE, BEHIND, FitSetting
from aidge_nb.course.fit.trained import set_trained
from aidge_nb.export import plan_export
from aidge_nb.memory import MemoryPlan, plan_memory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.tiling import Tiling

NAME = "bars"


@dataclass(frozen=True)
class FitState:
    """The result of a choice of moves.

    Attributes
    ----------
    setting
        The choice.
    plan
        The memory plan.
    macs, more
        MACs of the convolutions, and how many more than these are computed.
    arena
        Bytes of the exported program's memory: arena and what it holds aside; None where the
        game exports nothing.
    """

    setting: FitSetting
    plan: MemoryPlan
    macs: int
    more: int
    arena: int | None

    @property
    def share(self) -> float:
        """Share of MACs that are computed twice."""
        return self.more / self.macs

    @property
    def tick(self) -> int:
        """The first tick at which most bytes are alive."""
        live = self.plan.live_bytes()
        return live.index(max(live))

    @property
    def alive(self) -> dict[str, int]:
        """Bytes of what is alive at that tick, by name."""
        return {
            shown_name(buffer.name): buffer.size
            for buffer in self.plan.buffers
            if buffer.lower <= self.tick < buffer.upper and buffer.view_of is None
        }


def shown_name(name: str) -> str:
    """Return the name under which a buffer is shown: the input of the network is the image."""
    return "image" if name.startswith("input#") else name


def network(setting: FitSetting) -> tuple[GraphView, Tiling | None]:
    """Make the network, cut into stripes where they are chosen."""
    view = graphs.bars_net()
    set_trained(view)
    if setting.variant == "int8":
        view.set_datatype("int8")
    if setting.stripes == 1:
        return view, None
    chain = tiling.between(view, view.get_node("stem"), view.get_node("both"))
    cut = tiling.plan_tiling(view, chain, {2: setting.stripes}, halo=setting.halo)
    tiling.apply_tiling(view, cut)
    return view, cut


def order_of(view: GraphView, setting: FitSetting) -> Any:
    """Return the order in which the network runs: names, or nodes in stripes."""
    if setting.stripes > 1:
        return view.topological_order()
    return (*BEFORE, *setting.order, *BEHIND)


def program_plan(view: GraphView, setting: FitSetting) -> MemoryPlan | None:
    """Plan the memory of a C program by rows, which gets the image from outside.

    Without rows return None: what the export plans itself has the peak of the choice.
    """
    if not setting.rows:
        return None
    return plan_memory(view, order_of(view, setting), by_rows=True, parts=setting.stripes > 1)


@cache
def state_of(setting: FitSetting) -> FitState:
    """Compute what a choice of moves leads to.

    Examples
    --------
    >>> state_of(FitSetting(in_place=True)).plan.peak
    57344
    """
    view, cut = network(setting)
    is_cut = cut is not None
    plan = plan_memory(
        view,
        order_of(view, setting),
        in_place=setting.in_place,
        by_rows=setting.rows,
        parts=is_cut,
        inc_inputs=setting.variant == "image",
    )
    arena = None
    if is_cut and setting.in_place:
        arena = plan_export(view, name=NAME, plan=program_plan(view, setting)).arena_bytes
    chain = cut if cut is not None else network(FitSetting(stripes=2))[1]
    assert chain is not None  # noqa: S101  # it was cut
    more = chain.tiled_macs - chain.macs if is_cut else 0
    return FitState(setting, plan, chain.macs, more, arena)

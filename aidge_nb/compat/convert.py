"""Convert objects of the real aidge_core to objects and values of this library.

Nothing here imports aidge_core: its objects are read through their own methods (release 0.10.1).
An operator that this library has, with the same attributes, becomes that operator and can run;
any other becomes a generic one with the dimensions that Aidge found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from aidge_nb.compat.real_graph import RealGraph
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.scheduling.solve.outline import make_schedule

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.memory.values.plan import MemoryPlan


def is_real(thing: object) -> bool:
    """Return whether something is an object of the real aidge_core."""
    return type(thing).__module__.partition(".")[0] == "aidge_core"


def from_aidge(thing: Any, scheduler: Any = None) -> GraphView | StaticSchedule | MemoryPlan:
    """Convert an object of the real aidge_core to one of this library.

    Parameters
    ----------
    thing
        A ``GraphView``, a scheduler that has scheduled its graph, or a ``MemoryManager``.
    scheduler
        For a memory manager, the scheduler that made it.

    Returns
    -------
    GraphView, StaticSchedule or MemoryPlan
        For a graph, a graph; for a scheduler, its schedule with the early and late steps that
        Aidge gave; for a memory manager, its layout.

    Raises
    ------
    AidgeError
        For anything else, a scheduler without a schedule, and a manager without its scheduler.

    Examples
    --------
    >>> from_aidge(3)
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: from_aidge: cannot read this (expected a GraphView, a \
scheduler or a MemoryManager of aidge_core, found int)
    """
    if is_real(thing) and hasattr(thing, "get_ordered_outputs"):
        return RealGraph(thing).view
    if is_real(thing) and hasattr(thing, "get_static_scheduling"):
        return _schedule(thing, RealGraph(thing.graph_view()))
    if is_real(thing) and hasattr(thing, "get_peak_usage"):
        return _plan(thing, scheduler)
    raise AidgeError.at(
        "from_aidge",
        "cannot read this",
        expected="a GraphView, a scheduler or a MemoryManager of aidge_core",
        found=type(thing).__name__,
    )


def _schedule(scheduler: Any, real: RealGraph) -> StaticSchedule:
    """Read a schedule firing by firing, with Aidge's own steps."""
    try:
        elements = scheduler.get_static_scheduling()
    except IndexError:  # there was no generate_scheduling()
        elements = []
    if not elements:
        raise AidgeError.at(
            "from_aidge", "the scheduler has no schedule", cure="Call generate_scheduling()."
        )
    order = real.view.topological_order()
    number = {node: index for index, node in enumerate(order)}
    executions: dict[int, int] = {}
    firings = []
    for element in elements:
        actor = number[real.node_of(element.node)]
        execution = executions.get(actor, 0)
        executions[actor] = execution + 1
        firings.append(Firing(actor, execution, element.early, element.late))
    return replace(make_schedule(order, ()), loops=tuple(firings))


def _plan(manager: Any, scheduler: Any) -> MemoryPlan:
    from aidge_nb.memory.aidge.from_manager import plan_of_manager

    if scheduler is None:
        raise AidgeError.at(
            "from_aidge",
            "a memory manager does not know its graph",
            cure="Write from_aidge(manager, scheduler), with the scheduler that made it.",
        )
    real = RealGraph(scheduler.graph_view())
    order: Sequence[Node] = [
        real.node_of(node) for node in scheduler.get_sequential_static_scheduling()
    ]
    planes = {real.node_of(node): list(each) for node, each in manager.get_planes().items()}
    layout: Any = SimpleNamespace(  # what is read of a manager of ours; its capacity is unknown
        get_planes=lambda: planes,
        get_peak_usages=lambda: [int(manager.get_peak_usage())],
        get_capacities=lambda: [0],
    )
    return plan_of_manager(layout, real.view, order)

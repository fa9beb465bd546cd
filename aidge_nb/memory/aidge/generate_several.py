"""Aidge's memory layout in several memories."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.graph import GraphView
from aidge_nb.memory.aidge.generate import ManagerWalk, executed_nodes
from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.live.facts import Schedule


def generate_memory_multiple_mems(
    view: GraphView,
    order: Schedule,
    inc_producers: bool = False,
    memory_alignment: int = 1,
    capacities: Sequence[int] = (),
    priorities: Sequence[int] = (),
    *,
    auto_concat: bool = False,
    safe: bool = True,
) -> MemoryManager:
    """Lay out memory as :func:`generate_memory`, in several memories.

    Parameters
    ----------
    view, order, memory_alignment
        As for :func:`generate_memory`.
    inc_producers
        Whether Producers get memory too: then all at tick 0, for good.
    capacities, priorities
        The memories, as for :class:`MemoryManager`: lower priorities are filled first.
    auto_concat
        Whether inputs of Concat are computed at their place in its result.
    safe
        Whether live values are left alone, as for :func:`generate_memory`.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, the order does not belong to the graph, or no memory has room
        for some output.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(4, 8, name="a"), aidge_nb.FC(8, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> order = view.topological_order()
    >>> generate_memory_multiple_mems(view, order, capacities=[16, 64]).get_peak_usages()
    [8, 32]
    """
    executed = executed_nodes(view, order, inc_producers=False)
    manager = MemoryManager(capacities, priorities)
    walk = ManagerWalk(view, executed, False, memory_alignment, safe, manager)
    for node in view.get_nodes() if inc_producers else ():
        if node.type() == "Producer":
            walk.load(node)
    return walk.run(auto_concat)


def generate_memory_multiple_mems_autoconcat(
    view: GraphView,
    order: Schedule,
    inc_producers: bool = False,
    memory_alignment: int = 1,
    capacities: Sequence[int] = (),
    priorities: Sequence[int] = (),
) -> MemoryManager:
    """Lay out memory as :func:`generate_memory_multiple_mems` with ``auto_concat=True``.

    Raises
    ------
    MemoryPlanError
        As there.
    """
    return generate_memory_multiple_mems(
        view, order, inc_producers, memory_alignment, capacities, priorities, auto_concat=True
    )

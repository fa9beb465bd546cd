"""Aidge's memory layout in several memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from aidge_nb.graph import GraphView, Node
from aidge_nb.memory.aidge.concat import concat_slots
from aidge_nb.memory.aidge.generate import ManagerWalk
from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.live.facts import check_order


def generate_memory_multiple_mems(
    view: GraphView,
    order: Sequence[Node],
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
    check_order(view, order)
    executed = [node for node in order if node.type() != "Producer"]
    manager = MemoryManager(capacities, priorities)
    walk = ManagerWalk(view, executed, False, memory_alignment, safe, manager)
    if auto_concat:
        once = [node for node, times in Counter(executed).items() if times == 1]
        walk.slots = concat_slots(view, once, memory_alignment)
    for node in view.get_nodes() if inc_producers else ():
        if node.type() == "Producer":
            walk.load(node)
    for node in executed:
        walk.execute(node)
    return manager


def generate_memory_multiple_mems_autoconcat(
    view: GraphView,
    order: Sequence[Node],
    inc_producers: bool = False,
    memory_alignment: int = 1,
    capacities: Sequence[int] = (),
    priorities: Sequence[int] = (),
) -> MemoryManager:
    """Do what :func:`generate_memory_multiple_mems` does with ``auto_concat``.

    Raises
    ------
    MemoryPlanError
        As there.
    """
    return generate_memory_multiple_mems(
        view, order, inc_producers, memory_alignment, capacities, priorities, auto_concat=True
    )

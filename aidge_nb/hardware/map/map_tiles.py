"""Map the tiles of one layer, or of one chain, onto elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.map.home import Home
from aidge_nb.hardware.map.jobs import tile_jobs
from aidge_nb.hardware.map.machine import limits_of, make_machine
from aidge_nb.hardware.map.map_schedule import mapping_of
from aidge_nb.hardware.map.options import Option, check_supports, deal
from aidge_nb.hardware.map.state import MappingState
from aidge_nb.hardware.map.tasks import TaskList, task_list
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.parts import Element
from aidge_nb.hardware.targets.target import Target
from aidge_nb.tiling.tiles import Tiling


def map_tiles(
    view: GraphView,
    tiling: Tiling,
    target: Target,
    constraints: Constraints | None = None,
    *,
    home: str = "",
    parameters: str = "",
) -> Mapping:
    """Map the tiles of a tiling onto the elements of a target.

    Elements that may share the layer get neighbouring tiles. Each tile is loaded into the local
    memory (the first with the parameters), computed, and its result stored.

    Parameters
    ----------
    view
        The graph for which the tiling was planned, before it is applied.
    tiling
        The tiling.
    target, constraints
        The target, and its usable parts: the elements in ``constraints.use``, else those of the
        first group of the target, or its first element.
    home, parameters
        Memories of whole tensors and of parameters: by default the first RAM.

    Raises
    ------
    HardwareError
        When an element lacks an operator or cannot reach the memory, a tile does not fit, or the
        elements may not share a layer like that.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 16})
    >>> map_tiles(view, tiling, hardware.target("quad_cluster"))
    Mapping(quad_cluster: 1 works in 48 steps on 4 elements, 89586 cycles)
    """
    limits = limits_of(target, constraints)
    everything = task_list(view, None, [tiling])
    task = next(task for task in everything.tasks if task.tiling is tiling)
    machine = make_machine(target, limits, home)
    machine = replace(machine, parameters=parameters or machine.home)
    used = {*task.inputs, *task.outputs}
    buffers = tuple(
        replace(each, users=(0,), is_input=each.name in task.inputs, is_kept=True)
        for each in everything.buffers
        if each.name in used
    )
    task.number, task.after = 0, set()
    workers = _workers(target, limits)[: len(tiling.tiles)]
    check_supports(workers, task)
    stations = tuple(machine.station(element) for element in workers)
    jobs = tile_jobs(task.nodes, tiling)
    stations, dealt = deal(tiling, jobs, stations, _splits(target, workers))
    option = Option(stations, 0, lambda: (tiling, dealt), len(tiling.tiles))
    tasks = TaskList(view, (task,), buffers)
    resident = sum(task.parameters.values()) if machine.parameters == machine.home else 0
    capacity = limits.capacity(target, machine.home) - resident
    state = MappingState(tasks, machine, Home(machine.home, capacity, tasks))
    state.place(task, option)
    found = mapping_of(state, task.parameters)
    if found is None:
        raise HardwareError.at(
            f"memory {machine.home}",
            "input and result do not fit",
            expected=f"at most {capacity} bytes",
            found=sum(buffer.size for buffer in buffers),
            cure="Name a larger memory with home=, or make the input smaller.",
        )
    return replace(found, elements=option.elements, view=view)


def _workers(target: Target, limits: Constraints) -> tuple[Element, ...]:
    """Return the requested elements, else the first group, or the first element."""
    usable = limits.elements(target)
    if limits.use or not target.cooperation:
        return usable if limits.use else usable[:1]
    return target.cooperation[0].among(usable)


def _splits(target: Target, workers: Sequence[Element]) -> tuple[str, ...]:
    """List the splits allowed for elements."""
    devices = {element.device for element in workers}
    found = {split for g in target.cooperation if devices <= set(g.members) for split in g.split}
    return tuple(sorted(found))

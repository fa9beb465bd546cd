"""Reports about memory: Aidge's text log and figures, and what matters about a plan."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.pictures import picture
from aidge_nb.graph.node import Port
from aidge_nb.memory.aidge.from_manager import plan_of_manager
from aidge_nb.memory.aidge.generate import generate_memory, generate_memory_auto_concat
from aidge_nb.memory.aidge.generate_several import generate_memory_multiple_mems
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.aidge.spaces import MemoryPlane
from aidge_nb.memory.live.facts import output_bytes

if TYPE_CHECKING:
    from os import PathLike

    from aidge_nb.graph import GraphView, Node
    from aidge_nb.memory.aidge.manager import MemoryManager
    from aidge_nb.memory.values.plan import MemoryPlan

PlaneInfo = dict[str, int]


class SchedulesGraph(Protocol):
    """The part of a scheduler that memory planning uses."""

    def graph_view(self) -> GraphView:
        """Return the graph."""

    def get_sequential_static_scheduling(self) -> list[Node]:
        """Return the node of each execution."""


def compute_default_mem_info(scheduler: SchedulesGraph) -> tuple[int, dict[Node, list[PlaneInfo]]]:
    """Lay out outputs one after the other without reuse, as a baseline.

    Returns
    -------
    int, dict
        The size of it all, and for each node ``size`` and ``offset`` of its outputs. As in Aidge
        these are *elements*, not bytes; Producers have an empty list.

    Raises
    ------
    MemoryPlanError
        While dimensions are unknown.
    """
    total = 0
    found: dict[Node, list[PlaneInfo]] = {}
    for node in dict.fromkeys(scheduler.get_sequential_static_scheduling()):
        found[node] = []
        for index in range(0 if node.type() == "Producer" else node.get_nb_outputs()):
            tensor = node.get_operator().get_output(index)
            size = output_bytes(Port(node, index)) and tensor.size
            found[node].append({"size": size, "offset": total})
            total += size
    return total, found


def generate_optimized_memory_info(
    scheduler: SchedulesGraph,
    stats_folder: str | PathLike[str] | None = None,
    wrapping: bool = False,
    auto_concat: bool = False,
    display_names: bool = True,
    *,
    inc_producers: bool = False,
    memory_alignment: int = 1,
    mem_optimize_strategy: OptimizeStrategy | None = None,
    capacities: Sequence[int] = (),
    priorities: Sequence[int] = (),
) -> tuple[Any, dict[Node, list[PlaneInfo]]]:
    """Lay out memory as Aidge does, and report it.

    Parameters
    ----------
    scheduler
        A scheduler that has scheduled its graph.
    stats_folder
        Where ``memory_info.txt``, ``memory_info.png`` and ``memory_info.svg`` are written; nowhere
        when None.
    wrapping, auto_concat, inc_producers, memory_alignment
        As for :func:`~aidge_nb.memory.generate_memory`; ``auto_concat`` lets inputs of Concat be
        computed at their place in its result.
    display_names
        Accepted for compatibility: names are drawn where there is room for them.
    mem_optimize_strategy
        How to move the spaces afterwards; those of each memory stay there. By default every
        strategy and the planner of this library are tried, and the lowest peak is taken;
        ``OptimizeStrategy.None_`` leaves them where they are, as aidge_core 0.10.1 does.
    capacities, priorities
        Sizes in bytes of several memories, as for :class:`MemoryManager`, without wrapping.

    Returns
    -------
    int or list of int, dict
        The peak in bytes, one for each memory where capacities are given; and the planes of each
        node as :func:`memory_info` gives them.

    Raises
    ------
    MemoryPlanError
        While dimensions are unknown, when the memories do not suffice, or when planes shall wrap
        around in several memories (where aidge_core 0.10.1 does not, and does not say so).
    """
    del display_names
    view, order = scheduler.graph_view(), scheduler.get_sequential_static_scheduling()
    if capacities:
        if wrapping:
            problem = "planes wrap around in a single memory alone"
            cure = "Leave out wrapping=True, or capacities=."
            raise MemoryPlanError.at("memory info", problem, cure=cure)
        manager = generate_memory_multiple_mems(
            view,
            order,
            inc_producers,
            memory_alignment,
            capacities,
            priorities,
            auto_concat=auto_concat,
        )
    else:
        generate = generate_memory_auto_concat if auto_concat else generate_memory
        manager = generate(view, order, inc_producers, wrapping, memory_alignment)
    manager.optimize(mem_optimize_strategy)
    if stats_folder is not None:
        folder = Path(stats_folder)
        plan = plan_of_manager(
            manager, view, order, inc_producers=inc_producers, alignment=memory_alignment
        )
        drawn = picture(plan)
        text = memory_info_text(manager, order, view.unique_names(), multiple_mems=bool(capacities))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory_info.txt").write_text(text, encoding="utf-8")
        (folder / "memory_info.svg").write_text(drawn["image/svg+xml"], encoding="utf-8")
        (folder / "memory_info.png").write_bytes(b64decode(drawn["image/png"]))
    peaks = manager.get_peak_usages()
    return peaks if capacities else peaks[0], memory_info(manager, order)


def memory_info(manager: MemoryManager, order: Iterable[Node]) -> dict[Node, list[PlaneInfo]]:
    """Describe the planes of each node, in bytes.

    Nodes without planes, such as Producers whose memory was not laid out, describe their outputs
    as if each lay in a memory of its own, at offset 0.
    """
    planes = manager.get_planes()
    found: dict[Node, list[PlaneInfo]] = {}
    for node in dict.fromkeys(order):
        if node in planes:
            found[node] = [_plane_info(plane) for plane in planes[node]]
        else:
            ports = (Port(node, index) for index in range(node.get_nb_outputs()))
            found[node] = [_standalone_info(output_bytes(port)) for port in ports]
    return found


def _plane_info(plane: MemoryPlane) -> PlaneInfo:
    return {
        "size": plane.size,
        "offset": plane.get_contiguous_offset(),
        "stride": plane.stride,
        "length": plane.length,
        "count": plane.count,
        "cont_offset": plane.get_contiguous_offset(),
        "cont_size": plane.get_contiguous_size(),
        "wrap_offset": plane.get_wrapped_offset(),
        "wrap_size": plane.get_wrapped_size(),
        "mem_component_id": plane.mem_component_id,
    }


def _standalone_info(size: int) -> PlaneInfo:
    return {
        "size": size,
        "offset": 0,
        "stride": size,
        "length": 1,
        "count": 1,
        "cont_offset": 0,
        "cont_size": size,
        "wrap_offset": 0,
        "wrap_size": 0,
    }


def memory_info_text(
    manager: MemoryManager,
    order: Iterable[Node],
    names: dict[Node, str] | None = None,
    *,
    multiple_mems: bool = False,
) -> str:
    """Write Aidge's text log: one line per plane, node by node.

    ``number start (hex) -> end (hex) [+ wrapped start -> end] [bytes] @ allocated [to released]``.
    With ``multiple_mems`` the memory follows: ``[MEM_0] @ allocated``. A node that runs several
    times is listed once, with all its planes (Aidge repeats it).
    """
    planes = manager.get_planes()
    blocks = []
    for node in dict.fromkeys(order):
        if node in planes:
            lines = [_line(number, plane) for number, plane in enumerate(planes[node])]
            if multiple_mems:
                places = (f" [MEM_{p.mem_component_id}] @ {p.allocated}" for p in planes[node])
                lines = [line + place for line, place in zip(lines, places, strict=True)]
            blocks.append("\n".join([f"{(names or {}).get(node) or node.name()}:", *lines, "\n"]))
    return "".join(blocks)


def _line(number: int, plane: MemoryPlane) -> str:
    parts = " + ".join(
        f"{_address(start)} -> {_address(stop)}" for start, stop in plane.intervals()
    )
    space = plane.mem_space
    released = f" to {space.released}" if space.is_over else ""
    return f"  {number} {parts} [{plane.get_size()}] @ {plane.allocated}{released}"


def _address(offset: int) -> str:
    return f"{offset} (0x{offset:08X}U)"


def describe_plan(plan: MemoryPlan) -> str:
    """Describe a plan: its peak, its lower bound, and the buffers alive at the peak.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer, MemoryPlan
    >>> two = (Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 64))
    >>> print(describe_plan(MemoryPlan(("a", "b"), two, 96, 96)))
    peak         96 bytes
    lower bound  96 bytes (reached: no placement of these buffers needs less)
    live at tick 1, when b runs:
              64  66.7 %  a
              32  33.3 %  b
    """
    tick = plan.peak_tick
    verdict = (
        "reached: no placement of these buffers needs less"
        if plan.is_optimal
        else f"the peak is {plan.gap} bytes or {1 - plan.efficiency:.1%} of it above"
    )
    lines = [
        f"peak         {plan.peak} bytes",
        f"lower bound  {plan.lower_bound} bytes ({verdict})",
    ]
    lines += [
        f"memory       {use.name}: {use.peak} of {use.capacity} bytes, from {use.base}"
        for use in plan.memories
    ]
    if plan.order:
        lines.append(f"live at tick {tick}, when {plan.order[tick]} runs:")
    for buffer in plan.live_set(tick):
        share = f"{buffer.size / plan.peak:.1%}".replace("%", " %") if plan.peak else ""
        note = f", in place of {', '.join(buffer.in_place_of)}" if buffer.in_place_of else ""
        note += f", view of {buffer.view_of}" if buffer.view_of else ""
        note += f", made of {', '.join(buffer.made_of)}" if buffer.made_of else ""
        note += f", in {plan.memory_of(buffer)}" if plan.memories else ""
        lines.append(f"  {buffer.size:>10}  {share:>6}  {buffer.name}{note}")
    return "\n".join(lines)

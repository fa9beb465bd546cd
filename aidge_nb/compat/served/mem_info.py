"""Stands in for ``aidge_core.mem_info``: memories, their layout, and its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from aidge_nb import memory
from aidge_nb.compat.served.unserved import not_served
from aidge_nb.core.files import write_atomically
from aidge_nb.core.text import html_text
from aidge_nb.memory import compute_default_mem_info
from aidge_nb.memory.aidge.report import memory_info_text

__all__ = [
    "Memory",
    "compute_default_mem_info",
    "generate_optimized_memory_info",
    "log_meminfo",
    "log_meminfo_text",
]

FilePath = str | PathLike[str]


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    if name in memory.__all__:
        return getattr(memory, name)
    raise AttributeError(not_served("aidge_core.mem_info", name, [*__all__, *memory.__all__]))


@dataclass
class MemoryComponent:
    """A memory of a device.

    Attributes
    ----------
    capacity
        Its size in bytes.
    area, node
        The silicon that it takes in square millimetres, and its technology in nanometres.
    priority
        Memories of lower priority are filled first.
    available_capacity
        What of it is free; all of it by default.
    mem_type, external, private
        What it is, whether it is a chip of its own, and whether one processor has it alone.
    """

    capacity: int = 0
    area: float | None = None
    node: int | None = None
    priority: int = 0
    available_capacity: int | None = None
    mem_type: str = "Generic"
    external: bool = False
    private: bool = False

    def __post_init__(self) -> None:
        if self.available_capacity is None:
            self.available_capacity = self.capacity


Memory = MemoryComponent


def generate_optimized_memory_info(
    scheduler: Any,
    stats_folder: FilePath | None = None,
    inc_producers: bool = False,
    wrapping: bool = False,
    auto_concat: bool = False,
    multiple_mems: bool = False,
    memory_components: Mapping[str, MemoryComponent] | None = None,
    display_names: bool = True,
    memory_alignment: int = 1,
    mem_optimize_strategy: Any = None,
) -> Any:
    """Lay out memory; see :func:`aidge_nb.memory.generate_optimized_memory_info`.

    The peak is a number, or one for each of several memories: with ``multiple_mems`` and
    ``memory_components``, by their names.
    """
    several = list(memory_components.values()) if multiple_mems and memory_components else []
    options: dict[str, Any] = {}
    if any(each.capacity for each in several):
        options["capacities"] = [each.available_capacity for each in several]
        options["priorities"] = [each.priority for each in several]
    peak, info = memory.generate_optimized_memory_info(
        scheduler,
        stats_folder,
        wrapping,
        auto_concat,
        display_names,
        inc_producers=inc_producers,
        memory_alignment=memory_alignment,
        mem_optimize_strategy=mem_optimize_strategy,
        **options,
    )
    return ([peak] if multiple_mems and not options else peak), info


def log_meminfo_text(
    mem_manager: Any, path: FilePath, scheduler: Any = None, multiple_mems: bool = False
) -> None:
    """Write the planes of a memory manager as text, in the order of a scheduler if one is given."""
    planes = mem_manager.get_planes()
    order = scheduler.get_sequential_static_scheduling() if scheduler else list(planes)
    write_atomically(path, memory_info_text(mem_manager, order, multiple_mems=multiple_mems))


def log_meminfo(
    mem_manager: Any,
    path: FilePath,
    diplay_names: bool = True,
    memory_components: Mapping[str, MemoryComponent] | None = None,
) -> None:
    """Draw the planes of a memory manager as SVG, whatever the ending of the name."""
    planes = [(node, each) for node, some in mem_manager.get_planes().items() for each in some]
    end = 1 + max((max(each.allocated, each.mem_space.released) for _, each in planes), default=0)
    peak = max((each.get_contiguous_offset() + each.get_size() for _, each in planes), default=1)
    lines = []
    for node, each in planes:
        left, right = each.allocated, each.mem_space.released
        width = (end if right < 0 else right + 1) - left
        top = peak - each.get_contiguous_offset() - each.get_contiguous_size()
        box = (left * 600 / end, top * 400 / peak, width * 600 / end)
        tall = each.get_contiguous_size() * 400 / peak
        place = 'x="{:g}" y="{:g}" width="{:g}"'.format(*box)
        title = f"<title>{html_text(node.name())}: {each.get_size()} bytes</title>"
        lines.append(f'<rect {place} height="{tall:g}">{title}</rect>')
        if diplay_names:
            words = html_text(node.name())
            lines.append(f'<text x="{box[0] + 4:g}" y="{box[1] + 14:g}">{words}</text>')
    style = "text{font:11px sans-serif}rect{fill:#88bbee;stroke:#fff}"
    write_svg(path, (600, 400), style, lines)


def write_svg(filename: Any, size: tuple[int, int], style: str, lines: Iterable[str]) -> None:
    """Write an SVG picture of some elements, whatever the ending of the name."""
    around = 'xmlns="http://www.w3.org/2000/svg" width="{}" height="{}"'.format(*size)
    body = "\n".join(lines)
    picture = f"<svg {around}><style>{style}</style>\n{body}\n</svg>\n"
    write_atomically(Path(filename).with_suffix(".svg"), picture)

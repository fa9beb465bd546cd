"""What lies in time as Mermaid Gantt charts, and small charts as Mermaid's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aidge_nb.core.text import mermaid_caption
from aidge_nb.widgets.scene.scene import Chart, Devices, Measured, MemoryMap, Scene, Timeline
from aidge_nb.widgets.text import elide, size_text

MOST_CHARACTERS = 50_000
"""What Mermaid draws of one text unless its host was set up otherwise."""

_LONGEST = 120
_MOST_POINTS = 200


@dataclass(frozen=True, slots=True)
class _Task:
    """A bar of a Gantt chart: its caption, where it begins and ends, and the section it is in."""

    caption: str
    start: int
    stop: int
    section: str = ""
    is_milestone: bool = False


def row_texts(scene: Scene, picture: str) -> Iterator[str]:
    """Write a schedule, a run, devices or a memory plan as Gantt charts of bounded length."""
    if picture == "timeline" and scene.timeline is not None:
        yield from _gantts(_firings(scene.timeline))
    elif picture == "measured" and scene.timeline is not None and scene.measured is not None:
        yield from _gantts(_runs(scene.timeline, scene.measured), "%Q µs")
    elif picture == "devices" and scene.devices is not None:
        yield from _gantts(_busy(scene, scene.devices))
    elif picture == "memory" and scene.memory is not None:
        yield from _gantts(_buffers(scene.memory))


def _firings(timeline: Timeline) -> Iterator[_Task]:
    columns = (timeline.row, timeline.early, timeline.late)
    for row, early, late in zip(*(each.tolist() for each in columns), strict=True):
        if not timeline.rows[row].producer:
            yield _Task(timeline.rows[row].name, early, late, is_milestone=early == late)


def _runs(timeline: Timeline, measured: Measured) -> Iterator[_Task]:
    columns = (measured.row, measured.start, measured.duration)
    for row, start, length in zip(*(each.tolist() for each in columns), strict=True):
        yield _Task(timeline.rows[row].name, start, start + length)


def _busy(scene: Scene, devices: Devices) -> Iterator[_Task]:
    """Give the bars of one device after the other."""
    columns = (devices.row, devices.start, devices.length, devices.node)
    bars = sorted(zip(*(each.tolist() for each in columns), strict=True))
    for row, start, length, node in bars:
        yield _Task(scene.nodes[node].name, start, start + length, devices.rows[row].name)


def _buffers(memory: MemoryMap) -> Iterator[_Task]:
    """Give each buffer once, also where it lies in several pieces; one memory after the other."""
    bases = [space.base for space in memory.spaces] or [0]
    space = np.searchsorted(bases, memory.offset, "right") - 1
    order = np.argsort(space, kind="stable").tolist()
    columns = (space, memory.lower, memory.upper, memory.buffer_bytes)
    places = list(zip(*(each.tolist() for each in columns), strict=True))
    last = None
    for piece in order:
        name, (where, lower, upper, size) = memory.names[piece], places[piece]
        if (name, lower, upper) != last:
            section = memory.spaces[where].name if memory.spaces else ""
            yield _Task(f"{elide(name, _LONGEST)} ({size_text(size)})", lower, upper, section)
        last = (name, lower, upper)


def _gantts(tasks: Iterable[_Task], axis: str = "%Q") -> Iterator[str]:
    head = f"gantt\ndateFormat x\naxisFormat {axis}\n"
    lines: list[str] = []
    size, section = len(head), ""
    for task in tasks:
        tag = "milestone, " if task.is_milestone else ""
        line = f"{_caption(task.caption)} :{tag}{task.start}, {task.stop}"
        heading = f"section {_caption(task.section)}\n" if task.section else ""
        if size + len(heading) + len(line) + 1 > MOST_CHARACTERS:
            yield head + "\n".join(lines)
            lines, size, section = [], len(head), ""
        if heading != section:
            line, section = heading + line, heading
        lines.append(line)
        size += len(line) + 1
    if lines or size == len(head):
        yield head + "\n".join(lines)


def _caption(text: str) -> str:
    return mermaid_caption(elide(text, _LONGEST + 20).strip()) or "(no name)"


def chart_texts(charts: Iterable[Chart]) -> Iterator[str]:
    """Write small charts: lines whose points lie equally far apart, and points by their place.

    Mermaid has no points at places of their own along both axes, and no logarithmic axes.
    """
    for chart in charts:
        line = next((line for _, line in chart.lines if _is_even(line)), None)
        kind = "bar" if line is None else "line"
        points = sorted((x, y) for x, y, _ in chart.points) if line is None else list(line)
        step = max(1, -(-len(points) // _MOST_POINTS))
        shown = points[::step]
        yield "\n".join(
            [
                "xychart-beta",
                f"title {_quoted(chart.title)}",
                f"x-axis {_quoted(chart.x)} [{', '.join(_digits(x) for x, _ in shown)}]",
                f"y-axis {_quoted(chart.y)}",
                f"{kind} [{', '.join(_digits(y) for _, y in shown)}]",
            ]
        )


def _is_even(line: tuple[tuple[float, float], ...]) -> bool:
    steps = {round(b - a, 9) for (a, _), (b, _) in pairwise(line)}
    return len(line) > 2 and len(steps) == 1


def _digits(number: float) -> str:
    """Write a number without an exponent, which Mermaid would not read."""
    return np.format_float_positional(number, precision=5, fractional=False, trim="-")


def _quoted(text: str) -> str:
    return '"' + (" ".join(text.split()).replace('"', "'") or "-") + '"'

"""Write scenes as Mermaid text, in parts within Mermaid's limits; show or draw them.

JupyterLab draws ``text/vnd.mermaid`` itself, offline. The package mermaid-py calls a web service:
it is imported only to draw a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np

from aidge_nb.core.errors import AidgeError, MissingExtraError
from aidge_nb.core.text import mermaid_caption, mermaid_text, mermaid_title
from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.devices import Devices
from aidge_nb.widgets.scene.graph_drawing import GraphDrawing
from aidge_nb.widgets.scene.parts import Chart, Measured, MemoryMap, Timeline, table_rows
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import elide, size_text

__all__ = ["MOST_CHARACTERS", "MOST_EDGES", "draw_mermaid", "show_mermaid", "to_mermaid"]

MOST_EDGES = 500
"""Mermaid's default limit for one text."""

_KINDS = ("graph", "timeline", "devices", "memory", "charts", "measured")
"""Pictures that can be written, in order of preference."""

_LONGEST = 120


def to_mermaid(scene: Scene, picture: str = "") -> tuple[str, ...]:
    """Write a scene as Mermaid text: its graph as a flowchart, what lies in time as Gantt charts.

    Parameters
    ----------
    scene
        What to write.
    picture
        ``graph``, ``timeline``, ``devices``, ``memory`` (each buffer from the tick that writes it
        to the last that reads it), ``charts`` or ``measured``; by default the first that the scene
        has.

    Returns
    -------
    tuple
        One text, or several where one would be refused: each has at most 50,000 characters and 500
        edges. Nodes that edges lead to from another part are drawn in both.

    Raises
    ------
    AidgeError
        When the scene has nothing of the kind.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> print(to_mermaid(scene_of(model))[0])
    flowchart TB
    n0["a<br/>ReLU"]
    n1["b<br/>Tanh"]
    i2(["input"])
    o3(["output"])
    n0 -->|?| n1
    i2 -->|?| n0
    n1 -->|?| o3
    """
    there = [kind for kind in _KINDS if kind in scene.pictures]
    picture = picture or next(iter(there), "any")
    if picture not in there:
        problem = "has no such picture to write as Mermaid text"
        expected = f"one of {', '.join(there) or 'none: it is empty'}"
        raise AidgeError.at(scene.title, problem, expected=expected, found=picture)
    if picture == "graph" and scene.graph is not None:
        return tuple(_flowcharts(scene, scene.graph))
    return tuple(chart_texts(scene.charts) if picture == "charts" else row_texts(scene, picture))


def _flowcharts(scene: Scene, graph: GraphDrawing) -> Iterator[str]:
    """Cut the edges into parts; each has the nodes of its own edges."""
    boxes: dict[int, str] = {}
    lines: list[str] = []
    size = 0
    for ends, line in _arrows(graph):
        new = {box: _box(scene, graph, box) for box in ends}
        added = [text for box, text in new.items() if box not in boxes] + line
        is_full = len(lines) + len(line) > MOST_EDGES
        if boxes and (is_full or size + _length(added) > MOST_CHARACTERS - 20):
            yield _flowchart(boxes, lines)
            boxes, lines, size = {}, [], 0
            added = [*new.values(), *line]
        boxes.update(new)
        lines += line
        size += _length(added)
    yield _flowchart(boxes, lines)


def _arrows(graph: GraphDrawing) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Yield the boxes of each edge with its line, then boxes without edges, without a line."""
    for edge in graph.edges:
        source, target = _identifier(graph, edge.source), _identifier(graph, edge.target)
        yield (edge.source, edge.target), [f"{source} -->|{_label(edge.label)}| {target}"]
    drawn = {box for edge in graph.edges for box in (edge.source, edge.target)}
    yield from (((box,), []) for box in range(len(graph.layout.layers)) if box not in drawn)


def _length(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _flowchart(boxes: dict[int, str], lines: list[str]) -> str:
    return "\n".join(["flowchart TB", *(boxes[box] for box in sorted(boxes)), *lines])


def _identifier(graph: GraphDrawing, box: int) -> str:
    if box < graph.nodes:
        return f"n{box}"
    return f"{'i' if graph.terminals[box - graph.nodes].is_input else 'o'}{box}"


def _box(scene: Scene, graph: GraphDrawing, box: int) -> str:
    name = _identifier(graph, box)
    if box < graph.nodes:
        node = scene.box(graph, box)
        return f'{name}["{_label(node.name)}<br/>{_label(node.type)}"]'
    return f'{name}(["{_label(graph.terminals[box - graph.nodes].label)}"])'


def _label(text: str) -> str:
    return mermaid_text(elide(text, _LONGEST))


def show_mermaid(scene: Scene, picture: str = "") -> None:
    """Show a scene as Mermaid charts in a notebook; JupyterLab draws them itself, offline.

    Raises
    ------
    MissingExtraError
        When IPython is not installed.
    """
    try:
        from IPython.display import display
    except ImportError as error:
        raise MissingExtraError("jupyterlab", "lab") from error
    for text in to_mermaid(scene, picture):
        data = {"text/vnd.mermaid": text, "text/plain": text}
        display(data, raw=True)  # type: ignore[no-untyped-call]  # IPython's has no types


def draw_mermaid(text: str, path: str | PathLike[str]) -> None:
    """Have mermaid-py draw a Mermaid text to a file (``.svg`` or ``.png``); it asks a web service.

    Raises
    ------
    MissingExtraError
        When mermaid-py is not installed.
    AidgeError
        When the web service cannot be reached, or refuses the text.
    """
    try:
        import mermaid
        from mermaid.__main__ import MermaidError
    except ImportError as error:
        raise MissingExtraError("mermaid-py", "lab") from error
    where = Path(path)
    try:
        drawn = mermaid.Mermaid(text)
        (drawn.to_svg if where.suffix == ".svg" else drawn.to_png)(where)
    except (OSError, MermaidError) as error:  # what requests raises is an OSError
        problem = f"mermaid-py could not draw it: {error}"
        cure = "It asks a web service. Offline, show_mermaid() lets JupyterLab draw the text, and "
        cure += "to_svg() and to_png() need nobody."
        raise AidgeError.at(str(where), problem, cure=cure) from error


MOST_CHARACTERS = 50_000
"""Mermaid's default limit for one text."""

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
    for row, early, late in table_rows(timeline.row, timeline.early, timeline.late):
        if not timeline.rows[row].producer:
            yield _Task(timeline.rows[row].name, early, late, is_milestone=early == late)


def _runs(timeline: Timeline, measured: Measured) -> Iterator[_Task]:
    for row, start, length in table_rows(measured.row, measured.start, measured.duration):
        yield _Task(timeline.rows[row].name, start, start + length)


def _busy(scene: Scene, devices: Devices) -> Iterator[_Task]:
    """Yield the bars, device by device."""
    bars = table_rows(devices.row, devices.start, devices.length, devices.node)
    for row, start, length, node in sorted(bars):
        yield _Task(scene.nodes[node].name, start, start + length, devices.rows[row].name)


def _buffers(memory: MemoryMap) -> Iterator[_Task]:
    """Yield each buffer once, even when it has several pieces, memory by memory."""
    order = np.argsort(memory.space, kind="stable").tolist()
    places = list(table_rows(memory.space, memory.lower, memory.upper, memory.buffer_bytes))
    last = None
    for piece in order:
        name, (where, lower, upper, size) = memory.names[piece], places[piece]
        if (name, lower, upper) != last:
            own = memory.spaces[where] if memory.spaces else None
            section = f"{own.name}: {own.text}" if own is not None else ""
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
                f"title {mermaid_title(chart.title)}",
                f"x-axis {mermaid_title(chart.x)} [{', '.join(_digits(x) for x, _ in shown)}]",
                f"y-axis {mermaid_title(chart.y)}",
                f"{kind} [{', '.join(_digits(y) for _, y in shown)}]",
            ]
        )


def _is_even(line: tuple[tuple[float, float], ...]) -> bool:
    steps = {round(b - a, 9) for (a, _), (b, _) in pairwise(line)}
    return len(line) > 2 and len(steps) == 1


def _digits(number: float) -> str:
    """Write a number without an exponent, which Mermaid would not read."""
    return np.format_float_positional(number, precision=5, fractional=False, trim="-")

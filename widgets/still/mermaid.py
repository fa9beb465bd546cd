"""Scenes as Mermaid text, in parts that Mermaid's limits let through; shown, or drawn to a file.

JupyterLab draws ``text/vnd.mermaid`` itself, offline. The package mermaid-py asks a web service:
it is used only when a file is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from aidge_nb.core.errors import AidgeError, MissingExtraError, explain
from aidge_nb.core.text import mermaid_text
from aidge_nb.widgets.scene.scene import GraphDrawing, Scene
from aidge_nb.widgets.still.mermaid_rows import MOST_CHARACTERS, chart_texts, row_texts
from aidge_nb.widgets.text import elide

__all__ = ["MOST_CHARACTERS", "MOST_EDGES", "draw_mermaid", "show_mermaid", "to_mermaid"]

MOST_EDGES = 500
"""What Mermaid draws of one text unless its host was set up otherwise."""

_KINDS = ("graph", "timeline", "devices", "memory", "charts", "measured")
"""What can be written, what is most wanted first."""

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
        problem = "there is nothing of the kind to write as Mermaid text"
        expected = f"one of {', '.join(there) or 'none: it is empty'}"
        raise AidgeError(explain(scene.title, problem, expected=expected, found=picture))
    if picture == "graph" and scene.graph is not None:
        return tuple(_flowcharts(scene, scene.graph))
    return tuple(chart_texts(scene.charts) if picture == "charts" else row_texts(scene, picture))


def _flowcharts(scene: Scene, graph: GraphDrawing) -> Iterator[str]:
    """Cut the edges into parts; each has the nodes of its own edges."""
    drawn: set[int] = set()
    boxes: dict[int, str] = {}
    lines: list[str] = []
    size = 0
    for edge in graph.edges:
        label = _label(edge.label)
        line = f"{_identifier(graph, edge.source)} -->|{label}| {_identifier(graph, edge.target)}"
        new = {box: _box(scene, graph, box) for box in (edge.source, edge.target)}
        more = len(line) + 1 + sum(len(text) + 1 for box, text in new.items() if box not in boxes)
        if lines and (len(lines) >= MOST_EDGES or size + more > MOST_CHARACTERS - 20):
            yield _flowchart(boxes, lines)
            boxes, lines, size = {}, [], 0
            more = len(line) + 1 + sum(len(text) + 1 for text in new.values())
        boxes.update(new)
        lines.append(line)
        drawn.update(new)
        size += more
    for box in range(len(graph.layout.layers)):
        if box in drawn:
            continue
        text = _box(scene, graph, box)
        if size + len(text) + 1 > MOST_CHARACTERS - 20:
            yield _flowchart(boxes, lines)
            boxes, lines, size = {}, [], 0
        boxes[box] = text
        size += len(text) + 1
    if boxes or not drawn:
        yield _flowchart(boxes, lines)


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
        raise AidgeError(explain(str(where), problem, cure=cure)) from error

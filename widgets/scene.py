"""What the views draw, as one value: widget, SVG and HTML page all read the same scene.

A scene has one index space, its nodes: a bar of the timeline, a rectangle of the memory map and a
box of the graph each name a node by its index, so that picking one picks all. Weights have no node
of their own where the graph says who uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.widgets.algorithm import Stage
from aidge_nb.widgets.exported import Exported
from aidge_nb.widgets.graph_drawing import Blocks, Box, GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.nest import Nest
from aidge_nb.widgets.payload import KINDS, encode
from aidge_nb.widgets.text import common_prefix

__all__ = [
    "KINDS",
    "PANELS",
    "PICTURES",
    "Blocks",
    "Box",
    "Chart",
    "Devices",
    "FeatureMap",
    "Fold",
    "GraphDrawing",
    "Measured",
    "MemoryMap",
    "Row",
    "Scene",
    "SceneEdge",
    "SceneNode",
    "Space",
    "Terminal",
    "TileDrawing",
    "Timeline",
]

PANELS = (
    "tiling",
    "graph",
    "timeline",
    "factorized",
    "measured",
    "devices",
    "memory",
    "export",
    "charts",
    "algorithm",
    "table",
)
"""Panels that a view can have, in reading order."""

PICTURES = tuple(panel for panel in PANELS if panel not in ("export", "algorithm", "table"))
"""Pictures that a scene can have, in reading order: of all panels that are more than text."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SceneNode:
    """A node that can be picked.

    Attributes
    ----------
    name, type
        As the graph has them; the name is unique in the scene.
    parameters
        Learned elements it owns; its constants are among the details.
    macs
        Multiply-accumulates of one execution, None when unknown.
    details
        Label and text of everything else worth showing.
    family
        Colour, as an index into :data:`~aidge_nb.widgets.palette.FAMILIES`; by default that of its
        type.
    device
        Where it runs: an element of a machine, or a backend; empty when unknown.
    weight_bytes
        Bytes of the parameters and constants that it owns.
    """

    name: str
    type: str
    parameters: int = 0
    macs: int | None = None
    details: tuple[tuple[str, str], ...] = ()
    family: int | None = None
    device: str = ""
    weight_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the timeline: an actor, and the node it belongs to."""

    name: str
    type: str
    node: int
    producer: bool


@dataclass(frozen=True, slots=True)
class Fold:
    """A section of the factorized schedule: bars ``start`` to ``stop``, ``repeat`` times."""

    repeat: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Bars of a schedule as columns: row, early step and late step of each firing.

    ``folded_*`` are the same with the loops of ``nest`` closed, which are ``folds``; empty without
    loops. A schedule that is too long ``is_abridged``: its bars are those with loops closed.
    """

    rows: tuple[Row, ...]
    row: Ints
    early: Ints
    late: Ints
    folds: tuple[Fold, ...]
    folded_row: Ints
    folded_early: Ints
    folded_late: Ints
    steps: int
    is_abridged: bool = False
    nest: Nest | None = None

    def __len__(self) -> int:
        return int(self.row.size)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A run beside the schedule: columns of row, start and duration, in microseconds."""

    row: Ints
    start: Ints
    duration: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """What each device does: columns of row, start, length and node of each bar, in cycles."""

    rows: tuple[Row, ...]
    row: Ints
    start: Ints
    length: Ints
    node: Ints
    end: int


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """A tensor as a picture: its name, and the sizes of the axes that are drawn."""

    name: str
    height: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class TileDrawing:
    """Feature maps, and what tiles have to do with them.

    Attributes
    ----------
    maps
        The input of the chain, then the output of each of its nodes.
    boxes
        A row each: tile, map, 0 for what is computed or read and 1 for what is needed in all,
        then top, bottom, left and right, half-open.
    down, across
        What the axes are.
    """

    maps: tuple[FeatureMap, ...]
    boxes: Ints
    down: str
    across: str


@dataclass(frozen=True, slots=True)
class Space:
    """One of several memories, which are drawn one above the other: where it begins, its bytes."""

    name: str
    base: int
    size: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A small chart: points that belong to nodes (-1 for none), and lines.

    Attributes
    ----------
    title, x, y
        What it shows, and what is along its axes.
    points
        Place and node of each point.
    lines
        Label and places of each line.
    log
        Whether both axes are logarithmic.
    """

    title: str
    x: str
    y: str
    points: tuple[tuple[float, float, int], ...] = ()
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()
    log: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MemoryMap:
    """Rectangles of a memory plan as columns: half-open ticks across, bytes upwards.

    A buffer that wraps around, or lies in blocks, has several rectangles of the same name, one
    after the other.

    Attributes
    ----------
    names
        Name of the buffer of each rectangle.
    node, kind
        Node that it belongs to and index into :data:`KINDS`.
    lower, upper, offset, size
        Live range in ticks, place in bytes.
    whole
        Bytes of the buffer that each rectangle belongs to; None where each is a buffer.
    tick_node
        Node executed at each tick.
    tick_step
        Earliest step of that execution in the schedule; empty when there is none.
    peak, lower_bound
        In bytes.
    spaces
        The memories, where there are several.
    label, other
        What this plan is called, and another one that it is compared with.
    """

    names: tuple[str, ...]
    node: Ints
    kind: Ints
    lower: Ints
    upper: Ints
    offset: Ints
    size: Ints
    tick_node: Ints
    tick_step: Ints
    peak: int
    lower_bound: int
    spaces: tuple[Space, ...] = ()
    label: str = ""
    other: MemoryMap | None = None
    whole: Ints | None = None

    def __len__(self) -> int:
        return int(self.size.size)

    @property
    def buffer_bytes(self) -> Ints:
        """Bytes of the buffer that each rectangle belongs to."""
        return self.size if self.whole is None else self.whole


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything the views show. Made by :func:`aidge_nb.widgets.build_scene`.

    Attributes
    ----------
    title
        Name of the model.
    nodes
        The index space of all panels.
    graph, timeline, memory, exported
        What each panel draws; None where nothing was given.
    blocks
        The graph with repeated blocks collapsed, where it has some.
    inside
        The graph with its meta-operators opened, where it has some.
    algorithm
        The scheduling algorithm, stage by stage.
    devices
        What each element and link of a machine does.
    tiles
        Feature maps and their tiles.
    charts
        Small charts whose points are nodes.
    measured
        When each row of the timeline ran in fact.
    figures
        Label and text of the figures in the header.
    notes
        What the reader should know: what is missing or does not fit together.
    """

    title: str
    nodes: tuple[SceneNode, ...] = ()
    graph: GraphDrawing | None = None
    blocks: Blocks | None = None
    inside: GraphDrawing | None = None
    timeline: Timeline | None = None
    memory: MemoryMap | None = None
    algorithm: tuple[Stage, ...] = ()
    devices: Devices | None = None
    tiles: TileDrawing | None = None
    charts: tuple[Chart, ...] = ()
    measured: Measured | None = None
    exported: Exported | None = None
    figures: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels that have something to draw."""
        # The factorized schedule is a switch of the timeline, and a panel when it is asked for.
        return tuple(name for name in PANELS if name != "factorized" and self._has(name))

    @property
    def pictures(self) -> tuple[str, ...]:
        """The pictures that there are of it.

        Examples
        --------
        >>> Scene("LeNet", charts=(Chart("front", "MACs", "bytes"),)).pictures
        ('charts',)
        """
        return tuple(name for name in PICTURES if self._has(name))

    def _has(self, panel: str) -> bool:
        timeline = self.timeline
        return {
            "tiling": self.tiles is not None,
            "graph": self.graph is not None,
            "timeline": timeline is not None,
            "factorized": timeline is not None and any(fold.repeat > 1 for fold in timeline.folds),
            "measured": self.measured is not None,
            "devices": self.devices is not None,
            "memory": self.memory is not None,
            "export": self.exported is not None,
            "charts": bool(self.charts),
            "algorithm": bool(self.algorithm),
            "table": bool(self.nodes),
        }[panel]

    def box(self, graph: GraphDrawing, number: int) -> Box:
        """Give what a box of a drawing of the graph is."""
        if graph.boxes:
            return graph.boxes[number]
        node = self.nodes[number]
        return Box(node.name, node.type, number)

    @property
    def shared(self) -> str:
        """What the names of all nodes begin with; pictures leave it out where room is short."""
        return common_prefix([node.name for node in self.nodes])

    def payload(self) -> tuple[dict[str, Any], bytes]:
        """Write the scene for the browser: strings as one JSON value, numbers as packed columns."""
        return encode(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.payload() == other.payload()

    def __hash__(self) -> int:
        return hash((self.title, self.nodes, self.figures))

    def __repr__(self) -> str:
        parts = [f"{len(self.nodes)} nodes"]
        if self.timeline is not None:
            parts.append(f"{len(self.timeline)} bars")
        if self.memory is not None:
            parts.append(f"{len(self.memory)} buffers")
        return f"Scene({self.title!r}: {', '.join(parts)})"

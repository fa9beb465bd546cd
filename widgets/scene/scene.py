"""The scene: everything that views draw, as one value for widget, SVG and HTML page.

A scene has one index space, its nodes: a bar of the timeline, a rectangle of the memory map and a
box of the graph each name a node by its index, so that picking one picks all. Weights have no node
of their own where the graph says who uses them.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.findings import Card
from aidge_nb.widgets.scene.graph_drawing import Blocks, Box, GraphDrawing
from aidge_nb.widgets.scene.labels.blocks import NodeLabels
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.parts import (
    Chart,
    Exported,
    Measured,
    MemoryMap,
    SceneNode,
    TileDrawing,
    Timeline,
)
from aidge_nb.widgets.wire.payload import encode

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.algorithm import Stage
    from aidge_nb.widgets.scene.devices import Devices
    from aidge_nb.widgets.scene.tiles.stripe_parts import StripeDrawing

PANELS = (
    "stripes",
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

_IN_STRIPES = ("tiling", "graph", "table")
"""Panels that show again what the panels of stripes show."""

PICTURES = (
    "overview",
    *(panel for panel in PANELS if panel not in ("export", "algorithm", "table")),
)
"""Pictures that a scene can have, in reading order: the whole, and all panels that are no text."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything the views show. Made by :func:`aidge_nb.widgets.build_scene`.

    Attributes
    ----------
    title
        Name of the model.
    nodes
        The index space of all panels.
    labels
        Blocks of the nodes, and what is written for each node.
    graph, timeline, memory, exported
        Contents of each panel; None when it has none.
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
    stripes
        A chain in stripes, with its memory, for several numbers of stripes.
    charts
        Small charts whose points are nodes.
    measured
        When each row of the timeline ran in fact.
    figures
        Label and text of the figures in the header.
    notes
        Warnings for the reader: what is missing or does not fit together.
    findings
        What the values say, a card each.
    """

    title: str
    nodes: tuple[SceneNode, ...] = ()
    labels: NodeLabels = field(default=NodeLabels())
    graph: GraphDrawing | None = None
    blocks: Blocks | None = None
    inside: GraphDrawing | None = None
    timeline: Timeline | None = None
    memory: MemoryMap | None = None
    algorithm: tuple[Stage, ...] = ()
    devices: Devices | None = None
    tiles: TileDrawing | None = None
    stripes: StripeDrawing | None = None
    charts: tuple[Chart, ...] = ()
    measured: Measured | None = None
    exported: Exported | None = None
    figures: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())
    findings: tuple[Card, ...] = ()

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels that have something to draw, each thing once."""
        twins = (self._twin, *(_IN_STRIPES if self.stripes is not None else ()))
        return tuple(name for name in PANELS if name not in twins and self._has(name))

    @property
    def _twin(self) -> str:
        """The panel that would show the schedule a second time.

        Loops are shown once, in frames; beside a memory plan the order that runs is shown as well.
        Beside the rounds of the scheduler the firings are shown one by one, as they come.
        """
        timeline = self.timeline
        if timeline is None or timeline.is_folded or self.memory is not None:
            return "factorized" if timeline is not None and timeline.is_folded else ""
        shown_twice = "factorized" if self.algorithm else "timeline"
        return shown_twice if timeline.frames else ""

    @property
    def _ticks(self) -> int:
        """Ticks of the memory plan; 0 without one, and where memories count cycles."""
        memory = self.memory
        return 0 if memory is None or memory.spaces else int(memory.tick_node.size)

    @property
    def clocks(self) -> tuple[str, ...]:
        """Units in which time can be counted, the default first.

        Examples
        --------
        >>> Scene("LeNet").clocks
        ()
        """
        is_flat = self.timeline is not None and not self.timeline.is_folded
        has = {
            "tick": self._ticks or (is_flat and len(self.timeline or ()) > 0),
            "step": self.timeline is not None,
        }
        found = tuple(unit for unit, is_known in has.items() if is_known)
        if found or self.devices is None:
            return found
        return ("cycle", "µs") if self.devices.hertz else ("cycle",)

    @property
    def lengths(self) -> dict[str, int]:
        """How many units each of :attr:`clocks` counts, from 0.

        Examples
        --------
        >>> Scene("LeNet").lengths
        {}
        """
        timeline, devices, ticks = self.timeline, self.devices, self._ticks
        if not ticks and timeline is not None:
            ticks = sum(not timeline.rows[row].producer for row in timeline.row)
        known = {
            "tick": ticks,
            "step": 0 if timeline is None else timeline.steps,
            "cycle": 0 if devices is None else devices.end,
            "µs": 0 if devices is None else devices.end,  # cycles, written in another unit
        }
        return {clock: known[clock] for clock in self.clocks}

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
        is_folded = timeline is not None and timeline.is_folded
        return {
            "overview": self._ticks > 0 and self.graph is not None and not is_folded,
            "stripes": self.stripes is not None,
            "tiling": self.tiles is not None,
            "graph": self.graph is not None,
            "timeline": timeline is not None,
            "factorized": timeline is not None and bool(timeline.frames or timeline.is_folded),
            "measured": self.measured is not None,
            "devices": self.devices is not None,
            "memory": self.memory is not None,
            "export": self.exported is not None,
            "charts": bool(self.charts),
            "algorithm": bool(self.algorithm),
            "table": bool(self.nodes),
        }[panel]

    def box(self, graph: GraphDrawing, number: int) -> Box:
        """Return name, type and node of a box of the graph."""
        if graph.boxes:
            return graph.boxes[number]
        node = self.nodes[number]
        return Box(node.name, node.type, number)

    @property
    def names(self) -> Names:
        """Names of the nodes, as they are written where there is little room."""
        return Names([node.name for node in self.nodes], self.labels)

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

"""Values of a drawn graph: boxes, terminals and edges, with their layout."""

from __future__ import annotations

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.layout.layered import GraphLayout


@dataclass(frozen=True, slots=True)
class SceneEdge:
    """A connection between two boxes of the drawing, with the dims it carries as text."""

    source: int
    target: int
    label: str
    nbytes: int | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """An input or output of the graph; it is drawn, and cannot be picked."""

    label: str
    dims: str
    is_input: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A box that is not a whole node: its text, and the node that it is a part of, -1 for none."""

    name: str
    type: str
    node: int


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """The graph with its layout: ``nodes`` boxes, then the terminals.

    The boxes are the first nodes of the scene, unless ``boxes`` says what they are.
    """

    nodes: int
    terminals: tuple[Terminal, ...]
    edges: tuple[SceneEdge, ...]
    layout: GraphLayout
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocks:
    """The graph with its repeated blocks collapsed.

    Attributes
    ----------
    drawing
        Boxes and edges; boxes that are drawn are blocks, or nodes that belong to none.
    names, types
        Text of each box.
    member
        For each node of the graph, the box that it is in.
    contents
        The nodes of each block with the edges between them, in the order of the blocks' boxes.
    """

    drawing: GraphDrawing
    names: tuple[str, ...]
    types: tuple[str, ...]
    member: tuple[int, ...]
    contents: tuple[GraphDrawing, ...] = ()

"""Values of a scene: its nodes, and what each panel draws, in columns where there is much.

Rows, bars and rectangles name a node by its index in the scene, or -1 for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.palette import family_of
from aidge_nb.widgets.shared import WIRE

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.devices import Space

Ints = NDArray[np.int64]


def ints(values: Iterable[int]) -> Ints:
    """Make a column."""
    return np.fromiter(values, np.int64)


def table_rows(*columns: Ints) -> Iterator[tuple[int, ...]]:
    """Iterate over columns of one length row by row.

    Examples
    --------
    >>> list(table_rows(ints([1, 2]), ints([3, 4])))
    [(1, 3), (2, 4)]
    """
    return zip(*(column.tolist() for column in columns), strict=True)


KINDS: tuple[str, ...] = tuple(WIRE["kinds"])
"""Kinds of buffers; a buffer has the index of its kind."""


@dataclass(frozen=True, slots=True)
class SceneNode:
    """A node that can be selected.

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

    @property
    def colours(self) -> int:
        """Index of the family whose colours it has.

        Examples
        --------
        >>> SceneNode("conv", "Conv2D").colours, SceneNode("tile 0", "Conv2D", family=5).colours
        (0, 5)
        """
        return family_of(self.type) if self.family is None else self.family


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the timeline: an actor, and the node it belongs to."""

    name: str
    type: str
    node: int
    producer: bool


@dataclass(frozen=True, slots=True)
class NestLoop:
    """A loop: its leaves are ``start`` to ``stop`` of the nest, of the first copy alone.

    Attributes
    ----------
    count
        Number of copies.
    start, stop
        Its leaves.
    parent
        Number of the loop around it, -1 for none.
    shifts
        Row, and the growth of execution, early and late step from one copy to the next.
    """

    count: int
    start: int
    stop: int
    parent: int
    shifts: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A loop nest: its leaves as columns, in the order of the schedule, and its loops in preorder.

    ``row``, ``execution``, ``early`` and ``late`` are those of the first copy of each loop.
    """

    row: Ints
    execution: Ints
    early: Ints
    late: Ints
    loops: tuple[NestLoop, ...]

    def first_execution(self, loop: NestLoop, row: int) -> int:
        """Return the first execution of a row in the first turn of a loop that has it."""
        own = slice(loop.start, loop.stop)
        return int(self.execution[own][self.row[own] == row].min())


@dataclass(frozen=True, slots=True)
class Frame:
    """The stretch of steps in which one turn of a loop is drawn.

    Attributes
    ----------
    loop
        Number of the loop in its nest.
    start, period
        First step of the first turn, and steps from one turn to the next.
    count
        Number of turns.
    parent
        Number of the frame around it, -1 for none.
    skipped
        Turns of the loop before the first one of the frame.
    """

    loop: int
    start: int
    period: int
    count: int
    parent: int = -1
    skipped: int = 0

    @property
    def stop(self) -> int:
        """Step after the last turn."""
        return self.start + self.count * self.period


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Bars of a schedule as columns: row, early step and late step of each firing.

    A schedule that is too long to list its firings ``is_folded``: its bars are those of the first
    turn of each loop. Loops are drawn from ``nest``, in ``frames``.
    """

    rows: tuple[Row, ...]
    row: Ints
    early: Ints
    late: Ints
    steps: int
    nest: Nest
    frames: tuple[Frame, ...] = ()
    is_folded: bool = False

    def __len__(self) -> int:
        return int(self.row.size)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A run beside the schedule: columns of row, start and duration, in microseconds."""

    row: Ints
    start: Ints
    duration: Ints


@dataclass(frozen=True, slots=True)
class FeatureMap:
    """A tensor as a picture: its name, and the sizes of the axes that are drawn."""

    name: str
    height: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class TileDrawing:
    """Feature maps, and the parts of them that tiles read and compute.

    Attributes
    ----------
    maps
        The input of the chain, then the output of each of its nodes.
    boxes
        A row per box: tile, map, 0 for what is computed or read and 1 for all that is needed, then
        top, bottom, left and right, half-open.
    down, across
        Names of the axes.
    """

    maps: tuple[FeatureMap, ...]
    boxes: Ints
    down: str
    across: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A small chart: points that belong to nodes (-1 for none), and lines.

    Attributes
    ----------
    title, x, y
        Title of the chart and of its axes.
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
    copy, source, family
        Of several memories: 1 for the copy of a value that is elsewhere as well; the node whose
        colour it has, as for the bars of a machine; index of its family, -1 for the grey of
        parameters.
    tick_node
        Node executed at each tick.
    peak, lower_bound
        In bytes.
    budget
        Bytes that the plan should not exceed; 0 for none.
    spaces
        The memories, where there are several.
    label, other
        Name of this plan, and another plan to compare it with.
    """

    names: tuple[str, ...]
    node: Ints
    kind: Ints
    lower: Ints
    upper: Ints
    offset: Ints
    size: Ints
    tick_node: Ints
    peak: int
    lower_bound: int
    spaces: tuple[Space, ...] = ()
    label: str = ""
    other: MemoryMap | None = None
    whole: Ints | None = None
    copy: Ints | None = None
    source: Ints | None = None
    family: Ints | None = None
    budget: int = 0

    def __len__(self) -> int:
        return int(self.size.size)

    @property
    def unit(self) -> str:
        """Unit of the ticks: executions of a plan, or cycles of a machine."""
        return "cycle" if self.spaces else "tick"

    @property
    def space(self) -> Ints:
        """Number of the memory that each rectangle lies in; 0 where there is one."""
        bases = [space.base for space in self.spaces] or [0]
        return np.searchsorted(bases, self.offset, "right") - 1

    @property
    def buffer_bytes(self) -> Ints:
        """Bytes of the buffer that each rectangle belongs to."""
        return self.size if self.whole is None else self.whole


NO_NODE = -1


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A step of the program, or the head of a loop, which has neither number nor node.

    Attributes
    ----------
    number, depth
        Its number in the program, empty for a loop; how many loops are around it.
    node
        Index of the node in the scene, -1 for none.
    name, type, code
        Of the node; and the lines of C.
    """

    number: str
    depth: int
    node: int
    name: str
    type: str
    code: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file or folder: how deep it lies, its name, its bytes, and the node that it is about."""

    depth: int
    name: str
    size: int
    node: int = NO_NODE


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported program: its code by step, memory and files.

    Attributes
    ----------
    function
        Name of the forward function.
    rows
        The schedule beside the code.
    memory
        Description, symbol, bytes, and RAM or ROM.
    files
        The tree of files, from the top; empty when none were written.
    """

    function: str
    rows: tuple[CodeRow, ...]
    memory: tuple[tuple[str, str, int, str], ...]
    files: tuple[FileRow, ...] = ()

    def to_meta(self) -> dict[str, Any]:
        """Return plain values for the browser."""
        return {
            "function": self.function,
            "rows": [[r.number, r.depth, r.node, r.name, r.type, r.code] for r in self.rows],
            "memory": [list(row) for row in self.memory],
            "files": [[f.depth, f.name, f.size, f.node] for f in self.files],
        }

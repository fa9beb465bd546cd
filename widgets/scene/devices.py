"""Values of a machine in a scene: its rows, what each does when, and where one of them waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.parts import Ints, Row
from aidge_nb.widgets.text import size_text

MOVES: tuple[str, ...] = ("work", "value", "parameters")
"""What a bar is: a work, or the move of a value or of parameters."""

PHASES: tuple[str, ...] = ("load", "wait", "compute", "store")
"""What happens to a work, from the first cycle at which its inputs are loaded."""

NO_FAMILY = -1
"""Family of what has the grey of parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """Steps of each device: columns of row, start, length and node, in cycles.

    Attributes
    ----------
    rows
        Elements first, then links and buses.
    row, start, length, node
        Columns, sorted by row and start.
    end
        Cycle behind the last step.
    work, works
        Nodes that are computed together, and an index into them for each bar; None where every
        bar computes its ``node`` alone.
    move, source
        Columns: index into :data:`MOVES`; the node whose colour it has, -1 for the grey of
        parameters, -2 for inputs of the graph.
    family, shade
        Columns for pictures: index of that node's family, or :data:`NO_FAMILY`; 1 for the second
        shade, which tells it from a neighbour of its colour.
    labels
        What is written of the name of each row.
    busy
        Busy cycles of each row.
    idle
        Row, start and end (half-open) of each time in which a row waits: that which bounds the
        time, and all elements where they are few.
    hertz
        Cycles in a second; 0 where that is not known.
    phases
        A row for each phase of a work: node, index into :data:`PHASES`, start, length.
    """

    rows: tuple[Row, ...]
    row: Ints
    start: Ints
    length: Ints
    node: Ints
    end: int
    work: Ints | None = None
    works: tuple[tuple[int, ...], ...] = ()
    move: Ints | None = None
    source: Ints | None = None
    family: Ints | None = None
    shade: Ints | None = None
    labels: tuple[str, ...] = ()
    busy: tuple[int, ...] = ()
    idle: tuple[tuple[int, int, int], ...] = ()
    hertz: float = 0.0
    phases: Ints | None = None

    def nodes_of(self, bar: int) -> tuple[int, ...]:
        """Return the nodes that a bar computes; the node with most work comes first."""
        main = int(self.node[bar])
        others = () if self.work is None else self.works[int(self.work[bar])]
        return (main, *(node for node in others if node != main))

    def busy_text(self, row: int) -> str:
        """Write the share of all cycles in which a row is busy."""
        return f"busy {percent_text(self.busy[row], self.end)}" if self.busy and self.end else ""


@dataclass(frozen=True, slots=True)
class Space:
    """One of several memories: where its addresses begin in the scene, and its bytes.

    Attributes
    ----------
    name
        Its path.
    base
        Address in the scene of its first byte.
    size, capacity
        Most bytes in use, and bytes that there are.
    """

    name: str
    base: int
    size: int
    capacity: int

    @property
    def scale(self) -> float:
        """Bytes that are drawn: all of them, or somewhat more than are used where that is little.

        Examples
        --------
        >>> Space("l1", 0, 96, 128).scale, Space("l2", 0, 10, 128).scale
        (128.0, 12.0)
        """
        if 2 * self.size > self.capacity:
            return float(max(self.size, self.capacity))
        return max(1.0, 1.2 * self.size)

    @property
    def text(self) -> str:
        """How much of it is used: ``36 KiB of 2 MiB (2 %)``."""
        share = percent_text(self.size, self.capacity)
        return f"{size_text(self.size)} of {size_text(self.capacity)} ({share})"


def percent_text(part: float, whole: float) -> str:
    """Write a share without decimals; a small one that is there is not written as 0.

    Examples
    --------
    >>> percent_text(79, 100), percent_text(1, 1000), percent_text(0, 7)
    ('79 %', '< 1 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    return "< 1 %" if 0 < share < 1 else f"{share:.0f} %"


def short_labels(names: Sequence[str]) -> tuple[str, ...]:
    """Write the ends of a link without their paths, unless two would be written alike.

    Examples
    --------
    >>> short_labels(["host/pe", "ram→accelerator/scratch", "a/l1→ram", "b/l1→ram"])
    ('host/pe', 'ram→scratch', 'a/l1→ram', 'b/l1→ram')
    """
    short = [
        "→".join(end.rpartition("/")[2] or end for end in name.split("→")) if "→" in name else name
        for name in names
    ]
    often = Counter(short)
    return tuple(cut if often[cut] == 1 else name for cut, name in zip(short, names, strict=True))

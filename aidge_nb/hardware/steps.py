"""Parts of a mapping: works, their steps, and the places of buffers."""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.tiling.tiles import Tiling


@dataclass(frozen=True, slots=True)
class Function:
    """The computation of one node.

    Attributes
    ----------
    node, operator
        Name and type of the node.
    macs
        Multiply-accumulates of one execution.
    elements
        Elements of its output.
    dtype
        Element type of its data.
    """

    node: str
    operator: str
    macs: int
    elements: int
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class Work:
    """Nodes computed together, on one element or on several that cooperate.

    Attributes
    ----------
    name
        Unique in the mapping: the first node, with ``[2]`` for a third execution.
    functions
        The computed nodes, in order.
    elements
        Paths of the elements.
    tiling
        The tiling; None when the work is computed as a whole.
    after
        Names of the works that must end before.
    """

    name: str
    functions: tuple[Function, ...]
    elements: tuple[str, ...]
    tiling: Tiling | None = None
    after: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return tuple(function.node for function in self.functions)


@dataclass(frozen=True, slots=True)
class MappingStep:
    """An operation on an element, or a transfer over links.

    Attributes
    ----------
    kind
        ``operation`` or ``transfer``.
    name
        ``compute``, ``load``, ``parameters`` or ``store``, and the number of the tile.
    work
        Name of its work.
    tile
        Number of the tile.
    devices
        The occupied element, or the links and buses.
    start, end
        Cycles, half-open.
    reads, writes
        Names of buffers.
    amount
        Multiply-accumulates of an operation (elements if it has none); bytes of a transfer.
    """

    kind: str
    name: str
    work: str
    tile: int
    devices: tuple[str, ...]
    start: int
    end: int
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    amount: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A buffer in a memory.

    Attributes
    ----------
    buffer
        Name of the buffer.
    memory
        Path of the memory.
    offset, size
        Offset in the memory and size, in bytes.
    start, end
        Cycles of its live range, half-open.
    holds
        Names of the values that share its bytes.
    """

    buffer: str
    memory: str
    offset: int
    size: int
    start: int
    end: int
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetMemoryUse:
    """The use of a memory.

    Attributes
    ----------
    path
        Path of the memory.
    capacity
        Usable bytes.
    peak
        Most bytes in use.
    """

    path: str
    capacity: int
    peak: int

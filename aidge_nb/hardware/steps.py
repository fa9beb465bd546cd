"""Parts of a mapping: works, their steps, and the places of buffers."""

from __future__ import annotations

from dataclasses import dataclass

from aidge_nb.tiling.tiles import Tiling


@dataclass(frozen=True, slots=True)
class Function:
    """What one node computes.

    Attributes
    ----------
    node, operator
        Name and type of the node.
    macs
        Multiply-accumulates of one execution.
    elements
        Number of elements of its output.
    """

    node: str
    operator: str
    macs: int
    elements: int


@dataclass(frozen=True, slots=True)
class Work:
    """A node, or nodes that are computed together, on one element or on several that cooperate.

    Attributes
    ----------
    name
        Unique in the mapping: the node, ``[2]`` for a third execution.
    functions
        What is computed, in order.
    elements
        Paths of the elements that compute it.
    tiling
        How it is cut; None where it is computed as a whole.
    after
        Names of the works that it must follow.
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
        Name of the work that it is part of.
    tile
        Number of the tile.
    devices
        What is busy meanwhile: the element, or the links and buses.
    start, end
        Cycles, half-open.
    reads, writes
        Names of buffers.
    amount
        Multiply-accumulates of an operation (elements, for operators without any), bytes of a
        transfer.
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
        Its name.
    memory
        Path of the memory.
    offset, size
        Where it starts there, and how large it is, in bytes.
    start, end
        Cycles at which it is in use, half-open.
    holds
        Names of the values that share its bytes, one after the other or as parts of a whole.
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
    """A memory, and what is used of it.

    Attributes
    ----------
    path
        Path of the memory.
    capacity
        Bytes that may be used.
    peak
        Bytes that are used at most.
    """

    path: str
    capacity: int
    peak: int

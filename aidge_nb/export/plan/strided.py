"""How values lie in the arena: as arrays in one piece, in blocks, or row by row.

Each is a tensor with a stride along every axis, in bytes. What kernels cannot read or write as it
lies is copied, box by box, in loops of the forward function.

An input of Concat whose channels lie side by side is written where it lies in the whole: between
those of the others, pixel by pixel. The plan lays each part out by itself, one behind the other;
where all of the whole is free from the first part on, the parts may lie across it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError
from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan.parts import (
    LOOP_COUNTERS,
    Action,
    ActionLoop,
    ArenaBuffer,
    Copy,
    Place,
)
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c.adapters.common import joined, row_major
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.memory.live.sharing import firsts_in_output, has_one_type

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region

Array = NDArray[Any]
Ints = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Strided:
    """A tensor whose elements lie anywhere: its dimensions, the strides and an element, in bytes.

    Examples
    --------
    >>> rows = Strided((1, 2, 4, 3), (24, 3, 6, 1), 1)
    >>> rows.is_array, Strided((1, 2, 1, 3), (24, 3, 6, 1), 1).is_array
    (False, True)
    """

    dims: Ints
    strides: Ints
    itemsize: int
    last: bool = False  # whether kernels want its channels, axis 1, side by side

    @property
    def is_array(self) -> bool:
        """Tell whether the elements lie one after the other, as kernels want them."""
        own = zip(self.dims, self.strides, _steps(self.dims, last=self.last), strict=True)
        return all(size == 1 or step == each * self.itemsize for size, step, each in own)

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        found = self.itemsize
        for size in self.dims:
            found *= size
        return found

    def cut(self, region: Region) -> Strided:
        """Return a box of it, which begins at :meth:`start`."""
        return replace(self, dims=tuple(each.size for each in region))

    def start(self, region: Region) -> int:
        """Return where a box of it begins, in bytes from its own beginning."""
        return sum(
            each.start * step for each, step in zip(region, self.strides, strict=True) if each.size
        )


def array_of(dims: Sequence[int], itemsize: int, *, last: bool = False) -> Strided:
    """Return how an array in one piece lies, perhaps with the channels ``last``.

    Examples
    --------
    >>> array_of((1, 3, 4, 5), 1, last=True).strides
    (60, 1, 15, 3)
    """
    steps = tuple(step * itemsize for step in _steps(dims, last=last))
    return Strided(tuple(dims), steps, itemsize, last)


def _steps(dims: Sequence[int], *, last: bool) -> Ints:
    if not last:
        return tuple(row_major(dims))
    batch, channels, *inner = dims
    first, *steps, one = row_major((batch, *inner, channels))
    return (first, one, *steps)


def lies_as(tensor: Tensor, buffer: Buffer | None = None) -> Strided:
    """Return how a tensor lies in its buffer, or in one piece without one.

    Raise ExportError for blocks that no strides describe.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.memory import Buffer
    >>> tensor = aidge_nb.Tensor.of_dims((1, 2, 4, 3), "int8")
    >>> lies_as(tensor, Buffer("a", "a", 0, 24, 0, 1, 0, rows=4)).strides
    (24, 3, 6, 1)
    """
    plain = array_of(tensor.dims, tensor.dtype.itemsize)
    if buffer is None or not (buffer.levels or buffer.rows):
        return plain
    if buffer.rows:
        _, channels, height, width = tensor.dims
        line = width * plain.itemsize
        strides: Ints | None = (height * channels * line, line, channels * line, plain.itemsize)
    else:
        strides = buffer.part.strides(tensor.dims, plain.itemsize)
    if strides is None or any(step % plain.itemsize for step in strides):
        raise ExportError.at(
            f"buffer {buffer.name}",
            "the exported program cannot follow this plan: no strides lead through its blocks",
            found=f"{list(tensor.dims)} in levels {list(buffer.levels)}",
            cure="Plan with contiguous=True.",
        )
    return Strided(plain.dims, strides, plain.itemsize)


def strides_of(buffer: ArenaBuffer) -> Strided:
    """Return how the value of a buffer of a program lies; raise ExportError as :func:`lies_as`."""
    value = buffer.value
    tensor = Tensor.of_dims(value.dims, value.dtype)
    rows = value.dims[2] if value.by_rows else 0
    size, levels = value.nbytes, buffer.levels
    if value.channels_last:
        return replace(array_of(value.dims, value.dtype.itemsize, last=True), last=False)
    return lies_as(tensor, Buffer(buffer.symbol, "", 0, size, 0, 1, 0, levels=levels, rows=rows))


def copied(
    target: tuple[Place, Strided], source: tuple[Place, Strided], depth: int = 0
) -> tuple[Action, ...]:
    """Copy elements that lie one way to where they lie another way; ``depth`` loops are around.

    Examples
    --------
    >>> rows = Strided((1, 2, 4, 3), (24, 3, 6, 1), 1)
    >>> copied((Place("arena", "y"), array_of(rows.dims, 1)), (Place("arena", "x"), rows))
    ... # doctest: +NORMALIZE_WHITESPACE
    (ActionLoop(count=2, body=(ActionLoop(count=4, body=(Copy(target=Place(kind='arena', name='y',
    offset=0, strides=(12, 3)), source=Place(kind='arena', name='x', offset=0, strides=(3, 6)),
    size=3, turn='', when=None),)),)),)
    """
    (to, y), (x_place, x) = target, source
    dims, y_steps, x_steps = joined(
        to.name, (*x.dims, x.itemsize), (*y.strides, 1), (*x.strides, 1)
    )
    run = 1
    if (y_steps[-1], x_steps[-1]) == (1, 1):
        run, dims = dims[-1], dims[:-1]
    check_depth(to.name, depth + len(dims))
    count = len(dims)
    found: Action = Copy(
        _inside(to, depth, y_steps[:count]), _inside(x_place, depth, x_steps[:count]), run
    )
    for size in reversed(dims):
        found = ActionLoop(size, (found,))
    return (found,)


def check_depth(where: str, depth: int) -> None:
    """Check that loops are not nested too deeply; raise ExportError when they are."""
    if depth > len(LOOP_COUNTERS):
        expected = f"at most {len(LOOP_COUNTERS)} loops in each other"
        problem = "the exported program cannot follow this plan: its parts lie too far apart"
        raise ExportError.at(
            where, problem, expected=expected, found=depth, cure="Plan with contiguous=True."
        )


def _inside(place: Place, depth: int, steps: Ints) -> Place:
    """Return a place that goes on in the turns of loops inside of those around."""
    around = (*place.strides, *(0 for _ in range(depth - len(place.strides))))
    return Place(place.kind, place.name, place.offset, (*around, *steps))


@dataclass(frozen=True, slots=True)
class JoinedPart:
    """A part of a Concat that is written where it lies in the whole."""

    whole: Port
    buffer: Buffer  # where its bytes lie, if those of the whole lie pixel by pixel
    channels: int  # of the whole


def find_joined(
    names: Mapping[Node, str],
    order: Sequence[Node],
    memory: MemoryPlan,
    writers: Mapping[Port, Collection[Node]],
) -> dict[Port, JoinedPart]:
    """Find the inputs of Concat that may lie across the whole.

    ``writers`` are the values that can be written so, each with the nodes that lie in its place.
    """
    buffers = {(each.node, each.output): each for each in memory.buffers}
    found: dict[Port, JoinedPart] = {}
    for node in order:
        whole = buffers.get((names[node], 0))
        if node.type() != "Concat" or whole is None or not _joins_channels(node, whole):
            continue
        ports = [port for port in node.sources() if port is not None]
        alone = all(port in writers and len(port.node.output(port.index)) == 1 for port in ports)
        if not alone or len(set(ports)) < len(node.sources()):
            continue
        own = [buffers[names[each], 0] for port in ports for each in writers[port]]
        if not any(each.levels or each.rows for each in own) and _is_free(whole, own, memory):
            dims = node.get_operator().get_output(0).dims
            step = whole.size // (dims[2] * dims[3])
            for port, first in zip(ports, firsts_in_output(node), strict=True):
                part = buffers[names[port.node], port.index]
                offset = whole.offset + first[1] * (step // dims[1])
                lies = replace(part, offset=offset, levels=((dims[2] * dims[3], step),))
                found[port] = JoinedPart(Port(node, 0), lies, dims[1])
    return found


def _joins_channels(node: Node, whole: Buffer) -> bool:
    """Tell whether a Concat joins the channels of one sample, computed at their places."""
    tensor = node.get_operator().get_output(0)
    if not whole.made_of or whole.levels or whole.rows or tensor.dtype is not DType.float32:
        return False
    if len(tensor.dims) != 4 or tensor.dims[0] != 1 or not has_one_type(node):
        return False
    firsts = firsts_in_output(node)
    return all(one[1] < other[1] for one, other in pairwise(firsts))


def _is_free(whole: Buffer, own: Collection[Buffer], memory: MemoryPlan) -> bool:
    """Tell whether nothing else lies in the whole while its parts are written."""
    names = {whole.name, *(each.name for each in own)}
    first = min(each.lower for each in own)
    return not any(
        each.name not in names
        and each.lower <= whole.lower
        and each.upper > first
        and any(low < whole.end and whole.offset < high for low, high in each.intervals)
        for each in memory.buffers
    )


def with_joined(memory: MemoryPlan, parts: Mapping[Port, JoinedPart]) -> MemoryPlan:
    """Return a plan in which the parts of Concat lie across the whole."""
    moved = {part.buffer.name: part.buffer for part in parts.values()}
    buffers = tuple(moved.get(each.name, each) for each in memory.buffers)
    return replace(memory, buffers=buffers) if moved else memory


class ChannelGroups:
    """Groups of values that lie alike; those that something refuses, or nothing wrote, are not."""

    def __init__(self) -> None:
        self._of: dict[Port, set[Port]] = {}
        self._known: set[Port] = set()
        self._refused: set[Port] = set()

    def _group(self, port: Port) -> set[Port]:
        return self._of.setdefault(port, {port})

    def take(self, port: Port) -> None:
        """Note that something writes a value either way."""
        self._known.add(port)
        self._group(port)

    def refuse(self, port: Port | None) -> None:
        """Note that something wants a value as it is written in the model."""
        if port is not None:
            self._refused.add(port)
            self._group(port)

    def join(self, one: Port | None, other: Port) -> None:
        """Note that two values lie alike; an input of the program lies as it is given."""
        if one is None:
            self.refuse(other)
            return
        first, second = self._group(one), self._group(other)
        if first is not second:
            first |= second
            for port in second:
                self._of[port] = first

    def allowed(self) -> frozenset[Port]:
        """Return the values of groups that nothing refuses."""
        return frozenset(
            port
            for port, group in self._of.items()
            if group <= self._known and group.isdisjoint(self._refused)
        )


def laid_out(array: Array, *, channels_last: bool, by_rows: bool = False) -> Array:
    """Return an array as its bytes lie in the program.

    Examples
    --------
    >>> laid_out(np.arange(4).reshape(1, 2, 1, 2), channels_last=True).reshape(-1).tolist()
    [0, 2, 1, 3]
    """
    if channels_last or by_rows:
        array = np.moveaxis(array, 1, -1 if channels_last else 2)
    return np.ascontiguousarray(array)

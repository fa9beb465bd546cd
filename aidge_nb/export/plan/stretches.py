"""Values that no strides describe: in a ring, round the end of their space, or in odd blocks.

Such a value lies in stretches: bytes that follow each other in an arena. Copies go from stretch to
stretch; those at equal distances are one loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from aidge_nb.core.errors import ExportError
from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan.parts import Action, ActionLoop, Choice, Copy, Place
from aidge_nb.export.plan.strided import Strided
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel
from aidge_nb.kernels.c.adapters.common import row_major
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.memory.values.part import Part
from aidge_nb.tiling.ranges import Range, Region

Ints = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Bytes of a value that follow each other in memory."""

    first: int  # the first of them in the value
    size: int
    buffer: str  # the buffer of the memory plan, by name
    number: int  # 0, or 1 behind the end of the space that the buffer wraps around in
    offset: int  # bytes from where this one of the two begins


Run = tuple[int, Stretch, int]
"""Bytes, the stretch in which they lie, and how far behind its beginning."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A tensor in stretches, in the order of its bytes; perhaps not all of them are there.

    Examples
    --------
    >>> wrapped = Buffer("a", "a", 0, 12, 0, 1, 24, wrapped_offset=16, wrapped_size=8)
    >>> spread = Spread((3, 4), 1, stretches_of(wrapped))
    >>> [(size, run.number, offset) for size, run, offset in spread.runs(2, 6)]
    [(2, 0, 2), (4, 1, 0)]
    """

    dims: Ints
    itemsize: int
    stretches: tuple[Stretch, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the whole."""
        return prod(self.dims) * self.itemsize

    def runs(self, first: int, size: int) -> Iterator[Run]:
        """Yield where bytes lie, in their order; those that are not there are left out."""
        for each in self.stretches:
            low, high = max(first, each.first), min(first + size, each.first + each.size)
            if low < high:
                yield high - low, each, low - each.first

    def has(self, region: Region) -> bool:
        """Tell whether all bytes of a box are there."""
        return all(
            sum(size for size, _, _ in self.runs(first, length)) == length
            for first, length in bytes_of(region, self.dims, self.itemsize)
        )


def stretches_of(buffer: Buffer, first: int = 0) -> tuple[Stretch, ...]:
    """Return the stretches of a buffer, whose value begins ``first`` bytes behind its whole."""
    found = []
    wraps = bool(buffer.wrapped_size)
    for number, (low, high) in enumerate(buffer.intervals):
        offset = 0 if wraps else low - buffer.offset
        at = number if wraps else 0
        found.append(Stretch(first, high - low, buffer.name, at, offset))
        first += high - low
    return tuple(found)


def bytes_of(region: Region, dims: Sequence[int], itemsize: int) -> Iterator[tuple[int, int]]:
    """Yield the bytes of a box of an array, in their order: the first, and how many.

    Examples
    --------
    >>> list(bytes_of((Range(0, 2), Range(1, 3)), (2, 4), 4))
    [(4, 8), (20, 8)]
    """
    box = Part.box(dims, [each.start for each in region], [each.size for each in region], itemsize)
    return ((low, high - low) for low, high in box.intervals if high > low)


def boxes_of(dims: Sequence[int], first: int, last: int) -> list[Region]:
    """Cut the elements from ``first`` to ``last``, exclusive, of an array into boxes.

    Examples
    --------
    >>> boxes_of((3, 4), 4, 8)
    [(Range(start=1, stop=2), Range(start=0, stop=4))]
    >>> [[f"{each}" for each in box] for box in boxes_of((3, 4), 2, 9)]
    [['0:1', '2:4'], ['1:2', '0:4'], ['2:3', '0:1']]
    """
    steps = row_major(dims)
    found: list[Region] = []
    while first < last:
        index = [first // step % size for step, size in zip(steps, dims, strict=True)]
        axis = next(
            axis
            for axis in range(len(dims))
            if not first % steps[axis] and first + steps[axis] <= last
        )
        # Along one axis, until the next larger step begins or the elements end.
        count = min(dims[axis] - index[axis], (last - first) // steps[axis])
        box = [Range(at, at + 1) for at in index[:axis]]
        box.append(Range(index[axis], index[axis] + count))
        found.append((*box, *(Range(0, size) for size in dims[axis + 1 :])))
        first += count * steps[axis]
    return found


Stretched = tuple[int, Place]
"""Bytes, and where they are."""


def strided_runs(lies: Strided, region: Region, place: Place) -> Iterator[Stretched]:
    """Yield where the elements of a box of a strided tensor lie, lines as long as they can be."""
    box, start = lies.cut(region), lies.start(region)
    inner, size = len(box.dims), box.itemsize
    while inner and (box.dims[inner - 1] == 1 or box.strides[inner - 1] == size):
        inner -= 1
        size *= box.dims[inner]
    for index in product(*map(range, box.dims[:inner])):
        behind = sum(at * step for at, step in zip(index, box.strides, strict=False))
        yield size, replace(place, offset=place.offset + start + behind)


def copy_runs(
    where: str,
    targets: Iterable[Stretched],
    sources: Iterable[Stretched],
    when: Choice | None = None,
    *,
    depth: int = 0,
) -> tuple[Action, ...]:
    """Copy bytes in their order from where they are to where they are wanted, perhaps ``when``.

    ``depth`` loops are around. Raise ExportError, naming ``where``, when there are not as many on
    both sides.
    """
    to, have = list(targets), list(sources)
    wanted, found = sum(size for size, _ in to), sum(size for size, _ in have)
    if wanted != found:
        raise ExportError.at(
            where,
            "the plan keeps too little of what this node reads",
            expected=f"{wanted} bytes",
            found=f"{found} bytes",
            cure="Plan with plan_memory(), and with the order that the program is to have.",
        )
    copies: list[Copy] = []
    at = [0, 0]  # bytes done of the first run on each side
    i = j = 0
    while i < len(to) and j < len(have):
        size = min(to[i][0] - at[0], have[j][0] - at[1])
        target, source = _behind(to[i][1], at[0]), _behind(have[j][1], at[1])
        if target != source:
            _add(copies, Copy(target, source, size, when=when))
        at = [at[0] + size, at[1] + size]
        if at[0] == to[i][0]:
            i, at[0] = i + 1, 0
        if at[1] == have[j][0]:
            j, at[1] = j + 1, 0
    return tuple(copies if when is not None else _in_loops(copies, depth))


def _behind(place: Place, offset: int) -> Place:
    return replace(place, offset=place.offset + offset)


def _add(copies: list[Copy], copy: Copy) -> None:
    """Add a copy; go on with the last one where both sides follow."""
    if copies:
        last = copies[-1]
        if copy.target == _behind(last.target, last.size) and copy.source == _behind(
            last.source, last.size
        ):
            copies[-1] = replace(last, size=last.size + copy.size)
            return
    copies.append(copy)


def _in_loops(copies: Sequence[Copy], depth: int) -> Iterator[Action]:
    """Make loops of copies of one size at equal distances."""
    at = 0
    while at < len(copies):
        first = copies[at]
        end = at + 1
        steps = None
        while end < len(copies) and copies[end].size == first.size:
            here, there = copies[end - 1], copies[end]
            step = _step(here.target, there.target), _step(here.source, there.source)
            if None in step or min(each or 0 for each in step) < 0 or steps not in (None, step):
                break
            steps, end = step, end + 1
        if steps is None:
            yield first
        else:
            around = (0,) * depth
            target = replace(first.target, strides=(*around, steps[0] or 0))
            source = replace(first.source, strides=(*around, steps[1] or 0))
            yield ActionLoop(end - at, (Copy(target, source, first.size),))
        at = end


def _step(one: Place, other: Place) -> int | None:
    same = (one.kind, one.name, one.strides) == (other.kind, other.name, other.strides)
    return other.offset - one.offset if same else None


# --- where values of a plan are -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SpreadValues:
    """The outputs that lie in stretches: the buffers of each, and where each begins in the whole.

    ``rings`` are those of which each execution writes a piece.
    """

    buffers: Mapping[Port, Sequence[tuple[Buffer, int]]] = field(default_factory=dict)
    rings: frozenset[Port] = frozenset()

    def touches(self, node: Node) -> bool:
        """Tell whether a node reads or writes one of them."""
        made = (Port(node, index) for index in range(node.get_nb_outputs()))
        return any(port in self.buffers for port in (*node.sources(), *made))

    def read_at(self, port: Port, tick: int) -> Spread:
        """Return what is there of a value when a node reads it."""
        alive = [each for each in self.buffers[port] if each[0].lower < tick < each[0].upper]
        return self._spread(port, alive if port in self.rings else alive[-1:])

    def written_at(self, port: Port, tick: int) -> Spread:
        """Return where a node writes what it computes of a value."""
        born = [each for each in self.buffers[port] if each[0].lower <= tick]
        if port in self.rings:
            born = [each for each in born if each[0].lower == tick]
        return self._spread(port, born if port in self.rings else born[-1:])

    def at_end(self, port: Port) -> Spread:
        """Return what is there of a value after the last tick."""
        kept = max(buffer.upper for buffer, _ in self.buffers[port])
        last = [each for each in self.buffers[port] if each[0].upper == kept]
        return self._spread(port, last if port in self.rings else last[-1:])

    def _spread(self, port: Port, buffers: Sequence[tuple[Buffer, int]]) -> Spread:
        tensor = port.node.get_operator().get_output(port.index)
        found = tuple(each for buffer, first in buffers for each in stretches_of(buffer, first))
        return Spread(tuple(tensor.dims), tensor.dtype.itemsize, found)


def find_spread(memory: MemoryPlan, nodes: Mapping[str, Node]) -> SpreadValues:
    """Find the outputs of a plan that lie in stretches."""
    groups: dict[Port, list[Buffer]] = {}
    for buffer in memory.buffers:
        if buffer.kind == "activation" and buffer.output >= 0 and buffer.size:
            groups.setdefault(Port(nodes[buffer.node], buffer.output), []).append(buffer)
    found: dict[Port, list[tuple[Buffer, int]]] = {}
    rings = set()
    for port, group in groups.items():
        group.sort(key=lambda buffer: (buffer.execution, buffer.lower))
        operator = port.node.get_operator()
        tensor = operator.get_output(port.index)
        if is_ring(group, tensor):
            if operator.spec.cp is CpModel.STACK and is_growing(group, tensor.nbytes):
                continue
            rings.add(port)
            starts = [sum(each.size for each in group[:number]) for number in range(len(group))]
            found[port] = list(zip(group, starts, strict=True))
        elif any(buffer.wrapped_size or _has_no_strides(buffer, tensor) for buffer in group):
            found[port] = [(buffer, 0) for buffer in group]
    return SpreadValues(found, frozenset(rings))


def is_ring(group: Sequence[Buffer], tensor: Tensor) -> bool:
    """Tell whether buffers of an output are pieces of it, one for each execution."""
    return len(group) > 1 and sum(buffer.size for buffer in group) == tensor.nbytes


def _has_no_strides(buffer: Buffer, tensor: Tensor) -> bool:
    size = tensor.dtype.itemsize
    return bool(buffer.levels) and buffer.part.strides(tuple(tensor.dims), size) is None


def is_growing(pieces: Sequence[Buffer], nbytes: int) -> bool:
    """Tell whether pieces follow each other in one place, and are a whole in the end.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer, MemoryPlan
    >>> is_growing([Buffer(f"s[{i}]", "s", 0, 8, i, 4, 16 + 8 * i) for i in range(3)], 24)
    True
    """
    first = pieces[0]
    starts = all(each.offset == first.offset + first.size * at for at, each in enumerate(pieces))
    plain = all(
        each.size == first.size and not (each.levels or each.rows or each.wrapped_size)
        for each in pieces
    )
    return starts and plain and first.size * len(pieces) == nbytes

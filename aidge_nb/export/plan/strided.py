"""How values lie in the arena: as arrays in one piece, in blocks, or row by row.

Each is a tensor with a stride along every axis, in bytes. What kernels cannot read or write as it
lies is copied, box by box, in loops of the forward function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

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
from aidge_nb.kernels.c.adapters.common import joined, row_major
from aidge_nb.memory import Buffer

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region

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

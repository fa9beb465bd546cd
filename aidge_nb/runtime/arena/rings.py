"""Outputs that lie in the arena in pieces (a ring): a buffer for what each execution writes.

Kernels need arrays, but a ring is not one. Before a firing, the live pieces are copied to a scratch
array whose other bytes are poison; after it, the piece that the firing computed is copied back. A
node that reads more than the plan keeps for it reads poison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.runtime.arena.block import POISON, Arena

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.memory import Buffer

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one output."""

    tensor: Tensor  # the whole output
    buffers: tuple[Buffer, ...]  # the pieces, in the order of their executions
    starts: dict[str, int]  # the first byte of each piece in the whole, by the name of its buffer

    def alive(self, tick: int) -> list[Buffer]:
        """List the pieces that were written before a tick and can be read then."""
        return [buffer for buffer in self.buffers if buffer.lower < tick < buffer.upper]

    def written(self, tick: int) -> Buffer | None:
        """Return the piece that is written at a tick, if any."""
        return next((buffer for buffer in self.buffers if buffer.lower == tick), None)

    def cut(self, buffer: Buffer, whole: Array) -> Array:
        """Return the view of a piece in an array of the whole."""
        start = self.starts[buffer.name] // whole.itemsize
        return whole.reshape(-1)[start : start + buffer.size // whole.itemsize]

    def gather(self, pieces: Iterable[Buffer], arena: Arena) -> Array:
        """Copy pieces out of the arena into an array of the whole that is poison elsewhere."""
        tensor = self.tensor
        poison = np.full(tensor.nbytes, POISON, np.uint8)
        whole = poison.view(tensor.dtype.numpy).reshape(tensor.shape)
        for buffer in pieces:
            piece = self.cut(buffer, whole)
            piece[...] = arena.view(buffer, tensor.of_dims(piece.shape, piece.dtype))
        return whole


def find_pieces(
    buffers: Iterable[Buffer], tensor_of: Callable[[Buffer], Tensor]
) -> dict[int, Pieces]:
    """Find the outputs that lie in pieces, by the id of the tensor.

    Where each execution of a node writes a value of the whole size, its buffers are not pieces.
    """
    groups: dict[tuple[str, int], list[Buffer]] = {}
    for buffer in buffers:
        if buffer.kind == "activation":
            groups.setdefault((buffer.node, buffer.output), []).append(buffer)
    found: dict[int, Pieces] = {}
    for group in groups.values():
        tensor = tensor_of(group[0])
        sizes = sum(each.size for each in group)
        if len(group) < 2 or tensor.undefined() or sizes != tensor.nbytes:
            continue
        group.sort(key=lambda each: each.execution)
        starts, start = {}, 0
        for buffer in group:
            starts[buffer.name] = start
            start += buffer.size
        found[id(tensor)] = Pieces(tensor, tuple(group), starts)
    return found

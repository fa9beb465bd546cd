"""Outputs that lie in the arena piece by piece, each piece for as long as somebody needs it.

A kernel wants arrays, and no array lies in a ring. So what lives of an output is brought together
in a scratch array whose other bytes are poison, and of what a firing computes its own piece alone
goes back to the arena: whoever reads more than its plan keeps for it, reads poison.
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
    from aidge_nb.graph.node import Node
    from aidge_nb.memory import Buffer

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of one output.

    Attributes
    ----------
    tensor
        The whole.
    buffers
        The pieces, in the order in which they are written.
    starts
        Where each begins in the whole, in bytes, by its name.
    """

    tensor: Tensor
    buffers: tuple[Buffer, ...]
    starts: dict[str, int]

    def alive(self, tick: int) -> list[Buffer]:
        """List the pieces that were written before a tick and can be read then."""
        return [buffer for buffer in self.buffers if buffer.lower < tick < buffer.upper]

    def written(self, tick: int) -> list[Buffer]:
        """List the pieces that are written at a tick: one or none."""
        return [buffer for buffer in self.buffers if buffer.lower == tick]

    def of(self, buffer: Buffer, whole: Array) -> Array:
        """Cut a piece out of an array of the whole."""
        start = self.starts[buffer.name] // whole.itemsize
        return whole.reshape(-1)[start : start + buffer.size // whole.itemsize]

    def poison(self) -> Array:
        """Make an array of the whole in which nothing is."""
        tensor = self.tensor
        poison = np.full(tensor.nbytes, POISON, np.uint8)
        return poison.view(tensor.dtype.numpy).reshape(tensor.shape)

    def gathered(self, pieces: Iterable[Buffer], arena: Arena) -> Array:
        """Make an array of some pieces, poison around them."""
        whole = self.poison()
        for buffer in pieces:
            piece = self.of(buffer, whole)
            piece[...] = arena.view(buffer, self.tensor.of_dims(piece.shape, piece.dtype))
        return whole


class Rings:
    """The outputs of a plan that lie in pieces, by node and number of the output."""

    def __init__(self, buffers: Iterable[Buffer], find: Callable[[str], Node]) -> None:
        groups: dict[tuple[str, int], list[Buffer]] = {}
        for buffer in buffers:
            if buffer.kind == "activation":
                groups.setdefault((buffer.node, buffer.output), []).append(buffer)
        self._of: dict[tuple[str, int], Pieces] = {}
        self._of_tensor: dict[int, Pieces] = {}
        for (name, index), found in groups.items():
            if len(found) < 2:
                continue
            tensor = find(name).get_operator().get_output(index)
            if tensor.undefined or sum(each.size for each in found) != tensor.nbytes:
                continue  # values of their own, one per execution
            found.sort(key=lambda each: each.execution)
            pieces = _in_a_row(tensor, found)
            self._of[name, index] = self._of_tensor[id(tensor)] = pieces

    def find(self, name: str, index: int) -> Pieces | None:
        """Give the pieces of an output, if it lies in pieces."""
        return self._of.get((name, index))

    def of_tensor(self, tensor: Tensor) -> Pieces | None:
        """Give the pieces of what an input reads, if it lies in pieces."""
        return self._of_tensor.get(id(tensor))

    def owns(self, buffer: Buffer) -> bool:
        """Whether a buffer is a piece."""
        return buffer.kind == "activation" and (buffer.node, buffer.output) in self._of


def _in_a_row(tensor: Tensor, buffers: list[Buffer]) -> Pieces:
    starts, start = {}, 0
    for buffer in buffers:
        starts[buffer.name] = start
        start += buffer.size
    return Pieces(tensor, tuple(buffers), starts)

"""Values whose channels lie side by side: which can, how their bytes lie, and parts of Concat.

An input of Concat is written where it lies in the whole: its channels between those of the others,
pixel by pixel. The plan lays each part out by itself, one behind the other; where all of the whole
is free from the first part on, the parts may lie across it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.graph.node import Node, Port
from aidge_nb.memory.live.sharing import firsts_in_output, has_one_type

if TYPE_CHECKING:
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]


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


def with_joined(memory: MemoryPlan, joined: Mapping[Port, JoinedPart]) -> MemoryPlan:
    """Return a plan in which the parts of Concat lie across the whole."""
    moved = {part.buffer.name: part.buffer for part in joined.values()}
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

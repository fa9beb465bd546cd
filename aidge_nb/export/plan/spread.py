"""Find the outputs of a memory plan that lie in stretches, and where they are at each tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan.stretches import Spread, stretches_of
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel
from aidge_nb.memory import Buffer, MemoryPlan


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
    >>> from aidge_nb.memory import Buffer
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

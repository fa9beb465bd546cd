"""Find rings: outputs written and read piece by piece take only the pieces still needed.

Where operators fire several times, as in a pipeline of lines, a tensor need not lie in memory as a
whole. The consumer-producer models tell which elements each firing writes, and which it reads:
those that it requires, and before them what it protects, such as the lines of a window that it
reads again. A piece lives from the firing that writes it to the last one that reads of it. Pieces
of one output lie in a ring, as large as what of it is live at once; since each has its own life,
the ring takes bytes as a step function of time, and others may use what it leaves.

:func:`plan_rings` lays out rings alone; :func:`~aidge_nb.memory.plan_memory` with ``rings=True``
mixes them with all other ways to share memory, and :func:`aidge_nb.runtime.run_in_arena` runs that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph.node import Port
from aidge_nb.memory.live.facts import (
    Schedule,
    check_order,
    is_connected,
    nodes_in_order,
    output_bytes,
)
from aidge_nb.memory.place.footprints import place_footprints
from aidge_nb.memory.values.live_range import bound_of
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.memory.values.ring import Piece, Ring
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.replay import Replay

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node


def plan_rings(
    view: GraphView, schedule: Schedule | None = None, *, effort: float = 0.25
) -> MemoryPlan:
    """Lay out the memory of a graph whose operators work piece by piece.

    Parameters
    ----------
    view
        The graph, with known dimensions. What its consumer-producer models protect must be there
        while an operator runs; what outputs of the graph hold in the end is kept.
    schedule
        The order of executions, as for :func:`~aidge_nb.memory.plan_memory`; Producers take no
        memory here.
    effort
        How long to search when the lower bound is not reached at once, as for
        :func:`~aidge_nb.memory.plan`.

    Returns
    -------
    MemoryPlan
        With a buffer for each piece, named after the node and the number of its execution. A piece
        at the end of its ring may go on at its beginning (``Buffer.wrapped_size``).

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, a model counts tokens, or the order does not belong to the
        graph.

    Examples
    --------
    >>> import aidge_nb
    >>> rows = [aidge_nb.Pop(name="pop"), aidge_nb.FC(4, 2, name="a"), aidge_nb.Tanh(name="b")]
    >>> view = aidge_nb.sequential([aidge_nb.Producer([6, 4], name="data"), *rows])
    >>> view.forward_dims()
    True
    >>> plan_rings(view, aidge_nb.static_schedule(view))
    MemoryPlan(18 buffers, 18 ticks, peak 24 bytes, optimal)
    """
    order = nodes_in_order(view, schedule)
    check_order(view, order)
    executed = [node for node in order if node.type() != "Producer"]
    rings = find_rings(view, executed)
    footprints = [ring.footprint for ring in rings.values()]
    bound = bound_of(footprints, {}).size
    placed = place_footprints(footprints, {}, bound, rounds=int(400 * effort))
    names = view.unique_names()
    buffers = [
        buffer
        for (port, ring), offset in zip(rings.items(), placed.offsets, strict=True)
        for buffer in ring.buffers(names[port.node], port.index, offset)
    ]
    return MemoryPlan(
        order=tuple(names[node] for node in executed),
        buffers=tuple(sorted(buffers, key=lambda buffer: (buffer.lower, buffer.name))),
        peak=placed.peak,
        lower_bound=bound,
    )


def find_rings(view: GraphView, executed: Sequence[Node]) -> dict[Port, Ring]:
    """Find the pieces that each output is written in, and when they live.

    Errors are those of :func:`plan_rings`.
    """
    streams = _Streams(view, executed)
    for tick, node in enumerate(executed):
        if node.type() != "Producer":
            streams.fire(tick, node)
    streams.keep_outputs()
    return {port: Ring(tuple(found)) for port, found in streams.pieces.items() if found}


class _Streams:
    """Replays the firings and collects the pieces that each output writes."""

    def __init__(self, view: GraphView, executed: Sequence[Node]) -> None:
        self.pieces: dict[Port, list[Piece]] = {}
        self._replay = Replay(view)
        self._outputs = set(view.get_ordered_outputs())
        self._end = len(executed)

    def fire(self, tick: int, node: Node) -> None:
        """Record what one firing of a node reads and writes."""
        for index, source in node.edges_in():
            if source.node.type() != "Producer" and source in self.pieces:
                self._read(tick, node, index, source)
        operator, model = node.get_operator(), self._replay.model(node)
        ports = [
            Port(node, index)
            for index in range(operator.nb_outputs)
            if is_connected(Port(node, index), self._outputs) or not operator.may_leave_out(index)
        ]
        before = [_elements(model.get_nb_produced_data(port.index), node) for port in ports]
        self._replay.fire(node)
        for port, first in zip(ports, before, strict=True):
            self._write(tick, port, first, _elements(model.get_nb_produced_data(port.index), node))

    def _read(self, tick: int, node: Node, index: int, source: Port) -> None:
        model, item = self._replay.model(node), _item_size(source)
        required = _elements(model.get_nb_required_data(index), node)
        if not required:
            return
        protected = _elements(model.get_nb_required_protected(index), node)
        last = (_elements(model.get_nb_consumed_data(index), node) + required) * item
        first = last - max(required, protected) * item
        for piece in reversed(self.pieces[source]):
            if piece.last <= first:
                break
            if piece.first < last:
                piece.upper = max(piece.upper, tick + 1)

    def _write(self, tick: int, port: Port, first: int, last: int) -> None:
        item = _item_size(port)
        found = self.pieces.setdefault(port, [])
        if last > first:
            found.append(Piece(first * item, last * item, tick, tick + 1))

    def keep_outputs(self) -> None:
        """Keep what the tensors of the graph's outputs hold in the end."""
        for port, found in self.pieces.items():
            size = output_bytes(port)
            for piece in found if port in self._outputs else ():
                if piece.last > found[-1].last - size:
                    piece.upper = self._end


def _elements(amount: Elts_t, node: Node) -> int:
    if amount.type is EltType.Token:
        raise MemoryPlanError.at(
            node.label,
            "its consumer-producer model counts tokens, which have no size",
            cure="Call forward_dims() before scheduling.",
        )
    return amount.data


def _item_size(port: Port) -> int:
    output_bytes(port)  # refuses unknown dimensions
    return port.node.get_operator().get_output(port.index).dtype.itemsize

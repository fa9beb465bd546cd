"""Lay out memory as Aidge does: walk through a schedule with a :class:`MemoryManager`.

For each execution the outputs get planes, then what no later execution reads is released.
An output may take the bytes of an input: which, is up to the consumer-producer model of the
operator. Its *protected* amount is the part of an input that must survive while the operator
runs. Nothing protected: the output may lie in the same place. With ``wrap_around_buffer`` a part
protected: the output follows the input in the same space, that much further, and wraps around its
end, overwriting what was consumed already.

That promise is about streaming hardware, and it is generous: Aidge makes it for convolutions too.
The planner of :mod:`aidge_nb.memory.place.planners` does not rely on it but on ``OpSpec.in_place``,
which holds for an executor that computes whole tensors.

Where aidge_core 0.10.1 is wrong we differ: a plane has the size of the output tensor (Aidge counts
one slice too many for Stack), outputs of the graph keep their bytes to the end, and Memorize, whose
outputs share a plane, is overwritten only when nobody else reads either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from aidge_nb.graph import CpModel, GenericOperatorOp, GraphView, Node, Port
from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.aidge.spaces import MemoryPlane, MemorySpace
from aidge_nb.memory.live.facts import (
    Schedule,
    check_order,
    is_connected,
    nodes_in_order,
    output_bytes,
)
from aidge_nb.memory.values.live_range import round_up
from aidge_nb.scheduling import prod_conso_of


def generate_memory(
    view: GraphView,
    order: Schedule,
    inc_producers: bool = False,
    wrap_around_buffer: bool = False,
    memory_alignment: int = 1,
    *,
    safe: bool = True,
) -> MemoryManager:
    """Lay out the memory of a graph as Aidge does.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    order
        The order of executions, as for :func:`~aidge_nb.memory.plan_memory`.
    inc_producers
        Whether Producers (parameters) get memory and time too.
    wrap_around_buffer
        Whether an output may follow its partly protected input and wrap around.
    memory_alignment
        Sizes are rounded up to a multiple of it, in bytes.
    safe
        Whether live values are left alone. False repeats aidge_core 0.10.1, which gives away the
        bytes of an output of the graph that lies in the place of an input, and lets the reader of
        one output of Memorize overwrite the other.

    Returns
    -------
    MemoryManager
        With one plane per output and execution; one tick is one execution.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> generate_memory(view, view.topological_order()).get_peak_usage()
    24
    """
    executed = executed_nodes(view, order, inc_producers)
    return ManagerWalk(view, executed, wrap_around_buffer, memory_alignment, safe).run()


def generate_memory_auto_concat(
    view: GraphView,
    order: Schedule,
    inc_producers: bool = False,
    wrap_around_buffer: bool = False,
    memory_alignment: int = 1,
) -> MemoryManager:
    """Lay out memory as :func:`generate_memory`, inputs of a Concat at their place in its result.

    This is done where it is correct, see :func:`concat_slots`; it may
    need more memory than copying, because inputs occupy their places early.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.
    """
    executed = executed_nodes(view, order, inc_producers)
    walk = ManagerWalk(view, executed, wrap_around_buffer, memory_alignment)
    return walk.run(auto_concat=True)


def executed_nodes(view: GraphView, order: Schedule, inc_producers: bool) -> list[Node]:
    """Return the node of each execution, after checking that the order can be executed.

    Raise MemoryPlanError when it cannot.
    """
    nodes = nodes_in_order(view, order)
    check_order(view, nodes)
    return [node for node in nodes if inc_producers or node.type() != "Producer"]


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an output in the result of a Concat, in bytes."""

    concat: Node
    offset: int
    total: int


def concat_slots(view: GraphView, nodes: Iterable[Node], alignment: int = 1) -> dict[Port, Slot]:
    """Find the outputs that can be computed at their place in the result of a Concat.

    That is done when the Concat stacks whole blocks (every dimension before its axis is 1) and is
    the only reader of all its inputs, and all of them begin at a multiple of ``alignment`` bytes.
    Only ``nodes`` count; each has to be executed once.
    """
    executed = set(nodes)
    outputs = set(view.get_ordered_outputs())
    slots: dict[Port, Slot] = {}
    for concat in executed:
        if concat.type() != "Concat" or not _stacks_blocks(concat):
            continue
        parents = [
            port
            for port in concat.sources()
            if port is not None
            and port.node in executed
            and port not in outputs
            and len(port.node.output(port.index)) == 1
        ]
        if len(parents) < concat.get_nb_inputs():
            continue
        starts = list(accumulate(map(output_bytes, parents), initial=0))
        if not any(start % alignment for start in starts[:-1]):
            for parent, start in zip(parents, starts, strict=False):
                slots[parent] = Slot(concat, start, starts[-1])
    return slots


def _stacks_blocks(concat: Node) -> bool:
    operator = concat.get_operator()
    dims = operator.get_output(0).dims
    axis = int(operator.attr["axis"])
    return prod(dims[: axis % len(dims)] if dims else ()) == 1


class ManagerWalk:
    """The state of a walk through an order of executions."""

    def __init__(
        self,
        view: GraphView,
        order: Sequence[Node],
        wrap_around: bool,
        alignment: int,
        safe: bool = True,
        manager: MemoryManager | None = None,
    ) -> None:
        self.manager = manager or MemoryManager()
        self._view, self._order = view, order
        self._wrap_around = wrap_around
        self._alignment = alignment
        self._outputs = set(view.get_ordered_outputs())
        self._left = Counter(order)
        self._latest: dict[Port, MemoryPlane] = {}
        self._slots: dict[Port, Slot] = {}
        self._room: dict[Node, MemorySpace] = {}  # of a Concat whose inputs have slots
        self._safe = safe
        self._end = Node(GenericOperatorOp("End", (), 0), "end of time")

    def run(self, auto_concat: bool = False) -> MemoryManager:
        """Execute the order; inputs of Concat lie in its result with ``auto_concat``."""
        if auto_concat:
            once = [node for node, times in Counter(self._order).items() if times == 1]
            self._slots = concat_slots(self._view, once, self._alignment)
        for node in self._order:
            self.execute(node)
        return self.manager

    def load(self, node: Node) -> None:
        """Allocate a parameter until the end."""
        size = round_up(output_bytes(Port(node, 0)), self._alignment)
        self.manager.allocate(node, size, {self._end})

    def execute(self, node: Node) -> None:
        """Allocate planes for the outputs of one execution, and advance time."""
        nb_outputs = 1 if is_memorize(node) else node.get_nb_outputs()
        taken: list[MemoryPlane] = []
        for index in range(nb_outputs):
            port = Port(node, index)
            if is_connected(port, self._outputs):
                self._latest[port] = self._make_plane(port, taken)
        self._left[node] -= 1
        if self._left[node] == 0:
            self.manager.release_dependencies(node)
        self.manager.tick()

    def _make_plane(self, port: Port, taken: list[MemoryPlane]) -> MemoryPlane:
        node, manager = port.node, self.manager
        readers = self._readers(port)
        if port in self._slots or node in self._room:
            return self._plane_in_room(port, readers)
        element, length, count = self._lines(port)
        size = element * length * count
        extra = 0
        behind = self._latest.get(port)  # a later execution goes on where the last one stopped
        if behind is None and self._wrap_around and node.get_children():
            behind, extra = self._plane_to_follow(node, size, taken)
        elif behind is None:
            behind = self._plane_to_overwrite(port, size, taken)
        if behind is None:
            number = manager.allocate(node, element, readers, 0, length, count)
        else:
            taken.append(behind)
            number = manager.reallocate(
                behind, node, 0, element, True, extra, readers, 0, length, count
            )
        plane: MemoryPlane = manager.get_planes(node)[number]
        return plane

    def _lines(self, port: Port) -> tuple[int, int, int]:
        """Return the bytes of an element, the elements in a row, and the number of rows.

        Where channels come last a row is one of the picture, and an element all channels of a
        point, so that planes wrap around at whole rows; else all is one element.
        """
        tensor = port.node.get_operator().get_output(port.index)
        total = output_bytes(port)
        rank = {"nwc": 3, "nhwc": 4}.get(_format(port))
        if rank is None or tensor.ndim != rank or not total:
            return round_up(total, self._alignment), 1, 1
        *rows, width, channels = tensor.dims
        return round_up(channels * tensor.dtype.itemsize, self._alignment), width, prod(rows)

    def _plane_in_room(self, port: Port, readers: set[Node]) -> MemoryPlane:
        """Make a plane in the space of the Concat that reads it, or that the node is."""
        node, manager = port.node, self.manager
        slot = self._slots.get(port)
        concat, offset = (node, 0) if slot is None else (slot.concat, slot.offset)
        if slot is not None and concat not in self._room:
            total = round_up(slot.total, self._alignment)
            self._room[concat] = manager.reserve(total, {concat})
        room = self._room[concat]
        number = manager.reallocate(room, node, offset, output_bytes(port), False, 0, readers)
        plane: MemoryPlane = manager.get_planes(node)[number]
        return plane

    def _readers(self, port: Port) -> set[Node]:
        """Find who still has to read an output; the end of time reads those of the graph."""
        node = port.node
        # The outputs of Memorize are one value and share one plane.
        ports = node.outputs() if is_memorize(node) else [node.output(port.index)]
        readers = {child for each in ports for child, _ in each if self._left[child] > 0}
        if port in self._outputs:
            return readers | {self._end} if self._safe else readers
        # What nobody reads is let go as soon as its own node has run.
        return readers or {port.node}

    def _live_plane(self, node: Node, index: int) -> MemoryPlane | None:
        """Find the plane that a data input lies in, if ``node`` is the only one to read it."""
        parent = node.source(index)
        if parent is None or not node.input_category(index).is_data:
            return None
        if len(parent.node.output(parent.index)) != 1 or (self._safe and self._is_shared(parent)):
            return None
        plane = self._latest.get(parent)
        return None if plane is None or plane.mem_space.released >= 0 else plane

    def _is_shared(self, port: Port) -> bool:
        """Return whether another node needs the plane of an output with one reader."""
        if port in self._outputs:
            return True
        return is_memorize(port.node) and sum(map(len, port.node.outputs())) > 1

    def _plane_to_overwrite(
        self, port: Port, size: int, taken: list[MemoryPlane]
    ) -> MemoryPlane | None:
        """Find the plane of input 0, if the output may lie in the same place."""
        node = port.node
        parent = node.source(0) if node.get_nb_inputs() else None
        plane = self._live_plane(node, 0) if parent is not None else None
        if parent is None or plane is None or plane in taken or plane.get_size() != size:
            return None
        is_free = prod_conso_of(node.get_operator()).get_nb_required_protected(0).data == 0
        return plane if is_free and _format(parent) == _format(port) else None

    def _plane_to_follow(
        self, node: Node, size: int, taken: list[MemoryPlane]
    ) -> tuple[MemoryPlane | None, int]:
        """Find the largest input plane that the output may follow, and its protected bytes."""
        model = prod_conso_of(node.get_operator())
        best: MemoryPlane | None = None
        extra = 0
        for index, parent in node.edges_in():
            plane = self._live_plane(node, index)
            if plane is None or plane in taken:
                continue
            protected = model.get_nb_required_protected(index).data
            start = plane.get_final_offset() - plane.mem_space.offset
            fits = not self.manager.is_wrap_around(plane.mem_space, start, size)
            if not fits and protected >= model.get_nb_required_data(index).data:
                continue
            if best is None or plane.get_size() > best.get_size():
                tensor = parent.node.get_operator().get_output(parent.index)
                best = plane
                extra = round_up(protected * tensor.dtype.itemsize, self._alignment)
            if protected == 0:
                break
        return best, extra


def is_memorize(node: Node) -> bool:
    """Return whether a node is a Memorize, whose outputs are one value."""
    return node.get_operator().spec.cp is CpModel.MEMORIZE


def _format(port: Port) -> str:
    """Name the data format of an output, where its tensor says it or the graph notes it."""
    told = port.node.get_operator().get_output(port.index).dformat
    if told.rank:
        return told.name
    formats = port.node.annotations.get("data_format", ())
    return str(formats[port.index]) if port.index < len(formats) else "default"

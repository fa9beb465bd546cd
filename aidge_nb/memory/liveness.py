"""From an order of executions to live ranges.

A tick is one execution. Each execution of a node writes a *value* per output; it lives until the
last execution that reads it. Two ways to share memory are found here, and both hold for an
executor that computes whole tensors:

- a *view* (``OpSpec.is_view``: Reshape, Flatten, ...) is its input under other dimensions;
- an output may be written *in place* of an input where the operator's declaration permits it
  (``OpSpec.in_place``), the input has as many bytes, and nothing in its memory is read later.

A third one on demand: *parts*. What Slice and Split cut out may stay where it is, and inputs of
Concat may be computed at their place in the result (:mod:`aidge_nb.memory.sharing`). It can take
more memory than copying, so the caller names the nodes.

This is stricter than the protected amounts of the consumer-producer model on which
:func:`aidge_nb.memory.generate_memory` builds as Aidge does: those speak of hardware that streams.

Values that share memory form a *storage*; a planner places storages.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from aidge_nb.graph.node import Port
from aidge_nb.memory.by_rows import works_by_lines
from aidge_nb.memory.lifetimes import Lifetimes
from aidge_nb.memory.sharing import concat_parts, gather, has_one_type, part_of_input
from aidge_nb.memory.storages import Liveness, Storage, Value
from aidge_nb.memory.values import bytes_of, check_order, is_connected, output_bytes
from aidge_nb.memory.what_if import WhatIf
from aidge_nb.scheduling import EltType, prod_conso_of

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node

__all__ = ["NO_CHANGE", "live_values"]

NO_CHANGE = WhatIf()
"""Plan for the model as it is."""


def live_values(
    view: GraphView,
    order: Sequence[Node],
    *,
    inc_producers: bool = False,
    inc_inputs: bool = False,
    in_place: bool = True,
    without_copy: Collection[Node] = (),
    alignment: int = 1,
    by_lines: bool = False,
    what_if: WhatIf = NO_CHANGE,
) -> Liveness:
    """Find when each value of a graph is live.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    order
        The node of each execution; Producers are skipped unless ``inc_producers``.
    inc_producers, inc_inputs
        Whether Producers (parameters) and inputs of the graph take memory too.
    in_place
        Whether outputs may overwrite inputs; views share memory in any case.
    without_copy
        Slice, Split and Concat nodes whose parts share memory with the whole, where they can.
    alignment
        Parts that do not begin at a multiple of it are copied.
    by_lines
        Whether operators that work line by line may overwrite their input too.
    what_if
        Changes to assume.

    Raises
    ------
    MemoryPlanError
        When dimensions are unknown, or the order does not belong to the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> live = live_values(view, view.topological_order())
    >>> [(value.name, value.lower, value.upper) for value in live.storages[0].values]
    [('a', 0, 2), ('b', 1, 2)]
    """
    check_order(view, order)
    executed = [node for node in order if inc_producers or node.type() != "Producer"]
    walk = _Walk(view, executed, in_place, set(without_copy), alignment, by_lines, what_if)
    if inc_inputs:
        walk.add_inputs()
    if inc_producers:
        walk.add_missing_producers()
    for tick, node in enumerate(executed):
        walk.execute(tick, node)
    names = tuple(walk.names[node] for node in executed)
    return Liveness(names, tuple(storage for storage in walk.storages if storage.values))


class _Walk:
    """The state of a walk through the executions."""

    def __init__(
        self,
        view: GraphView,
        executed: Sequence[Node],
        in_place: bool,
        without_copy: set[Node],
        alignment: int,
        by_lines: bool,
        what_if: WhatIf,
    ) -> None:
        self.view = view
        self.names = view.unique_names()
        self.storages: list[Storage] = []
        self._in_place = in_place
        self._without_copy = without_copy
        self._alignment = alignment
        self._by_lines = by_lines
        self._what_if = what_if
        self._fused = {first for first, _ in what_if.fused}
        self._life = Lifetimes(view, executed, what_if)
        self._done: dict[Node, int] = {}
        self._current: dict[object, Value] = {}  # by output port, or by tensor for graph inputs
        self._storage_of: dict[Value, Storage] = {}
        self._used: set[str] = set()

    # --- what there is ----------------------------------------------------------------------

    def add_inputs(self) -> None:
        """Let the inputs of the graph live from the start to their last reader."""
        for number, group in enumerate(self.view.get_input_groups()):
            first = group[0]
            tensor = first.node.get_operator().get_input(first.index)
            reads = [tick for port in group for tick in self._life.ticks_of(port.node)]
            if tensor is None or not reads:
                continue
            size = bytes_of(tensor, f"{first.node.label}, input#{first.index}")
            name, node = self._unique(f"input#{number}"), self.names[first.node]
            value = Value(name, node, first.index, 0, "input", size, 0, max(reads) + 1)
            self._store(id(tensor), value)

    def add_missing_producers(self) -> None:
        """Let Producers that the order does not execute live from the start."""
        for node in self.view.get_nodes():
            if node.type() == "Producer" and node not in self._life.ticks:
                self._add_producer(node, 0)

    def _add_producer(self, node: Node, lower: int) -> None:
        port = Port(node, 0)
        reads = [tick for ticks in self._life.reads(port) for tick in ticks]
        upper = self._life.end if port in self._life.outputs else max([*reads, lower]) + 1
        name = self._unique(self.names[node])
        size = output_bytes(port)
        value = Value(name, self.names[node], 0, 0, "producer", size, lower, upper)
        value.is_kept = port in self._life.outputs
        self._store(port, value)

    def execute(self, tick: int, node: Node) -> None:
        """Make the values that one execution writes."""
        execution = self._done.get(node, 0)
        self._done[node] = execution + 1
        if node in self._fused:
            return  # its output is never stored
        if node.type() == "Producer":
            if execution == 0:
                self._add_producer(node, tick)
            return
        operator = node.get_operator()
        for index in range(node.get_nb_outputs()):
            port = Port(node, index)
            if operator.may_leave_out(index) and not is_connected(port, self._life.outputs):
                continue
            grows = _grows(port)
            if grows and execution:
                continue  # written piece by piece into the memory of the first execution
            value = self._new_value(port, tick, 0 if grows else execution, grows)
            source = self._whole(tick, port, value)
            if source is None and index == 0:
                source = self._source(tick, port, value)
            self._store(port, value, source)
            if node in self._without_copy and node.type() == "Concat":
                self._gather(node, value)

    def _new_value(self, port: Port, tick: int, execution: int, grows: bool) -> Value:
        node, index = port
        repeated = not grows and len(self._life.ticks[node]) > 1
        suffix = (f":{index}" if index else "") + (f"[{execution}]" if repeated else "")
        name = self._unique(self.names[node] + suffix)
        size, upper = output_bytes(port), self._life.upper(port, tick, execution, grows)
        value = Value(name, self.names[node], index, execution, "activation", size, tick, upper)
        dims = node.get_operator().get_output(index).dims
        value.rows = dims[2] if len(dims) == 4 and not grows else 0
        value.last_write = self._life.ticks[node][-1] if grows else tick
        value.is_kept = port in self._life.outputs and (
            not repeated or self._life.is_last(node, execution)
        )
        return value

    def _store(self, key: object, value: Value, source: Value | None = None) -> None:
        if source is None:
            storage = Storage()
            self.storages.append(storage)
        else:
            storage = self._storage_of[source]
            if value.size == source.size:
                value.start, value.blocks = source.start, source.blocks
                value.stride = source.stride
        storage.values.append(value)
        self._storage_of[value] = storage
        self._current[key] = value

    def _gather(self, node: Node, result: Value) -> None:
        """Let the inputs of a Concat have been computed at their place in its result."""
        inputs = [self._read_by(node, index) for index in range(node.get_nb_inputs())]
        found = [(value, self._storage_of[value]) for value in inputs if value is not None]
        if result.execution or len(found) < len(inputs) or not has_one_type(node):
            return
        parts = concat_parts(node)
        merged = gather(result, parts, found, self._alignment)
        if merged is not None:
            self._storage_of[result].values = []
            self.storages.append(merged)
            self._storage_of.update(dict.fromkeys(merged.values, merged))

    def _unique(self, name: str) -> str:
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name

    # --- whose memory it shares -------------------------------------------------------------

    def _whole(self, tick: int, port: Port, value: Value) -> Value | None:
        """Find the value of which an output of Slice or Split is a part that can stay there."""
        node = port.node
        if node not in self._without_copy or node.type() == "Concat":
            return None
        part, source = part_of_input(node, port.index), self._read_by(node, 0)
        if part is None or source is None or source.blocks > 1 or source.last_write >= tick:
            return None
        if part.start % self._alignment or part.stride % self._alignment or not value.size:
            return None
        value.view_of, value.start = source.name, source.start + part.start
        value.blocks, value.stride = part.blocks, part.stride
        return source

    def _source(self, tick: int, port: Port, value: Value) -> Value | None:
        """Find the value whose memory an output shares, and note how."""
        spec = port.node.get_operator().spec
        if spec.is_view and port.node.get_nb_inputs():
            source = self._read_by(port.node, 0)
            if source is not None and source.size == value.size and _is_whole(source, tick):
                value.view_of = source.name
                return source
        if self._in_place:
            for index in self._overwrites(port.node):
                source = self._read_by(port.node, index)
                if source is not None and self._may_overwrite(tick, port.node, source, value):
                    value.in_place_of = (source.name,)
                    return source
        return None

    def _overwrites(self, node: Node) -> tuple[int, ...]:
        declared = node.get_operator().spec.in_place
        if declared or not node.get_nb_inputs():
            return declared
        allowed = node in self._what_if.in_place or (self._by_lines and works_by_lines(node))
        return (0,) if allowed else ()

    def _read_by(self, node: Node, index: int) -> Value | None:
        """Find the value that an input reads; None when it is not in this memory."""
        if index >= node.get_nb_inputs():
            return None
        port = node.input(index)
        if port is not None and port in self._current:
            return self._current[port]
        return self._current.get(id(node.get_operator().get_input(index)))

    def _may_overwrite(self, tick: int, node: Node, source: Value, value: Value) -> bool:
        storage = self._storage_of[source]
        if source.size != value.size or any(
            each.kind == "producer" or each.is_kept or each.upper > tick + 1
            for each in storage.values
        ):
            return False
        overwrites = self._overwrites(node)
        for index in range(node.get_nb_inputs()):
            other = self._read_by(node, index)
            if other is None or self._storage_of[other] is not storage:
                continue
            if other is not source or index not in overwrites:
                return False
        return not any(
            read is not None and self._storage_of[read] is storage
            for part in self._what_if.parts_of(node)
            for read in (self._read_by(part, index) for index in range(part.get_nb_inputs()))
        )


def _is_whole(source: Value, tick: int) -> bool:
    """Whether all of a value is written before a tick, and lies in one piece."""
    return source.last_write < tick and source.blocks == 1


def _grows(port: Port) -> bool:
    """Whether executions of a node add up in one output tensor, as those of Stack do."""
    node, index = port
    tensor = node.get_operator().get_output(index)
    made = prod_conso_of(node.get_operator()).get_required_memory(index, ())
    return made.type is EltType.Data and 0 < made.data < tensor.size

"""Walk through an order of executions and assign values to storages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from aidge_nb.graph import CpModel
from aidge_nb.graph.node import Port
from aidge_nb.memory.live.facts import Setting, StoredOutput, bytes_of, output_bytes
from aidge_nb.memory.live.sharing import (
    Avoid,
    PartWrites,
    Write,
    concat_parts,
    firsts_in_output,
    gather,
    has_one_type,
)
from aidge_nb.memory.values.storages import Storage, Value, box_of, joined, meet, move

if TYPE_CHECKING:
    from aidge_nb.graph import Node


class SharingWalk:
    """State of a walk through the executions: the storages so far."""

    def __init__(
        self,
        setting: Setting,
        without_copy: Collection[Node],
        apart: Collection[Node],
        avoided: Collection[Avoid] = (),
    ) -> None:
        self.storages: list[Storage] = []
        self.part_writes = PartWrites()
        self._avoided = avoided
        self._setting = setting
        self._life = setting.life
        self._names = setting.names
        self._apart = set(apart)
        self._without_copy = set(without_copy) - self._apart
        self._fused = setting.changes.into
        self._done: dict[Node, int] = {}
        self._current: dict[object, Value] = {}  # by output port, or by tensor for graph inputs
        self._storage_of: dict[Value, Storage] = {}
        self._readers: dict[Value, Sequence[Port]] = {}
        self._used: set[str] = set()
        self._outside: set[Port] = set()  # parts of what is not in this memory

    # --- what there is ----------------------------------------------------------------------

    def add_input(self, number: int, group: Sequence[Port]) -> None:
        """Add a graph input: it lives from the start to its last reader."""
        first = group[0]
        tensor = first.node.get_operator().get_input(first.index)
        reads = [tick for port in group for tick in self._life.ticks_of(port.node)]
        if tensor is None or not reads:
            return
        size = bytes_of(tensor, f"{first.node.label}, input#{first.index}")
        name, node = self._unique(f"input#{number}"), self._names[first.node]
        value = Value(name, node, first.index, 0, "input", size, 0, max(reads) + 1)
        value.dims = tuple(tensor.dims)
        self._readers[value] = group
        self._store(id(tensor), value)

    def add_producer(self, node: Node, lower: int) -> None:
        """Add a Producer: it lives from a tick to its last reader."""
        port = Port(node, 0)
        reads = [tick for ticks in self._life.reads(port) for tick in ticks]
        upper = self._life.end if port in self._life.outputs else max([*reads, lower]) + 1
        name = self._unique(self._names[node])
        size = output_bytes(port)
        value = Value(name, self._names[node], 0, 0, "producer", size, lower, upper)
        value.is_kept = port in self._life.outputs
        value.dims = tuple(node.get_operator().get_output(0).dims)
        self._store(port, value)

    def execute(self, tick: int, node: Node) -> None:
        """Make the values that one execution writes."""
        execution = self._done.get(node, 0)
        self._done[node] = execution + 1
        if node in self._fused:
            return  # its output is never stored
        if node.type() == "Producer":
            if execution == 0:
                self.add_producer(node, tick)
            return
        for index in range(node.get_nb_outputs()):
            port = Port(node, index)
            made = self._setting.made_at(port)
            if not made.is_stored or (made.grows and execution):
                continue  # what grows is written into the memory of the first execution
            if self._is_part_of_outside(port):
                continue
            value = self._new_value(port, tick, 0 if made.grows else execution, made)
            source = self._whole(tick, port, value)
            if source is None:
                source = self._source(tick, port, value) if index == 0 else self._twin(port, value)
            self._store(port, value, source)
            if node in self._without_copy and node.type() == "Concat":
                self._gather(node, value)

    def _new_value(self, port: Port, tick: int, execution: int, made: StoredOutput) -> Value:
        node, index = port
        grows = made.grows
        repeated = not grows and len(self._life.ticks[node]) > 1
        suffix = (f":{index}" if index else "") + (f"[{execution}]" if repeated else "")
        name = self._unique(self._names[node] + suffix)
        size, upper = made.size, self._life.upper(port, tick, execution, grows)
        value = Value(name, self._names[node], index, execution, "activation", size, tick, upper)
        value.dims, value.rows = made.dims, made.rows
        value.last_write = self._life.ticks[node][-1] if grows else tick
        self._readers[value] = node.output(index)
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
            self.part_writes.comes_from(value, source)
            if value.size == source.size:
                value.start, value.levels = source.start, source.levels
            if value.dims == source.dims:
                value.frame, value.first, _ = box_of(source)
        storage.values.append(value)
        self._storage_of[value] = storage
        self._current[key] = value

    def _gather(self, node: Node, result: Value) -> None:
        """Place the inputs of a Concat in its result, if they can be computed there."""
        inputs = [self._read_by(node, index) for index in range(node.get_nb_inputs())]
        values = [value for value in inputs if value is not None]
        is_whole = len(values) == len(inputs) and not result.execution and has_one_type(node)
        if is_whole and (self._join(node, values, result) or self._move(node, values, result)):
            self.part_writes.comes_from(result, *values)
            self.part_writes.worked(values)
        else:
            self.part_writes.failed(values)

    def _move(self, node: Node, values: Sequence[Value], result: Value) -> bool:
        """Put the storages of the inputs of a Concat where the result wants them."""
        found = [(value, self._storage_of[value]) for value in values]
        before = [list(storage.values) for _, storage in found]
        merged = gather(result, concat_parts(node), found, self._setting.permits)
        if merged is None:
            return False
        for value, beside, first in zip(values, before, firsts_in_output(node), strict=True):
            move(beside, value, result, first)
        self._storage_of[result].values = []
        self.storages.append(merged)
        self._storage_of.update(dict.fromkeys(merged.values, merged))
        return True

    def _join(self, node: Node, values: Sequence[Value], result: Value) -> bool:
        """Make the result of a Concat the box that its inputs already form, if they do."""
        storage = self._storage_of[values[0]]
        if any(
            self._storage_of[value] is not storage
            or value.kind == "producer"
            or value.execution
            or value.last_write > value.lower
            for value in values
        ):
            return False
        box = joined(result.dims, firsts_in_output(node), [box_of(value) for value in values])
        place = None if box is None else box.part
        if box is None or place is None or place.size != result.size:
            return False
        if not self._setting.permits(place) or not result.is_array_in(place):
            return False
        self._storage_of[result].values = []
        storage.values.append(result)
        self._storage_of[result] = storage
        result.start, result.levels = place.start, place.levels
        result.frame, result.first, _ = box
        result.made_of = tuple(value.name for value in values)
        return True

    def _unique(self, name: str) -> str:
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name

    # --- whose memory it shares -------------------------------------------------------------

    def _whole(self, tick: int, port: Port, value: Value) -> Value | None:
        """Find the value of which an output of Slice or Split is a part that can stay there."""
        if port.node not in self._without_copy:
            return None
        cut, source = self._setting.cut_at(port), self._read_by(port.node, 0)
        if cut is None or source is None or source.last_write >= tick or not value.size:
            return None
        place = cut.part.inside(source.part)
        if place is None or not self._setting.permits(place) or not value.is_array_in(place):
            return None
        value.view_of, value.start, value.levels = source.name, place.start, place.levels
        value.frame, value.first, _ = box_of(source).cut(cut.first, value.dims)
        return source

    def _is_part_of_outside(self, port: Port) -> bool:
        """Return whether an output is a part, not copied, of a value outside this memory.

        Code that wants tensors in one piece gets a copy, which is.
        """
        node = port.node
        if node not in self._without_copy:
            return False
        outputs = [Port(node, index) for index in range(node.get_nb_outputs())]
        if self._setting.options.contiguous or not self._life.outputs.isdisjoint(outputs):
            return False
        source = node.source(0)
        is_outside = source is None or source.node.type() == "Producer" or source in self._outside
        if not is_outside or self._read_by(node, 0) is not None:
            return False
        if any(self._setting.cut_at(each) is None for each in outputs):
            return False
        self._outside.add(port)
        return True

    def _source(self, tick: int, port: Port, value: Value) -> Value | None:
        """Find the value whose memory an output shares, and note how."""
        spec = port.node.get_operator().spec
        if port.node in self._apart:
            return None
        if spec.is_view and port.node.get_nb_inputs():
            source = self._read_by(port.node, 0)
            if source is not None and source.last_write < tick and _is_array_at(source, value):
                value.view_of = source.name
                return source
        for index in self._sorted_for_tiles(port, self._setting.overwrites(port.node)):
            source = self._read_by(port.node, index)
            write = (port.node, index)
            if source is not None and self._may_overwrite(tick, write, source, value):
                value.in_place_of = (source.name,)
                return source
        return None

    def _twin(self, port: Port, value: Value) -> Value | None:
        """Find the first output of a Memorize for its second one: both are one value."""
        node = port.node
        if node.get_operator().spec.cp is not CpModel.MEMORIZE:
            return None
        first = self._current.get(Port(node, 0))
        if first is not None and first.lower == value.lower and _is_array_at(first, value):
            value.view_of = first.name
            return first
        return None

    def _sorted_for_tiles(self, port: Port, inputs: Sequence[int]) -> Sequence[int]:
        """Begin with the input that lies in the largest value, for what a Concat puts together.

        Tiles lie beside each other over what they are cut from, not one of them over a smaller
        operand that all of them read.
        """
        if len(inputs) < 2 or {node.type() for node, _ in port.node.output(port.index)} != {
            "Concat"
        }:
            return inputs

        def around(index: int) -> int:
            source = self._read_by(port.node, index)
            storage = () if source is None else self._storage_of[source].values
            return max((each.size for each in storage), default=0)

        return sorted(inputs, key=around, reverse=True)

    def _read_by(self, node: Node, index: int) -> Value | None:
        """Find the value that an input reads; None when it is not in this memory."""
        if index >= node.get_nb_inputs():
            return None
        port = node.source(index)
        if port is not None and port in self._current:
            return self._current[port]
        return self._current.get(id(node.get_operator().get_input(index)))

    def _may_overwrite(self, tick: int, write: Write, source: Value, value: Value) -> bool:
        storage, node = self._storage_of[source], write[0]
        if not _is_array_at(source, value):
            return False
        rest = storage.needed_after(tick)
        is_part = storage.largest > source.size
        if is_part and (
            Avoid(write, even_alone=True) in self._avoided
            or (rest and Avoid(write, even_alone=False) in self._avoided)
        ):
            return False
        if not all(self._does_without(each, source, tick) for each in rest):
            return False
        overwrites = self._setting.overwrites(node)
        for index in range(node.get_nb_inputs()):
            other = self._read_by(node, index)
            if other is None or self._storage_of[other] is not storage or not meet(other, source):
                continue
            if other is not source or index not in overwrites:
                return False
        if any(
            read is not None and self._storage_of[read] is storage
            for part in self._setting.changes.fused_into(node)
            for read in (self._read_by(part, index) for index in range(part.get_nb_inputs()))
        ):
            return False
        if is_part:
            around = [each.upper for each in rest if meet(each, source)]
            is_scattered = bool(rest and source.levels)
            outlives = is_scattered and value.upper > max(around, default=tick + 1)
            self.part_writes.add(value, write, outlives=outlives)
        return True

    def _does_without(self, whole: Value, part: Value, tick: int) -> bool:
        """Return whether nothing after a tick reads the bytes of a value where a part lies.

        Slices may follow that stay where they are, and are other parts.
        """
        if not meet(whole, part):
            return True
        is_once = whole.kind == "input" or (
            whole.kind == "activation" and whole.last_write == whole.lower and not whole.execution
        )
        if not is_once or whole.is_kept or self._fused:
            return False
        later = [
            (reader, index)
            for reader, index in self._readers[whole]
            if (ticks := self._life.ticks_of(reader)) and ticks[-1] > tick
        ]
        return all(not index and self._stays_apart(reader, whole, part) for reader, index in later)

    def _stays_apart(self, reader: Node, whole: Value, part: Value) -> bool:
        """Return whether a node will cut another part out of a value, once, without a copy."""
        cut = self._setting.cut_at(Port(reader, 0)) if reader.type() == "Slice" else None
        if cut is None or reader not in self._without_copy or len(self._life.ticks_of(reader)) > 1:
            return False
        result = reader.get_operator().get_output(0)
        if box_of(whole).cut(cut.first, result.dims).meets(box_of(part)):
            return False
        place = cut.part.inside(whole.part)
        return (
            place is not None
            and place.size > 0
            and self._setting.permits(place)
            and place.strides(result.dims, result.dtype.itemsize) is not None
        )


def _is_array_at(source: Value, value: Value) -> bool:
    """Return whether a value fits to where another one lies, and is an array there."""
    if source.size != value.size:
        return False
    return not source.levels or value.is_array_in(source.part)

"""Where the operands of calls lie: buffers, inputs and parameters of the program, by symbol."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError
from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan.calls import SCRATCH
from aidge_nb.export.plan.parts import (
    ArenaBuffer,
    Copy,
    Parameter,
    Place,
    ProgramTensor,
    StaticArena,
)
from aidge_nb.export.plan.prepare import graph_inputs, known_inputs
from aidge_nb.export.plan.stretches import Spread, SpreadValues, Stretch
from aidge_nb.export.write.literals import SymbolTable, c_type
from aidge_nb.graph.node import Node, Port

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer as Planned
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]

NOTHING = Place("nothing")
"""A null pointer."""


class Addresses:
    """Symbols and places of everything that calls read and write.

    ``names`` hands out the symbols; ``last`` are the outputs whose channels lie side by side;
    ``outside`` are those that lie in an input of the program, so many bytes behind what their node
    reads; ``spread`` are those that lie in stretches, whose places are of the kind ``spread``.
    """

    def __init__(
        self,
        view: GraphView,
        memory: MemoryPlan,
        names: SymbolTable,
        last: Collection[Port] = (),
        outside: Mapping[Port, int] = MappingProxyType({}),
        spread: SpreadValues | None = None,
    ) -> None:
        self.view, self._names, self._outside = view, names, SymbolTable()
        self.last, self._outside_parts = frozenset(last), outside
        self.spread, self.tick = spread or SpreadValues(), 0
        self.node_names = view.unique_names()
        self.known = known_inputs(view)
        self.arrays: dict[str, Array] = {}
        self.parameters: dict[str, Parameter] = {}
        self._symbols: dict[str, str] = {}
        self._by_digest: dict[tuple[str, object], str] = {}
        self._of_tensor: dict[int, Place] = {}
        self._sources: dict[int, Place] = {}  # outside of the arena, of what is copied there
        self.inputs = self._find_inputs()
        self.arenas = _arenas(memory, names)
        self.planned = _by_output(memory)
        self.buffers: dict[tuple[str, int], ArenaBuffer] = {}  # where values are at this tick
        self.every_buffer: dict[str, ArenaBuffer] = {}
        self._born: dict[int, list[tuple[tuple[str, int], ArenaBuffer]]] = {}
        # whether some value lies elsewhere in another execution, or in stretches
        self.move = bool(self.spread.buffers)
        self._symbols_of: dict[str, list[str]] = {}  # by the name of a buffer in stretches
        self._spread_ports: dict[str, Port] = {}
        self._loaded: list[tuple[Node, Copy]] = []  # what is copied into the arena, for which node
        self._arrange()
        self._arrange_loads(memory)

    # --- what there is ----------------------------------------------------------------------

    def _find_inputs(self) -> tuple[ProgramTensor, ...]:
        given = self.view.annotations.get("input_names", ())
        groups = graph_inputs(self.view)
        found = []
        for number, group in enumerate(groups):
            node, index = group[0]
            tensor = node.get_operator().get_input(index)
            if tensor is None:
                raise ExportError.at(f"{node.label}, input#{index}", "has no dimensions")
            name = given[number] if len(given) == len(groups) else _port_name(node, index)
            c_type(tensor.dtype, f"{node.label}, input#{index}")
            value = ProgramTensor(self._outside.new(name), name, tensor.dtype, tuple(tensor.dims))
            found.append(value)
            self._of_tensor[id(tensor)] = Place("input", value.symbol)
        return tuple(found)

    def _arrange(self) -> None:
        nodes = {name: node for node, name in self.node_names.items()}
        for (name, output), planned in self.planned.items():
            node = nodes[name]
            if output < 0:
                value = ProgramTensor("", name, DType.uint8, (planned[0].size,))
                label = f"{name} scratch"
            else:
                tensor = node.get_operator().get_output(output)
                c_type(tensor.dtype, f"{node.label}, output#{output}")
                last = Port(node, output) in self.last
                by_rows = planned[0].rows > 0
                value = ProgramTensor("", name, tensor.dtype, tuple(tensor.dims), last, by_rows)
                label = name if output == 0 else f"{name} {output}"
            if Port(node, output) in self.spread.buffers:
                self._spread_ports[f"{name}:{output}"] = Port(node, output)
                for each in planned:
                    self._add_stretches(label, value, each)
                continue
            for group in _places(planned, output, value):
                self._add(label, value, group)

    def _add_stretches(self, label: str, value: ProgramTensor, planned: Planned) -> None:
        """Note a buffer that may wrap around, and may be a piece of its value."""
        if planned.levels:
            made = [self._add(label, value, [planned])]
        else:
            made = []
            for low, high in planned.intervals:
                dims = ((high - low) // value.dtype.itemsize,)
                own = replace(planned, offset=low, size=high - low, wrapped_size=0)
                flat = replace(value, dims=dims, channels_last=False, by_rows=False)
                made.append(self._add(label, flat, [own], is_first=not made))
            for one, other in pairwise(made):
                self.every_buffer[one.symbol] = one = replace(one, then=other.symbol)
        self._symbols_of[planned.name] = [each.symbol for each in made]

    def _add(
        self,
        label: str,
        value: ProgramTensor,
        planned: Sequence[Planned],
        *,
        is_first: bool = True,
    ) -> ArenaBuffer:
        """Note one place of a value, which holds it for some of its executions."""
        first = planned[0]
        arena = next(
            arena
            for arena in self.arenas
            if arena.base <= first.offset <= arena.base + arena.size
            and max(each.end for each in planned) <= arena.base + arena.size
        )
        made = ArenaBuffer(
            self._names.new(label),
            first.node,
            first.output,
            arena.symbol,
            first.offset - arena.base,
            value,
            min(each.lower for each in planned),
            max(each.upper for each in planned),
            first.levels,
        )
        self.every_buffer[made.symbol] = made
        if is_first:
            key = (first.node, first.output)
            self.move = self.move or key in self.buffers
            self.buffers.setdefault(key, made)
            self._born.setdefault(made.lower, []).append((key, made))
        return made

    def _arrange_loads(self, memory: MemoryPlan) -> None:
        """Note the inputs and parameters that are copied into the arena, to be read there."""
        nodes = {name: node for node, name in self.node_names.items()}
        for planned in memory.buffers:
            if planned.kind not in ("input", "producer") or not planned.size:
                continue
            node, is_input = nodes[planned.node], planned.kind == "input"
            operator = node.get_operator()
            tensor = operator.get_input(planned.output) if is_input else operator.get_output(0)
            if tensor is None:
                continue
            find = self.of_input if is_input else self.of_output
            source = self._sources.setdefault(id(tensor), find(node, planned.output))
            label = source.name if is_input else planned.node
            value = ProgramTensor("", label, tensor.dtype, tuple(tensor.dims))
            made = self._add(f"{label} there", value, [planned], is_first=False)
            copy = Copy(Place("arena", made.symbol), source, tensor.nbytes)
            self._loaded.append((node, copy))
            self._of_tensor[id(tensor)] = copy.target

    def loads(self, executed: Collection[Node]) -> list[Copy]:
        """Return the copies before the first tick: all but those of Producers in the order."""
        return [
            copy for node, copy in self._loaded if node.type() != "Producer" or node not in executed
        ]

    def type_of(self, place: Place) -> tuple[DType, tuple[int, ...]]:
        """Return the type and the dimensions of what is at a place in an arena."""
        value = self.every_buffer[place.name].value
        return value.dtype, value.dims

    def load(self, node: Node) -> list[Copy]:
        """Return what copies the parameter of a Producer into the arena."""
        return [copy for each, copy in self._loaded if each is node][:1]

    def go_to(self, tick: int) -> None:
        """Go to a tick, in order: what its node writes lies where it does in this execution."""
        self.tick = tick
        self.buffers.update(self._born.get(tick, ()))

    def outside_symbol(self, name: str) -> str:
        """Return a symbol that no other input or output of the program has."""
        return self._outside.new(name)

    def symbol_of(self, node: Node) -> str:
        """Return the symbol of a node: that of its first output."""
        name = self.node_names[node]
        if name not in self._symbols:
            first = self.buffers.get((name, 0))
            self._symbols[name] = self._names.new(name) if first is None else first.symbol
        return self._symbols[name]

    # --- where things are -------------------------------------------------------------------

    def of_output(self, node: Node, index: int) -> Place:
        """Return the place of an output; nothing for one that has no memory."""
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            return self._parameter(self.node_names[node], tensor.array, tensor)
        behind = self._outside_parts.get(Port(node, index))
        if behind is not None:
            whole = self.of_input(node, 0)
            return Place(whole.kind, whole.name, whole.offset + behind)
        name = self.node_names[node]
        if Port(node, index) in self.spread.buffers:
            return Place("spread", f"{name}:{index}")
        buffer = self.buffers.get((name, index))
        return NOTHING if buffer is None else Place("arena", buffer.symbol)

    def of_input(self, node: Node, index: int) -> Place:
        """Return the place of what an input reads; nothing where nothing is connected."""
        port = node.source(index)
        if port is not None:
            return self.of_output(port.node, port.index)
        tensor = node.get_operator().get_input(index)
        if tensor is None:
            return NOTHING
        if id(tensor) in self._of_tensor:
            return self._of_tensor[id(tensor)]
        known = self.known.get(Port(node, index))
        if known is None:
            return NOTHING
        return self._parameter(_port_name(node, index), known, tensor)

    def place_of(self, stretch: Stretch) -> Place:
        """Return where a stretch begins."""
        return Place("arena", self._symbols_of[stretch.buffer][stretch.number], stretch.offset)

    def there(self, place: Place, *, written: bool = False) -> Spread:
        """Return what is there at this tick of a value in stretches, or is written there now."""
        port = self._spread_ports[place.name]
        find = self.spread.written_at if written else self.spread.read_at
        return find(port, self.tick)

    def at_end(self, place: Place) -> Spread:
        """Return what is there in the end of a value in stretches."""
        return self.spread.at_end(self._spread_ports[place.name])

    def to_read(self, place: Place) -> Place:
        """Return the place that tells what is read: of a piece in a ring none, copies tell."""
        if place.kind != "spread":
            return place
        found = self.there(place).stretches
        in_ring = self._spread_ports[place.name] in self.spread.rings
        return NOTHING if in_ring or not found else self.place_of(replace(found[0], offset=0))

    def is_in_place_already(self, node: Node) -> bool:
        """Tell whether nothing is to do: all outputs are parts, or made of parts, of others.

        Slice and Split leave what they cut out where it is; the inputs of Concat were computed at
        their places in the result.
        """
        name = self.node_names[node]
        planned = [self.planned.get((name, index), []) for index in range(node.get_nb_outputs())]
        return any(planned) and all(
            buffer.view_of is not None or buffer.made_of for group in planned for buffer in group
        )

    def same_bytes(self, one: Place, other: Place) -> bool:
        """Tell whether two places are one."""
        return self._origin(one) == self._origin(other)

    def _origin(self, place: Place) -> tuple[object, ...]:
        if place.kind == "spread" and self._spread_ports[place.name] not in self.spread.rings:
            found = self.there(place, written=True).stretches
            return tuple((self._origin(self.place_of(each)), each.size) for each in found)
        if place.kind != "arena":
            return (place,)
        buffer = self.every_buffer[place.name]
        lies = (buffer.levels, buffer.value.by_rows)
        return (buffer.arena, buffer.offset + place.offset, place.strides, lies)

    def _parameter(self, name: str, array: Array, tensor: Tensor | None) -> Place:
        key = id(array) if tensor is None else id(tensor)
        if key not in self._of_tensor:
            self._of_tensor[key] = self.constant(name, array)
        return self._of_tensor[key]

    def constant(self, name: str, array: Array) -> Place:
        """Store an array as a parameter, once for all that have the same bytes."""
        found = np.ascontiguousarray(array)
        if found.dtype.byteorder == ">":
            found = found.astype(found.dtype.newbyteorder("<"))
        tensor = Tensor(found)
        if not found.size:
            return NOTHING
        digest = sha256(found.tobytes()).hexdigest()
        same = (digest, (tensor.dtype, tuple(tensor.dims)))
        if same not in self._by_digest:
            c_type(tensor.dtype, name)
            symbol = self._by_digest[same] = self._names.new(name)
            self.arrays[symbol] = found
            self.parameters[symbol] = Parameter(
                symbol, name, tensor.dtype, tuple(tensor.dims), digest=digest
            )
        return Place("parameter", self._by_digest[same])


def outputs_of(addresses: Addresses) -> tuple[tuple[ProgramTensor, ...], tuple[Place, ...]]:
    """Return the outputs of the program, and where each lies at the end.

    Places are of the kind ``spread`` where a step copies what lies in stretches.
    """
    view = addresses.view
    ports = view.get_ordered_outputs()
    given = view.annotations.get("output_names", ())
    values, places = [], []
    for number, port in enumerate(ports):
        tensor = port.node.get_operator().get_output(port.index)
        name = port.node.name() or port.node.type()
        if len(given) == len(ports):
            name = given[number]
        elif port.index:
            name = f"{name}_{port.index}"
        symbol = addresses.outside_symbol(name)
        values.append(ProgramTensor(symbol, name, tensor.dtype, tuple(tensor.dims)))
        places.append(addresses.of_output(*port))
    return tuple(values), tuple(places)


def _port_name(node: Node, index: int) -> str:
    return f"{node.name() or node.type()}_{node.input_name(index)}"


def _arenas(memory: MemoryPlan, names: SymbolTable) -> tuple[StaticArena, ...]:
    if not memory.memories:
        return (StaticArena(names.new("arena"), "", memory.peak),) if memory.peak else ()
    return tuple(
        StaticArena(names.new(use.name), use.name, use.peak, use.base, use.capacity)
        for use in memory.memories
        if use.peak
    )


def _places(
    planned: Sequence[Planned], output: int, value: ProgramTensor
) -> list[Sequence[Planned]]:
    """Group the buffers of an output by place; each is in one piece, or grows in its place."""
    if output < 0 or len({(each.offset, each.levels, each.rows) for each in planned}) == 1:
        return [planned]
    if all(each.size == value.nbytes for each in planned):
        return [[each] for each in planned]
    return [planned]  # it grows in its place


def _by_output(memory: MemoryPlan) -> dict[tuple[str, int], list[Planned]]:
    """Group the buffers of a plan by the output that they hold."""
    found: dict[tuple[str, int], list[Planned]] = {}
    for buffer in memory.buffers:
        if buffer.kind in ("activation", SCRATCH) and buffer.size:
            found.setdefault((buffer.node, buffer.output), []).append(buffer)
    return found

"""Firing the nodes of a graph one after the other, with its tensors bound to an arena."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel
from aidge_nb.runtime.arena.block import Arena
from aidge_nb.runtime.arena.outside import is_left_out, parts_outside
from aidge_nb.runtime.arena.ring_pieces import Rings
from aidge_nb.runtime.arena.row_by_row import forward_in_steps
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.runtime.passes import is_needed

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class FiringCheck:
    """What one execution did to the arena.

    Attributes
    ----------
    tick, node
        When, and which node.
    reads, writes
        Names of the buffers that it read and wrote.
    poisoned
        Bytes that were poisoned before.
    scratch
        Bytes of outputs that the kernel computed outside of the arena, to be copied there.
    """

    tick: int
    node: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    poisoned: int
    scratch: int


class Observer:
    """Looks at values as they are read and written; this one does nothing."""

    def reads(self, tick: int, node: Node, index: int, buffer: Buffer, value: Array) -> None:
        """Look at what an input reads, before the node runs."""

    def writes(self, tick: int, node: Node, index: int, buffer: Buffer, value: Array) -> None:
        """Look at what an output wrote, after the node ran."""


class Player:
    """Fires one node after the other, with the tensors of the graph bound to the arena."""

    def __init__(self, view: GraphView, plan: MemoryPlan, observer: Observer, arena: Arena) -> None:
        self.arena = arena
        self._plan, self._observer = plan, observer
        self._nodes = {name: node for node, name in view.unique_names().items()}
        self._held: dict[int, Buffer] = {}  # the buffer that a tensor of the graph is in, by id
        self._made: dict[tuple[str, int], Buffer] = {}  # the one that an output wrote last
        self._rings = Rings(plan.buffers, self._find)
        self._born = {
            (b.lower, b.node, b.output): b
            for b in plan.buffers
            if not _is_given(b) and not self._rings.owns(b)
        }
        self._planned = {(buffer.node, buffer.output) for buffer in plan.buffers}
        self._handed_out: set[int] = set()  # tensors that are parts of what lies elsewhere, by id
        self._loaded: dict[int, list[Buffer]] = {}
        self._living: list[Buffer] = []
        self._starting: dict[int, list[Buffer]] = {}
        executed = set(plan.order)
        for buffer in plan.buffers:
            self._find(buffer.node)
            self._starting.setdefault(buffer.lower, []).append(buffer)
            if _is_given(buffer):
                runs = buffer.kind == "producer" and buffer.node in executed
                self._loaded.setdefault(buffer.lower if runs else -1, []).append(buffer)
        for buffer in self._loaded.get(-1, ()):
            self._load(buffer)

    def _find(self, name: str) -> Node:
        node = self._nodes.get(name)
        if node is None:
            raise MemoryPlanError(
                explain(
                    f"memory plan, node {name}",
                    "is not in the graph",
                    found=f"a graph of {len(self._nodes)} nodes",
                    cure="Run a plan with the graph that it was made for.",
                )
            )
        return node

    def _load(self, buffer: Buffer) -> None:
        """Bring a parameter or an input of the graph to its place."""
        operator = self._find(buffer.node).get_operator()
        port = operator.get_input if buffer.kind == "input" else operator.get_output
        tensor = port(buffer.output)
        if tensor is None or not tensor.has_data:
            raise MemoryPlanError(
                explain(
                    f"buffer {buffer.name}",
                    f"this {buffer.kind} has no data to put there",
                    cure="Pass inputs=, or give the Producer its data.",
                )
            )
        self._put(buffer, tensor, tensor.array)

    def _put(self, buffer: Buffer, tensor: Tensor, array: Array) -> Array:
        placed = self.arena.store(buffer, array)
        tensor.set_array(placed)
        self._held[id(tensor)] = buffer
        return placed

    def fire(self, tick: int) -> FiringCheck:
        """Poison, read, run and write."""
        name = self._plan.order[tick]
        node = self._find(name)
        poisoned = self.arena.poison_all_but(self._alive(tick))
        if node.type() == "Producer":
            loaded = self._loaded.get(tick, [])
            for buffer in loaded:
                self._load(buffer)
            written = tuple(buffer.name for buffer in loaded)
            return FiringCheck(tick, name, (), written, poisoned, 0)
        if not is_needed(node):
            return FiringCheck(tick, name, (), (), poisoned, 0)
        reads = self._read(tick, node)
        self._clear_pieces(name, node)
        self._run(tick, name, node)
        writes, scratch = self._write(tick, name, node)
        if not self.arena.fence_stands():
            raise MemoryPlanError(explain(f"tick {tick}, {node.label}", "wrote beyond the arena"))
        return FiringCheck(tick, name, reads, writes, poisoned, scratch)

    def _alive(self, tick: int) -> list[Buffer]:
        """List what holds a value before a tick; ticks come one after the other."""
        self._living += self._starting.get(tick - 1, ())
        self._living = [buffer for buffer in self._living if buffer.upper > tick]
        return [*self._living, *(b for b in self._loaded.get(-1, ()) if b.lower == tick)]

    def _read(self, tick: int, node: Node) -> tuple[str, ...]:
        operator = node.get_operator()
        names = []
        # Of what Slice cuts where it is, the rest may have been overwritten.
        hands_on = node.type() != "Concat" and self._finds_in_place(tick, node)
        for index in range(operator.nb_inputs):
            tensor = operator.get_input(index)
            pieces = None if tensor is None else self._rings.of_tensor(tensor)
            if tensor is not None and pieces is not None:
                alive = pieces.alive(tick)
                whole = pieces.gathered(alive, self.arena)
                tensor.set_array(whole)
                for piece in alive:
                    self._observer.reads(tick, node, index, piece, pieces.of(piece, whole))
                    names.append(piece.name)
                continue
            buffer = None if tensor is None else self._held.get(id(tensor))
            if tensor is None or buffer is None:
                continue
            value = self.arena.view(buffer, tensor)
            tensor.set_array(value)
            if index or not hands_on:
                self._observer.reads(tick, node, index, buffer, value)
            names.append(buffer.name)
        return tuple(names)

    def _clear_pieces(self, name: str, node: Node) -> None:
        """Forget what a firing before computed of outputs that lie in pieces."""
        for index in range(node.get_nb_outputs()):
            pieces = self._rings.find(name, index)
            if pieces is not None:
                pieces.tensor.set_array(pieces.poison())

    def gather_outputs(self, view: GraphView) -> None:
        """Bring together what outputs of the graph hold in pieces, when all is done."""
        for port in view.get_ordered_outputs():
            tensor = port.node.get_operator().get_output(port.index)
            pieces = self._rings.of_tensor(tensor)
            if pieces is not None:
                kept = [each for each in pieces.buffers if each.upper == len(self._plan.order)]
                tensor.set_array(pieces.gathered(kept, self.arena))

    def _run(self, tick: int, name: str, node: Node) -> None:
        """Run a node; a kernel that can writes into the arena."""
        if self._hand_out(name, node):
            return
        if self._finds_in_place(tick, node):
            for index in range(node.get_nb_outputs()):
                there = node.get_operator().get_output(index)
                there.set_array(self.arena.view(self._born[tick, name, index], there))
            return
        impl = node.get_operator().get_impl()
        buffer = self._born.get((tick, name, 0))
        tensor = node.get_operator().get_output(0)
        with np.errstate(all="ignore"):
            if buffer is not None and is_in_steps(node, buffer):
                result = self.arena.view(buffer, tensor)
                forward_in_steps(node, result)
                tensor.set_array(result)
                return
            if not isinstance(impl, CpuImpl) or buffer is None or buffer.wrapped_size:
                node.forward()
                return
            impl.out = None if tensor.undefined else self.arena.view(buffer, tensor)
            try:
                node.forward()
            finally:
                impl.out = None

    def _hand_out(self, name: str, node: Node) -> bool:
        """Let outputs that the plan leaves out be parts of an input that lies elsewhere."""
        outputs = range(node.get_nb_outputs())
        if not is_left_out(node, ((name, index) in self._planned for index in outputs)):
            return False
        whole = node.get_operator().get_input(0)
        if whole is None or not whole.has_data or self.arena.owns(whole.array):
            return False
        for part, array in parts_outside(node, whole.array):
            part.set_array(array)
            self._handed_out.add(id(part))
        return True

    def _finds_in_place(self, tick: int, node: Node) -> bool:
        """Whether Slice, Split or Concat has nothing to do, since its outputs are there."""
        outputs = range(node.get_nb_outputs())
        name = self._plan.order[tick]
        return node.type() in ("Slice", "Split", "Concat") and all(
            _is_in_place(self._born.get((tick, name, index))) for index in outputs
        )

    def _buffer_of(self, tick: int, name: str, node: Node, index: int) -> Buffer | None:
        """Find where an output goes; one without a buffer of this tick grows in an earlier one."""
        buffer = self._born.get((tick, name, index)) or self._made.get((name, index))
        if buffer is None and _is_memorize(node):  # in Aidge's layouts its outputs are one
            return self._born.get((tick, name, 0))
        return buffer

    def _write(self, tick: int, name: str, node: Node) -> tuple[tuple[str, ...], int]:
        names, scratch = [], 0
        for index in range(node.get_nb_outputs()):
            tensor = node.get_operator().get_output(index)
            pieces = self._rings.find(name, index)
            if pieces is not None:
                scratch += tensor.nbytes
                for piece in pieces.written(tick):
                    value = self.arena.store(piece, pieces.of(piece, tensor.array))
                    self._observer.writes(tick, node, index, piece, value)
                    names.append(piece.name)
                continue
            buffer = self._buffer_of(tick, name, node, index)
            if not tensor.has_data:
                continue
            if buffer is None:
                if self.arena.owns(tensor.array):  # handed on, to somewhere else than the arena
                    tensor.set_array(tensor.array.copy())
                is_free = index in node.get_operator().spec.optional_outputs
                if not is_free and id(tensor) not in self._handed_out:
                    scratch += tensor.nbytes
                continue
            self._made[name, index] = buffer
            if not self.arena.owns(tensor.array):
                scratch += tensor.nbytes
            elif index == 0 and is_in_steps(node, buffer):
                scratch += tensor.nbytes // max(1, _steps(node, buffer))
            value = self._put(buffer, tensor, tensor.array)
            self._observer.writes(tick, node, index, buffer, value)
            names.append(buffer.name)
        return tuple(names), scratch


def _is_memorize(node: Node) -> bool:
    return node.get_operator().spec.cp is CpModel.MEMORIZE


def _steps(node: Node, buffer: Buffer) -> int:
    """Count the rows or lines in which an output is computed."""
    from aidge_nb.memory.live.by_rows import works_by_lines

    dims = node.get_operator().get_output(0).dims
    return prod(dims[:-1]) if works_by_lines(node) else buffer.rows * dims[0]


def is_in_steps(node: Node, buffer: Buffer) -> bool:
    """Whether a node must consume its input row by row or line by line: its output is over it."""
    from aidge_nb.memory.live.by_rows import works_by_lines

    if not buffer.in_place_of or buffer.wrapped_size or node.get_operator().spec.overwrites:
        return False
    return bool(buffer.rows) or works_by_lines(node)


def _is_in_place(buffer: Buffer | None) -> bool:
    """Whether a value is there before its node runs: a part of a whole, or the whole of parts."""
    if buffer is None or buffer.wrapped_size:
        return False
    return buffer.view_of is not None or bool(buffer.made_of)


def _is_given(buffer: Buffer) -> bool:
    return buffer.kind in ("input", "producer")

"""Fire the nodes of a graph in the arena of its memory plan.

At each tick a node reads its inputs where the plan puts them and writes its outputs to theirs. A
kernel that takes ``out=`` writes into the arena directly, perhaps over its own input; the results
of others are copied there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel
from aidge_nb.memory.live.by_rows import works_by_lines
from aidge_nb.memory.live.sharing import first_in_input
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.runtime.arena.block import Arena
from aidge_nb.runtime.arena.rings import find_pieces
from aidge_nb.runtime.arena.rows import forward_in_steps
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.scheduling.executor import Access, NodeExecutor, Observer

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

Array = NDArray[Any]


def _arena_of(plan: MemoryPlan) -> Arena:
    """Make the arena of a plan; name its largest buffer where memory does not suffice."""
    try:
        return Arena(plan.peak)
    except (MemoryError, ValueError) as error:  # NumPy also refuses sizes that none can have
        largest = max(plan.buffers, key=lambda buffer: buffer.size)
        raise MemoryPlanError.at(
            f"buffer {largest.name} of {largest.size} bytes",
            "not enough memory for the arena that it lies in",
            found=f"{plan.peak} bytes",
            cure="Give this process more memory, or the graph smaller dimensions.",
        ) from error


class ArenaExecutor(NodeExecutor):
    """Fire the nodes of a graph at the ticks of a plan, with its tensors bound to an arena."""

    def __init__(
        self, view: GraphView, plan: MemoryPlan, observers: Sequence[Observer] = ()
    ) -> None:
        check_is_plan(plan)
        self.plan, self.arena = plan, _arena_of(plan)
        self._view = view
        self._nodes = {name: node for node, name in view.unique_names().items()}
        super().__init__([self._node_of(name) for name in plan.order], observers)
        outputs = Counter((b.node, b.output) for b in plan.buffers if b.kind == "activation")
        several = any(count > 1 for count in outputs.values())
        self._pieces = find_pieces(plan.buffers, self.tensor_of) if several else {}
        self._held: dict[int, Buffer] = {}  # the buffer in which a tensor lies, by its id
        self._made: dict[tuple[Node, int], Buffer] = {}  # the last one that an output wrote
        self._born: dict[tuple[int, Node, int], Buffer] = {}
        for buffer in plan.buffers:
            node = self._node_of(buffer.node)
            if buffer.kind != "input" and id(self.tensor_of(buffer)) not in self._pieces:
                self._born[buffer.lower, node, buffer.output] = buffer
        self._planned = {id(self.tensor_of(b)) for b in plan.buffers if b.kind != "input"}
        self._outside: set[int] = set()  # ids of tensors that view something outside of the arena

    # --- binding ----------------------------------------------------------------------------

    def _node_of(self, name: str) -> Node:
        node = self._nodes.get(name)
        if node is None:
            raise MemoryPlanError.at(
                f"memory plan, node {name}",
                "is not in the graph",
                found=f"a graph of {len(self._nodes)} nodes",
                cure="Run a plan with the graph that it was made for.",
            )
        return node

    def tensor_of(self, buffer: Buffer) -> Tensor:
        """Return the tensor of the graph that lies in a buffer."""
        operator = self._node_of(buffer.node).get_operator()
        is_input = buffer.kind == "input"
        tensors = operator.get_inputs() if is_input else operator.get_outputs()
        tensor = tensors[buffer.output] if buffer.output < len(tensors) else None
        if tensor is None:
            where, kind = f"buffer {buffer.name}", "input" if is_input else "output"
            problem = f"{buffer.node} has no tensor at {kind}#{buffer.output}"
            raise MemoryPlanError.at(where, problem, cure="Plan memory for this graph.")
        return tensor

    def fixed_arrays(self) -> dict[int, Array]:
        """Return the arrays of all tensors in the arena, by id; refuse plans that move them."""
        arrays = {}
        for buffer in self.plan.buffers:
            if buffer.wrapped_size or buffer.rows:
                raise MemoryPlanError.at(
                    f"buffer {buffer.name}",
                    "does not lie in memory as an array does",
                    found="wrapped around" if buffer.wrapped_size else "row by row",
                    cure="Plan memory without by_rows=True; run_in_arena() runs such a plan.",
                )
            tensor = self.tensor_of(buffer)
            arrays[id(tensor)] = self.arena.view(buffer, tensor)
        return arrays

    def outputs(self) -> tuple[Array, ...]:
        """Return copies of the outputs of the graph, in their order."""
        found = []
        for port in self._view.get_ordered_outputs():
            tensor = port.node.get_operator().get_output(port.index)
            pieces = self._pieces.get(id(tensor))
            if pieces is None:
                found.append(np.array(tensor.array))
            else:
                kept = [each for each in pieces.buffers if each.upper == len(self.order)]
                found.append(pieces.gather(kept, self.arena))
        return tuple(found)

    # --- running ----------------------------------------------------------------------------

    def run(self) -> None:
        """Load what is there before the first tick, and fire all ticks."""
        for buffer in loaded_first(self.plan):
            self._load_buffer(buffer)
        super().run()

    def _load(self, tick: int) -> None:
        node = self.order[tick]
        for index in range(node.get_nb_outputs()):
            buffer = self._born.get((tick, node, index))
            if buffer is not None:
                self._notify_write(Access(tick, node, index, self._load_buffer(buffer), buffer))

    def _load_buffer(self, buffer: Buffer) -> Array:
        """Copy a parameter or an input of the graph into the arena."""
        tensor = self.tensor_of(buffer)
        if not tensor.has_data:
            raise MemoryPlanError.at(
                f"buffer {buffer.name}",
                f"this {buffer.kind} has no data to put there",
                cure="Pass inputs=, or give the Producer its data.",
            )
        return self._put(buffer, tensor)

    def _put(self, buffer: Buffer, tensor: Tensor) -> Array:
        placed = self.arena.store(buffer, tensor.array)
        tensor.set_array(placed)
        self._held[id(tensor)] = buffer
        return placed

    def _read(self, tick: int, node: Node) -> None:
        # Of what Slice cuts where it lies, the rest may have been overwritten.
        reads_first = node.type() == "Concat" or not self._lies_there(tick, node)
        for index, tensor in enumerate(node.get_operator().get_inputs()):
            pieces = self._pieces.get(id(tensor))
            if tensor is not None and pieces is not None:
                alive = pieces.alive(tick)
                whole = pieces.gather(alive, self.arena)
                tensor.set_array(whole)
                for piece in alive:
                    cut = partial(pieces.cut, piece)
                    self._notify_read(Access(tick, node, index, cut(whole), piece, cut=cut))
                continue
            buffer = self._held.get(id(tensor))
            if tensor is not None and buffer is not None:
                value = self.arena.view(buffer, tensor)
                tensor.set_array(value)
                seen = value if index or reads_first else None
                self._notify_read(Access(tick, node, index, seen, buffer))
        for tensor in node.get_operator().get_outputs():
            pieces = self._pieces.get(id(tensor))
            if pieces is not None:  # forget what the last firing computed
                tensor.set_array(pieces.gather((), self.arena))

    def _compute(self, tick: int, node: Node) -> None:
        """Run a node; a kernel that can writes into the arena."""
        if self._view_outside(node):
            return
        if self._lies_there(tick, node):
            for index, there in enumerate(node.get_operator().get_outputs()):
                there.set_array(self.arena.view(self._born[tick, node, index], there))
            return
        impl = node.get_operator().get_impl()
        buffer, tensor = self._born.get((tick, node, 0)), node.get_operator().get_output(0)
        if buffer is not None and is_in_steps(node, buffer):
            result = self.arena.view(buffer, tensor)
            forward_in_steps(node, result)
            tensor.set_array(result)
        elif not isinstance(impl, CpuImpl) or buffer is None or buffer.wrapped_size:
            node.forward()
        else:
            impl.out = None if tensor.undefined() else self.arena.view(buffer, tensor)
            try:
                node.forward()
            finally:
                impl.out = None

    def _view_outside(self, node: Node) -> bool:
        """Let outputs that the plan leaves out view an input that lies outside of the arena."""
        if not is_left_out(node, self._planned):
            return False
        whole = node.get_operator().get_input(0)
        if whole is None or not whole.has_data or self.arena.owns(whole.array):
            return False
        for part, array in parts_outside(node, whole.array):
            part.set_array(array)
            self._outside.add(id(part))
        return True

    def _lies_there(self, tick: int, node: Node) -> bool:
        """Tell whether the outputs of Slice, Split or Concat lie in place without computing."""
        if node.type() not in ("Slice", "Split", "Concat"):
            return False
        born = [self._born.get((tick, node, index)) for index in range(node.get_nb_outputs())]
        return all(b and not b.wrapped_size and (b.view_of or b.made_of) for b in born)

    def _buffer_of(self, tick: int, node: Node, index: int) -> Buffer | None:
        """Find where an output goes; one without a buffer of this tick grows in an earlier one."""
        buffer = self._born.get((tick, node, index)) or self._made.get((node, index))
        if buffer is None and node.get_operator().spec.cp is CpModel.MEMORIZE:
            return self._born.get((tick, node, 0))  # in Aidge's layouts its outputs are one
        return buffer

    def _write(self, tick: int, node: Node) -> None:
        for index, tensor in enumerate(node.get_operator().get_outputs()):
            pieces = self._pieces.get(id(tensor))
            if pieces is not None:
                buffer, value, cut = pieces.written(tick), None, None
                if buffer is not None:
                    cut = partial(pieces.cut, buffer)
                    value = self.arena.store(buffer, cut(tensor.array))
                self._notify_write(Access(tick, node, index, value, buffer, tensor.nbytes, cut))
            elif tensor.has_data:
                buffer = self._buffer_of(tick, node, index)
                scratch = self._scratch(node, index, tensor, buffer)
                if buffer is not None:
                    self._made[node, index] = buffer
                    self._put(buffer, tensor)
                elif self.arena.owns(tensor.array):  # passed on to somewhere outside
                    tensor.set_array(tensor.array.copy())
                self._notify_write(Access(tick, node, index, tensor.array, buffer, scratch))

    def _scratch(self, node: Node, index: int, tensor: Tensor, buffer: Buffer | None) -> int:
        """Count the bytes of an output that were computed outside of the arena."""
        if buffer is None:
            is_free = index in node.get_operator().spec.optional_outputs
            return 0 if is_free or id(tensor) in self._outside else tensor.nbytes
        if not self.arena.owns(tensor.array):
            return tensor.nbytes
        if index or not is_in_steps(node, buffer):
            return 0
        dims = tensor.dims
        steps = prod(dims[:-1]) if works_by_lines(node) else buffer.rows * dims[0]
        return tensor.nbytes // max(1, steps)


def check_is_plan(plan: object) -> None:
    """Refuse anything that is not a memory plan."""
    if not isinstance(plan, MemoryPlan):
        inside = isinstance(getattr(plan, "plan", None), MemoryPlan)
        raise MemoryPlanError.at(
            "plan",
            "is not a memory plan",
            expected="a MemoryPlan",
            found=type(plan).__name__,
            cure="Pass its .plan." if inside else "Make one: plan_memory(graph).",
        )


def loaded_first(plan: MemoryPlan) -> list[Buffer]:
    """List the inputs and parameters that are loaded before the first tick."""
    executed = set(plan.order)
    return [
        buffer
        for buffer in plan.buffers
        if buffer.kind == "input" or (buffer.kind == "producer" and buffer.node not in executed)
    ]


def is_in_steps(node: Node, buffer: Buffer) -> bool:
    """Tell whether a node must overwrite its input row by row or line by line."""
    if not buffer.in_place_of or buffer.wrapped_size or node.get_operator().spec.overwrites:
        return False
    return bool(buffer.rows) or works_by_lines(node)


def is_left_out(node: Node, planned: Container[int]) -> bool:
    """Tell whether a plan holds no output of a Slice or Split, given the ids of its tensors.

    It reads them where they lie then, outside of the arena; nothing is ever written there.
    """
    outputs = node.get_operator().get_outputs()
    return node.type() in ("Slice", "Split") and not any(id(each) in planned for each in outputs)


def parts_outside(node: Node, whole: Array) -> Iterator[tuple[Tensor, Array]]:
    """Return the outputs of a Slice or Split, and their views of the array that it cuts."""
    for index, part in enumerate(node.get_operator().get_outputs()):
        first = first_in_input(node, index)
        if first is None:
            raise MemoryPlanError.at(
                f"{node.label}, output#{index}",
                "is not in the plan, and is not a box of the input that it is cut out of",
                cure="Plan memory for this graph, with these constants.",
            )
        ends = zip(first, part.dims, strict=True)
        yield part, whole[tuple(slice(start, start + size) for start, size in ends)]

"""Check a memory plan by running the model in its arena and comparing every bit.

First the nodes run in their order with every value in an array of its own, and all values are kept.
Then they run in the arena, where each value that is read or written must have the same bits. The
first that differs is reported, with the buffers that overwrote it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.runtime.arena.block import Arena
from aidge_nb.runtime.arena.executor import ArenaExecutor, is_in_steps
from aidge_nb.runtime.arena.rows import forward_in_steps
from aidge_nb.runtime.arena.run import ArenaRun, run_in_arena
from aidge_nb.runtime.passes import kept_tensors, set_inputs
from aidge_nb.scheduling.executor import Access, NodeExecutor, Observer, occupied, start_pass

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]
TickAndPort = tuple[int, int]  # a tick, and the number of an input or output of its node


def check_execution(
    graph: GraphView, plan: MemoryPlan, inputs: Sequence[Tensor | ArrayLike] | None = None
) -> ArenaRun:
    """Run a model in the arena of its plan, and compare every value with an ordinary run.

    Parameters
    ----------
    graph, plan, inputs
        As for :func:`~aidge_nb.runtime.run_in_arena`.

    Returns
    -------
    ArenaRun
        The run, in which all values were right.

    Raises
    ------
    MemoryPlanError
        At the first value that differs, with its tick, node and buffer, and the likely reason.

    Examples
    --------
    >>> import aidge_nb
    >>> from dataclasses import replace
    >>> view = aidge_nb.sequential([aidge_nb.Softmax(0, name="a"), aidge_nb.Tanh(name="b")])
    >>> view.set_backend("cpu")
    >>> view.forward_dims([[2]])
    True
    >>> plan = aidge_nb.plan_memory(view, view.topological_order())
    >>> check_execution(view, plan, [[0.0, 0.0]])
    ArenaRun(2 firings, touched 8 of 8 bytes, scratch 8 bytes)
    """
    executor = ArenaExecutor(graph, plan)
    values = _Values()
    with occupied(graph.get_nodes(), graph.name()), kept_tensors(graph):
        set_inputs(graph, inputs)
        start_pass(graph)
        _Apart(executor, plan, values).run()
    return run_in_arena(graph, plan, inputs, observers=[_Comparison(plan, values)])


class _Apart(NodeExecutor):
    """Run in the order of a plan, each value in an array of its own."""

    def __init__(self, planned: ArenaExecutor, plan: MemoryPlan, values: _Values) -> None:
        super().__init__(planned.order, [values])
        self._buffers = {
            (buffer.lower, id(planned.tensor_of(buffer))): buffer
            for buffer in plan.buffers
            if buffer.kind == "activation"
        }

    def _compute(self, tick: int, node: Node) -> None:
        tensor = node.get_operator().get_output(0)
        buffer = self._buffers.get((tick, id(tensor)))
        if buffer is not None and is_in_steps(node, buffer):
            result = np.empty(tensor.dims, tensor.dtype.numpy)
            forward_in_steps(node, result)
            tensor.set_array(result)
        else:
            node.forward()

    def _write(self, tick: int, node: Node) -> None:
        for tensor in node.get_operator().get_outputs():
            buffer = self._buffers.get((tick, id(tensor)))
            if buffer is not None and tensor.has_data and (buffer.rows or buffer.levels):
                # In rows or blocks as planned: sums depend in their last bits on the order.
                own = replace(buffer, offset=0)
                tensor.set_array(Arena(own.end).store(own, tensor.array))
        super()._write(tick, node)


class _Values(Observer):
    """Keep copies of all values that are read and written."""

    def __init__(self) -> None:
        self.read: dict[TickAndPort, Array] = {}
        self.written: dict[TickAndPort, Array] = {}
        self._copies: dict[int, tuple[Array, Array]] = {}  # by the id of the array

    def reads(self, access: Access) -> None:
        """Keep what is read: the copy that was made when it was written, if any."""
        array = access.value
        if array is not None:
            if id(array) not in self._copies:
                self._copies[id(array)] = (array, array.copy())
            self.read[access.tick, access.index] = self._copies[id(array)][1]

    def writes(self, access: Access) -> None:
        """Keep a copy."""
        array = access.value
        if array is not None:
            copy = self.written[access.tick, access.index] = array.copy()
            self._copies[id(array)] = (array, copy)


class _Comparison(Observer):
    """Compare each value with that of the ordinary run."""

    def __init__(self, plan: MemoryPlan, values: _Values) -> None:
        self._plan, self._values = plan, values

    def reads(self, access: Access) -> None:
        """Compare what is read."""
        buffer, difference = access.buffer, _difference(self._values.read, access)
        if buffer is None or not difference:
            return
        raise MemoryPlanError.at(
            f"tick {access.tick}, {access.node.label}, input#{access.index}",
            f"buffer {buffer.name} was overwritten before it was read",
            expected=difference,
            found=self._suspects(buffer, access.tick),
            cure="The plan reuses bytes that are still needed.",
        )

    def writes(self, access: Access) -> None:
        """Compare what was written."""
        buffer, difference = access.buffer, _difference(self._values.written, access)
        if buffer is None or not difference:
            return
        over = ", ".join(buffer.in_place_of)
        raise MemoryPlanError.at(
            f"tick {access.tick}, {access.node.label}, output#{access.index}",
            f"buffer {buffer.name} got other values than in a memory of its own",
            expected=difference,
            found=f"written over {over}" if over else "it reads bytes without a value",
            cure="Plan it with in_place=False."
            if over
            else "The plan has no buffer for one of its inputs.",
        )

    def _suspects(self, buffer: Buffer, tick: int) -> str:
        """Say what was written over the bytes of a buffer since it was written."""
        over = [
            f"{other.name} (tick {other.lower})"
            for other in self._plan.buffers
            if other is not buffer
            and buffer.lower <= other.lower < tick
            and any(max(a, c) < min(b, d) for a, b in buffer.intervals for c, d in other.intervals)
        ]
        if over:
            return f"written over by {', '.join(over)}"
        if tick >= buffer.upper:
            return f"poison: its live range [{buffer.lower}, {buffer.upper}) had ended"
        return "other bits"


def _difference(values: dict[TickAndPort, Array], access: Access) -> str:
    """Say how a value, or the piece in a buffer, differs from that of the ordinary run."""
    whole = values.get((access.tick, access.index))
    if whole is None or access.value is None:
        return ""
    expected = whole if access.cut is None else access.cut(whole)
    found = access.value
    is_alike = found.shape == expected.shape and found.dtype == expected.dtype
    if is_alike and np.array_equal(_bytes_of(found), _bytes_of(expected)):
        return ""
    return _first_difference(expected, found)


def _bytes_of(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _first_difference(expected: Array, found: Array) -> str:
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"{expected.dtype}{list(expected.shape)}, not {found.dtype}{list(found.shape)}"
    size = expected.itemsize
    wrong = (_bytes_of(expected) != _bytes_of(found)).reshape(-1, size).any(axis=1)
    first = int(np.argmax(wrong))
    right, is_there = expected.reshape(-1)[first], np.ascontiguousarray(found).reshape(-1)[first]
    words = f"{right:.6g}", f"{is_there:.6g}"  # the last digits depend on the machine
    if words[0] == words[1]:
        words = str(right), str(is_there)
    return f"element {first} = {words[0]}, not {words[1]} ({int(wrong.sum())} differ)"

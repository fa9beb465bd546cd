"""The strongest check of a memory plan: run the model in its arena and compare every bit.

First the executions run in their order with every value in an array of its own, and all values are
kept. Then they run in the arena. Whatever is read or written there must have the bits that it had
before; the first value that differs is named, with what lies on its bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.runtime.arena.binding import check_is_plan
from aidge_nb.runtime.arena.block import Arena
from aidge_nb.runtime.arena.player import Observer, is_in_steps
from aidge_nb.runtime.arena.ring_pieces import Rings
from aidge_nb.runtime.arena.row_by_row import forward_in_steps
from aidge_nb.runtime.arena.run import ArenaRun, execute_in_arena
from aidge_nb.runtime.passes import is_needed, kept_tensors, set_inputs, start_pass

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Array = NDArray[Any]
Values = dict[tuple[int, int], Array]


def check_execution(
    view: GraphView, plan: MemoryPlan, inputs: Sequence[Tensor | ArrayLike] | None = None
) -> ArenaRun:
    """Run a model in the arena of its plan, with poison, and compare it with an ordinary run.

    Parameters
    ----------
    view, plan, inputs
        As for :func:`~aidge_nb.runtime.run_in_arena`.

    Returns
    -------
    ArenaRun
        The run, all of whose values are right.

    Raises
    ------
    MemoryPlanError
        Naming the first tick, node and buffer whose value differs, and why it may.

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
    check_is_plan(plan)
    with kept_tensors(view):
        set_inputs(view, inputs)
        read, written = _ordinary_values(view, plan)
    nodes = {name: node for node, name in view.unique_names().items()}
    rings = Rings(plan.buffers, nodes.__getitem__)
    return execute_in_arena(view, plan, inputs, _Comparison(plan, read, written, rings))


def _ordinary_values(view: GraphView, plan: MemoryPlan) -> tuple[Values, Values]:
    """Run in the order of a plan; keep what inputs read and outputs wrote, by tick and port."""
    order = plan.order
    born = {(b.lower, b.node, b.output): b for b in plan.buffers if b.kind == "activation"}
    nodes = {name: node for node, name in view.unique_names().items()}
    missing = [name for name in order if name not in nodes]
    if missing:
        raise MemoryPlanError(
            explain(
                f"memory plan, node {missing[0]}",
                "is not in the graph",
                found=f"a graph of {len(nodes)} nodes",
                cure="Run a plan with the graph that it was made for.",
            )
        )
    read: Values = {}
    written: Values = {}
    kept: dict[int, tuple[Array, Array]] = {}
    start_pass(view)
    for tick, name in enumerate(order):
        node = nodes[name]
        operator = node.get_operator()
        if node.type() == "Producer" or not is_needed(node):
            continue
        for index in range(operator.nb_inputs):
            tensor = operator.get_input(index)
            if tensor is not None and tensor.has_data:
                read[tick, index] = _frozen(tensor.array, kept)
        _run_alone(node, born.get((tick, name, 0)))
        for index in range(operator.nb_outputs):
            buffer = born.get((tick, name, index))
            if operator.get_output(index).has_data:
                if buffer is not None and (buffer.rows or buffer.levels):
                    _lay_out(operator.get_output(index), buffer)
                written[tick, index] = operator.get_output(index).array.copy()
                array = operator.get_output(index).array
                kept[id(array)] = (array, written[tick, index])
    return read, written


def _run_alone(node: Node, buffer: Buffer | None) -> None:
    with np.errstate(all="ignore"):
        if buffer is not None and is_in_steps(node, buffer):
            tensor = node.get_operator().get_output(0)
            result = np.empty(tensor.dims, tensor.dtype.numpy)
            forward_in_steps(node, result)
            tensor.set_array(result)
        else:
            node.forward()


def _lay_out(tensor: Tensor, buffer: Buffer) -> None:
    """Move a value to a memory of its own, in rows or blocks as its buffer has it.

    Sums depend in their last bits on the order in memory.
    """
    own = replace(buffer, offset=0)
    tensor.set_array(Arena(own.end).store(own, tensor.array))


def _frozen(array: Array, kept: dict[int, tuple[Array, Array]]) -> Array:
    """Give a copy of an array, the one that was made when it was written if there is one."""
    if id(array) not in kept:
        kept[id(array)] = (array, array.copy())
    return kept[id(array)][1]


class _Comparison(Observer):
    """Compares each value with the one of the ordinary run."""

    def __init__(self, plan: MemoryPlan, read: Values, written: Values, rings: Rings) -> None:
        self._plan, self._read, self._written, self._rings = plan, read, written, rings

    def _of(self, whole: Array | None, buffer: Buffer) -> Array | None:
        """Give what should be in a buffer: all of an output, or a piece."""
        pieces = self._rings.find(buffer.node, buffer.output)
        return whole if whole is None or pieces is None else pieces.of(buffer, whole)

    def reads(self, tick: int, node: Node, index: int, buffer: Buffer, value: Array) -> None:
        expected = self._of(self._read.get((tick, index)), buffer)
        if expected is not None and not _same_bits(value, expected):
            raise MemoryPlanError(
                explain(
                    f"tick {tick}, {node.label}, input#{index}",
                    f"buffer {buffer.name} was overwritten before it was read",
                    expected=_first_difference(expected, value),
                    found=self._suspects(buffer, tick),
                    cure="The layout gives bytes away that are still needed.",
                )
            )

    def writes(self, tick: int, node: Node, index: int, buffer: Buffer, value: Array) -> None:
        expected = self._of(self._written.get((tick, index)), buffer)
        if expected is not None and not _same_bits(value, expected):
            raise MemoryPlanError(
                explain(
                    f"tick {tick}, {node.label}, output#{index}",
                    f"buffer {buffer.name} got other values than in a memory of its own",
                    expected=_first_difference(expected, value),
                    found=f"written over {', '.join(buffer.in_place_of)}"
                    if buffer.in_place_of
                    else "it reads what is not there",
                    cure="Plan it with in_place=False."
                    if buffer.in_place_of
                    else "Some input of it has no place in the layout.",
                )
            )

    def _suspects(self, buffer: Buffer, tick: int) -> str:
        """Name what was written over the bytes of a buffer since it began."""
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


def _same_bits(first: Array, second: Array) -> bool:
    return (
        first.shape == second.shape
        and first.dtype == second.dtype
        and np.array_equal(_bytes_of(first), _bytes_of(second))
    )


def _bytes_of(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _first_difference(expected: Array, found: Array) -> str:
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"{expected.dtype}{list(expected.shape)}, not {found.dtype}{list(found.shape)}"
    size = expected.itemsize
    wrong = (_bytes_of(expected) != _bytes_of(found)).reshape(-1, size).any(axis=1)
    first = int(np.argmax(wrong))
    right, is_there = expected.reshape(-1)[first], np.ascontiguousarray(found).reshape(-1)[first]
    return f"element {first} = {right!s}, not {is_there!s} ({int(wrong.sum())} differ)"

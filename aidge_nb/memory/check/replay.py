"""Check a memory plan by replaying the executions in an arena that remembers who wrote.

Every unit of memory carries the number of the value that was written there last. Before a node
runs, all bytes of what it reads must still carry the right numbers. This proves the live ranges
too, which :func:`~aidge_nb.memory.check_plan` takes for granted.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.memory.check.shared import Sharing
from aidge_nb.ops.coded import as_numbers, kind_of
from aidge_nb.ops.rules import slices_of

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView, Node, Port
    from aidge_nb.memory.values.plan import Buffer, MemoryPlan

Addresses = NDArray[np.int64]

_BY_LINES = {"Softmax", "LogSoftmax", "LayerNorm", "RMSNormalization", "LpNormalization"}
"""Operators of which a line may take the place of the one it was computed from."""


def check_replay(plan: MemoryPlan, view: GraphView, order: Sequence[Node] | None = None) -> None:
    """Replay the executions of a plan in its arena, and check that nothing is overwritten too soon.

    Parameters
    ----------
    plan
        A plan of :func:`~aidge_nb.memory.plan_memory`.
    view
        The graph that it was made for.
    order
        The node of each execution; if given, the plan must be for this order.

    Raises
    ------
    MemoryPlanError
        Naming the execution whose input was overwritten, and by what.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.memory import plan_memory
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
    >>> view.forward_dims([[1, 4]])
    True
    >>> check_replay(plan_memory(view), view)
    """
    replay = _Replay(plan, view)
    nodes = {name: node for node, name in replay.names.items()}
    with_producers = any(buffer.kind == "producer" for buffer in plan.buffers)
    executed = [nodes[name] for name in plan.order if name in nodes]
    if order is not None:
        executed = [node for node in order if with_producers or node.type() != "Producer"]
    if [replay.names[node] for node in executed] != list(plan.order):
        expected = f"{len(plan.order)} ticks"
        raise MemoryPlanError.at("memory plan", "is for another order", expected=expected)
    for buffer in plan.buffers:
        if buffer.kind == "input" or (buffer.kind == "producer" and not replay.runs(buffer)):
            replay.write(buffer)
    for tick, node in enumerate(executed):
        replay.read_inputs(tick, node)
        replay.write_outputs(tick, node)
    for node, index in view.get_ordered_outputs():
        if node in executed:
            replay.read((replay.names[node], index), f"output {index} of {node.label} at the end")


class _Replay:
    def __init__(self, plan: MemoryPlan, view: GraphView) -> None:
        self.names = view.unique_names()
        self._plan = plan
        edges = [edge for buffer in plan.buffers for part in buffer.intervals for edge in part]
        self._unit = gcd(*edges) or 1
        self._arena = np.full(plan.peak // self._unit + 1, -1, dtype=np.int64)
        self._by_name = {buffer.name: buffer for buffer in plan.buffers}
        self._sharing = Sharing(plan)
        self._number = {buffer.name: i for i, buffer in enumerate(plan.buffers)}
        self._of: dict[tuple[str, int], list[Buffer]] = {}
        for buffer in plan.buffers:
            if buffer.kind != "input":
                self._of.setdefault((buffer.node, buffer.output), []).append(buffer)
        self._inputs = {
            (self.names[port.node], port.index): buffer
            for group in view.get_input_groups()
            for buffer in plan.buffers
            if buffer.kind == "input"
            and (buffer.node, buffer.output) in {(self.names[p.node], p.index) for p in group}
            for port in group
        }
        self._latest: dict[tuple[str, int], Buffer] = {}

    def runs(self, buffer: Buffer) -> bool:
        return buffer.node in self._plan.order

    def write(self, buffer: Buffer) -> None:
        """Mark the bytes of a value; a view changes nothing, for its bytes are there."""
        if buffer.kind != "input":
            self._latest[buffer.node, buffer.output] = buffer
        for start, stop in () if buffer.view_of or buffer.made_of else buffer.intervals:
            self._arena[start // self._unit : stop // self._unit] = self._number[buffer.name]

    def read(self, port: tuple[str, int], where: str) -> None:
        buffer = self._latest.get(port)
        if buffer is not None:
            self._expect(buffer, where)

    def _expect(self, buffer: Buffer, where: str) -> None:
        original = self._sharing.original(buffer)
        contents = [self._number[name] for name in self._contents(original)]
        for start, stop in buffer.intervals:
            found = self._arena[start // self._unit : stop // self._unit]
            wrong = np.flatnonzero(~np.isin(found, contents))
            if wrong.size:
                other = int(found[wrong[0]])
                raise MemoryPlanError.at(
                    where,
                    f"buffer {buffer.name} was overwritten",
                    expected=original.name,
                    found=self._plan.buffers[other].name if other >= 0 else "nothing",
                )

    def _contents(self, buffer: Buffer) -> list[str]:
        """Name who wrote the bytes of a value: its parts, where it was put together in place."""
        if not buffer.made_of:
            return [buffer.name]
        parts = [self._sharing.original(self._by_name[name]) for name in buffer.made_of]
        return [name for part in parts for name in self._contents(part)]

    def read_inputs(self, tick: int, node: Node) -> None:
        if self._hands_on(tick, node):
            return
        for index in range(node.get_nb_inputs()):
            port = node.source(index)
            where = f"tick {tick}, input#{index} of {node.label}"
            if port is not None and port.node in self.names:
                if not node.parent_is_back_edge(index):
                    self._check_is_there(port, where)
                self.read((self.names[port.node], port.index), where)
            elif (self.names[node], index) in self._inputs:
                self._expect(self._inputs[self.names[node], index], where)
        self._check_joined(tick, node)

    def _hands_on(self, tick: int, node: Node) -> bool:
        """Check that parts which are handed on where they are hold what they are parts of.

        The rest of it is not read: it may have been overwritten.
        """
        name = self.names[node]
        outputs = [self._of.get((name, index), []) for index in range(node.get_nb_outputs())]
        parts = [each for found in outputs for each in found if each.lower == tick]
        whole = None if node.type() not in ("Slice", "Split") else self._read_by(node, 0)
        if whole is None or len(parts) < len(outputs) or not all(part.view_of for part in parts):
            return False
        where = f"tick {tick}, {node.label}"
        for part in parts:
            if part.view_of != whole.name:
                problem = f"buffer {part.name} is a view of {part.view_of}, which it does not read"
                raise MemoryPlanError.at(where, problem, expected=whole.name)
            self._expect(part, f"tick {tick}, input#0 of {node.label}")
        _check_cut(where, node, whole, parts)
        return True

    def _check_joined(self, tick: int, node: Node) -> None:
        """Check that what is made of its inputs where they are is what Concat makes of them."""
        found = self._of.get((self.names[node], 0), [])
        made = next((each for each in found if each.lower == tick and each.made_of), None)
        if made is None or node.type() != "Concat":
            return
        read = [self._read_by(node, index) for index in range(node.get_nb_inputs())]
        parts = [part for part in read if part is not None]
        where = f"tick {tick}, {node.label}"
        if tuple(part.name for part in parts) != made.made_of:
            names = ", ".join(made.made_of)
            problem = f"buffer {made.name} is made of {names}, which are not what it reads"
            expected = ", ".join(part.name for part in parts)
            raise MemoryPlanError.at(where, problem, expected=expected)
        _check_concat(where, node, made, parts)

    def _read_by(self, node: Node, index: int) -> Buffer | None:
        """Find the buffer that an input reads."""
        port = node.source(index)
        if port is None:
            return self._inputs.get((self.names[node], index))
        if port.node not in self.names:
            return None
        return self._latest.get((self.names[port.node], port.index))

    def _check_is_there(self, port: Port, where: str) -> None:
        """Check that what has no buffer is a parameter, or a part of what has none either."""
        if (self.names[port.node], port.index) in self._latest or self._is_outside(port):
            return
        raise MemoryPlanError.at(
            where,
            "reads what has no buffer",
            expected=f"one for {port.node.label}, output#{port.index}",
            cure="Plan memory for this graph.",
        )

    def _is_outside(self, port: Port | None) -> bool:
        while port is not None and port.node.type() in ("Slice", "Split"):
            if (self.names[port.node], port.index) in self._of:
                return False
            first = (self.names[port.node], 0)
            port = port.node.source(0)
            if port is None:
                return first not in self._inputs
        return port is not None and port.node.type() == "Producer"

    def write_outputs(self, tick: int, node: Node) -> None:
        for index in range(node.get_nb_outputs()):
            for buffer in self._of.get((self.names[node], index), ()):
                grows = buffer.lower < tick < buffer.upper and buffer.kind == "activation"
                is_alone = len(self._of[self.names[node], index]) == 1
                if buffer.lower == tick or (grows and is_alone):
                    self._check_in_place(tick, node, buffer)
                    self.write(buffer)

    def _check_in_place(self, tick: int, node: Node, buffer: Buffer) -> None:
        """Check that what is overwritten is an input that the declaration permits to overwrite."""
        spec = node.get_operator().spec
        if not buffer.in_place_of or buffer.lower != tick:
            return
        for index in spec.in_place:
            source = self._read_by(node, index)
            if source is not None and buffer.in_place_of == (source.name,):
                _check_same_place(tick, node, buffer, source)
                return
        if buffer.rows or kind_of(node) in _BY_LINES:
            source = self._read_by(node, 0)
            if source is not None and buffer.in_place_of == (source.name,):
                _check_rows(tick, node, buffer, source)
                return
        raise MemoryPlanError.at(
            f"tick {tick}, {node.label}",
            f"may not be computed in the place of {', '.join(buffer.in_place_of)}",
            expected=f"one of inputs {list(spec.in_place)}",
        )


def _check_same_place(tick: int, node: Node, buffer: Buffer, source: Buffer) -> None:
    """Check that each element takes the place of the one it is computed from."""
    if buffer.wrapped_size or source.wrapped_size or buffer.intervals == source.intervals:
        return
    raise MemoryPlanError.at(
        f"tick {tick}, {node.label}",
        f"buffer {buffer.name} does not lie where {source.name} does, over which it is written",
        expected=f"{source.size} bytes at {source.offset}",
        found=f"{buffer.size} bytes at {buffer.offset}",
    )


def _check_rows(tick: int, node: Node, buffer: Buffer, source: Buffer) -> None:
    """Check that no row of the output lies on an input row that a later one needs."""
    operator = node.get_operator()
    if kind_of(node) in _BY_LINES:
        _check_lines(tick, node, buffer, source)
        return
    attrs = as_numbers(node).get_operator().attr.dict()
    data, result = operator.get_input(0) or Tensor(), operator.get_output(0)
    stride = int(attrs.get("stride_dims", (1,))[0])
    above = int(attrs.get("padding_dims", (0,))[0])
    line_in = source.size // (data.dims[0] * data.dims[2])
    line_out = buffer.size // (result.dims[0] * result.dims[2])
    rows = [
        sample * data.dims[2] + min(data.dims[2], max(0, row * stride - above))
        for sample in range(result.dims[0])
        for row in range(result.dims[2])
    ]
    for number, needed in enumerate(rows[1:], 1):
        written, intact = buffer.offset + number * line_out, source.offset + needed * line_in
        if written > intact and buffer.offset < source.end:
            raise MemoryPlanError.at(
                f"tick {tick}, {node.label}",
                f"row {number - 1} of buffer {buffer.name} lies on a row of {source.name} "
                f"that row {number} needs",
                expected=f"{source.name} {written - intact} bytes further up",
                found=f"offset {source.offset}",
            )


def _check_lines(tick: int, node: Node, buffer: Buffer, source: Buffer) -> None:
    """Check that each line of the output lies where its own input line lies."""
    rank = node.get_operator().get_output(0).ndim
    is_last = int(as_numbers(node).get_operator().attr.axis) in (-1, rank - 1)
    if not is_last or buffer.intervals != source.intervals or buffer.rows != source.rows:
        raise MemoryPlanError.at(
            f"tick {tick}, {node.label}",
            f"cannot take the place of {source.name} line by line",
            expected="the same place, and an axis that is the last one",
            found=f"offsets {buffer.offset} and {source.offset}",
        )


def _check_cut(where: str, node: Node, whole: Buffer, parts: Sequence[Buffer]) -> None:
    """Check that the outputs of a Slice or Split lie where they are in what it cuts."""
    operator = node.get_operator()
    cut = _addresses(whole, operator.get_input(0) or Tensor())
    if node.type() == "Slice":
        right = [cut[_kept(node, cut.shape)]]
    else:
        axis = int(operator.attr.axis)
        sizes = [operator.get_output(i).dims[axis] for i in range(operator.nb_outputs)]
        right = np.split(cut, np.cumsum(sizes)[:-1], axis)
    for part in parts:
        found = _addresses(part, operator.get_output(part.output))
        if not np.array_equal(found, right[part.output]):
            raise _misplaced(where, part, f"a part of {whole.name}")


def _check_concat(where: str, node: Node, whole: Buffer, parts: Sequence[Buffer]) -> None:
    """Check that the inputs of a Concat lie where they are in its output."""
    operator = node.get_operator()
    given = [
        _addresses(part, operator.get_input(index) or Tensor()) for index, part in enumerate(parts)
    ]
    right = np.concatenate(given, int(operator.attr.axis))
    if not np.array_equal(_addresses(whole, operator.get_output(0)), right):
        names = ", ".join(part.name for part in parts)
        raise _misplaced(where, whole, f"made of {names}")


def _misplaced(where: str, buffer: Buffer, what: str) -> MemoryPlanError:
    problem = f"buffer {buffer.name} is {what}, but lies elsewhere"
    return MemoryPlanError.at(where, problem, found=f"offset {buffer.offset}")


def _addresses(buffer: Buffer, tensor: Tensor) -> Addresses:
    """Return the address of each element of a tensor that lies in a buffer."""
    step = tensor.dtype.itemsize
    lines = [np.arange(start, stop, step) for start, stop in buffer.intervals]
    return np.concatenate(lines).reshape(tensor.dims)


def _kept(node: Node, dims: Sequence[int]) -> tuple[Any, ...]:
    """Return the NumPy slices of what a Slice keeps, along each axis."""
    operator = node.get_operator()
    given = []
    for index, name in enumerate(("starts", "ends", "axes", "steps"), 1):
        tensor = operator.get_input(index)
        values = operator.attr[name] if tensor is None else np.ravel(tensor.array)
        given.append([int(value) for value in values])
    starts, ends, axes, steps = given
    taken = slices_of(dims, starts, ends, axes, steps, node.label)
    return tuple(slice(start, start + count * step, step) for start, count, step in taken)

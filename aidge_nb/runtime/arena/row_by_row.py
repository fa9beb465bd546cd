"""Computing an operator row by row or line by line, so that its output may run over its input.

What is needed for one row of the output is taken (padding added), the ordinary kernel computes that
row, and the row is written. Nothing but the rows that are still in the input is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.node import Node
from aidge_nb.ops.place import place_in
from aidge_nb.runtime.backends.cpu import CpuImpl

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator
    from aidge_nb.memory.live.by_rows import RowWindow

Array = NDArray[Any]


def forward_in_steps(node: Node, result: Array) -> None:
    """Compute output 0 of a node into ``result``, which may lie over input 0: by lines or rows.

    Raises
    ------
    MemoryPlanError
        When the operator cannot be computed so.
    """
    from aidge_nb.memory.live.by_rows import works_by_lines

    if works_by_lines(node):
        _forward_by_lines(node, result)
    else:
        _forward_by_rows(node, result)


def _forward_by_lines(node: Node, result: Array) -> None:
    operator = node.get_operator()
    data, *others = (operator.get_input(index) for index in range(operator.nb_inputs))
    arrays = [None if each is None or not each.has_data else each.array for each in others]
    impl = make_implementation("cpu", operator)
    lines = data.array if data is not None else result
    for place in np.ndindex(*lines.shape[:-1]):
        line = tuple(slice(index, index + 1) for index in place)
        result[line] = impl.run([lines[line], *arrays])[0]


def _forward_by_rows(node: Node, result: Array) -> None:
    from aidge_nb.memory.live.by_rows import row_window

    operator, window = node.get_operator(), row_window(node)
    tensor = operator.get_input(0)
    if window is None or tensor is None:
        raise MemoryPlanError(
            explain(node.label, "cannot be computed row by row, as its plan wants it")
        )
    inner = _inner(operator)
    impl = make_implementation("cpu", inner)
    if isinstance(impl, CpuImpl):
        impl.needs_optional_outputs = False
    others = [operator.get_input(index) for index in range(1, inner.nb_inputs)]
    arrays = [None if each is None or not each.has_data else each.array for each in others]
    left, right, fill = _columns(operator, tensor.array)
    for sample in range(window.batch):
        data, target = tensor.array[sample : sample + 1], result[sample : sample + 1]
        for row in range(window.rows_out):
            lines = _lines(data, window, row, left, right, fill)
            if isinstance(impl, CpuImpl):
                impl.place = place_in(inner, (sample, 0, row, 0), result.shape)
            target[:, :, row : row + 1, :] = impl.run([lines, *arrays])[0]


def _inner(operator: Operator) -> Operator:
    """Find the operator behind the padding."""
    if operator.micro_graph is None:
        return operator
    port = operator.micro_graph.get_ordered_outputs()[0]
    return port.node.get_operator()


def _columns(operator: Operator, data: Array) -> tuple[int, int, Any]:
    """Give the columns to add on the left and on the right, and what is added."""
    if operator.micro_graph is None:
        return 0, 0, 0
    pads = operator.attr.padding_dims
    fill: Any = 0
    if "MaxPooling" in operator.type():
        fill = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return int(pads[1]), int(pads[3]), fill


def _lines(data: Array, window: RowWindow, row: int, left: int, right: int, fill: Any) -> Array:
    """Take the input rows that one output row needs, with their padding."""
    start = row * window.stride - window.above
    stop = start + (window.size - 1) * window.dilation + 1
    lines = data[:, :, max(0, start) : min(window.rows_in, stop), :]
    above, below = max(0, -start), max(0, stop - window.rows_in)
    pads = ((0, 0), (0, 0), (above, below), (left, right))
    return np.pad(lines, pads, constant_values=fill) if any(map(any, pads)) else lines

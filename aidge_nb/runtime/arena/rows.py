"""Compute an operator row by row or line by line, so that its output may overwrite its input.

For each row of the output, the input rows that it needs are copied (with padding), the ordinary
kernel computes the row from them, and the row is written. Only input rows that are not yet
overwritten are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.node import Node
from aidge_nb.memory.live.by_rows import RowWindow, row_window, works_by_lines
from aidge_nb.ops.coded import twin_of
from aidge_nb.ops.place import place_in
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.tiling.ranges import Range, index_of
from aidge_nb.tiling.rules import steps_of
from aidge_nb.tiling.tile_nodes import recipes_of

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator

Array = NDArray[Any]


def forward_in_steps(node: Node, result: Array) -> None:
    """Compute output 0 of a node into ``result``, which may lie over input 0, by lines or rows."""
    if works_by_lines(node):
        _forward_by_lines(node, result)
    else:
        _forward_by_rows(node, result)


def _forward_by_lines(node: Node, result: Array) -> None:
    operator = node.get_operator()
    data, *others = _arrays(operator, operator.nb_inputs)
    impl = make_implementation("cpu", operator)
    lines = result if data is None else data
    for place in np.ndindex(*lines.shape[:-1]):
        line = tuple(slice(index, index + 1) for index in place)
        result[line] = impl.run([lines[line], *others])[0]


def _forward_by_rows(node: Node, result: Array) -> None:
    operator, window = node.get_operator(), row_window(node)
    inner = _inner(operator)
    if window is not None and twin_of(node) is not None:
        _forward_coded(node, window, result)
        return
    source, *others = _arrays(operator, inner.nb_inputs)
    if window is None or source is None:
        raise MemoryPlanError.at(node.label, "cannot be computed row by row, as its plan requires")
    impl = make_implementation("cpu", inner)
    if isinstance(impl, CpuImpl):
        impl.needs_optional_outputs = False
    left, right, fill = _columns(operator, source)
    for sample in range(window.batch):
        data, target = source[sample : sample + 1], result[sample : sample + 1]
        for row in range(window.rows_out):
            lines = _lines(data, window, row, left, right, fill)
            if isinstance(impl, CpuImpl):
                impl.place = place_in(inner, (sample, 0, row, 0), result.shape)
            target[:, :, row : row + 1, :] = impl.run([lines, *others])[0]


def _forward_coded(node: Node, window: RowWindow, result: Array) -> None:
    """Compute an operator on codes, each row as a tile of one row."""
    find, recipe = steps_of(node), recipes_of(node)
    arrays = _arrays(node.get_operator(), node.get_nb_inputs())
    _, channels, _, columns = result.shape
    for sample in range(window.batch):
        for row in range(window.rows_out):
            ends = ((sample, sample + 1), (0, channels), (row, row + 1), (0, columns))
            part = find(tuple(Range(*each) for each in ends))
            tile = recipe(part).make().get_operator()
            tile.set_backend("cpu")
            impl = tile.get_impl() or make_implementation("cpu", tile)
            cut = {index: index_of(region) for index, region in part.inputs.items()}
            given = [each if each is None else each[cut[i]] for i, each in enumerate(arrays)]
            result[index_of(part.output)] = impl.run(given)[0]


def _arrays(operator: Operator, count: int) -> list[Array | None]:
    tensors = operator.get_inputs()[:count]
    return [None if each is None or not each.has_data else each.array for each in tensors]


def _inner(operator: Operator) -> Operator:
    """Return the operator that follows the padding."""
    if operator.micro_graph is None:
        return operator
    port = operator.micro_graph.get_ordered_outputs()[0]
    return port.node.get_operator()


def _columns(operator: Operator, data: Array) -> tuple[int, int, Any]:
    """Return how many columns to add left and right, and their value."""
    if operator.micro_graph is None:
        return 0, 0, 0
    pads = operator.attr.padding_dims
    fill: Any = 0
    if "MaxPooling" in operator.type():
        fill = -np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min
    return int(pads[1]), int(pads[3]), fill


def _lines(data: Array, window: RowWindow, row: int, left: int, right: int, fill: Any) -> Array:
    """Return the input rows that one output row needs, with their padding."""
    start = row * window.stride - window.above
    stop = start + (window.size - 1) * window.dilation + 1
    lines = data[:, :, max(0, start) : min(window.rows_in, stop), :]
    above, below = max(0, -start), max(0, stop - window.rows_in)
    pads = ((0, 0), (0, 0), (above, below), (left, right))
    return np.pad(lines, pads, constant_values=fill) if any(map(any, pads)) else lines

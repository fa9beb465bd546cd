"""Check that Slice, Split and Concat without copies have the right bytes.

Slow and obvious: the address of every element is written down, and cut or concatenated as the
elements would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.ops.rules import slices_of

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.values.plan import Buffer

Addresses = NDArray[np.int64]


def check_cut(where: str, node: Node, whole: Buffer, parts: Sequence[Buffer]) -> None:
    """Check that the outputs of a Slice or Split lie where they are in what it cuts.

    Raises
    ------
    MemoryPlanError
        Naming the output that lies elsewhere.
    """
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
            raise MemoryPlanError(_misplaced(where, part, f"a part of {whole.name}"))


def check_joined(where: str, node: Node, whole: Buffer, parts: Sequence[Buffer]) -> None:
    """Check that the inputs of a Concat lie where they are in its output.

    Raises
    ------
    MemoryPlanError
        Naming the output.
    """
    operator = node.get_operator()
    given = [
        _addresses(part, operator.get_input(index) or Tensor()) for index, part in enumerate(parts)
    ]
    right = np.concatenate(given, int(operator.attr.axis))
    if not np.array_equal(_addresses(whole, operator.get_output(0)), right):
        names = ", ".join(part.name for part in parts)
        raise MemoryPlanError(_misplaced(where, whole, f"made of {names}"))


def _misplaced(where: str, buffer: Buffer, what: str) -> str:
    return explain(
        where,
        f"buffer {buffer.name} is {what}, but lies elsewhere",
        found=f"offset {buffer.offset}",
    )


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

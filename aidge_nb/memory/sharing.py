"""Parts of values: what Slice and Split cut out and Concat puts together, without moving a byte.

Along one axis, with steps of one, a part is a number of blocks: one for each position of the
dimensions before the axis. Where these are all 1, it is one block, as convenient as any buffer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.storages import Storage, Value
    from aidge_nb.tensor import Tensor

__all__ = ["Part", "concat_parts", "gather", "has_one_type", "has_parts", "part_of_input"]


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part begins in the whole, in bytes; its blocks, and the bytes between them."""

    start: int
    blocks: int
    stride: int


def has_parts(order: Sequence[Node]) -> list[Node]:
    """Find the nodes that cut or concatenate and run once, in order."""
    times = Counter(order)
    return [
        node
        for node, count in times.items()
        if count == 1 and node.type() in ("Concat", "Slice", "Split")
    ]


def _part(whole: Tensor, axis: int, first: int) -> Part:
    dims = whole.dims
    inner = prod(dims[axis + 1 :]) * whole.dtype.itemsize
    blocks = prod(dims[:axis])
    return Part(first * inner, blocks, dims[axis] * inner if blocks > 1 else 0)


def concat_parts(node: Node) -> list[Part]:
    """Give the place of each input in the result of a Concat."""
    operator = node.get_operator()
    whole = operator.get_output(0)
    axis = int(operator.attr.axis) % len(whole.dims)
    inputs = [operator.get_input(index) for index in range(operator.nb_inputs)]
    sizes = [0 if tensor is None else tensor.dims[axis] for tensor in inputs]
    return [_part(whole, axis, first) for first in accumulate(sizes[:-1], initial=0)]


def has_one_type(node: Node) -> bool:
    """Whether all inputs of a node have the element type of output 0: nothing is converted."""
    operator = node.get_operator()
    inputs = (operator.get_input(index) for index in range(operator.nb_inputs))
    return {None if each is None else each.dtype for each in inputs} == {
        operator.get_output(0).dtype
    }


def part_of_input(node: Node, output: int) -> Part | None:
    """Give the place of an output of Slice or Split in input 0; None where it is no such part."""
    operator = node.get_operator()
    whole, part = operator.get_input(0), operator.get_output(output)
    if whole is None or whole.undefined or part.undefined or whole.ndim != part.ndim:
        return None
    axes = [
        i for i, sizes in enumerate(zip(whole.dims, part.dims, strict=True)) if len({*sizes}) > 1
    ]
    if len(axes) != 1:
        return None
    if operator.type() == "Split":
        before = (operator.get_output(index).dims[axes[0]] for index in range(output))
        return _part(whole, axes[0], sum(before))
    first = _first_of_slice(node, axes[0], whole.dims[axes[0]])
    return None if first is None else _part(whole, axes[0], first)


def _first_of_slice(node: Node, axis: int, size: int) -> int | None:
    """Find where a Slice with steps of one begins along an axis."""
    operator = node.get_operator()
    given = {}
    for index, name in enumerate(("starts", "ends", "axes", "steps"), 1):
        tensor, port = operator.get_input(index), node.input(index)
        if tensor is None:
            given[name] = [int(value) for value in operator.attr[name]]
        elif tensor.has_data and port is not None and port.node.type() == "Producer":
            given[name] = np.ravel(tensor.array).astype(int).tolist()
        else:
            return None
    rank = len(operator.get_output(0).dims)
    axes = [each % rank for each in given["axes"] or range(len(given["starts"]))]
    steps = given["steps"] or [1] * len(axes)
    if axis not in axes or any(step != 1 for step in steps):
        return None
    first = given["starts"][axes.index(axis)]
    return min(max(first + size if first < 0 else first, 0), size)


def gather(
    result: Value, parts: Sequence[Part], inputs: Sequence[tuple[Value, Storage]]
) -> Storage | None:
    """Put the storages of the inputs of a Concat where the result wants them.

    Returns
    -------
    Storage or None
        One storage of all, or None, with nothing changed, when some input cannot be computed at
        its place: it shares memory with something else than what fits there, it is a parameter,
        or it comes twice.
    """
    storages = [storage for _, storage in inputs]
    if len({id(storage) for storage in storages}) < len(storages):
        return None
    for part, (value, storage) in zip(parts, inputs, strict=True):
        if not _fits(part, value, storage):
            return None
    whole = storages[0].__class__()
    for part, storage in zip(parts, storages, strict=True):
        for each in storage.values:
            each.start += part.start
            if part.blocks > 1:
                each.blocks, each.stride = part.blocks, part.stride
        whole.values += storage.values
        storage.values = []
    result.made_of = tuple(value.name for value, _ in inputs)
    whole.values.append(result)
    return whole


def _fits(part: Part, value: Value, storage: Storage) -> bool:
    """Whether all that shares memory with an input of Concat can lie at its place."""
    for each in storage.values:
        if each.kind == "producer" or each.execution or each.last_write > each.lower:
            return False
        if part.blocks == 1:
            fits = each.start + each.extent <= value.size
        else:  # every line of it lies apart: only values of the same lines can follow
            fits = each.size == value.size and each.blocks == 1 and each.view_of is None
        if not fits:
            return False
    return value.start == 0 and value.blocks == 1 and value.size > 0

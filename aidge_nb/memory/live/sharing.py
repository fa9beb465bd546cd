"""Parts of values: outputs of Slice and Split and inputs of Concat that share memory.

With steps of one, what is cut out is a box of the whole, and so is what is put together. Boxes of
boxes are boxes: nests of these operators, along any axes, lie in one memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aidge_nb.memory.values.part import Part

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.values.storages import Storage, Value

Write = tuple["Node", int]
"""A node, and the input over which it writes its output."""


def has_parts(order: Sequence[Node]) -> list[Node]:
    """Find the nodes that cut or concatenate and run once, in order."""
    times = Counter(order)
    return [
        node
        for node, count in times.items()
        if count == 1 and node.type() in ("Concat", "Slice", "Split")
    ]


def concat_parts(node: Node) -> list[Part]:
    """Return the place of each input in the result of a Concat."""
    operator = node.get_operator()
    whole = operator.get_output(0)
    inputs = [operator.get_input(index) for index in range(operator.nb_inputs)]
    return [
        Part.box(whole.dims, first, () if tensor is None else tensor.dims, whole.dtype.itemsize)
        for first, tensor in zip(firsts_in_output(node), inputs, strict=True)
    ]


def firsts_in_output(node: Node) -> list[tuple[int, ...]]:
    """Return the element of the result at which each input of a Concat begins, by axis."""
    operator = node.get_operator()
    rank = operator.get_output(0).ndim
    axis = int(operator.attr.axis) % rank
    inputs = [operator.get_input(index) for index in range(operator.nb_inputs)]
    sizes = [0 if tensor is None else tensor.dims[axis] for tensor in inputs]
    starts = accumulate(sizes[:-1], initial=0)
    return [tuple(start if each == axis else 0 for each in range(rank)) for start in starts]


def has_one_type(node: Node) -> bool:
    """Return whether all inputs of a node have the element type of output 0."""
    operator = node.get_operator()
    inputs = (operator.get_input(index) for index in range(operator.nb_inputs))
    return {None if each is None else each.dtype for each in inputs} == {
        operator.get_output(0).dtype
    }


def part_of_input(node: Node, output: int) -> Part | None:
    """Return the place of an output of Slice or Split in input 0; None if it is not a part."""
    whole, part = node.get_operator().get_input(0), node.get_operator().get_output(output)
    first = first_in_input(node, output)
    if whole is None or first is None:
        return None
    return Part.box(whole.dims, first, part.dims, whole.dtype.itemsize)


def first_in_input(node: Node, output: int) -> list[int] | None:
    """Return the element of input 0 at which an output of Slice or Split begins, by axis.

    None where the output is not a box of input 0.
    """
    operator = node.get_operator()
    whole, part = operator.get_input(0), operator.get_output(output)
    if whole is None or whole.undefined() or part.undefined() or whole.ndim != part.ndim:
        return None
    if operator.type() == "Slice":
        return _first_of_slice(node, whole.dims)
    axis = int(operator.attr.axis) % whole.ndim
    first = [0] * whole.ndim
    first[axis] = sum(operator.get_output(index).dims[axis] for index in range(output))
    return first


def _first_of_slice(node: Node, dims: Sequence[int]) -> list[int] | None:
    """Find where a Slice with steps of one begins along each axis."""
    operator = node.get_operator()
    given = {}
    for index, name in enumerate(("starts", "ends", "axes", "steps"), 1):
        tensor, port = operator.get_input(index), node.source(index)
        if tensor is None:
            given[name] = [int(value) for value in operator.attr[name]]
        elif tensor.has_data and port is not None and port.node.type() == "Producer":
            given[name] = np.ravel(tensor.array).astype(int).tolist()
        else:
            return None
    if any(step != 1 for step in given["steps"]):
        return None
    first = [0] * len(dims)
    axes = given["axes"] or range(len(given["starts"]))
    for axis, start in zip(axes, given["starts"], strict=True):
        size = dims[axis]
        first[axis] = min(max(start + size if start < 0 else start, 0), size)
    return first


def gather(
    result: Value,
    parts: Sequence[Part],
    inputs: Sequence[tuple[Value, Storage]],
    permits: Callable[[Part], bool],
) -> Storage | None:
    """Put the storages of the inputs of a Concat where the result wants them.

    Returns
    -------
    Storage or None
        One storage of all, or None, with nothing changed, when some input cannot be computed at
        its place: it shares memory with something else than what fits there, it is a parameter,
        it comes twice, or ``permits`` does not permit its place.
    """
    storages = [storage for _, storage in inputs]
    if len({id(storage) for storage in storages}) < len(storages):
        return None
    places: list[Part] = []
    for part, (value, storage) in zip(parts, inputs, strict=True):
        found = _places(part, value, storage)
        if found is None or not all(map(permits, found)):
            return None
        places += found
    whole = storages[0].__class__()
    for storage in storages:
        whole.values += storage.values
        storage.values = []
    for each, place in zip(whole.values, places, strict=True):
        each.start, each.levels = place.start, place.levels
    result.made_of = tuple(value.name for value, _ in inputs)
    whole.values.append(result)
    return whole


def _places(part: Part, value: Value, storage: Storage) -> list[Part] | None:
    """Find where all lies that shares memory with an input of Concat, if that is in its place."""
    if value.start or value.levels or not value.size:
        return None
    places = []
    for each in storage.values:
        if each.kind == "producer" or each.execution or each.last_write > each.lower:
            return None
        place = each.part.inside(part)
        if place is None or not each.is_array_in(place):
            return None
        places.append(place)
    return places


class Avoid(NamedTuple):
    """A write over a part to avoid: always, or while something else lies in the whole."""

    write: Write
    even_alone: bool


class PartWrites:
    """The writes over parts of one walk, and whether they paid off."""

    def __init__(self) -> None:
        self._sources: dict[Value, tuple[Value, ...]] = {}
        self._writes: dict[Value, Write] = {}
        self._outliving: dict[Value, Write] = {}
        self._avoided: set[Avoid] = set()

    def add(self, value: Value, write: Write, *, outlives: bool) -> None:
        """Note that a value lies over a part of a whole.

        What is scattered over more memory than it needs, and ``outlives`` the whole there, must be
        worth it: it has to become part of a result.
        """
        self._writes[value] = write
        if outlives:
            self._outliving[value] = write

    def comes_from(self, value: Value, *sources: Value) -> None:
        """Note whose memory a value shares."""
        self._sources[value] = sources

    def worked(self, values: Iterable[Value]) -> None:
        """Note that a Concat found its inputs in their place."""
        for value in self._ancestors(values):
            self._outliving.pop(value, None)

    def failed(self, values: Iterable[Value]) -> None:
        """Note that a Concat must copy its inputs."""
        self._avoided |= {
            Avoid(self._writes[value], even_alone=True)
            for value in self._ancestors(values)
            if value in self._writes
        }

    def avoided(self) -> set[Avoid]:
        """Return the writes over parts that did not pay off."""
        scattered = (Avoid(write, even_alone=False) for write in self._outliving.values())
        return self._avoided.union(scattered)

    def _ancestors(self, values: Iterable[Value]) -> set[Value]:
        found: set[Value] = set()
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += self._sources.get(value, ())
        return found

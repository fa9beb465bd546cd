"""Replace a convolution by several, each for a stripe of the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.amounts import is_whole
from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.ops.producer import Producer
from aidge_nb.ops.slicing import Concat, Slice
from aidge_nb.tiling.ranges import Range, Region, balanced, whole
from aidge_nb.tiling.rules import step, windows_of
from aidge_nb.tiling.tile_nodes import dims_of, recipe_of


def get_conv_horizontal_tiling(node: Node, axis: int, nb_slices: int) -> set[Node]:
    """Make the nodes that compute a convolution in slices.

    The result has equal bits. Slices differ by at most one row and carry their own padding.

    Parameters
    ----------
    node
        A convolution with known dimensions, padded or depthwise or plain; it is not changed.
    axis
        Axis of the result to cut: 2 for horizontal stripes, 3 for vertical, 0 for the batch.
    nb_slices
        Number of slices.

    Returns
    -------
    set of Node
        For each slice a Slice ``<name>_Slice_<number>`` with Producers of its starts, ends, axes
        and steps (``_1`` to ``_4``) and a convolution ``<name>_<first row>``; one Concat; copies
        of the Producers of weights and bias, which all convolutions share. Put them in the place
        of the convolution and its Producers with :meth:`GraphView.replace`.

    Raises
    ------
    GraphError
        When the node is not a convolution, or a parameter does not come from a Producer.
    ShapeError
        For unknown dimensions, an axis that cannot be cut, or more slices than rows.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    >>> conv = view.get_node("conv0")
    >>> tiles = aidge_nb.get_conv_horizontal_tiling(conv, 2, 4)
    >>> len(tiles)
    27
    >>> aidge_nb.GraphView.replace({conv, conv.get_parent(1), conv.get_parent(2)}, tiles)
    True
    >>> sorted(n.name() for n in view if n.type() == "Conv2D")
    ['conv0_0', 'conv0_16', 'conv0_32', 'conv0_48']
    """
    axis = _check(node, axis)
    dims = node.get_operator().get_output(0).dims
    ranges = balanced(dims[axis], _count(node, nb_slices), f"{node.label}, axis {axis}")
    _check_data(node, axis, ranges)
    steps = [step(node, (*whole(dims[:axis]), part, *whole(dims[axis + 1 :]))) for part in ranges]
    parameters = {
        index: parent.clone()
        for index, parent in enumerate(node.get_parents())
        if index and parent is not None
    }
    concat = Concat(len(steps), axis)
    made: list[Node] = [*parameters.values(), concat]
    for number, part in enumerate(steps):
        piece, *ends = _slice(node, number, part.inputs[0])
        conv = recipe_of(node, part).make(_named(node, str(part.output[axis].start)))
        piece.add_child(conv, 0, 0)
        for index, producer in parameters.items():
            producer.add_child(conv, 0, index)
        conv.add_child(concat, 0, number)
        made += [piece, *ends, conv]
    backend = node.get_operator().backend()
    for each in made:
        if backend:
            each.get_operator().set_backend(backend)
    return set(made)


def _check(node: object, axis: Any) -> int:
    """Check node and axis; return the axis counted from 0."""
    if not isinstance(node, Node) or not node.type().removeprefix("Padded").startswith(
        ("Conv1D", "Conv2D", "Conv3D", "ConvDepthWise")
    ):
        label = node.label if isinstance(node, Node) else repr(node)
        cure = "aidge_nb.tiling.plan_tiling() tiles other operators, and chains of them."
        raise GraphError.at(label, "must be a convolution", cure=cure)
    legal = _legal_axis(node, axis)
    for index, parent in enumerate(node.get_parents()):
        if index and parent is not None and parent.type() != "Producer":
            where = f"{node.label}, input#{index}"
            problem = "computed parameters cannot be shared by slices"
            cure = "Fold them first with constant_folding()."
            raise GraphError.at(
                where, problem, expected="a Producer", found=parent.label, cure=cure
            )
    return legal


def _legal_axis(node: Node, axis: Any) -> int:
    output = node.get_operator().get_output(0)
    if output.undefined():
        cure = "Call forward_dims(), or compile(dims=...), before tiling."
        raise ShapeError.at(node.label, "has no dimensions yet", cure=cure)
    legal = [0, *range(2, output.ndim)]
    given = axis + output.ndim if is_whole(axis) and axis < 0 else axis
    if given in legal and is_whole(given):
        return int(given)
    problem = "cannot be cut into slices along this axis"
    expected = f"one of the axes {legal} (2 for horizontal stripes)"
    cure = "aidge_nb.tiling.plan_tiling() cuts output channels (axis 1) too." if given == 1 else ""
    raise ShapeError.at(node.label, problem, expected=expected, found=repr(axis), cure=cure)


def _check_data(node: Node, axis: int, ranges: Sequence[Range]) -> None:
    """Refuse slices that would read only padding; the error names a legal number."""
    if axis < 2:
        return
    window, size = windows_of(node)[axis - 2], dims_of(node, 0)[axis]

    def is_fed(part: Range) -> bool:
        low = part.start * window.stride - window.before
        high = (part.stop - 1) * window.stride - window.before
        return high + window.dilation * (window.kernel - 1) >= 0 and low < size

    if all(map(is_fed, ranges)):
        return
    counts = range(len(ranges) - 1, 0, -1)
    fed = (n for n in counts if all(map(is_fed, balanced(ranges[-1].stop, n))))
    most = next(fed, 1)
    problem = "a slice would read only padding"
    cure = "Use fewer slices, so that each of them reads some of the data."
    where, expected = f"{node.label}, axis {axis}", f"{most} slices, say"
    raise ShapeError.at(where, problem, expected=expected, found=len(ranges), cure=cure)


def _count(node: Node, nb_slices: int) -> int:
    if not is_whole(nb_slices):
        problem = "the number of slices must be a whole number"
        raise ShapeError.at(node.label, problem, expected="4, say", found=repr(nb_slices))
    return int(nb_slices)


def _slice(node: Node, number: int, region: Region) -> Iterator[Node]:
    """Make a Slice of all axes, and the Producers of its inputs."""
    name = _named(node, f"Slice_{number}")
    piece = Slice(name=name)
    yield piece
    values: tuple[ArrayLike, ...] = (
        [part.start for part in region],
        [part.stop for part in region],
        list(range(len(region))),
        [1] * len(region),
    )
    for index, each in enumerate(values, 1):
        ends = Tensor(np.array(each, np.int64))
        producer = Producer(ends, name=f"{name}_{index}" if name else "", constant=True)
        producer.add_child(piece, 0, index)
        yield producer


def _named(node: Node, suffix: str) -> str:
    return f"{node.name()}_{suffix}" if node.name() else ""

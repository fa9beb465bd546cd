"""Fuse a convolution of one pixel with the one before or behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

Array = NDArray[Any]


@recipe(needs=("values",), safe=False, exact=False)
def fuse_convolution(view: GraphView) -> Iterable[str]:
    """Fuse a 1x1 Conv2D with the Conv2D before or behind it.

    They have no groups and no padding, and nothing else reads what is between them. The weights can
    become more: a bottleneck goes.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> first, second = aidge_nb.Conv2D(2, 3, [1, 1], name="a"), aidge_nb.Conv2D(3, 4, [3, 3])
    >>> for conv, dims in ((first, (3, 2, 1, 1)), (second, (4, 3, 3, 3))):
    ...     for index, shape in ((1, dims), (2, dims[:1])):
    ...         parameter = aidge_nb.Tensor(np.ones(shape, np.float32))
    ...         conv.get_parent(index).get_operator().set_output(0, parameter)
    >>> model = aidge_nb.sequential([first, second])
    >>> fuse_convolution(model), [n.label for n in model if n.type() != "Producer"]
    (1, ['a (Conv2D)'])
    """
    with editing(view) as edit:
        for first, second in edit.pairs(("Conv2D",), "Conv2D"):
            if edit.only_reader(Port(first, 0)) is None:
                continue
            parameters = [_parameters(edit, conv) for conv in (first, second)]
            if parameters[0] is None or parameters[1] is None:
                continue
            if _is_of_pixels(first):
                yield second.label
                _fuse(edit, first, second, second, _fused(parameters[0], parameters[1]))
            elif _is_of_pixels(second):
                yield second.label
                _fuse(edit, first, second, first, _fused(parameters[0], parameters[1]))


def _parameters(edit: Edit, conv: Node) -> tuple[Array, Array | None] | None:
    """Return weights and bias; None where they are not known, or in groups."""
    weights, bias = edit.constant(conv, 1), edit.constant(conv, 2)
    has_bias = conv.get_operator().get_input(2) is not None
    if weights is None or (has_bias and bias is None) or conv.get_operator().attr.group != 1:
        return None
    return weights, bias


def _is_of_pixels(conv: Node) -> bool:
    """Return whether each output pixel depends on the input pixel in its place."""
    attr = conv.get_operator().attr
    return all(size == 1 for size in (*attr.kernel_dims, *attr.stride_dims))


def _fused(
    first: tuple[Array, Array | None], second: tuple[Array, Array | None]
) -> tuple[Array, Array | None]:
    """Return the weights and the bias of both as one, of which one is of pixels."""
    (inner, shift), (outer, bias) = first, second
    weights = np.einsum("omij,mckl->ocikjl", outer, inner)
    height, width = (outer.shape[axis] * inner.shape[axis] for axis in (2, 3))
    weights = weights.reshape(*weights.shape[:2], height, width)
    if shift is None:
        return weights, bias
    through = np.einsum("omij,m->o", outer, shift)
    return weights, through if bias is None else through + bias


def _fuse(
    edit: Edit, first: Node, second: Node, kept: Node, parameters: tuple[Array, Array | None]
) -> None:
    """Let one of two convolutions have the parameters, and the other one go."""
    name, result = first.name(), second.get_operator().get_output(0)
    for index, array in enumerate(parameters, start=1):
        if array is not None:
            suffix = f"{name}_{'?wb'[index]}" if name else ""
            edit.feed(kept, index, edit.add_producer(np.ascontiguousarray(array), suffix, kept))
    if kept is second:
        edit.feed_like(second, 0, first, 0)
        second.set_name(name)
        return
    if not result.undefined():
        first.get_operator().get_output(0).resize(result.dims)
    edit.redirect(Port(second, 0), Port(first, 0))

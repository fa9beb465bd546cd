"""Remove operators that return their data unchanged: casts to the same type, full slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


def _of_equal_dims(edit: Edit, node: Node) -> bool:
    """Return whether input and output have the same dimensions; elements keep their order."""
    data, result = node.get_operator().get_input(0), node.get_operator().get_output(0)
    known = data is not None and not data.undefined() and not result.undefined()
    return known and data is not None and data.dims == result.dims


def _casts_nothing(edit: Edit, node: Node) -> bool:
    data, result = node.get_operator().get_input(0), node.get_operator().get_output(0)
    known = data is not None and not data.undefined() and not result.undefined()
    return known and data is not None and data.dtype is result.dtype


def _permutes_nothing(edit: Edit, node: Node) -> bool:
    data = node.get_operator().get_input(0)
    order = tuple(node.get_operator().attr.output_dims_order)
    if order:
        return order == tuple(range(len(order)))
    return data is not None and not data.undefined() and data.ndim < 2


def _pads_nothing(edit: Edit, node: Node) -> bool:
    return node.get_parent(1) is None and not any(node.get_operator().attr.pads)


def _joins_nothing(edit: Edit, node: Node) -> bool:
    return node.get_nb_inputs() == 1


def _slices_nothing(edit: Edit, node: Node) -> bool:
    steps = edit.constant(node, 4) if node.source(4) is not None else node.get_operator().attr.steps
    forward = steps is not None and all(int(step) == 1 for step in steps)
    return forward and _of_equal_dims(edit, node)


_NOOPS: dict[str, Callable[[Edit, Node], bool]] = {
    "Cast": _casts_nothing,
    "CastLike": _casts_nothing,
    "Concat": _joins_nothing,
    "Expand": _of_equal_dims,
    "Flatten": _of_equal_dims,
    "Pad": _pads_nothing,
    "Reshape": _of_equal_dims,
    "Slice": _slices_nothing,
    "Split": _of_equal_dims,
    "Squeeze": _of_equal_dims,
    "Tile": _of_equal_dims,
    "Transpose": _permutes_nothing,
    "Unsqueeze": _of_equal_dims,
}


@recipe(needs=("dims",))
def remove_noop(view: GraphView) -> Iterable[str]:
    """Remove nodes that return their data unchanged: Cast, Reshape, Pad, Slice and others.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.Transpose([0, 1])])
    >>> remove_noop(model), [node.type() for node in model]
    (1, ['Tanh'])
    """
    with editing(view) as edit:
        for node in edit.nodes(*_NOOPS):
            if _NOOPS[node.type()](edit, node) and edit.bypass(node):
                yield node.label

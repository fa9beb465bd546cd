"""Fuse consecutive Transposes."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe


@recipe()
def fuse_transpose(view: GraphView) -> Iterable[str]:
    """Fuse a Transpose with the one before it, and remove both if they cancel.

    Examples
    --------
    >>> import aidge_nb
    >>> orders = [[0, 2, 1], [0, 2, 1], [1, 0, 2]]
    >>> model = aidge_nb.sequential([aidge_nb.Transpose(order) for order in orders])
    >>> fuse_transpose(model), [node.get_operator().attr.output_dims_order for node in model]
    (1, [(1, 0, 2)])
    """
    with editing(view) as edit:
        for first, second in edit.pairs(("Transpose",), "Transpose"):
            inner, outer = order_of(first), order_of(second)
            if not inner or len(inner) != len(outer):
                continue
            yield second.label
            second.get_operator().attr.output_dims_order = tuple(inner[axis] for axis in outer)
            edit.feed_like(second, 0, first, 0)
            if order_of(second) == tuple(range(len(outer))):
                edit.bypass(second)


def order_of(node: Node) -> tuple[int, ...]:
    """Return the axes in their new order; without any when that is unknown."""
    order = tuple(int(axis) for axis in node.get_operator().attr.output_dims_order)
    data = node.get_operator().get_input(0)
    if not order and data is not None and not data.undefined():
        return tuple(reversed(range(data.ndim)))
    return tuple(axis % len(order) for axis in order)

"""Fuse consecutive Unsqueezes."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.fuse_squeeze import axes_at
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims",))
def fuse_consecutive_unsqueeze(view: GraphView) -> Iterable[str]:
    """Fuse an Unsqueeze with the Unsqueeze before it.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Unsqueeze([0]), aidge_nb.Unsqueeze([1, 3])])
    >>> model.forward_dims([[2, 3]]), fuse_consecutive_unsqueeze(model)
    (True, 1)
    >>> list(model)[0].get_operator().attr.axes
    (0, 1, 3)
    """
    with editing(view) as edit:
        for first, second in edit.pairs(("Unsqueeze",), "Unsqueeze"):
            inner, outer = _added(edit, first), _added(edit, second)
            if inner is None or outer is None:
                continue
            yield second.label
            rank = second.get_operator().get_output(0).ndim
            between = [axis for axis in range(rank) if axis not in outer]
            edit.cut(second, 1)
            second.get_operator().attr.axes = tuple(sorted([*outer, *(between[i] for i in inner)]))
            edit.feed_like(second, 0, first, 0)


def _added(edit: Edit, node: Node) -> list[int] | None:
    result = node.get_operator().get_output(0)
    return None if result.undefined() else axes_at(edit, node, 1, result.ndim or 1)

"""Keep only the last of consecutive changes of dimensions."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

_RESHAPING = ("Flatten", "Reshape", "Squeeze", "Unsqueeze")


@recipe()
def fuse_consecutive_reshape(view: GraphView) -> Iterable[str]:
    """Make a Reshape read the data of the Reshape, Flatten, Squeeze or Unsqueeze before it.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Flatten(), aidge_nb.Reshape([2, -1])])
    >>> fuse_consecutive_reshape(model), list(model)
    (1, [Node((unnamed), Reshape)])
    """
    with editing(view) as edit:
        for second in edit.nodes("Reshape"):
            first = second.get_parent(0)
            if first is None or first.type() not in _RESHAPING or first not in view:
                continue
            if _is_absolute(edit, second):
                yield second.label
                edit.feed_like(second, 0, first, 0)


def _is_absolute(edit: Edit, node: Node) -> bool:
    """Return whether the new dimensions are known, and none is copied from the data."""
    values = edit.constant(node, 1)
    if values is None and node.get_operator().get_input(1) is not None:
        return False
    attr = node.get_operator().attr
    shape = attr.shape if values is None else values.ravel().tolist()
    return bool(attr.allow_zero) or 0 not in shape

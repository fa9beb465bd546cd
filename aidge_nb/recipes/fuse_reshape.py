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
        for first, second in edit.pairs(_RESHAPING, "Reshape"):
            if _is_absolute(edit, second):
                yield second.label
                edit.feed_like(second, 0, first, 0)


def _is_absolute(edit: Edit, node: Node) -> bool:
    """Return whether the new dimensions are known, and none is copied from the data."""
    shape = edit.given(node, 1, "shape")
    return shape is not None and (bool(node.get_operator().attr.allow_zero) or 0 not in shape)

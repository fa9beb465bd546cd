"""Merge equal constants."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("values",))
def remove_duplicate_producers(view: GraphView) -> Iterable[str]:
    """Keep one of several Producers of equal constants.

    Constants are those marked so, and integers: dimensions and indices. Equal parameters are left
    alone, because training would tell them apart.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> add = aidge_nb.Add()
    >>> for index in range(2):
    ...     one = aidge_nb.Producer(np.ones(1, np.float32), name=f"one{index}", constant=True)
    ...     one.add_child(add, 0, index)
    >>> model = aidge_nb.get_connected_graph_view(add)
    >>> remove_duplicate_producers(model), sorted(node.name() for node in model)
    (1, ['', 'one0'])
    """
    first: dict[object, Node] = {}
    with editing(view) as edit:
        for node in edit.nodes("Producer"):
            key = _key(node)
            if key is None or edit.is_output(Port(node, 0)):
                continue
            kept = first.setdefault(key, node)
            if kept is not node:
                yield node.label
                edit.redirect(Port(node, 0), Port(kept, 0))


def _key(node: Node) -> object | None:
    """Return the key that equal constants share; None for parameters."""
    tensor = node.get_operator().get_output(0)
    constant = bool(node.get_operator().attr.constant)
    if not tensor.has_data or (tensor.dtype.is_float and not constant):
        return None
    return tensor.dtype, tuple(tensor.dims), constant, tensor.array.tobytes()

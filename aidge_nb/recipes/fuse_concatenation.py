"""Fuse nested concatenations along one axis."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.slicing import Concat
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims",))
def fuse_concatenation(view: GraphView) -> Iterable[str]:
    """Fuse a Concat with those on the same axis that only it reads.

    Examples
    --------
    >>> import aidge_nb
    >>> first, second = aidge_nb.Concat(2, name="first"), aidge_nb.Concat(2, name="second")
    >>> first.add_child(second, 0, 1)
    >>> view = aidge_nb.get_connected_graph_view(first)
    >>> view.forward_dims([[2], [3], [4]]), fuse_concatenation(view)
    (True, 1)
    >>> [(node.name(), node.get_nb_inputs()) for node in view]
    [('second', 3)]
    """
    with editing(view) as edit:
        for last in reversed(edit.nodes("Concat")):
            if last not in view:
                continue
            parts = edit.terms(last, _joins)
            if len(parts) > last.get_nb_inputs():
                yield last.label
                new = Concat(len(parts), axis=_axis(last) or 0, name=last.name())
                edit.replace(last, new, parts)


def _axis(node: Node) -> int | None:
    """Return the axis, counted from the start; None when the dimensions are not known."""
    result = node.get_operator().get_output(0)
    return None if result.undefined() else int(node.get_operator().attr.axis) % result.ndim


def _joins(first: Node, second: Node) -> bool:
    """Return whether both join along one axis, and elements of one type."""
    if first.type() != "Concat":
        return False
    types = [each.get_operator().get_output(0).dtype for each in (first, second)]
    return _axis(first) is not None and _axis(first) == _axis(second) and types[0] is types[1]

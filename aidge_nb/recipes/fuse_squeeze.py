"""Fuse consecutive Squeezes."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims",))
def fuse_consecutive_squeeze(view: GraphView) -> Iterable[str]:
    """Fuse a Squeeze with the Squeeze before it.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Squeeze([1]), aidge_nb.Squeeze([2])])
    >>> model.forward_dims([[2, 1, 3, 1]]), fuse_consecutive_squeeze(model)
    (True, 1)
    >>> list(model)[0].get_operator().attr.axes
    (1, 3)
    """
    with editing(view) as edit:
        for first, second in edit.pairs(("Squeeze",), "Squeeze"):
            inner, outer = _dropped(edit, first), _dropped(edit, second)
            data = first.get_operator().get_input(0)
            if inner is None or outer is None or data is None:
                continue
            yield second.label
            left = [axis for axis in range(data.ndim) if axis not in inner]
            edit.cut(second, 1)
            second.get_operator().attr.axes = tuple(sorted([*inner, *(left[i] for i in outer)]))
            edit.feed_like(second, 0, first, 0)


def axes_at(edit: Edit, node: Node, index: int, rank: int) -> list[int] | None:
    """Return the axes at an input, or the attribute; None when they are not known."""
    given = edit.given(node, index, "axes")
    return None if given is None else sorted(int(axis) % rank for axis in given)


def _dropped(edit: Edit, node: Node) -> list[int] | None:
    data = node.get_operator().get_input(0)
    if data is None or data.undefined():
        return None
    axes = axes_at(edit, node, 1, data.ndim or 1)
    if axes == []:
        return [axis for axis, size in enumerate(data.dims) if size == 1]
    return axes

"""Fuse consecutive slices."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.rules import slices_of
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

Taken = list[tuple[int, int, int]]
"""First index, number and step of what is kept, for each axis."""

_INPUTS = ("starts", "ends", "axes", "steps")


@recipe(needs=("dims",))
def fuse_consecutive_slices(view: GraphView) -> Iterable[str]:
    """Fuse a Slice with the Slice before it; negative steps are left alone.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Slice([2], [8], [0]), aidge_nb.Slice([1], [4], [0], [2])]
    >>> model = aidge_nb.sequential(layers)
    >>> model.forward_dims([[10, 3]]), fuse_consecutive_slices(model)
    (True, 1)
    >>> list(model)[0].get_operator().attr.dict()
    {'starts': (3, 0), 'ends': (6, 3), 'axes': (0, 1), 'steps': (2, 1)}
    """
    with editing(view) as edit:
        for first, second in edit.pairs(("Slice",), "Slice"):
            inner, outer = _taken(edit, first), _taken(edit, second)
            if inner is not None and outer is not None:
                yield second.label
                _set(edit, second, _composed(inner, outer))
                edit.feed_like(second, 0, first, 0)


def _taken(edit: Edit, node: Node) -> Taken | None:
    data = node.get_operator().get_input(0)
    if data is None or data.undefined():
        return None
    starts, ends, axes, steps = (edit.given(node, *each) for each in enumerate(_INPUTS, 1))
    if starts is None or ends is None or axes is None or steps is None:
        return None
    taken = slices_of(data.dims, starts, ends, axes, steps, where=node.label)
    return taken if all(step > 0 for _, _, step in taken) else None


def _composed(inner: Taken, outer: Taken) -> Taken:
    return [
        (start + first * step, count, step * further)
        for (start, _, step), (first, count, further) in zip(inner, outer, strict=True)
    ]


def _set(edit: Edit, node: Node, taken: Taken) -> None:
    for index in range(1, 5):
        edit.cut(node, index)
    attr = node.get_operator().attr
    attr.starts = tuple(start for start, _, _ in taken)
    attr.ends = tuple(
        start + (count - 1) * step + 1 if count else start for start, count, step in taken
    )
    attr.axes = tuple(range(len(taken)))
    attr.steps = tuple(step for _, _, step in taken)

"""Fuse a reduction that drops axes with the Unsqueeze that restores them."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.fuse_squeeze import axes_at
from aidge_nb.recipes.registry import recipe

_REDUCTIONS = tuple(
    f"Reduce{kind}"
    for kind in (
        *("L1", "L2", "LogSum", "LogSumExp", "Max"),
        *("Mean", "Min", "Prod", "Sum", "SumSquare"),
    )
)


@recipe(needs=("dims",))
def fuse_reduce_unsqueeze(view: GraphView) -> Iterable[str]:
    """Make a reduction keep the axes that its only reader, an Unsqueeze, restores.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.ReduceMax([1], keep_dims=False), aidge_nb.Unsqueeze([1])]
    >>> model = aidge_nb.sequential(layers)
    >>> model.forward_dims([[2, 3, 4]]), fuse_reduce_unsqueeze(model), len(model)
    (True, 1, 1)
    """
    with editing(view) as edit:
        for node in edit.nodes(*_REDUCTIONS):
            reader = edit.only_reader(Port(node, 0))
            if reader is None or reader.node.type() != "Unsqueeze" or reader.index != 0:
                continue
            if _puts_back(edit, node, reader.node):
                yield node.label
                node.get_operator().attr.keep_dims = True
                result = reader.node.get_operator().get_output(0)
                node.get_operator().get_output(0).resize(result.dims)
                edit.bypass(reader.node)


def _puts_back(edit: Edit, node: Node, unsqueeze: Node) -> bool:
    data, attr = node.get_operator().get_input(0), node.get_operator().attr
    if data is None or data.undefined() or attr.keep_dims:
        return False
    dropped = axes_at(edit, node, 1, data.ndim or 1)
    if dropped == [] and not attr.noop_with_empty_axes:
        dropped = list(range(data.ndim))
    return bool(dropped) and axes_at(edit, unsqueeze, 1, data.ndim) == dropped

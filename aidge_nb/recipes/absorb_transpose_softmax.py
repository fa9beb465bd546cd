"""Let a Softmax run along another axis in place of the Transposes around it."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.fuse_transpose import order_of
from aidge_nb.recipes.registry import recipe


@recipe(exact=False)
def absorb_transpose_softmax(view: GraphView) -> Iterable[str]:
    """Fuse the Transposes before and behind a Softmax, which then runs along another axis.

    Both go if they cancel. They stay where something else reads what is between them.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Transpose([0, 2, 1]), aidge_nb.Softmax(1), aidge_nb.Transpose([0, 2, 1])]
    >>> model = aidge_nb.sequential(layers)
    >>> absorb_transpose_softmax(model), [node.get_operator().attr.axis for node in model]
    (1, [2])
    """
    with editing(view) as edit:
        for second in edit.nodes("Transpose"):
            softmax = second.get_parent(0)
            first = None if softmax is None else softmax.get_parent(0)
            if softmax is None or first is None or {softmax, first} - set(view.get_nodes()):
                continue
            if (first.type(), softmax.type()) != ("Transpose", "Softmax"):
                continue
            if any(edit.only_reader(Port(node, 0)) is None for node in (first, softmax)):
                continue
            inner, outer = order_of(first), order_of(second)
            if not inner or len(inner) != len(outer):
                continue
            yield softmax.label
            operator, data = softmax.get_operator(), first.get_operator().get_input(0)
            operator.attr.axis = inner[operator.attr.axis % len(inner)]
            second.get_operator().attr.output_dims_order = tuple(inner[axis] for axis in outer)
            edit.feed_like(softmax, 0, first, 0)
            if data is not None and not data.undefined():
                operator.get_output(0).resize(data.dims)
            if order_of(second) == tuple(range(len(outer))):
                edit.bypass(second)

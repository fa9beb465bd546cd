"""Remove element-wise operators that change nothing: adding 0, multiplying by 1."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

NEUTRAL: dict[str, tuple[float, tuple[int, ...]]] = {
    "Add": (0, (0, 1)),
    "Sub": (0, (1,)),
    "Mul": (1, (0, 1)),
    "Div": (1, (1,)),
    "Pow": (1, (1,)),
}
"""By type: the neutral element, and at which inputs it is one."""


@recipe(needs=("dims", "values"))
def remove_neutral(view: GraphView) -> Iterable[str]:
    """Remove additions of 0, multiplications by 1 and the like.

    They stay where the constant has more elements, another type or more axes than the data: there
    they repeat or convert them. Of zeros the sign may change: ``-0.0 + 0.0`` is ``0.0``.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> zero = aidge_nb.Producer(np.zeros(1, np.float32))
    >>> add, tail = aidge_nb.Add(), aidge_nb.Tanh()
    >>> zero.add_child(add, 0, 1)
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), add, tail])
    >>> model.forward_dims([[2, 3]]), remove_neutral(model), [node.type() for node in model]
    (True, 1, ['ReLU', 'Tanh'])
    """
    with editing(view) as edit:
        for node in edit.nodes(*NEUTRAL):
            data = _data_input(edit, node)
            if data is not None and edit.bypass(node, data):
                yield node.label


def _data_input(edit: Edit, node: Node) -> int | None:
    """Return the input that the node passes on unchanged; None if there is none."""
    neutral, places = NEUTRAL[node.type()]
    if node.get_nb_inputs() != 2:
        return None
    for place in places:
        values = edit.constant(node, place)
        if values is None or not bool((values == neutral).all()):
            continue
        data = node.get_operator().get_input(1 - place)
        result = node.get_operator().get_output(0)
        if data is None or data.undefined() or result.undefined():
            continue
        if data.dims == result.dims and data.dtype is result.dtype:
            return 1 - place
    return None

"""Remove repeated idempotent operators: ReLU of ReLU, rounding of rounded values."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe

_WHOLE = ("Ceil", "Floor", "Round")
_NOT_NEGATIVE = ("ReLU", "Abs")
IDEMPOTENT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_WHOLE, _WHOLE),
    "ReLU": (*_NOT_NEGATIVE, "Sigmoid", "Softmax"),
    "Abs": (*_NOT_NEGATIVE, "Sigmoid", "Softmax"),
    "Sign": ("Sign",),
    "Clip": ("Clip",),
}
"""By type of node: the types after which it changes nothing."""


@recipe()
def remove_idempotent(view: GraphView) -> Iterable[str]:
    """Remove nodes that repeat the idempotent operator before them.

    ReLU and Abs after an operator with non-negative results; Floor, Ceil and Round after one of
    these; Clip after a Clip with limits as narrow.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Floor(), aidge_nb.Round(), aidge_nb.ReLU()])
    >>> remove_idempotent(model), [node.type() for node in model]
    (1, ['Floor', 'ReLU'])
    """
    with editing(view) as edit:
        for node in edit.nodes(*IDEMPOTENT):
            parent = node.get_parent(0)
            if parent is None or parent.type() not in IDEMPOTENT[node.type()]:
                continue
            if _is_repetition(parent, node) and edit.bypass(node):
                yield node.label


def _is_repetition(first: Node, second: Node) -> bool:
    if second.type() != "Clip":
        return True
    if any(node.source(index) is not None for node in (first, second) for index in (1, 2)):
        return False
    inner, outer = first.get_operator().attr, second.get_operator().attr
    return bool(outer.min <= inner.min <= inner.max <= outer.max)

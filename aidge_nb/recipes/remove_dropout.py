"""Remove Dropout, which does nothing in inference."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe


@recipe()
def remove_dropout(view: GraphView) -> Iterable[str]:
    """Remove Dropout nodes without a reader of the mask.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Dropout(0.1)])
    >>> remove_dropout(model), [node.type() for node in model]
    (1, ['ReLU'])
    """
    with editing(view) as edit:
        for node in edit.nodes("Dropout"):
            if edit.bypass(node):
                yield node.label

"""Remove Identity."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe


@recipe()
def remove_identity(view: GraphView) -> Iterable[str]:
    """Remove Identity nodes.

    One stays where an input of the graph is its output as well.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Identity(), aidge_nb.ReLU()])
    >>> remove_identity(model), [node.type() for node in model]
    (1, ['ReLU'])
    """
    with editing(view) as edit:
        for node in edit.nodes("Identity"):
            if edit.bypass(node):
                yield node.label

"""Remove Flatten before fully connected layers, which flatten their input."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe()
def remove_flatten(view: GraphView) -> Iterable[str]:
    """Remove Flatten nodes read only by fully connected layers.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Flatten(), aidge_nb.FC(8, 2)])
    >>> remove_flatten(model), sorted({node.type() for node in model})
    (1, ['FC', 'Producer', 'ReLU'])
    """
    with editing(view) as edit:
        for node in reversed(edit.nodes("Flatten")):
            readers = [port.node for port in node.output(0)]
            if _is_repeated(edit, node) and edit.bypass(node):
                for reader in readers:
                    reader.annotations.pop("onnx.matrix", None)
                yield node.label


def _is_repeated(edit: Edit, node: Node) -> bool:
    """Return whether the layers after it flatten the same: all axes but the batch."""
    readers = node.output(0)
    data = node.get_operator().get_input(0)
    if not readers or edit.is_output(Port(node, 0)) or node.get_operator().attr.axis != 1:
        return False
    if data is not None and not data.undefined() and data.ndim < 2:
        return False  # FC takes one axis for the features, Flatten for the batch
    return all(_is_wide(port) for port in readers)


def _is_wide(port: Port) -> bool:
    """Return whether a port is the data input of an FC of more than one feature."""
    if port.node.type() != "FC" or port.index != 0:
        return False
    weights = port.node.get_operator().get_input(1)
    return weights is not None and not weights.undefined() and weights.dims[-1] > 1

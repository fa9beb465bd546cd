"""Remove Flatten before fully connected layers, which flatten their input, and products."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.core.leniency import allows, refuses
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe()
def remove_flatten(view: GraphView) -> Iterable[str]:
    """Remove Flatten nodes read only by fully connected layers, or by products of two axes.

    Flatten stays where the results change. For code written for Aidge, which never looks, it goes
    where dimensions are unknown, with a warning.

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
            if _goes(edit, node) and edit.bypass(node):
                for reader in readers:
                    reader.annotations.pop("onnx.matrix", None)
                yield node.label


def _goes(edit: Edit, node: Node) -> bool:
    readers = node.output(0)
    if not readers or edit.is_output(Port(node, 0)) or not all(map(_reads_features, readers)):
        return False
    known = {_is_repeated(node, port) for port in readers}
    if False in known:
        return refuses(f"{node.label} stays, because what reads it would compute something else.")
    return None not in known or allows(
        f"{node.label} is removed, though the dimensions that it gets are unknown."
    )


def _reads_features(port: Port) -> bool:
    return port.node.type() in ("FC", "MatMul") and port.index == 0


def _is_repeated(node: Node, port: Port) -> bool | None:
    """Return whether a layer after it sees the same: all axes but the batch as features."""
    data = node.get_operator().get_input(0)
    rank = None if data is None or data.undefined() else data.ndim
    if node.get_operator().attr.axis != 1:
        return False
    if port.node.type() == "MatMul":
        return None if rank is None else rank == 2
    if rank is not None and rank < 2:
        return False  # FC takes one axis for the features, Flatten for the batch
    weights = port.node.get_operator().get_input(1)
    return weights is not None and not weights.undefined() and weights.shape[-1] > 1

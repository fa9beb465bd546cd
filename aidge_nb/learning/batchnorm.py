"""Train with BatchNorm: normalize by the batch, and update the stored statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView, check_view

_MEAN, _VARIANCE = 3, 4  # inputs


def _norms(view: GraphView) -> list[Node]:
    found = []
    for node in view.get_nodes():
        inner = node.get_operator().micro_graph
        if inner is not None:
            found += _norms(inner)
        elif node.type() == "BatchNorm2D":
            found.append(node)
    return found


def set_batchnorm_training_mode(view: GraphView, training_mode: bool = True) -> int:
    """Let all BatchNorm nodes use the statistics of the batch, or the stored ones.

    Returns the number of these nodes.

    Examples
    --------
    >>> import aidge_nb
    >>> set_batchnorm_training_mode(aidge_nb.sequential([aidge_nb.BatchNorm2D(3)]))
    1
    """
    check_view(view, "set_batchnorm_training_mode", SchedulingError)
    found = _norms(view)
    for node in found:
        node.get_operator().attr.training_mode = bool(training_mode)
    return len(found)


def update_batchnorm_statistics(view: GraphView) -> int:
    """Move the stored statistics towards those of the last batch.

    Call it after ``forward()``. Each mean and variance of the nodes in training mode becomes
    ``momentum`` times itself plus (1 - ``momentum``) times that of the batch, whose variance is
    divided by its size. Returns the number of these nodes.

    Raises
    ------
    SchedulingError
        When a node has not run yet.
    """
    check_view(view, "update_batchnorm_statistics", SchedulingError)
    found = [node for node in _norms(view) if node.get_operator().attr.training_mode]
    for node in found:
        operator = node.get_operator()
        data = operator.get_input(0)
        if data is None or not data.has_data:
            problem = "has no batch to take statistics of"
            raise SchedulingError.at(node.label, problem, cure="Call forward() first.")
        x = data.array
        axes = (0, *range(2, x.ndim))
        keep = float(operator.attr.momentum)
        for index, batch in ((_MEAN, x.mean(axis=axes)), (_VARIANCE, x.var(axis=axes))):
            _move(node, index, np.asarray(batch), keep)
    return len(found)


def _move(node: Node, index: int, batch: NDArray[Any], keep: float) -> None:
    tensor = node.get_operator().get_input(index)
    if tensor is None or not tensor.has_data:
        where = f"{node.label}, input#{index}"
        raise SchedulingError.at(where, "has no stored statistics")
    moved = keep * tensor.array + (1 - keep) * batch
    tensor.set_array(np.asarray(moved, tensor.dtype.numpy))

"""Train with BatchNorm: put it in, normalize by the batch, and update the stored statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.ops.normalization import BatchNorm2D

_MEAN, _VARIANCE = 3, 4  # inputs
_CONVS = ("Conv2D", "ConvDepthWise2D", "PaddedConv2D", "PaddedConvDepthWise2D")


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


def insert_batchnorm_nodes(
    network: GraphView, epsilon: float = 1e-5, momentum: float = 0.9, training_mode: bool = False
) -> int:
    """Put a BatchNorm2D behind each convolution over images that has none.

    It is called as the convolution, with ``_BN`` behind, and has its backend;
    :func:`init_batchnorm_producers` fills its parameters. Returns the number of new nodes.

    Parameters
    ----------
    network
        The graph.
    epsilon, momentum, training_mode
        See :func:`aidge_nb.ops.BatchNorm2D`.

    Examples
    --------
    >>> import aidge_nb
    >>> graph = aidge_nb.sequential([aidge_nb.Conv2D(1, 4, [3, 3], name="conv"), aidge_nb.ReLU()])
    >>> insert_batchnorm_nodes(graph), init_batchnorm_producers(graph)
    (1, 1)
    """
    check_view(network, "insert_batchnorm_nodes", SchedulingError)
    count = 0
    for node in network.topological_order():
        readers = [port.node.type() for port in node.output(0)] if node.type() in _CONVS else []
        weight = node.get_operator().get_input(1) if node.type() in _CONVS else None
        if weight is None or "BatchNorm2D" in readers:
            continue
        name = f"{node.name()}_BN" if node.name() else ""
        norm = BatchNorm2D(weight.dims[0], epsilon, momentum, training_mode, name=name)
        _put_behind(network, node, norm)
        count += 1
    return count


def init_batchnorm_producers(network: GraphView) -> int:
    """Let all BatchNorm nodes leave their data as they are: scale and variance 1, the others 0.

    Parameters
    ----------
    network
        A graph; its nodes are changed in place.

    Returns
    -------
    int
        The number of these nodes.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> init_batchnorm_producers(graphs.fork())
    0
    """
    check_view(network, "init_batchnorm_producers", SchedulingError)
    found = _norms(network)
    for node in found:
        for index, value in ((1, 1.0), (2, 0.0), (_MEAN, 0.0), (_VARIANCE, 1.0)):
            tensor = node.get_operator().get_input(index)
            if tensor is not None:
                tensor.set_array(np.full(tensor.dims, value, tensor.dtype.numpy))
    return len(found)


def _put_behind(view: GraphView, node: Node, norm: Node) -> None:
    """Let a node take the place of another one's output, also among those of the graph."""
    outputs = [norm if port.node is node else port.node for port in view.get_ordered_outputs()]
    indices = [port.index for port in view.get_ordered_outputs()]
    readers = node.output(0)
    for child, index in readers:
        child.remove_parent(index)
    node.add_child(norm, 0, 0)
    for child, index in readers:
        norm.add_child(child, 0, index)
    parameters = [parent for parent in norm.get_parents()[1:] if parent is not None]
    view.add([norm, *parameters])
    backend = node.get_operator().backend()
    for each in (norm, *parameters) if backend else ():
        each.get_operator().set_backend(backend)
    view.set_ordered_outputs(list(zip(outputs, indices, strict=True)))


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

"""Constant folding: compute what does not depend on inputs before the graph runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import LimitError, MissingKernelError, listed
from aidge_nb.core.log import logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.folding import FoldingBudget
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import CpModel
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.producer import Producer
from aidge_nb.recipes.registry import REGISTERED, Recipe

_STATEFUL = (CpModel.PRODUCER, CpModel.POP, CpModel.STACK, CpModel.MEMORIZE)


def constant_folding(
    view: GraphView, constant_producer: bool = True, constant_shape: bool = False
) -> bool:
    """Replace operators whose inputs are all known by Producers of their results, in place.

    A Producer takes the name of the operator that it replaces and is marked constant. Operators
    without kernel, with state, or whose result is an output of the graph are left alone.

    Parameters
    ----------
    view
        The graph.
    constant_producer
        Whether every Producer counts as constant; otherwise those marked so alone.
    constant_shape
        Whether the shape of a tensor with known dimensions counts as known.

    Returns
    -------
    bool
        Whether anything changed.

    Warns
    -----
    UserWarning
        When a result would exceed the limit ``constant_bytes``; its operator stays.

    Examples
    --------
    >>> import aidge_nb
    >>> two = aidge_nb.Producer(aidge_nb.Tensor([4.0]), name="four")
    >>> graph = aidge_nb.sequential([two, aidge_nb.Sqrt(name="root"), aidge_nb.Add(name="add")])
    >>> constant_folding(graph)
    True
    >>> [(node.name(), node.type()) for node in graph.get_nodes()]
    [('add', 'Add'), ('root', 'Producer')]
    """
    return bool(
        fold_constants(view, constant_producer=constant_producer, constant_shape=constant_shape)
    )


def fold_constants(
    view: GraphView,
    *,
    constant_producer: bool = True,
    constant_shape: bool = False,
    backend: str = "cpu",
) -> tuple[str, ...]:
    """Run :func:`constant_folding` on a backend, and return the labels of folded nodes.

    Operators whose results would exceed the limit ``constant_bytes`` stay, and so does what reads
    them: a graph runs without folding, too. A warning names the first.
    """
    kept = {port.node for port in view.get_ordered_outputs()}
    folding: FoldingBudget | None = None
    folded = []
    refused = ""
    for node in view.topological_order():
        if node in kept or not node.get_operator().is_atomic():
            continue
        if node.get_operator().spec.cp in _STATEFUL:
            continue
        arrays = _known_inputs(view, node, constant_producer, constant_shape)
        if arrays is None:
            continue
        folding = folding or FoldingBudget(_bytes_of_constants(view))
        try:
            results = folding.run(node.get_operator(), arrays, backend)
        except MissingKernelError:
            continue
        except LimitError as error:
            refused = refused or str(error)
            continue
        _replace(view, node, results)
        folded.append(node.label)
    if refused:
        warnings.warn(refused, stacklevel=3)
    if folded:
        logger.info("constant_folding: folded %s", listed(folded))
    return tuple(folded)


REGISTERED["constant_folding"] = Recipe(
    "constant_folding",
    "Replace what can be computed before the graph runs by its results.",
    ("values",),
    safe=True,
    exact=True,
    apply=fold_constants,
)


def _bytes_of_constants(view: GraphView) -> Iterator[int]:
    for node in view.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            yield tensor.size * tensor.dtype.itemsize


def _known_inputs(
    view: GraphView, node: Node, constant_producer: bool, constant_shape: bool
) -> list[NDArray[Any] | None] | None:
    """Return the data of all inputs, None when one of them is not known."""
    operator = node.get_operator()
    if constant_shape and operator.type() in ("Shape", "Size"):
        tensor = operator.get_input(0)
        if tensor is not None and not tensor.undefined():
            return [np.broadcast_to(np.zeros((), tensor.dtype.numpy), tensor.dims)]
    arrays: list[NDArray[Any] | None] = []
    for index, port in enumerate(node.sources()):
        tensor = operator.get_input(index)
        if tensor is None and operator.is_optional_input(index):
            arrays.append(None)
        elif _is_constant(view, port, constant_producer) and tensor is not None and tensor.has_data:
            arrays.append(tensor.array)
        else:
            return None
    return arrays if any(array is not None for array in arrays) else None


def _is_constant(view: GraphView, port: Port | None, constant_producer: bool) -> bool:
    if port is None or port.node not in view or port.node.type() != "Producer":
        return False
    return constant_producer or bool(port.node.get_operator().attr.constant)


def _replace(view: GraphView, node: Node, results: tuple[NDArray[Any], ...]) -> None:
    readers = node.outputs()
    view.remove(node)
    node.reset_connections()
    for index, (result, ports) in enumerate(zip(results, readers, strict=True)):
        if not ports:
            continue
        name = node.name() if len(results) == 1 else f"{node.name()}_{index}"
        producer = Producer(Tensor(result), name=name, constant=True)
        if node.get_operator().backend():
            producer.get_operator().set_backend(node.get_operator().backend())
        for port in ports:
            producer.add_child(port.node, 0, port.index)
        view.add(producer)

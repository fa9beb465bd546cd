"""Convert a graph of the real aidge_core, node by node."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from aidge_nb.core import dtype as dtypes
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.generic import FixedDims, GenericOperatorOp
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import InputCategory, find_spec
from aidge_nb.graph.view import GraphView
from aidge_nb.ops import Producer


class RealGraph:
    """The converted graph, with its nodes by those of aidge_core.

    Parameters
    ----------
    graph
        A ``GraphView`` of aidge_core.

    Attributes
    ----------
    view
        The graph here, with the dimensions that Aidge had found.
    """

    def __init__(self, graph: Any) -> None:
        ordered = list(graph.get_ordered_nodes())
        rest = [node for node in graph.get_nodes() if node not in ordered]
        self._node_of: dict[Any, Node] = {
            real: Node(_operator(real), real.name()) for real in (*ordered, *rest)
        }
        for real, node in self._node_of.items():
            self._connect(real, node)
        self.view = GraphView(graph.name())
        self.view.add(list(self._node_of.values()))
        inputs = [self.port(port) for port in graph.get_ordered_inputs()]
        known = set(self.view.get_ordered_inputs())
        if inputs and set(inputs) <= known:
            self.view.set_ordered_inputs(inputs)
        outputs = [self.port(port) for port in graph.get_ordered_outputs()]
        if outputs:
            self.view.set_ordered_outputs(outputs)

    def node_of(self, real: Any) -> Node:
        """Return the converted node."""
        return self._node_of[real]

    def port(self, real: Any) -> Port:
        """Return the converted port."""
        return Port(self._node_of[real.node], int(real.index))

    def _connect(self, real: Any, node: Node) -> None:
        operator = real.get_operator()
        for index in range(real.get_nb_inputs()):
            port = real.input(index)
            if port.node in self._node_of:
                self._node_of[port.node].add_child(node, int(port.index), index)
            elif (tensor := operator.get_input(index)) is not None and _is_known(tensor):
                node.get_operator().set_input(index, _tensor(tensor))


def _operator(real: Any) -> Operator:
    """Make the operator of a node: the same one, its meta-operator, or a generic one."""
    source = real.get_operator()
    if real.type() == "Producer":
        return Producer(_tensor(source.get_output(0))).get_operator()
    made = (
        _meta_operator(real, source)
        or _same_operator(real, source)
        or _generic_operator(real, source)
    )
    for index in range(source.nb_outputs()):
        given = source.get_output(index)
        if given is not None and _is_known(given):
            output = made.get_output(index)
            output.resize(list(given.dims))
            output.set_datatype(_dtype(given))
    return made


def _meta_operator(real: Any, source: Any) -> Operator | None:
    if source.is_atomic():
        return None
    micro = RealGraph(source.get_micro_graph())
    if len(micro.view.get_ordered_inputs()) != source.nb_inputs():
        return None
    return MetaOperatorOp(real.type(), micro.view)


def _same_operator(real: Any, source: Any) -> Operator | None:
    """Make the same operator, if this library has one that takes its attributes and ports."""
    spec = find_spec(real.type())
    given = _attributes(source)
    if spec is None or not set(given) <= set(spec.attrs):
        return None
    try:
        operator = Operator(spec, spec.make_attributes(**given), nb_inputs=source.nb_inputs())
    except (AidgeError, TypeError, ValueError):
        return None
    return operator if operator.nb_outputs == source.nb_outputs() else None


def _generic_operator(real: Any, source: Any) -> Operator:
    kinds = [source.input_category(i).name for i in range(source.nb_inputs())]
    outputs = [source.get_output(i) for i in range(source.nb_outputs())]
    made = GenericOperatorOp(
        real.type(), [InputCategory[name] for name in kinds], len(outputs), _attributes(source)
    )
    dims = [list(each.dims) for each in outputs if each is not None and _is_known(each)]
    if len(dims) == len(outputs):
        made.set_forward_dims(FixedDims(dims))
    return made


def _attributes(source: Any) -> dict[str, Any]:
    given: Mapping[str, Any] = {} if source.attr is None else source.attr.dict()
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    """Convert an attribute value to plain Python; enumerators become our names."""
    if type(value).__name__ == "Tensor":
        array = np.array(value) if value.size else np.zeros(0)
        return array.item() if array.size == 1 else array.tolist()
    name = getattr(value, "name", None)
    if isinstance(value, Enum) or (isinstance(name, str) and hasattr(value, "value")):
        return str(name).lower()
    return value


def _is_known(real: Any) -> bool:
    """Return whether a tensor has dimensions; a method in some releases, a property in others."""
    undefined = real.undefined
    return not (undefined() if callable(undefined) else undefined)


def _tensor(real: Any) -> Tensor:
    """Copy a tensor; one without data keeps its dimensions and type."""
    if real.has_impl() and real.size:
        return Tensor(np.array(real))
    made = Tensor.of_dims(list(real.dims))
    made.set_datatype(_dtype(real))
    return made


def _dtype(real: Any) -> dtypes.DType:
    found: dtypes.DType = getattr(dtypes, real.dtype.name)
    return found

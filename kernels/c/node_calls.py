"""From a node to the calls of C kernels that compute it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError, ShapeError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.c.calls import (
    Adapter,
    CCall,
    Site,
    TensorType,
    bound_adapter,
)
from aidge_nb.kernels.padded import Window, inner_window
from aidge_nb.kernels.standard import bound_standard_kernel


def find_c_kernel(operator: OpSpec | str, target: str | None = None) -> Adapter | None:
    """Return the adapter of an operator, or None."""
    import_module("aidge_nb.kernels.c.adapters")
    return bound_adapter(operator, target)


def _standard_name(operator: Operator) -> str | None:
    """Name an operator that only a standard declares; None for others."""
    domain = getattr(operator, "domain", None)
    if domain is None or getattr(operator, "has_exotic_types", False):
        return None
    return f"{domain}.{operator.type()}" if domain else operator.type()


def _window_of(operator: Operator) -> Window | None:
    """Return the sliding window inside of a padded meta-operator, if it is one."""
    return None if operator.micro_graph is None else inner_window(operator)


def _adapter_of(operator: Operator, target: str | None) -> Adapter | None:
    padded = _window_of(operator)
    if padded is not None:
        return find_c_kernel(padded.spec, target)
    return find_c_kernel(_standard_name(operator) or operator.spec, target)


def has_c_kernel(node: Node, target: str | None = None) -> bool:
    """Return whether calls of C kernels can compute a node, as one.

    A meta-operator that pads in front of a sliding window is one; others are to be expanded.

    Examples
    --------
    >>> import aidge_nb
    >>> has_c_kernel(aidge_nb.ReLU()), has_c_kernel(aidge_nb.GenericOperator("Odd", 1, 0, 1))
    (True, False)
    """
    return _adapter_of(node.get_operator(), target) is not None


def describe_site(
    node: Node,
    known: Mapping[int, NDArray[Any]] | None = None,
    unread: Collection[int] | None = None,
) -> Site:
    """Describe a node to the kernels.

    Raise ExportError when dimensions are unknown. Values of inputs are ``known`` besides those that
    Producers feed. Optional outputs that are ``unread`` need not be computed; by default those that
    feed nothing.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(3, 2, name="fc")])
    >>> view.forward_dims([[1, 3]])
    True
    >>> site = describe_site(view.get_node("fc"))
    >>> site.inputs, site.outputs
    ((float32[1, 3], float32[2, 3], float32[2]), (float32[1, 2],))
    """
    operator = node.get_operator()
    if unread is None:
        unread = {index for index in operator.spec.optional_outputs if not node.output(index)}
    inputs = tuple(
        _type_of(operator, index, "input", operator.get_input(index))
        for index in range(operator.nb_inputs)
    )
    outputs = [
        _type_of(operator, index, "output", operator.get_output(index))
        for index in range(operator.nb_outputs)
    ]
    types = tuple(output for output in outputs if output is not None)
    constants = MappingProxyType({**_from_producers(node), **(known or {})})
    site = site_of_operator(operator, inputs, types)
    return replace(site, constants=constants, unread=frozenset(unread))


def site_of_operator(
    operator: Operator,
    inputs: tuple[TensorType | None, ...],
    outputs: tuple[TensorType, ...],
) -> Site:
    """Describe an operator on tensors of the given types."""
    padded = _window_of(operator)
    if padded is not None:
        attrs = MappingProxyType(dict(padded.attrs))
        return Site(operator.label, padded.spec, attrs, inputs[: padded.nb_inputs], outputs)
    attrs = MappingProxyType(operator.attr.dict())
    return Site(operator.label, operator.spec, attrs, inputs, outputs)


def _type_of(operator: Operator, index: int, side: str, tensor: Tensor | None) -> TensorType | None:
    if tensor is None:
        return None
    if tensor.undefined():
        if side == "input" and operator.is_optional_input(index):
            return None
        raise ExportError.at(
            f"{operator.label}, {side}#{index}",
            "dimensions are unknown",
            cure="Call forward_dims() with the dimensions of the inputs first.",
        )
    return TensorType(tensor.dtype, tuple(tensor.dims))


def _from_producers(node: Node) -> dict[int, NDArray[Any]]:
    found = {}
    for index, port in node.edges_in():
        tensor = port.node.get_operator().get_output(port.index)
        if port.node.type() == "Producer" and tensor.has_data:
            found[index] = tensor.array
    return found


def c_calls(
    node: Node,
    target: str | None = None,
    known: Mapping[int, NDArray[Any]] | None = None,
    unread: Collection[int] | None = None,
) -> tuple[CCall, ...]:
    """Return the calls that compute a node, in their order.

    Parameters are those of :func:`describe_site` and :func:`c_kernel`. Raise ExportError when the
    operator has no C kernel, or none for these types or attributes. The message names the node and
    what is missing.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    >>> view.forward_dims([[1, 3, 4]])
    True
    >>> [(call.function, dict(call.fields), call.args) for call in c_calls(view.get_node("relu"))]
    [('nb_relu_f32', {'count': 12}, (In(index=0, offset=0), Out(index=0, offset=0)))]
    """
    operator = node.get_operator()
    _need_adapter(operator, target)
    return calls_at(describe_site(node, known, unread), operator, target)


def calls_at(site: Site, operator: Operator, target: str | None = None) -> tuple[CCall, ...]:
    """Return the calls that compute an operator at a site.

    Raise ExportError as :func:`c_calls` does.
    """
    adapter = _need_adapter(operator, target)
    domain = getattr(operator, "domain", None)
    kernel = None if domain is None else bound_standard_kernel(operator.type(), domain)
    if kernel is not None:
        try:
            kernel.check_scales(site.constants.get)
        except ShapeError as error:
            raise ExportError(explain(site.label, str(error))) from error
    calls = adapter(site)
    return calls if isinstance(calls, tuple) else (calls,)


def _need_adapter(operator: Operator, target: str | None) -> Adapter:
    adapter = _adapter_of(operator, target)
    if adapter is None:
        cure = "Give it one with c_kernel(), or replace the operator."
        if not operator.is_atomic():
            cure = "Put what is inside in its place with expand_metaops()."
        raise ExportError.at(
            operator.label, f"operator {operator.type()} has no C kernel", cure=cure
        )
    return adapter

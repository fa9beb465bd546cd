"""Convert variants that none of our operators covers, but the standard defines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory
from aidge_nb.kernels.formats import holder
from aidge_nb.kernels.registry import find_standard_kernel
from aidge_nb.kernels.standard import NodeContext, StandardKernel
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported
from aidge_nb.onnx_io.convert.control import OnnxBody
from aidge_nb.onnx_io.convert.generic import note_origin
from aidge_nb.onnx_io.convert.operator import OnnxOperatorOp
from aidge_nb.onnx_io.ir import OnnxValue, default_domain

_HINTS = frozenset(["consumed_inputs", "stash_type", "is_test"])
"""Attributes that change no result: old memory hints, precisions of sums."""


def as_standard(call: OnnxCall) -> Node:
    """Add an operator that runs by a function of :mod:`aidge_nb.kernels.standard`.

    Outer values that the bodies of the node (If, Loop, Scan) read become inputs of it, too. Raise
    Unsupported when no function computes the operator with the attributes and inputs that the node
    uses.
    """
    node = call.node
    domain = "" if default_domain(node.domain) else node.domain
    kernel = find_standard_kernel(node.op_type, domain)
    if kernel is None:
        raise Unsupported("no such operator" if not domain else f"no such operator in {domain}")
    inputs, captured = call.everything_read()
    _check(call, kernel, len(inputs))
    inputs += captured
    types = call.conversion.types
    site = NodeContext(
        opset=call.opset,
        nb_outputs=max((i + 1 for i, name in enumerate(node.outputs) if name), default=1),
        input_types=tuple(types.get(name) for name in call.inputs),
        output_types=tuple(types.get(name) for name in node.outputs),
        bodies=_bodies(call, inputs),
        body_inputs={key: len(graph.inputs) for key, graph in node.bodies.items()},
        body_zeros={key: tuple(map(_nothing, each.outputs)) for key, each in node.bodies.items()},
    )
    categories = [_category(call, value) for value in inputs]
    attributes = {k: v for k, v in node.attributes.items() if k not in _HINTS}
    operator = OnnxOperatorOp(node.op_type, domain, categories, attributes, kernel, site)
    made = call.conversion.place(Node(operator, call.name), inputs)
    note_origin(call, made, captured)
    return made


def _category(call: OnnxCall, value: str) -> InputCategory:
    """Return the category of each input: parameters are constants of the model."""
    if not value:
        return InputCategory.OptionalData
    array = call.conversion.model.initializers.get(value)
    return InputCategory.Data if array is None or not array.ndim else InputCategory.Param


def _check(call: OnnxCall, kernel: StandardKernel, count: int) -> None:
    if count > kernel.nb_inputs and not kernel.variadic:
        raise Unsupported(f"{call.node.op_type} with {count} inputs")
    needed = kernel.needed
    if kernel.variadic:
        needed = needed[:-1] + needed[-1:] * (count - kernel.nb_inputs)
    for index, name in enumerate(needed):
        if name is not None and not call.has(index):
            raise ShapeError.at(f"input#{index}, {name}", "is missing")
    unknown = sorted(set(call.node.attributes) - kernel.attributes - _HINTS)
    if unknown:
        raise Unsupported(f"the attribute {', '.join(unknown)}")


def _bodies(call: OnnxCall, inputs: list[str]) -> dict[str, Callable[..., list[NDArray[Any]]]]:
    """Make the graphs of a node's attributes ready to run, on the inputs of the node."""
    model = call.conversion.model
    found: dict[str, Callable[..., list[NDArray[Any]]]] = {}
    for key, graph in call.node.bodies.items():
        inner = replace(model, graph=graph, source=f"{model.source}, {call.node.label}, {key}")
        body = OnnxBody(inner, inputs, call.conversion)
        found[key] = body
        if body.missing:
            name, op_type, why = body.missing[0]
            raise Unsupported(f"{key}, node {name} ({op_type}): {why}")
    return found


def _nothing(value: OnnxValue) -> NDArray[Any]:
    """Return an array of no values such as this one, stacked."""
    dims = [dim if isinstance(dim, int) else 0 for dim in value.dims or ()]
    return np.zeros((0, *dims), holder(value.dtype or "float32"))

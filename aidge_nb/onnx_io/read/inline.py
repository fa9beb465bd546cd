"""Inline functions and bodies of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from aidge_nb.onnx_io.ir import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxNode,
    OnnxValue,
    default_domain,
)
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.read.check import unique_name
from aidge_nb.onnx_io.read.expansion import check_expansion

Functions = Mapping[tuple[str, str], OnnxFunction]


def inline_functions(model: OnnxModel) -> OnnxModel:
    """Replace calls of functions by the functions' bodies.

    Inner nodes are named ``<call>_<node>``. A function that is written for another version of the
    standard operators than the model is left as it is. Raise OnnxError when a function calls
    itself, LimitError when there would be too many nodes or levels.
    """
    functions = {
        (function.domain, function.name): function
        for function in model.functions
        if function.opsets.get("", model.opset) == model.opset
    }
    if not functions:
        return model
    check_expansion(model, model.source)
    taken = {node.name for node in model.nodes}
    graph = _without_calls(model.graph, functions, taken)
    return replace(model, graph=graph, functions=())


def _without_calls(graph: OnnxGraph, functions: Functions, taken: set[str]) -> OnnxGraph:
    """Return a graph with function calls inlined, in its bodies too."""
    nodes = [inner for node in graph.nodes for inner in _expanded(node, functions, taken)]

    def inside(_: str, body: OnnxGraph) -> OnnxGraph:
        return _without_calls(body, functions, taken)

    return replace(graph, nodes=tuple(node.with_bodies(inside) for node in nodes))


def _expanded(
    node: OnnxNode,
    functions: Functions,
    taken: set[str],
) -> Iterator[OnnxNode]:
    """Return the node itself, or the nodes of the function that it calls."""
    function = functions.get((node.domain, node.op_type))
    if function is None:
        yield node
        return
    names = dict(zip(function.inputs, node.inputs, strict=False))
    names |= dict.fromkeys(function.inputs[len(node.inputs) :], "")
    names |= dict(zip(function.outputs, node.outputs, strict=False))
    attributes = {**function.attributes, **node.attributes}
    for inner in function.nodes:
        renamed = _renamed(inner, names, attributes, node.name)
        wanted = f"{node.name}_{inner.name or next(filter(None, inner.outputs), inner.op_type)}"
        renamed = replace(renamed, name=unique_name(wanted, taken))
        yield from _expanded(renamed, functions, taken)


def _renamed(
    node: OnnxNode, names: dict[str, str], attributes: Mapping[str, Any], prefix: str
) -> OnnxNode:
    """Return a node of a function's body with the values and attributes of the call."""
    for output in filter(None, node.outputs):
        names.setdefault(output, f"{prefix}_{output}")
    given = {
        key: _bound(value, names, attributes, prefix)
        for key, value in node.attributes.items()
        if not (isinstance(value, AttributeReference) and attributes.get(value.name) is None)
    }
    return replace(
        node,
        inputs=tuple(names.get(value, value) for value in node.inputs),
        outputs=tuple(names.get(value, value) for value in node.outputs),
        domain="" if default_domain(node.domain) else node.domain,
        attributes=given,
    )


def spliced(
    body: OnnxGraph, prefix: str
) -> tuple[list[OnnxNode], dict[str, NDArray[Any]], list[str]]:
    """Return nodes, constants and output values of a body that replaces its owner.

    Values from around the body keep their names; what it defines is called ``<prefix>_<name>``.
    """
    names = {name: f"{prefix}_{name}" for name in body.initializers}
    nodes = [_renamed(node, names, {}, prefix) for node in body.nodes]
    constants = {names[name]: array for name, array in body.initializers.items()}
    return nodes, constants, [names.get(value.name, value.name) for value in body.outputs]


def _bound(value: Any, names: Mapping[str, str], attributes: Mapping[str, Any], prefix: str) -> Any:
    """Replace attribute references by the caller's values, also in bodies."""
    if isinstance(value, AttributeReference):
        return attributes[value.name]
    if not isinstance(value, OnnxGraph):
        return value
    inner = dict(names)
    nodes = tuple(_renamed(node, inner, attributes, prefix) for node in value.nodes)
    outputs = tuple(OnnxValue(inner.get(v.name, v.name), v.dtype, v.dims) for v in value.outputs)
    return replace(value, nodes=nodes, outputs=outputs)

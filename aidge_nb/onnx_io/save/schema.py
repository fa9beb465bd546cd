"""The ONNX schemas of operators, version by version."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView


class Schema:
    """Names and types of one version of an operator."""

    def __init__(self, schema: Any) -> None:
        self.attributes = {name: _kind(entry) for name, entry in schema.attributes.items()}
        self.defaults = {name: _default(entry) for name, entry in schema.attributes.items()}
        self.inputs = [entry.name.lower() for entry in schema.inputs]
        self.since = int(schema.since_version)


def _kind(attribute: Any) -> str:
    return str(attribute.type).rpartition(".")[2].rpartition("_")[2].upper()


def _default(attribute: Any) -> Any:
    from onnx import helper

    value = attribute.default_value
    if not value.type:
        return None
    found = helper.get_attribute_value(value)
    return found.decode() if isinstance(found, bytes) else found


@cache
def schema_of(op_type: str, opset: int) -> Schema | None:
    """Find the version of a standard operator in an opset; None if it has none."""
    from onnx import defs

    try:
        schema = defs.get_schema(op_type, opset)
    except defs.SchemaError:
        return None
    return None if schema.deprecated else Schema(schema)


@cache
def onnx_types() -> dict[str, tuple[str, dict[str, str]]]:
    """Map our types and attribute names to ONNX where only names differ."""
    from aidge_nb.graph.spec import SPECS
    from aidge_nb.onnx_io.convert.rename import renamings

    found: dict[str, tuple[str, dict[str, str]]] = {
        spec.type: (spec.onnx[0], {}) for spec in SPECS.values() if spec.onnx
    }
    for op_type, (ours, names) in renamings().items():
        found[ours] = (op_type, {own: theirs for theirs, own in names.items()})
    return found


def knows(graph: GraphView, opset: int) -> bool:
    """Return whether a version has all operators of a graph that are renamed only."""
    types = onnx_types()
    return all(
        schema_of(types[node.type()][0], opset) is not None
        for node in _all_nodes(graph)
        if node.type() in types and not isinstance(node.get_operator(), GenericOperatorOp)
    )


def _all_nodes(graph: GraphView) -> Iterator[Node]:
    for node in graph.get_nodes():
        yield node
        inside = node.get_operator().micro_graph
        if inside is not None:
            yield from _all_nodes(inside)

"""The versions of ONNX operators that a graph needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.schemas import OperatorSchema, schema_of


def schema_in(op_type: str, opset: int) -> OperatorSchema | None:
    """Find the version of a standard operator in an opset; None if it has none."""
    schema = schema_of(op_type, opset)
    return None if schema is None or schema.deprecated else schema


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
        schema_in(types[node.type()][0], opset) is not None
        for node in _all_nodes(graph)
        if node.type() in types and not isinstance(node.get_operator(), GenericOperatorOp)
    )


def _all_nodes(graph: GraphView) -> Iterator[Node]:
    for node in graph.get_nodes():
        yield node
        inside = node.get_operator().micro_graph
        if inside is not None:
            yield from _all_nodes(inside)

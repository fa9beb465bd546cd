"""Stands in for ``aidge_onnx``: loads and saves ONNX files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from aidge_nb.compat.served import node_import
from aidge_nb.compat.served.hints import not_served
from aidge_nb.core.log import Log
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io import load_onnx, save_onnx

__all__ = [
    "Log",
    "convert_onnx_to_aidge",
    "export_onnx",
    "has_native_coverage",
    "load_onnx",
    "native_coverage_report",
]

SUBMODULES = {"node_import": node_import}
"""What ``import aidge_onnx.NAME`` finds besides."""

Dims = Sequence[Sequence[int]]


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    raise AttributeError(not_served("aidge_onnx", name, __all__))


def convert_onnx_to_aidge(
    model: Any,
    remove_unused_init: bool = True,  # what nothing reads never becomes a node
    missing_external_data: bool = False,  # its absence is always an error
) -> GraphView:
    """Convert a model in memory to a graph."""
    return load_onnx(model)


def export_onnx(
    graph_view: GraphView,
    path_to_save: str | PathLike[str],
    inputs_dims: Mapping[str, Dims] | None = None,
    outputs_dims: Mapping[str, Dims] | None = None,  # follow from the inputs
    enable_custom_op: bool = False,  # ONNX functions are always written
    opset: int | None = None,
    ir_version: int | None = None,  # follows from the opset
) -> None:
    """Write a graph to a file, after setting the dimensions of its inputs if given.

    Parameters
    ----------
    graph_view, path_to_save, opset
        As :func:`aidge_nb.save_onnx` takes them.
    inputs_dims
        For each input node, by name, the dimensions of its inputs.
    outputs_dims, enable_custom_op, ir_version
        Taken for Aidge's sake: they follow from the rest here.
    """
    if inputs_dims:
        ports = graph_view.get_ordered_inputs()
        dims = [_given(inputs_dims, port.node, port.index) for port in ports]
        graph_view.forward_dims([each for each in dims if each is not None], True)
    save_onnx(graph_view, path_to_save, opset)


def _given(dims: Mapping[str, Dims], node: Node, index: int) -> list[int] | None:
    mine = dims.get(node.name(), ())
    return list(mine[index]) if index < len(mine) else None


def has_native_coverage(graph: GraphView) -> bool:
    """Return whether every operator of the graph can run."""
    return not _generic(graph)


def native_coverage_report(graph: GraphView) -> tuple[dict[str, int], dict[str, int]]:
    """Count the operators that can run and those that cannot, by type."""
    generic = _generic(graph)
    native: dict[str, int] = {}
    for node in graph.get_nodes():
        if node.type() not in generic:
            native[node.type()] = native.get(node.type(), 0) + 1
    return native, generic


def _generic(graph: GraphView) -> dict[str, int]:
    from aidge_nb.graph import GenericOperatorOp

    counts: dict[str, int] = {}
    for node in graph.get_nodes():
        if isinstance(node.get_operator(), GenericOperatorOp):
            counts[node.type()] = counts.get(node.type(), 0) + 1
    return counts

"""Stands in for ``aidge_onnx``: loads and saves ONNX files."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from os import PathLike
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.compat.served import node_import
from aidge_nb.compat.served.unserved import refusing
from aidge_nb.core.log import Log, logger
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import SPECS
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io import load_onnx as load
from aidge_nb.onnx_io import save_onnx, to_onnx
from aidge_nb.onnx_io.save.site import WRITERS

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = [
    "AIDGE_NODE_CONVERTER_",
    "NS",
    "Log",
    "ONNX_NODE_CONVERTER_",
    "check_isomorphism",
    "check_onnx_validity",
    "convert_aidge_to_onnx",
    "convert_onnx_to_aidge",
    "export_onnx",
    "generate_random_inputs_from_onnx",
    "has_native_coverage",
    "load_onnx",
    "make_edge_names_unique",
    "native_coverage_report",
    "onnx_cleaner_cli",
    "onnx_to_aidge_model_names",
    "remove_duplicate_names",
    "version",
]

NS = SimpleNamespace
"""The name that Aidge gives to Python's class."""

SUBMODULES = {"node_import": node_import}
"""What ``import aidge_onnx.NAME`` finds besides."""

ONNX_NODE_CONVERTER_ = {
    name: node_import.ONNX_NODE_CONVERTER_.get(name) for name in node_import.supported_operators()
}
"""The ONNX operators that are read, in lower case, with converters of one's own."""

AIDGE_NODE_CONVERTER_ = dict.fromkeys((*WRITERS, *(t for t, s in SPECS.items() if s.onnx)))
"""The types of operators that are written."""

Dims = Sequence[Sequence[int]]

__getattr__ = refusing(__name__, "aidge_onnx")


# --- names: of /block.0/Relu in a file, Aidge makes block_0_Relu ---------------------------------


def tensor_name(name: str) -> str:
    """Return the name of a tensor: without ``/``, ``.``, ``:``, or a digit in front.

    Examples
    --------
    >>> tensor_name("/conv.0/weight"), tensor_name("0.weight")
    ('conv_0_weight', 'data_0_weight')
    """
    plain = re.sub(r"[/.:]", "_", name).removeprefix("_")
    return f"data_{plain}" if plain[:1].isdigit() else plain


def node_name(name: str) -> str:
    """Return the name of a node.

    Examples
    --------
    >>> node_name("/layer.1/Conv"), node_name("7")
    ('layer_1_Conv', 'layer_data_7')
    """
    plain = tensor_name(name)
    return f"layer_{plain}" if plain.startswith("data_") and name[:1].isdigit() else plain


def load_onnx(filename: Any, verbose: bool = False, **others: Any) -> GraphView:
    """Load an ONNX model as a graph whose nodes are called as Aidge calls them.

    Parameters
    ----------
    filename, verbose, others
        See :func:`aidge_nb.load_onnx`.

    Returns
    -------
    GraphView
        Names that two nodes would have are numbered.
    """
    view = load(filename, verbose, **others)
    taken: set[str] = set()
    for node in view.get_nodes():
        made = tensor_name if node.type() == "Producer" else node_name
        name = plain = made(node.name()) or node.name()
        count = 0
        while name and name in taken:
            count += 1
            name = f"{plain}_{count}"
        taken.add(name)
        node.set_name(name)
    return view


def onnx_to_aidge_model_names(model: ModelProto) -> ModelProto:
    """Rename nodes and tensors of a model as Aidge does, in place; return the model."""
    for node in model.graph.node:
        node.name = node_name(node.name)
        for names in (node.input, node.output):
            names[:] = [tensor_name(each) for each in names]
    graph = model.graph
    for each in (*graph.initializer, *graph.input, *graph.output, *graph.value_info):
        each.name = tensor_name(each.name)
    return model


# --- files -------------------------------------------------------------------------------------


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
    _set_dims(graph_view, inputs_dims)
    save_onnx(graph_view, path_to_save, opset)


def convert_aidge_to_onnx(
    graph_view: GraphView,
    model_name: str,
    inputs_dims: Mapping[str, Dims] | None = None,
    outputs_dims: Mapping[str, Dims] | None = None,
    enable_custom_op: bool = False,
    opset: int | None = None,
    ir_version: int | None = None,
) -> ModelProto:
    """Convert a graph to a model in memory; arguments as :func:`export_onnx` takes them."""
    _set_dims(graph_view, inputs_dims)
    model = to_onnx(graph_view, opset).to_proto()
    model.graph.name = model_name
    return model


def _set_dims(graph_view: GraphView, inputs_dims: Mapping[str, Dims] | None) -> None:
    """Set the dimensions of a graph's inputs, those of each node by its name, if any are given."""
    if inputs_dims:
        ports = graph_view.get_ordered_inputs()
        dims = [inputs_dims.get(port.node.name(), ())[port.index :][:1] for port in ports]
        graph_view.forward_dims([list(each[0]) for each in dims if each], True)


def check_onnx_validity(onnx_model: str | PathLike[str] | ModelProto) -> bool:
    """Return whether a model, or a file, is as ONNX wants it."""
    import onnx

    try:
        model = onnx_model if hasattr(onnx_model, "graph") else onnx.load(onnx_model)
        onnx.checker.check_model(model, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        logger.error("%s", error)
        return False
    return True


def check_isomorphism(file_path1: str | PathLike[str], file_path2: str | PathLike[str]) -> bool:
    """Return whether two files have the same operators, connected in the same way."""
    return _shape_of(load_onnx(file_path1)) == _shape_of(load_onnx(file_path2))


def _shape_of(graph: GraphView) -> list[str]:
    """Describe each node by its type and, in order, what feeds it: names do not matter."""
    told: dict[Node, str] = {}
    for node in graph.topological_order():
        parents = [
            "-"
            if port is None or node.parent_is_back_edge(index)
            else f"{hash(told[port.node])}:{port.index}"
            for index, port in enumerate(node.sources())
        ]
        told[node] = f"{node.type()}({','.join(parents)})"
    return sorted(told.values())


def generate_random_inputs_from_onnx(
    model: ModelProto, input_shape: Mapping[str, Dims] | None = None
) -> dict[str, Any]:
    """Make an array of random numbers for each input of a model; unknown sizes are 1."""
    import onnx

    draw = np.random.default_rng()
    stored = {each.name for each in model.graph.initializer}
    arrays = {}
    for value in model.graph.input:
        if value.name not in stored:
            kind = value.type.tensor_type
            dims = [each.dim_value or 1 for each in kind.shape.dim]
            given = (input_shape or {}).get(value.name, [dims])[0]
            numbers = draw.random(tuple(given)) * 2 - 1
            arrays[value.name] = numbers.astype(
                onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
            )
    return arrays


def onnx_cleaner_cli() -> None:
    """Simplify an ONNX file: ``INPUT OUTPUT`` are the arguments of the command line."""
    from argparse import ArgumentParser

    from aidge_nb.recipes import simplify

    parser = ArgumentParser(description="simplify an ONNX file")
    parser.add_argument("input")
    parser.add_argument("output")
    given = parser.parse_args()
    graph = load(given.input)
    logger.info("%s", simplify(graph))
    save_onnx(graph, given.output)


def remove_duplicate_names(graph_view: GraphView) -> None:
    """Number the names that several nodes have: all but the first."""
    taken: set[str] = set()
    for node in graph_view.topological_order():
        if node.name() and node.name() in taken:
            node.set_name(node.create_unique_name(node.name()))
        taken.add(node.name())


def make_edge_names_unique(graph_view: GraphView) -> None:
    """Return without changes: edges have no names of their own here."""


def has_native_coverage(graph: GraphView) -> bool:
    """Return whether every operator of the graph can run."""
    return not _generic(graph)


def native_coverage_report(graph: GraphView) -> tuple[dict[str, int], dict[str, int]]:
    """Count and print the operators that can run and those that cannot, by type."""
    generic = _generic(graph)
    kinds = [node.type() for node in graph.get_nodes()]
    native = dict(Counter(kind for kind in kinds if kind not in generic))
    for word, counts in (("Native", native), ("Generic", generic)):
        lines = [f"{word} operators: {sum(counts.values())} ({len(counts)} types)"]
        lines += [f"- {kind}: {counts[kind]}" for kind in sorted(counts)]
        sys.stdout.write("\n".join(lines) + "\n")
    for word, known, other in (
        ("types", len(native), len(generic)),
        ("operators", sum(native.values()), sum(generic.values())),
    ):
        share = 100 * known / max(known + other, 1)
        sys.stdout.write(f"Native {word} coverage: {share:.1f}% ({known}/{known + other})\n")
    return native, generic


def _generic(graph: GraphView) -> dict[str, int]:
    from aidge_nb.graph import GenericOperatorOp

    operators = (node.get_operator() for node in graph.get_nodes())
    return dict(Counter(each.type() for each in operators if isinstance(each, GenericOperatorOp)))

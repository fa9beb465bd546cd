"""Functions of ``aidge_core`` that make, check, show and save graphs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb.core.errors import AidgeError, GraphError, listed
from aidge_nb.core.files import write_atomically
from aidge_nb.core.log import logger
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node
from aidge_nb.graph.replace import replace_nodes
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.topology import with_ancestors
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io import load_onnx, to_onnx
from aidge_nb.recipes.edit import editing

FilePath = str | PathLike[str]


class _InputNode(Node):
    """A node that stands for an input of a graph: no inputs, one output."""

    __slots__ = ()

    def __init__(self, name: str = "") -> None:
        super().__init__(GenericOperatorOp("Input", [], 1), name)


class _OutputNode(Node):
    """A node that stands for an output of a graph: one input, no outputs."""

    __slots__ = ()

    def __init__(self, name: str = "") -> None:
        super().__init__(GenericOperatorOp("Output", [InputCategory.Data], 0), name)


Input, Output = _InputNode, _OutputNode


def generate_graph(output_connectors: Sequence[Any]) -> GraphView:
    """Make the graph of everything that some connectors come from.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.graph.ports import Connector
    >>> y = aidge_nb.ReLU(name="relu")(Connector())
    >>> sorted(node.name() for node in generate_graph([y]))
    ['relu']
    """
    graph = GraphView()
    ends = [connector.node for connector in output_connectors if connector.node is not None]
    graph.add(reversed(with_ancestors(ends)))
    return graph


def meta_operator(
    type: str,
    graph: GraphView,
    forced_inputs_category: Sequence[InputCategory] = (),
    name: str = "",
) -> Node:
    """Make a node out of a graph; its inputs have the categories of the inner ones."""
    if forced_inputs_category:
        mine = [port.node.input_category(port.index) for port in graph.get_ordered_inputs()]
        if mine != list(forced_inputs_category):
            raise GraphError.at(
                f"{name} ({type})",
                "categories of inputs are those inside",
                expected=mine,
                cure="Leave it out, or choose the categories inside.",
            )
    return MetaOperator(type, graph, name)


def to_generic_op(node: Node) -> None:
    """Replace a node by a generic one of the same type, ports, name and attributes."""
    operator = node.get_operator()
    categories = operator.input_category()
    outputs = int(operator.nb_outputs)
    made = Node(
        GenericOperatorOp(node.type(), categories, outputs, operator.attr.dict()), node.name()
    )
    views = list(node._views)
    replace_nodes([node], [made])
    for view in views:
        view.add(made)


def check_graph_validity(graph: GraphView, report: bool = False) -> bool:
    """Return whether a graph has an order: no cycle but through nodes that begin one.

    With ``report`` the cycle is logged.
    """
    problems = []
    try:
        graph.topological_order()
    except GraphError as error:
        problems.append(str(error))
    if report:
        for problem in problems:
            logger.error(problem)
    return not problems


# --- texts and files ------------------------------------------------------------------------


def str_aidge_graph_structure(model: GraphView) -> str:
    """Return the nodes of a graph, one a line: name, type, and what reads each."""
    rows = []
    for node in model.topological_order():
        readers = ", ".join(child.name() for child in node.get_children())
        rows.append(f"- {node.name()} ({node.type()}){' -> ' + readers if readers else ''}\n")
    return "".join(rows)


def str_aidge_seq_scheduling(static_scheduling: Iterable[Any]) -> str:
    """Return a schedule, one execution a line."""
    pairs = enumerate((element.node for element in static_scheduling), 1)
    return "".join(f"- {number} : {node.name()} ({node.type()})\n" for number, node in pairs)


def gview_to_json(
    gview: GraphView,
    json_path: FilePath,
    write_trainable_params_embed: bool = False,
    write_trainable_params_ext: bool = False,
    params_file_format: str = "json",
) -> None:
    """Write a graph as JSON: nodes with their tensors, parents, children and attributes.

    Parameters
    ----------
    gview, json_path
        The graph, and the file.
    write_trainable_params_embed
        Whether numbers of Producers go into the file.
    write_trainable_params_ext
        Whether they go into files beside it, in ``params_file_format``: ``json`` or ``npz``.
    """
    path = Path(json_path)
    nodes = []
    for node in gview.topological_order():
        told = _node(node)
        if node.type() == "Producer" and node.get_operator().get_output(0).has_data:
            numbers = np.asarray(node.get_operator().get_output(0))
            if write_trainable_params_embed:
                told["attributes"]["tensor_data"] = numbers.tolist()
            if write_trainable_params_ext:
                beside = path.with_name(f"{path.stem}_{node.name()}.{params_file_format}")
                _write_numbers(numbers, beside)
                told["attributes"]["file_path"] = str(beside)
        nodes.append(told)
    write_atomically(path, json.dumps({"graph": nodes}, indent=4))


def _write_numbers(numbers: Any, path: Path) -> None:
    if path.suffix == ".npz":
        np.savez_compressed(path, numbers)
    elif path.suffix == ".json":
        write_atomically(path, json.dumps(numbers.tolist()))
    else:
        raise GraphError.at(
            "gview_to_json", "no such format", expected="json or npz", found=path.suffix[1:]
        )


def _node(node: Node) -> dict[str, Any]:
    operator = node.get_operator()
    return {
        "name": node.name(),
        "optype": node.type(),
        "nb_inputs": int(operator.nb_inputs),
        "nb_outputs": int(operator.nb_outputs),
        "inputs": [_tensor(tensor) for tensor in operator.get_inputs()],
        "outputs": [_tensor(tensor) for tensor in operator.get_outputs()],
        "parents": [parent.name() for parent in node.get_parents() if parent is not None],
        "children": [[p.node.name(), i] for i, ports in enumerate(node.outputs()) for p in ports],
        "attributes": {key: _plain(value) for key, value in operator.attr.items()},
    }


def _tensor(tensor: Any) -> dict[str, Any]:
    if tensor is None:
        return {"dims": None, "data_type": None, "data_format": None}
    types = {"data_type": f"dtype.{tensor.dtype.name}", "data_format": repr(tensor.dformat)}
    return {"dims": list(tensor.dims), **types}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return np.asarray(value).tolist()
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(value)


def save_model(graph: GraphView, file_path: FilePath) -> None:
    """Save a graph: an ONNX file, under any name."""
    write_atomically(file_path, save_model_to_bytes(graph))


def load_model(file_path: FilePath) -> GraphView:
    """Load what :func:`save_model` saved."""
    return load_model_from_bytes(Path(file_path).read_bytes())


def save_model_folder(graph: GraphView, folder_path: FilePath) -> None:
    """Save a graph in a folder, as ``model.onnx``."""
    Path(folder_path).mkdir(parents=True, exist_ok=True)
    save_model(graph, Path(folder_path) / "model.onnx")


def load_model_folder(folder_path: FilePath) -> GraphView:
    """Load what :func:`save_model_folder` saved."""
    return load_model(Path(folder_path) / "model.onnx")


def save_model_to_bytes(graph: GraphView) -> bytes:
    """Return a graph as the content of an ONNX file; parameters without values become zeros."""
    graph, lacks = graph.clone(), []
    for node in graph:
        tensor = node.get_operator().get_output(0) if node.type() == "Producer" else None
        if tensor is not None and not tensor.has_data and not tensor.is_undefined():
            tensor.set_array(np.zeros(tensor.dims, tensor.dtype.numpy))
            lacks.append(node.label)
    if lacks:
        logger.warning("no values, saved as zeros: %s", listed(lacks))
    return to_onnx(graph).to_bytes()


def load_model_from_bytes(data: bytes) -> GraphView:
    """Load what :func:`save_model_to_bytes` gave."""
    if not data:
        raise AidgeError.at("load_model", "is empty: no graph is in it")
    graph = load_onnx(data)
    with editing(graph) as edit:  # ONNX's Gemm takes matrices; FC flattens by itself
        for node in edit.nodes("Flatten"):
            names = [child.name() for child in node.get_children() if child.type() == "FC"]
            if [f"{name}_flatten" for name in names] == [node.name()]:
                edit.bypass(node)
    return graph

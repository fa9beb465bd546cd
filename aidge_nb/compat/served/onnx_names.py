"""Names as Aidge makes them of those in a file: ``/block.0/Relu`` becomes ``block_0_Relu``.

``aidge_nb.load_onnx`` keeps the names of the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io import load_onnx as load

if TYPE_CHECKING:
    from onnx import ModelProto


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
    for each in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        each.name = tensor_name(each.name)
    for each in model.graph.value_info:
        each.name = tensor_name(each.name)
    return model

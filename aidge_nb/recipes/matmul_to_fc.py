"""Replace a product with a constant matrix, and an added bias, by a fully connected layer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.leniency import allows, refuses
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.linear import FC
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims", "values"), exact=False)
def matmul_to_fc(view: GraphView) -> Iterable[str]:
    """Make fully connected layers of MatMul, or MatMul and Add, with constant parameters.

    Data have two axes there, by their dimensions or by what makes them: FC flattens others. For
    code written for Aidge, which never looks, the dimensions may be unknown; it warns. The new
    layer is called ``<MatMul>_<Add>``, or as the MatMul without one; its weights are transposed.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> weights = aidge_nb.Producer(np.ones((3, 4), np.float32), name="w")
    >>> product = aidge_nb.MatMul(name="product")
    >>> weights.add_child(product, 0, 1)
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), product])
    >>> model.forward_dims([[2, 3]]), matmul_to_fc(model)
    (True, 1)
    >>> [node for node in model if node.type() == "FC"]
    [Node(product, FC)]
    """
    return fully_connected(view, needs_bias=False)


def fully_connected(view: GraphView, *, needs_bias: bool) -> Iterable[str]:
    """Make the layers; with ``needs_bias``, only for products with an added bias."""
    with editing(view) as edit:
        for product in edit.nodes("MatMul"):
            weights = edit.constant(product, 1)
            if weights is None or weights.ndim != 2:
                continue
            add, bias = _bias_behind(edit, product, weights.shape[1])
            if (add is not None or not needs_bias) and _takes_rows(product):
                yield product.label
                _replace(edit, product, weights, add, bias)


def _takes_rows(product: Node) -> bool:
    """Return whether the data have two axes, or may have where Aidge's leniency is on."""
    data, parent = product.get_operator().get_input(0), product.get_parent(0)
    if data is not None and not data.undefined():
        stays = f"{product.label} stays, because its data have {data.ndim} axes instead of 2."
        return data.ndim == 2 or refuses(stays)
    if parent is not None and parent.type() in ("FC", "Flatten", "Gemm"):
        return True
    return allows(f"{product.label} becomes FC, though its data may have more than 2 axes.")


def _replace(
    edit: Edit,
    product: Node,
    weights: NDArray[Any],
    add: Port | None,
    bias: NDArray[Any] | None,
) -> None:
    features, outputs = weights.shape
    last = product if add is None else add.node
    names = [product.name()] + ([add.node.name()] if add is not None and add.node.name() else [])
    layer = FC(features, outputs, no_bias=True, name="_".join(names))
    layer.remove_parent(1)
    edit.add(layer, product)
    edit.feed_like(layer, 0, product, 0)
    name = _parameter_name(product, 1)
    edit.feed(layer, 1, edit.add_producer(np.ascontiguousarray(weights.T), name, product))
    if add is not None and bias is not None:
        name = _parameter_name(add.node, 1 - add.index)
        edit.feed(layer, 2, edit.add_producer(bias, name, product))
    edit.redirect(Port(last, 0), Port(layer, 0))


def _parameter_name(node: Node, index: int) -> str:
    parent = node.get_parent(index)
    return "" if parent is None else parent.name()


def _bias_behind(
    edit: Edit, product: Node, outputs: int
) -> tuple[Port, NDArray[Any]] | tuple[None, None]:
    """Find the Add that alone reads the product, and the bias that it adds to each row."""
    reader = edit.only_reader(Port(product, 0))
    if reader is None or reader.node.type() != "Add" or reader.node.get_nb_inputs() != 2:
        return None, None
    bias = edit.constant(reader.node, 1 - reader.index)
    if bias is None or bias.ndim > 2 or bias.shape[-1:] not in ((1,), (outputs,), ()):
        return None, None
    if bias.ndim == 2 and bias.shape[0] != 1:
        return None, None
    return reader, np.ascontiguousarray(np.broadcast_to(bias.reshape(-1), (outputs,)))

"""Fuse several products with one tensor into one product and a Split."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.linear import MatMul
from aidge_nb.ops.slicing import Split
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("values",), safe=False, exact=False)
def fuse_qkv(view: GraphView) -> Iterable[str]:
    """Make one MatMul and a Split of several MatMul of one tensor with constant matrices.

    So are query, key and value of attention computed: the tensor is read once.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> data, add = aidge_nb.ReLU(name="data"), aidge_nb.Sum(3, name="sum")
    >>> for part in "qkv":
    ...     product = aidge_nb.MatMul(name=part)
    ...     weights = aidge_nb.Producer(np.ones((4, 4), np.float32), name=f"{part}_w")
    ...     data.add_child(product), weights.add_child(product, 0, 1), product.add_child(add)
    (None, None, None)
    (None, None, None)
    (None, None, None)
    >>> model = aidge_nb.get_connected_graph_view(add)
    >>> fuse_qkv(model), sorted(node.type() for node in model)
    (1, ['MatMul', 'Producer', 'ReLU', 'Split', 'Sum'])
    """
    with editing(view) as edit:
        groups: dict[object, list[tuple[Node, NDArray[Any]]]] = {}
        for node in edit.nodes("MatMul"):
            weights, source = edit.constant(node, 1), edit.source(node, 0)
            if weights is None or weights.ndim != 2 or source is None:
                continue
            key = (source, weights.shape[0], weights.dtype)
            groups.setdefault(key, []).append((node, weights))
        for group in groups.values():
            if len(group) > 1:
                yield " ".join(node.label for node, _ in group)
                _replace(edit, [node for node, _ in group], [weights for _, weights in group])


def _replace(edit: Edit, products: list[Node], weights: list[NDArray[Any]]) -> None:
    names = [node.name() for node in products]
    name = "_".join(names) if all(names) else ""
    first = products[0]
    product = edit.add(MatMul(name=name), first)
    edit.feed_like(product, 0, first, 0)
    suffix = f"{name}_w" if name else ""
    edit.feed(product, 1, edit.add_producer(np.concatenate(weights, axis=1), suffix, first))
    sizes = [matrix.shape[1] for matrix in weights]
    split = Split(len(sizes), axis=-1, split=sizes, name=f"{name}_split" if name else "")
    edit.add(split, first)
    edit.feed(split, 0, Port(product, 0))
    for index, node in enumerate(products):
        edit.redirect(Port(node, 0), Port(split, index))

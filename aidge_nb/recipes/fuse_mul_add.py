"""Fuse a product with a constant matrix and an added bias into a fully connected layer."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.matmul_to_fc import fully_connected
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims", "values"), safe=False, exact=False)
def fuse_mul_add(view: GraphView) -> Iterable[str]:
    """Make fully connected layers of MatMul and Add with constant parameters.

    A MatMul without Add is left alone. :func:`~aidge_nb.recipes.matmul_to_fc`, which ``simplify()``
    applies, replaces it too.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> product, add = aidge_nb.MatMul(name="product"), aidge_nb.Add(name="add")
    >>> aidge_nb.Producer(np.ones((3, 4), np.float32), name="w").add_child(product, 0, 1)
    >>> aidge_nb.Producer(np.ones(4, np.float32), name="b").add_child(add, 0, 1)
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), product, add])
    >>> model.forward_dims([[2, 3]]), fuse_mul_add(model)
    (True, 1)
    >>> [node for node in model if node.type() == "FC"]
    [Node(product_add, FC)]
    """
    return fully_connected(view, needs_bias=True)

"""Transposes beside products of matrices: a BLAS reads and writes transposed matrices as they are.

Such a Transpose is left out: the product behind it reads the data where they lie, or the product
before it writes its result where the Transpose would have put it. Memory is planned accordingly.
Small products are left alone: copying costs little there, and a BLAS may add up otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Port
from aidge_nb.ops.linear import MATMUL
from aidge_nb.ops.rules import axes_of
from aidge_nb.ops.shape import TRANSPOSE

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

_LARGE = 1 << 20
"""Multiplications of a product from which on a BLAS has one way to compute it."""


def products_with_transposes(view: GraphView, order: Sequence[Node]) -> list[tuple[Node, Node]]:
    """List pairs of a node and the one reading it that are computed together.

    One is a Transpose, the other a MatMul; no node is in two pairs.

    Examples
    --------
    >>> import aidge_nb
    >>> turn, product = aidge_nb.Transpose([0, 2, 1], "turn"), aidge_nb.MatMul("product")
    >>> turn.add_child(product, 0, 1)
    >>> view = aidge_nb.get_connected_graph_view(product)
    >>> view.forward_dims([[1, 128, 128], [1, 128, 128]])
    True
    >>> [[n.name() for n in pair] for pair in products_with_transposes(view, list(view))]
    [['turn', 'product']]
    """
    results = set(view.get_ordered_outputs())
    taken: set[Node] = set()
    found = []
    for behind in (True, False):
        for pair in _pairs(order, results, product_is_behind=behind):
            transpose = pair[0] if behind else pair[1]
            product = pair[1] if behind else pair[0]
            is_free = transpose not in taken and (behind or product not in taken)
            if is_free and _is_large(product) and _can_read(transpose):
                found.append(pair)
                taken.add(transpose)
                if not behind:
                    taken.add(product)
    return found


def _pairs(
    order: Sequence[Node], results: set[Port], *, product_is_behind: bool
) -> Iterator[tuple[Node, Node]]:
    first, second = (TRANSPOSE, MATMUL) if product_is_behind else (MATMUL, TRANSPOSE)
    for node in order:
        if node.get_operator().spec is not first or Port(node, 0) in results:
            continue
        readers = node.output(0)
        if len(readers) == 1 and readers[0].node.get_operator().spec is second:
            yield node, readers[0].node


def _is_large(product: Node) -> bool:
    """Whether a BLAS takes its usual way, and no vector is among the factors."""
    operator = product.get_operator()
    left, right = operator.get_input(0), operator.get_input(1)
    if left is None or right is None or min(left.ndim, right.ndim) < 3:
        return False
    rows, terms, columns = left.dims[-2], left.dims[-1], right.dims[-1]
    return rows * terms * columns >= _LARGE and min(rows, terms, columns) > 1


def _can_read(transpose: Node) -> bool:
    """Whether matrices keep elements that lie side by side."""
    order = _axes(transpose)
    return len(order) > 2 and len(order) - 1 in order[-2:]


def _axes(transpose: Node) -> tuple[int, ...]:
    """Give the axis of the data that each axis of the result is."""
    operator = transpose.get_operator()
    rank = operator.get_output(0).ndim
    given = operator.attr.output_dims_order
    return tuple(axes_of(given, rank)) if len(given) else tuple(reversed(range(rank)))


def turned(array: NDArray[Any], transpose: Node) -> NDArray[Any]:
    """View the data of a Transpose as its result."""
    return array.transpose(_axes(transpose))


def turned_back(array: NDArray[Any], transpose: Node) -> NDArray[Any]:
    """View the result of a Transpose as its data."""
    return array.transpose(np.argsort(_axes(transpose)))

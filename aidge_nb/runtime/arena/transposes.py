"""Leave out Transposes next to matrix products: a BLAS reads and writes transposed matrices.

The product that follows reads the data of the Transpose where they lie, or the product before it
writes its result where the Transpose would. Memory is planned accordingly. Small products keep
their Transposes: copying costs little there, and a BLAS may sum them in another order.
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
"""Multiplications of a product from which a BLAS computes it in one way."""


def products_with_transposes(view: GraphView, order: Sequence[Node]) -> list[tuple[Node, Node]]:
    """List pairs of a node and its reader that are computed together.

    One is a Transpose, the other a MatMul; no Transpose is in two pairs.

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
    for is_last in (True, False):
        for pair in _pairs(order, results, product_is_last=is_last):
            transpose = pair[0] if is_last else pair[1]
            product = pair[1] if is_last else pair[0]
            is_free = transpose not in taken and (is_last or product not in taken)
            if is_free and _is_large(product) and _can_read(transpose):
                found.append(pair)
                taken.add(transpose)
                if not is_last:
                    taken.add(product)
    return found


def _pairs(
    order: Sequence[Node], results: set[Port], *, product_is_last: bool
) -> Iterator[tuple[Node, Node]]:
    first, second = (TRANSPOSE, MATMUL) if product_is_last else (MATMUL, TRANSPOSE)
    for node in order:
        if node.get_operator().spec is not first or Port(node, 0) in results:
            continue
        readers = node.output(0)
        if len(readers) == 1 and readers[0].node.get_operator().spec is second:
            yield node, readers[0].node


def _is_large(product: Node) -> bool:
    """Tell whether a BLAS computes a product in its usual way, without vectors."""
    operator = product.get_operator()
    left, right = operator.get_input(0), operator.get_input(1)
    if left is None or right is None or min(left.ndim, right.ndim) < 3:
        return False
    rows, terms, columns = left.dims[-2], left.dims[-1], right.dims[-1]
    return rows * terms * columns >= _LARGE and min(rows, terms, columns) > 1


def _can_read(transpose: Node) -> bool:
    """Tell whether the transposed matrices keep adjacent elements."""
    order = _axes(transpose)
    return len(order) > 2 and len(order) - 1 in order[-2:]


def _axes(transpose: Node) -> tuple[int, ...]:
    """Return the axis of the data for each axis of the result."""
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

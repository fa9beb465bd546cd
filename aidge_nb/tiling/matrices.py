"""What a part of a product of matrices is computed from: FC, Gemm and MatMul.

Rows of the result need the same rows of the left factor, columns the same columns of the right one;
what is summed over is needed as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node
from aidge_nb.tiling.ranges import Range, Region, whole

PRODUCTS = ("FC", "Gemm", "MatMul")
"""Types of the operators that multiply matrices."""


def product_inputs(node: Node, output: Region, dims: Sequence[Sequence[int]]) -> dict[int, Region]:
    """Find what a part of a product reads.

    Parameters
    ----------
    node
        The product.
    output
        The part of its output.
    dims
        The dimensions of its inputs, of as many as there are.

    Raises
    ------
    GraphError
        For products with vectors.

    Examples
    --------
    >>> import aidge_nb
    >>> node = aidge_nb.FC(8, 4, name="fc")
    >>> found = product_inputs(node, (Range(0, 1), Range(2, 4)), [(1, 8), (4, 8), (4,)])
    >>> [[str(each) for each in region] for region in found.values()]
    [['0:1', '0:8'], ['2:4', '0:8'], ['2:4']]
    """
    data, weight = dims[0], dims[1]
    rows, columns = output[-2:] if len(output) > 1 else (Range(0, 1), output[-1])
    left: Region
    right: Region
    if node.type() == "FC":
        left = (rows, *whole(data[1:])) if len(data) > 1 else whole(data)
        right = (columns, *whole(weight[1:]))
        return {0: left, 1: right, **({2: (columns,)} if len(dims) > 2 else {})}
    if min(len(data), len(weight)) < 2:
        problem, cure = "a product with a vector cannot be tiled", "Give it two axes: Unsqueeze."
        raise GraphError.at(node.label, problem, found=list(map(list, dims[:2])), cure=cure)
    if node.type() == "Gemm":
        attr = node.get_operator().attr
        left = (Range(0, data[0]), rows) if attr.transA else (rows, Range(0, data[1]))
        right = (columns, Range(0, weight[1])) if attr.transB else (Range(0, weight[0]), columns)
        bias = {2: fitted(output, dims[2])} if len(dims) > 2 else {}
        return {0: left, 1: right, **bias}
    left = (*fitted(output[:-2], data[:-2]), rows, Range(0, data[-1]))
    right = (*fitted(output[:-2], weight[:-2]), Range(0, weight[-2]), columns)
    return {0: left, 1: right}


def fitted(output: Region, dims: Sequence[int]) -> Region:
    """Give the part of what is repeated to the output, aligned at the last axis."""
    ends = output[len(output) - len(dims) :]
    return tuple(Range(0, 1) if size == 1 else out for size, out in zip(dims, ends, strict=True))

"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from aidge_nb.core.dims import Dims
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.arithmetic import common_result
from aidge_nb.ops.build import add_parameter, declare, factory, make_node, plain
from aidge_nb.ops.rules import broadcast, broadcasts_to, need_dims, need_rank, port


def _fc_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, weights = context.dim(0), context.dim(1)
    need_rank(weights, 2, port(context.where, 1))
    need_rank(data, range(1, 99), port(context.where, 0))
    batch, features = (1, data[0]) if len(data) == 1 else (data[0], prod(data[1:]))
    need_dims([features], [weights[1]], "wrong number of features", port(context.where, 0))
    if context.present(2):
        need_dims(context.dim(2), weights[:1], "wrong bias dims", port(context.where, 2))
    return [(batch, weights[0])]


FULLY_CONNECTED = declare(
    "FC",
    ports.WEIGHTED,
    _fc_dims,
    macs=lambda context, outputs: outputs[0].size * context.dim(1)[1],
)


def matmul_dims(
    left: Sequence[int], right: Sequence[int], where: str = ""
) -> tuple[tuple[int, ...], int]:
    """Return the dimensions of a product of matrices, and the size that is summed over.

    Raise ShapeError when the inputs do not fit.
    """
    need_rank(left, range(1, 99), port(where, 0))
    need_rank(right, range(1, 99), port(where, 1))
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise ShapeError.at(
            where,
            "matrices do not fit",
            expected="as many columns at input#0 as rows at input#1",
            found=f"{list(left)} and {list(right)}",
        )
    batch = broadcast([tuple(left[:-2]), tuple(right[:-2])], where)
    rows = left[-2:-1] if len(left) > 1 else ()
    columns = right[-1:] if len(right) > 1 else ()
    return (*batch, *rows, *columns), inner


MATMUL = declare(
    "MatMul",
    ports.data("data_input1", "data_input2"),
    lambda context: [matmul_dims(context.dim(0), context.dim(1), context.where)[0]],
    dtypes=common_result,
    onnx=("MatMul",),
    macs=lambda context, outputs: outputs[0].size * matmul_dims(context.dim(0), context.dim(1))[1],
)


def _gemm_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, weights, attrs = context.dim(0), context.dim(1), context.attrs
    need_rank(data, 2, port(context.where, 0))
    need_rank(weights, 2, port(context.where, 1))
    left = data[::-1] if attrs.transA else data
    right = weights[::-1] if attrs.transB else weights
    dims, _ = matmul_dims(left, right, context.where)
    if context.present(2) and not broadcasts_to(context.dim(2), dims):
        need_dims(context.dim(2), dims, "bias does not fit the result", port(context.where, 2))
    return [dims]


def _gemm_macs(context: ShapeContext, outputs: Sequence[Dims]) -> int:
    return outputs[0].size * context.dim(0)[0 if context.attrs.transA else 1]


GEMM = declare(
    "Gemm",
    ports.WEIGHTED,
    _gemm_dims,
    attrs={"alpha": 1.0, "beta": 1.0, "transA": False, "transB": False},
    onnx=("Gemm",),
    macs=_gemm_macs,
)


def einsum_terms(
    equation: str, ranks: Sequence[int], where: str = ""
) -> tuple[list[list[str]], list[str]]:
    """Read an Einstein summation: the axis labels of each input, and those of the output.

    Axes after an ellipsis are called by negative numbers, counted from its end. Raise ShapeError
    when the equation does not fit the inputs.

    Examples
    --------
    >>> einsum_terms("bij,bjk", [3, 3])
    ([['b', 'i', 'j'], ['b', 'j', 'k']], ['i', 'k'])
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ShapeError.at(
            where, f"equation {equation!r}", expected=f"{len(ranks)} terms", found=terms
        )
    inputs = [_labels(term, rank, where) for term, rank in zip(terms, ranks, strict=True)]
    every = [label for labels in inputs for label in labels]
    dots = sorted({label for label in every if label.startswith("-")}, key=int)
    if arrow:
        head, ellipsis, tail = right.partition("...")
        return inputs, [*head, *(dots if ellipsis else ()), *tail]
    letters = sorted({label for label in every if every.count(label) == 1} - set(dots))
    return inputs, [*dots, *letters]


def _labels(term: str, rank: int, where: str) -> list[str]:
    head, ellipsis, tail = term.partition("...")
    hidden = rank - len(head) - len(tail)
    if hidden < 0 or (hidden and not ellipsis):
        raise ShapeError.at(where, f"term {term!r} does not fit its input", expected=f"{rank} axes")
    return [*head, *(str(-position) for position in range(hidden, 0, -1)), *tail]


def einsum_sizes(
    inputs: Sequence[Sequence[str]], dims: Sequence[Sequence[int]], where: str = ""
) -> dict[str, int]:
    """Return the size of each axis label, of which inputs may have 1.

    Raise ShapeError when inputs have others.

    Examples
    --------
    >>> einsum_sizes([["i", "j"], ["j", "k"]], [(2, 3), (1, 4)])
    {'i': 2, 'j': 3, 'k': 4}
    """
    sizes: dict[str, int] = {}
    for labels, shape in zip(inputs, dims, strict=True):
        for label, size in zip(labels, shape, strict=True):
            known = sizes.setdefault(label, size)
            if 1 not in (known, size) and known != size:
                raise ShapeError.at(where, f"axis {label!r}", expected=known, found=size)
            sizes[label] = size if known == 1 else known
    return sizes


def _einsum_sizes(context: ShapeContext) -> tuple[dict[str, int], list[str]]:
    dims = [context.dim(index) for index in range(len(context.dims))]
    inputs, output = einsum_terms(context.attrs.equation, [len(d) for d in dims], context.where)
    sizes = einsum_sizes(inputs, dims, context.where)
    unknown = [label for label in output if label not in sizes]
    if unknown:
        raise ShapeError.at(context.where, "no input has these axes", found=unknown)
    return sizes, output


def _einsum_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    sizes, output = _einsum_sizes(context)
    return [tuple(sizes[label] for label in output)]


EINSUM = declare(
    "Einsum",
    ports.DATA,
    _einsum_dims,
    attrs={"equation": REQUIRED},
    dtypes=common_result,
    variadic=True,
    onnx=("Einsum",),
    macs=lambda context, outputs: prod(_einsum_sizes(context)[0].values()),
)


def FC(in_channels: int, out_channels: int, no_bias: bool = False, name: str = "") -> Node:
    """Make a fully connected layer: x · wᵀ + b.

    Parameters
    ----------
    in_channels, out_channels
        Number of features of data and result. Data are ``[batch, ...]`` with ``in_channels``
        elements for each of the batch.
    no_bias
        Whether nothing is added.
    name
        Name of the node. Its Producers are called ``<name>_w`` (dims ``[out, in]``) and
        ``<name>_b``.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.FC(4, 2, name="fc").get_parent(1).get_operator().get_output(0).dims
    [2, 4]
    """
    node = make_node(FULLY_CONNECTED, name)
    add_parameter(node, 1, "w", (out_channels, in_channels))
    if not no_bias:
        add_parameter(node, 2, "b", (out_channels,))
    return node


MatMul = factory(MATMUL, plain, does="multiplies two stacks of matrices, as ``numpy.matmul`` does")


def Gemm(
    in_channels: int,
    out_channels: int,
    alpha: float = 1.0,
    beta: float = 1.0,
    no_bias: bool = False,
    transA: bool = False,
    transB: bool = False,
    name: str = "",
) -> Node:
    """Make a node that computes ``alpha`` x · w + ``beta`` b, each matrix transposed or not.

    Its Producers are called ``<name>_w`` and ``<name>_b``. Where nothing is scaled and ``transB``
    is set, FC does the same.

    Parameters
    ----------
    in_channels
        Number of channels (features) of the data.
    out_channels
        Number of channels (features) of the output.
    alpha
        Factor of the product.
    beta
        Factor of what is added.
    no_bias
        Whether nothing is added; there is no bias input then.
    transA, transB
        Whether the first, the second matrix is transposed first.
    name
        Name of the node.
    """
    node = make_node(GEMM, name, alpha=alpha, beta=beta, transA=transA, transB=transB)
    dims = (out_channels, in_channels) if transB else (in_channels, out_channels)
    add_parameter(node, 1, "w", dims)
    if not no_bias:
        add_parameter(node, 2, "b", (out_channels,))
    return node


def Einsum(equation: str, nb_inputs: int, name: str = "") -> Node:
    """Make a node that multiplies and sums as an equation such as ``bij,bjk->bik`` says.

    Parameters
    ----------
    equation
        What to sum over, such as ``"ij,jk->ik"``: a letter per axis.
    nb_inputs
        Number of inputs.
    name
        Name of the node.
    """
    return make_node(EINSUM, name, nb_inputs=nb_inputs, equation=equation)

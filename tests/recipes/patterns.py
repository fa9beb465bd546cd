"""For each recipe the pattern that it looks for, as exporters write it, planted behind some data.

A pattern is a function that draws its variants, grows the nodes behind ``data`` and lists them, the
one with the result last. Beside it stand the dimensions of the data that it is for.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

import aidge_nb
from aidge_nb.graph import Node
from tests.recipes.graphs import producer, tensor

Pick = Callable[[int], int]
"""Draws a whole number below a limit."""

Plant = Callable[[Pick, Node], list[Node]]

PICTURE, ROWS, TOKENS = (2, 3, 6, 5), (3, 4), (2, 3, 4)


def _chain(data: Node, *nodes: Node) -> list[Node]:
    for node in nodes:
        data.add_child(node, 0, 0)
        data = node
    return list(nodes)


def _with(node: Node, constant: object, index: int = 1) -> Node:
    """Feed a constant to an input of a node."""
    producer(constant).add_child(node, 0, index)
    return node


def _join(first: Node, second: Node, node: Node) -> Node:
    first.add_child(node, 0, 0)
    second.add_child(node, 0, 1)
    return node


def _folded(pick: Pick, data: Node) -> list[Node]:
    before = _with(_with(aidge_nb.Add(name="sum"), 0.5, 0), 1.25)
    root = aidge_nb.Sqrt(name="root")
    before.add_child(root)
    return [before, root, _join(data, root, (aidge_nb.Mul, aidge_nb.Sub)[pick(2)]())]


def _shape(pick: Pick, data: Node) -> list[Node]:
    shape = aidge_nb.Shape(name="shape")
    data.add_child(shape)
    other = aidge_nb.Neg()
    data.add_child(other)
    return [shape, other, _join(other, shape, aidge_nb.Reshape())]


def _conv(pick: Pick, name: str = "conv") -> Node:
    no_bias = not pick(2)
    if pick(2):
        return aidge_nb.PaddedConv2D(3, 2, [3, 2], name, [1, 2], [1, 0, 1, 1], no_bias=no_bias)
    return aidge_nb.Conv2D(3, 2, [2, 3], name, [1, 1 + pick(2)], no_bias=no_bias)


def _adds(pick: Pick, data: Node) -> list[Node]:
    sides = [_with(aidge_nb.Mul(name=f"m{i}"), 1.0 + i) for i in range(2)]
    for side in sides:
        data.add_child(side)
    inner = _join(sides[0], sides[1], aidge_nb.Add(name="inner"))
    pair = (inner, data) if pick(2) else (data, inner)
    return [*sides, inner, _join(*pair, aidge_nb.Add(name="outer"))]


def _attention(pick: Pick, data: Node) -> list[Node]:
    query, key = aidge_nb.Tanh(name="q"), aidge_nb.Transpose([0, 2, 1], name="k")
    data.add_child(query)
    data.add_child(key)
    return [query, key, *_attend(pick, query, key, data)]


def _attend(pick: Pick, query: Node, key: Node, value: Node) -> list[Node]:
    made = [_join(query, key, aidge_nb.MatMul(name="scores"))]
    scaled = pick(3)
    if scaled:
        scale = (aidge_nb.Div, aidge_nb.Mul)[scaled - 1](name="scale")
        made += _chain(made[-1], _with(scale, 2.0))
    made += _chain(made[-1], aidge_nb.Softmax(-1, name="softmax"))
    return [*made, _join(made[-1], value, aidge_nb.MatMul(name="context"))]


def _heads(pick: Pick, data: Node) -> list[Node]:
    product = _with(aidge_nb.MatMul(name="qkv"), tensor([4, 12]))
    split = aidge_nb.Split(3, axis=-1, split=[4, 4, 4], name="split")
    made = _chain(data, product, split)
    spread = []
    for index in range(3):
        left = pick(2)
        add = _with(aidge_nb.Add(name=f"b{index}"), tensor([4], index), 1 - left)
        split.add_child(add, index, left)
        order = [0, 2, 3, 1] if index == 1 else [0, 2, 1, 3]
        after = [aidge_nb.Reshape([2, 3, 2, 2]), aidge_nb.Transpose(order)]
        made += [add, *_chain(add, *after)]
        spread.append(made[-1])
    made += _attend(pick, *spread)
    ends = [aidge_nb.Transpose([0, 2, 1, 3]), aidge_nb.Reshape([2, 3, 4])]
    last = _with(aidge_nb.MatMul(name="out"), tensor([4, 4], 5))
    return made + _chain(made[-1], *ends, last, _with(aidge_nb.Add(name="bias"), tensor([4], 6)))


def _concatenation(pick: Pick, data: Node) -> list[Node]:
    axis, other = pick(4), aidge_nb.Neg(name="other")
    data.add_child(other)
    inner = _join(data, other, aidge_nb.Concat(2, axis=axis, name="inner"))
    pair = (inner, other) if pick(2) else (data, inner)
    return [other, inner, _join(*pair, aidge_nb.Concat(2, axis=axis - 4 * pick(2), name="outer"))]


def _gelu(pick: Pick, data: Node) -> list[Node]:
    is_divided, is_halved_first = pick(2), pick(2)
    scale = aidge_nb.Div(name="scale") if is_divided else aidge_nb.Mul(name="scale")
    _with(scale, sqrt(2) if is_divided else sqrt(0.5))
    one = _with(aidge_nb.Add(name="one"), 1.0)
    made = _chain(data, scale, aidge_nb.Erf(name="erf"), one)
    product, half = aidge_nb.Mul(name="product"), _with(aidge_nb.Mul(name="half"), 0.5)
    if is_halved_first:
        data.add_child(half, 0, 0)
        return [*made, half, _join(half, one, product)]
    return [*made, _join(data, one, product), *_chain(product, half)]


def _layernorm(pick: Pick, data: Node) -> list[Node]:
    axes = ([-1], [1, 2])[pick(2)]
    inner = TOKENS[-len(axes) :]
    mean = aidge_nb.ReduceMean(axes, name="mean")
    data.add_child(mean)
    centre = _join(data, mean, aidge_nb.Sub(name="centre"))
    if pick(2):
        square = _join(centre, centre, aidge_nb.Mul(name="square"))
    else:
        (square,) = _chain(centre, _with(aidge_nb.Pow(name="square"), 2.0))
    epsilon = _with(aidge_nb.Add(name="epsilon"), 1e-5)
    variance = aidge_nb.ReduceMean(axes, name="variance")
    made = [mean, centre, square]
    made += _chain(square, variance, epsilon, aidge_nb.Sqrt(name="root"))
    made.append(_join(centre, made[-1], aidge_nb.Div(name="div")))
    scale = _with(aidge_nb.Mul(name="gain"), tensor(inner))
    return made + _chain(made[-1], scale, _with(aidge_nb.Add(name="shift"), tensor(inner, 1)))


def _qkv(pick: Pick, data: Node) -> list[Node]:
    products = [
        _with(aidge_nb.MatMul(name=f"m{i}"), tensor([4, 1 + pick(4)], i))
        for i in range(2 + pick(2))
    ]
    join = aidge_nb.Concat(len(products), axis=-1)
    for index, product in enumerate(products):
        data.add_child(product)
        product.add_child(join, 0, index)
    return [*products, join]


def _dense(pick: Pick, data: Node) -> list[Node]:
    product = _with(aidge_nb.MatMul(name="product"), tensor([4, 2 + pick(3)]))
    left, dims = pick(2), ([], [1], [1, 1])[pick(3)]
    add = _with(aidge_nb.Add(name="bias"), tensor(dims, 1), 1 - left)
    data.add_child(product)
    product.add_child(add, 0, left)
    return [product, add]


def _slices(pick: Pick, data: Node) -> list[Node]:
    cuts = [(1 + pick(2), 5, 2), (pick(2), 3, 3)]
    made = [aidge_nb.Slice([a], [b], [axis], [1 + pick(2)]) for a, b, axis in cuts]
    return _chain(data, *made)


def _orders(pick: Pick) -> list[int]:
    left = list(range(4))
    return [left.pop(pick(len(left))) for _ in range(4)]


def _reduction(pick: Pick, data: Node) -> list[Node]:
    kind = ("Max", "Mean", "Sum", "L2", "Min")[pick(5)]
    axis = pick(4)
    reduce = getattr(aidge_nb, f"Reduce{kind}")([axis - 4 * pick(2)], keep_dims=False)
    return _chain(data, reduce, aidge_nb.Unsqueeze([axis]))


def _reshapes(pick: Pick, data: Node) -> list[Node]:
    firsts = [aidge_nb.Flatten(), aidge_nb.Unsqueeze([pick(4)]), aidge_nb.Reshape([3, -1])]
    return _chain(data, firsts[pick(3)], aidge_nb.Reshape([5, -1, 2]))


def _repeated(pick: Pick, data: Node) -> list[Node]:
    pairs = [
        (aidge_nb.ReLU, aidge_nb.ReLU),
        (aidge_nb.Sigmoid, aidge_nb.Abs),
        (aidge_nb.Floor, aidge_nb.Round),
        (aidge_nb.Sign, aidge_nb.Sign),
    ]
    first, second = pairs[pick(4)]
    return _chain(data, first(), second())


def _neutral(pick: Pick, data: Node) -> list[Node]:
    makers = [(aidge_nb.Add, 0.0), (aidge_nb.Mul, 1.0), (aidge_nb.Sub, 0.0), (aidge_nb.Div, 1.0)]
    make, value = makers[pick(4)]
    return _chain(data, _with(make(), np.full((1,) * pick(3), value)))


def _noop(pick: Pick, data: Node) -> list[Node]:
    nodes = [
        aidge_nb.Cast(np.float32),
        aidge_nb.Transpose([0, 1, 2, 3]),
        aidge_nb.Reshape(list(PICTURE)),
        aidge_nb.Pad([0, 0, 0, 0]),
        aidge_nb.Concat(1, axis=pick(4)),
        aidge_nb.Split(1, axis=pick(4), split=[]),
        aidge_nb.Slice([0], [100], [pick(4)]),
        aidge_nb.Squeeze([]),
    ]
    return _chain(data, nodes[pick(len(nodes))])


def _equal_constants(pick: Pick, data: Node) -> list[Node]:
    adds = [aidge_nb.Add(name="a"), aidge_nb.Mul(name="b")]
    for add in adds:
        producer(tensor([5]), constant=True).add_child(add, 0, 1)
    return _chain(data, *adds)


def _pixels(pick: Pick, data: Node) -> list[Node]:
    kernels = [[1, 1], [1 + pick(3), 2]][:: 1 - 2 * pick(2)]
    ends = ((3, 2), (2, 4))
    return _chain(
        data, *(aidge_nb.Conv2D(*ends[i], kernels[i], no_bias=pick(2) > 0) for i in (0, 1))
    )


PATTERNS: dict[str, tuple[tuple[int, ...], Plant]] = {
    "absorb_transpose_softmax": (
        PICTURE,
        lambda pick, data: _chain(
            data,
            aidge_nb.Transpose(_orders(pick)),
            aidge_nb.Softmax(pick(4)),
            aidge_nb.Transpose(_orders(pick)),
        ),
    ),
    "constant_folding": (PICTURE, _folded),
    "constant_shape_folding": (PICTURE, _shape),
    "conv_to_matmul": (PICTURE, lambda pick, data: _chain(data, _conv(pick))),
    "fuse_attention": (TOKENS, _attention),
    "fuse_batchnorm": (
        PICTURE,
        lambda pick, data: _chain(data, _conv(pick), aidge_nb.BatchNorm2D(2, name="norm")),
    ),
    "fuse_concatenation": (PICTURE, _concatenation),
    "fuse_consecutive_adds": (PICTURE, _adds),
    "fuse_consecutive_reshape": (PICTURE, _reshapes),
    "fuse_consecutive_slices": (PICTURE, _slices),
    "fuse_consecutive_squeeze": (
        (2, 1, 3, 1),
        lambda pick, data: _chain(data, aidge_nb.Squeeze([1 + 2 * pick(2)]), aidge_nb.Squeeze([])),
    ),
    "fuse_consecutive_unsqueeze": (
        PICTURE,
        lambda pick, data: _chain(
            data, aidge_nb.Unsqueeze([pick(5)]), aidge_nb.Unsqueeze([pick(6), -1])
        ),
    ),
    "fuse_convolution": (PICTURE, _pixels),
    "fuse_gelu": (PICTURE, _gelu),
    "fuse_layernorm": (TOKENS, _layernorm),
    "fuse_mul_add": (ROWS, _dense),
    "fuse_multi_head_attention": (TOKENS, _heads),
    "fuse_pad_with_conv": (
        PICTURE,
        lambda pick, data: _chain(
            data, aidge_nb.Pad([pick(2), pick(3), 1, pick(2)]), aidge_nb.Conv2D(3, 2, [3, 3])
        ),
    ),
    "fuse_qkv": (TOKENS, _qkv),
    "fuse_reduce_unsqueeze": (PICTURE, _reduction),
    "fuse_transpose": (
        PICTURE,
        lambda pick, data: _chain(data, *(aidge_nb.Transpose(_orders(pick)) for _ in range(2))),
    ),
    "matmul_to_fc": (ROWS, lambda pick, data: _dense(pick, data)[: 1 + pick(2)]),
    "remove_dropout": (PICTURE, lambda pick, data: _chain(data, aidge_nb.Dropout(0.3))),
    "remove_duplicate_producers": (PICTURE, _equal_constants),
    "remove_flatten": (
        PICTURE,
        lambda pick, data: _chain(
            data, aidge_nb.Flatten(), aidge_nb.FC(90, 2, no_bias=not pick(2))
        ),
    ),
    "remove_idempotent": (PICTURE, _repeated),
    "remove_identity": (PICTURE, lambda pick, data: _chain(data, aidge_nb.Identity())),
    "remove_neutral": (PICTURE, _neutral),
    "remove_noop": (PICTURE, _noop),
}

"""Random small graphs of all kinds of operators, from a seed.

Dimensions change on the way (windows, transposes, reductions), values are read several times, and
branches join again. An operator without a C kernel is left out, so that graphs grow with the
library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import aidge_nb as nb
from aidge_nb.graph import GraphView, Node
from aidge_nb.kernels.c import has_c_kernel
from tests.export.models import fill_producers

Maker = Callable[[np.random.Generator, Sequence[int], str], Node | None]

ELEMENTWISE: tuple[Callable[[str], Node], ...] = (
    lambda name: nb.ReLU(name=name),
    lambda name: nb.LeakyReLU(0.1, name=name),
    lambda name: nb.Sigmoid(name=name),
    lambda name: nb.Tanh(name=name),
    lambda name: nb.Erf(name=name),
    lambda name: nb.Abs(name=name),
    lambda name: nb.Neg(name=name),
    lambda name: nb.Exp(name=name),
    lambda name: nb.Sin(name=name),
    lambda name: nb.HardSigmoid(name=name),
    lambda name: nb.Gelu(name=name),
    lambda name: nb.Clip(name=name, min=-0.5, max=0.75),
    lambda name: nb.Clip(name=name, min=0.0),
    lambda name: nb.Softsign(name=name),
    lambda name: nb.Floor(name=name),
    lambda name: nb.Identity(name=name),
)
JOINS: tuple[Callable[[str], Node], ...] = (
    lambda name: nb.Add(name=name),
    lambda name: nb.Sub(name=name),
    lambda name: nb.Mul(name=name),
    lambda name: nb.Max(2, name=name),
)


def _ints(random: np.random.Generator, low: int, high: int, count: int) -> list[int]:
    return [int(each) for each in random.integers(low, high + 1, count)]


def _conv(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    if len(dims) != 4:
        return None
    group = int(random.choice([g for g in (1, 2, 3) if dims[1] % g == 0]))
    outputs = group * int(random.integers(1, 5))
    return nb.PaddedConv2D(
        dims[1],
        outputs,
        [min(k, dims[2 + a]) for a, k in enumerate(_ints(random, 1, 3, 2))],
        name=name,
        stride_dims=_ints(random, 1, 2, 2),
        padding_dims=_ints(random, 0, 2, 4),
        no_bias=bool(random.integers(2)),
        group=group,
    )


def _depthwise(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    if len(dims) != 4:
        return None
    kernel = [min(k, dims[2 + a]) for a, k in enumerate(_ints(random, 1, 3, 2))]
    return nb.ConvDepthWise2D(dims[1], kernel, name=name)


def _pool(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    if len(dims) != 4:
        return None
    kernel = [min(k, dims[2 + a]) for a, k in enumerate(_ints(random, 1, 3, 2))]
    strides = _ints(random, 1, 2, 2)
    if random.integers(2):
        return nb.MaxPooling2D(kernel, name=name, stride_dims=strides)
    return nb.AvgPooling2D(kernel, name=name, stride_dims=strides)


def _fc(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    inside = int(np.prod(dims[1:]))
    return nb.FC(inside, int(random.integers(1, 9)), name=name) if len(dims) >= 2 else None


def _norm(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    kind = int(random.integers(3))
    if kind == 0 and len(dims) == 4:
        return nb.BatchNorm2D(dims[1], name=name)
    if kind == 1:
        return nb.LayerNorm([dims[-1]], name=name)
    return nb.Softmax(int(random.integers(1, len(dims))), name=name)


def _reduce(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    axis = int(random.integers(1, len(dims)))
    maker = (nb.ReduceMean, nb.ReduceSum, nb.ReduceMax)[int(random.integers(3))]
    return maker([axis], keep_dims=bool(random.integers(2)) or len(dims) < 3, name=name)


def _move(random: np.random.Generator, dims: Sequence[int], name: str) -> Node | None:
    kind, rank = int(random.integers(4)), len(dims)
    if kind == 0:
        return nb.Transpose([0, *(1 + random.permutation(rank - 1)).tolist()], name=name)
    if kind == 1:
        return nb.Reshape([dims[0], int(np.prod(dims[1:]))], name=name)
    if kind == 2:
        axis = int(random.integers(1, rank))
        start = int(random.integers(0, dims[axis]))
        return nb.Slice([start], [dims[axis]], [axis], [int(random.integers(1, 3))], name=name)
    pads = [0] * (2 * rank)
    pads[rank - 1], pads[-1] = _ints(random, 0, 2, 2)
    return nb.Pad(pads, name=name)


MAKERS: tuple[Maker, ...] = (_conv, _depthwise, _pool, _fc, _norm, _reduce, _move)


def random_view(seed: int) -> GraphView:
    """Make the graph of a seed."""
    random = np.random.default_rng(seed)
    dims = [int(random.integers(1, 3)), int(random.choice([2, 3, 4, 6])), *_ints(random, 4, 7, 2)]
    first = nb.ReLU(name="in")
    view = GraphView(f"fuzz{seed}")
    view.add(first)
    assert view.forward_dims([dims])
    ends = [first]
    for number in range(int(random.integers(2, 9))):
        source = ends[int(random.integers(len(ends)))] if random.integers(3) == 0 else ends[-1]
        node = _grow(random, view, source, f"n{number}")
        if node is not None:
            ends.append(node)
    fill_producers(view, seed)
    _set_variances(view)
    return view


def _grow(random: np.random.Generator, view: GraphView, source: Node, name: str) -> Node | None:
    """Add a node behind another one, or one that joins two."""
    dims = source.get_operator().get_output(0).dims
    kind = int(random.integers(5))
    others = [
        node
        for node in view.get_nodes()
        if node.type() != "Producer" and node.get_operator().get_output(0).dims == dims
    ]
    node: Node | None
    if kind == 0 and len(others) > 1:
        joined = random.integers(4)
        maker = JOINS[int(random.integers(len(JOINS)))]
        node = nb.Concat(2, axis=len(dims) - 1, name=name) if joined == 0 else maker(name)
        parents = [source, others[int(random.integers(len(others)))]]
    else:
        if kind <= 2:
            node = ELEMENTWISE[int(random.integers(len(ELEMENTWISE)))](name)
        else:
            node = MAKERS[int(random.integers(len(MAKERS)))](random, dims, name)
        parents = [source]
    if node is None or not (has_c_kernel(node) or node.get_operator().spec.is_view):
        return None
    for index, parent in enumerate(parents):
        parent.add_child(node, 0, index)
    view.add(node)
    assert view.forward_dims([], True)
    return node


def _set_variances(view: GraphView) -> None:
    """Let variances be positive."""
    for node in view.get_nodes():
        if node.type() == "BatchNorm2D":
            tensor = node.get_operator().get_input(4)
            if tensor is not None:
                np.abs(tensor.array, out=tensor.array)

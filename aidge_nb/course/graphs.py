"""The small graphs of the tutorials and the course, each one function."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb import ops
from aidge_nb.core.tensor import Tensor
from aidge_nb.course.actors import actor
from aidge_nb.graph.builders import get_connected_graph_view, parallel, sequential
from aidge_nb.recipes.fillers import init_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView


def chained(nodes: Sequence[Node]) -> Node:
    """Connect nodes one after the other; return the last."""
    for one, other in pairwise(nodes):
        one.add_child(other)
    return nodes[-1]


# --- 01: early and late steps -------------------------------------------------------------------


def fork(*, extra: int = 0) -> GraphView:
    """Make five operators, of which `quick` has slack.

    Parameters
    ----------
    extra
        Operators more on the slow branch.
    """
    split, quick, join = (
        ops.Identity(name="split"),
        ops.ReLU(name="quick"),
        ops.Add(name="join"),
    )
    slow = [ops.Tanh(name="slow_1"), ops.Sqrt(name="slow_2")]
    slow += [ops.Exp(name=f"slow_{number + 3}") for number in range(extra)]
    last = chained([split, *slow])
    split.add_child(quick)
    quick.add_child(join, 0, 0)
    last.add_child(join, 0, 1)
    return get_connected_graph_view(split)


def shared_slack() -> GraphView:
    """Make two operators, `short_1` and `short_2`, that share one step of slack."""
    split, join = ops.Identity(name="split"), ops.Add(name="join")
    short = [ops.ReLU(name="short_1"), ops.Abs(name="short_2")]
    long = [ops.Tanh(name="long_1"), ops.Sqrt(name="long_2"), ops.Exp(name="long_3")]
    for port, branch in enumerate((short, long)):
        chained([split, *branch]).add_child(join, 0, port)
    join.add_child(ops.ReLU(name="end"))
    return get_connected_graph_view(split)


def two_ends() -> GraphView:
    """Make a fork without a join: nobody reads `quick`."""
    split = ops.Identity(name="split")
    chained([split, ops.Tanh(name="slow_1"), ops.Sqrt(name="slow_2")])
    split.add_child(ops.ReLU(name="quick"))
    return get_connected_graph_view(split)


def two_layers(batch: int = 1, leak: float = 0.0) -> GraphView:
    """Make FC, ReLU, FC: operators with weights, which Producers give at step 0.

    Parameters
    ----------
    batch
        How many inputs there are at once.
    leak
        Slope left of 0: not 0 makes the ReLU a LeakyReLU.
    """
    layers = [
        ops.FC(4, 8, name="fc1"),
        ops.LeakyReLU(leak, name="relu") if leak else ops.ReLU(name="relu"),
        ops.FC(8, 3, name="fc2"),
    ]
    return _sized(sequential(layers), [batch, 4])


# --- 02: amounts, rates and loops ---------------------------------------------------------------


def rates(size: int, *pairs: tuple[int, int]) -> GraphView:
    """Make a chain of a source and actors `a`, `b`, …, which take and give fixed amounts.

    Parameters
    ----------
    size
        Numbers that one firing of the source gives.
    *pairs
        For each actor, how many numbers it takes and how many it gives when it fires.

    Examples
    --------
    >>> import aidge_nb
    >>> source_12 = rates(12, (3, 2), (4, 1))  # a takes 3 and gives 2, b takes 4 and gives 1
    >>> print(aidge_nb.static_schedule(source_12).to_text())
    source 2×(a) b 2×(a) b
    """
    actors = [actor(name, *pair) for name, pair in zip("abcdefgh", pairs, strict=False)]
    return _sized(sequential([ops.Producer([size], name="source"), *actors]))


def loop(turns: int, extra: int = 1, *, before: int = 0) -> GraphView:
    """Make a cycle: state → add → tanh … → state, once for each row that `pop` gives.

    Parameters
    ----------
    turns
        How many rows there are.
    extra
        Operators on the cycle behind `add`.
    before
        Operators between `pop` and `add`, which are not on the cycle.
    """
    pop, add, state = (
        ops.Pop(name="pop"),
        ops.Add(name="add"),
        ops.Memorize(turns, name="state"),
    )
    ahead = [ops.Tanh(name=f"before_{number + 1}") for number in range(before)]
    chained([pop, *ahead]).add_child(add, 0, 0)
    last = chained([add, *(ops.Tanh(name=f"tanh_{number + 1}") for number in range(extra))])
    last.add_child(state, 0, 0)
    state.add_child(add, 1, 1)
    zero = ops.Producer(Tensor(np.zeros((1, 4), np.float32)), name="zero")
    zero.add_child(state, 0, 1)
    return _sized(get_connected_graph_view(pop), [turns, 1, 4])


def pipeline(lines: int, windows: Sequence[int] = (3, 3, 3), width: int = 16) -> GraphView:
    """Make convolutions that work line by line: each begins when its window is full.

    Parameters
    ----------
    lines
        Lines of the image, which a Producer gives at once.
    windows
        For `conv1`, `conv2`, …, how many lines it needs for its first line; then one for each.
    width
        Numbers in a line.

    Examples
    --------
    >>> import aidge_nb
    >>> print(aidge_nb.static_schedule(pipeline(8, (3, 2))).to_text())  # windows of 3 and 2 lines
    image 2×(conv1) conv2 4×(conv1 conv2)
    """
    stages = [
        actor(f"conv{number}", width, width, first=window * width)
        for number, window in enumerate(windows, start=1)
    ]
    image = ops.Producer([1, 1, lines, width], name="image")
    return _sized(sequential([image, *stages]))


# --- 03: orders and bytes -----------------------------------------------------------------------


def two_branches() -> GraphView:
    """Make two branches that grow and shrink: which goes first decides the peak."""
    split = ops.ReLU(name="split")
    grow_b = ops.Conv2D(2, 6, [1, 1], name="grow_b")
    grow_a = ops.Conv2D(2, 8, [1, 1], name="grow_a")
    chained([split, grow_b, ops.AvgPooling2D([2, 2], "shrink_b", stride_dims=[2, 2])])
    chained([split, grow_a, ops.MaxPooling2D([4, 4], "shrink_a", stride_dims=[4, 4])])
    return _sized(get_connected_graph_view(split), [1, 2, 8, 8])


# --- 04: layouts --------------------------------------------------------------------------------


def five_layers(channels: int = 4, size: int = 8, pool: int = 2) -> GraphView:
    """Make a small classifier: conv, relu, pool, flatten, fc."""
    inner = (size - 2) // pool
    view = sequential(
        [
            ops.Conv2D(1, channels, [3, 3], name="conv"),
            ops.ReLU(name="relu"),
            ops.MaxPooling2D([pool, pool], "pool", stride_dims=[pool, pool]),
            ops.Flatten(1, name="flatten"),
            ops.FC(channels * inner * inner, 10, name="fc"),
        ]
    )
    return ready(view, [1, 1, size, size])


def second_reader() -> GraphView:
    """Make a convolution that two operators read: `relu` may no longer overwrite it."""
    conv, relu = ops.Conv2D(1, 4, [3, 3], name="conv"), ops.ReLU(name="relu")
    tanh, add = ops.Tanh(name="tanh"), ops.Add(name="add")
    conv.add_child(relu)
    relu.add_child(add, 0, 0)
    conv.add_child(tanh)
    tanh.add_child(add, 0, 1)
    return _sized(get_connected_graph_view(conv), [1, 1, 8, 8])


# --- 05: queries --------------------------------------------------------------------------------


def gated() -> GraphView:
    """Make a diamond between a convolution and two ReLUs."""
    view = sequential(
        [
            ops.Conv2D(3, 4, [3, 3], name="conv"),
            ops.ReLU(name="relu"),
            parallel([ops.Tanh(name="tanh"), ops.Sigmoid(name="gate")]),
            ops.Mul(name="mul"),
            ops.ReLU(name="first"),
            ops.ReLU(name="second"),
        ],
        "gated",
    )
    return _sized(view, [1, 3, 6, 6])


# --- 06: stripes --------------------------------------------------------------------------------


def stripes(rows: int = 16, channels: int = 2, convs: int = 2, pool: int = 2) -> GraphView:
    """Make padded convolutions and a pooling, to be cut into stripes of rows."""
    layers = [_padded(channels, channels, f"conv{number}") for number in range(convs)]
    view = sequential([*layers, ops.MaxPooling2D([pool, pool], "pool", [pool, pool])])
    return ready(view, [1, channels, rows, rows])


def bars_net(
    classes: int = 3, size: int = 32, channels: int = 4, wide: int = 8, half: int = 8
) -> GraphView:
    """Make the network of "Fit it in 16 KB": two branches that read one large image."""
    relu, both = ops.ReLU(name="relu"), ops.Concat(2, 1, name="both")
    _padded(1, channels, "stem").add_child(relu)
    narrow = [
        ops.Conv2D(channels, half, [2, 2], "half", stride_dims=[2, 2]),
        ops.MaxPooling2D([2, 2], "pool_half", stride_dims=[2, 2]),
    ]
    broad = [
        _padded(channels, wide, "wide"),
        ops.ReLU(name="relu_wide"),
        ops.MaxPooling2D([4, 4], "pool_wide", stride_dims=[4, 4]),
    ]
    for port, branch in enumerate((narrow, broad)):
        chained([relu, *branch]).add_child(both, 0, port)
    end = ops.FC(wide + half, classes, name="fc")
    chained([both, ops.GlobalAveragePooling("mean"), ops.Flatten(name="flatten"), end])
    return ready(get_connected_graph_view(end), [1, 1, size, size])


def exam_net(channels: int = 4, size: int = 16, kernel: int = 3, pool: int = 2) -> GraphView:
    """Make the network of the exam; channels, size, kernel and pool give its variants."""
    relu, both = ops.ReLU(name="relu"), ops.Concat(2, 1, name="both")
    _padded(1, channels, "stem").add_child(relu)
    broad = [
        _padded(channels, 2 * channels, "wide", kernel),
        ops.ReLU(name="relu_wide"),
        ops.MaxPooling2D([pool, pool], "pool_wide", stride_dims=[pool, pool]),
    ]
    last = chained([relu, *broad])
    quick = ops.MaxPooling2D([pool, pool], "quick", stride_dims=[pool, pool])
    relu.add_child(quick)
    quick.add_child(both, 0, 0)
    last.add_child(both, 0, 1)
    mean = ops.GlobalAveragePooling("mean")
    both.add_child(mean)
    return ready(get_connected_graph_view(mean), [1, 1, size, size])


def two_heads(channels: int = 4, size: int = 24, extra: int = 0, *, ends: int = 2) -> GraphView:
    """Make a network of two ends, which no tutorial has: teachers ask about it.

    Parameters
    ----------
    channels, size
        Channels behind the stem, an even number, and rows of the image, a multiple of 8.
    extra
        Operators more on the branch `near`.
    ends
        With 1, the branch `wide` is left out.
    """
    relu = ops.ReLU(name="relu")
    stem = ops.PaddedConv2D(1, channels, [3, 3], "stem", [2, 2], padding_dims=[1] * 4)
    stem.add_child(relu)
    near = [
        _padded(channels, channels, "near"),
        ops.ReLU(name="near_relu"),
        *(ops.Tanh(name=f"near_tanh_{number}") for number in range(extra)),
        ops.MaxPooling2D([2, 2], "near_pool", stride_dims=[2, 2]),
    ]
    wide = [
        _padded(channels, 3 * channels // 2, "wide", 1),
        ops.MaxPooling2D([4, 4], "wide_pool", stride_dims=[4, 4]),
    ]
    for branch in (near, wide)[:ends]:
        chained([relu, *branch])
    return ready(get_connected_graph_view(stem), [1, 1, size, size])


# --- 07: machines and programs --------------------------------------------------------------------


def short_and_long() -> GraphView:
    """Make two branches of one convolution each, 3×3 and 5×5, between a fork and a join."""
    split, join = ops.ReLU(name="split"), ops.Add(name="join")
    for port, (name, kernel) in enumerate({"short": 3, "long": 5}.items()):
        chained([split, _padded(4, 4, name, kernel)]).add_child(join, 0, port)
    return ready(get_connected_graph_view(join), [1, 4, 16, 16])


def sequence(turns: int) -> GraphView:
    """Make an LSTM over so many turns, whose results are stacked."""
    lstm = ops.LSTM(in_channels=4, hidden_channels=8, seq_length=turns, name="lstm")
    ops.Pop(name="pop").add_child(lstm, 0, 0)
    lstm.add_child(ops.Stack(turns, name="stack"), 0, 0)
    view = _sized(get_connected_graph_view(lstm), [turns, 1, 4], [1, 8], [1, 8])
    init_weights(view, seed=0)
    return view


# --- 09: training -------------------------------------------------------------------------------


def tower(depth: int, batch: int = 8) -> GraphView:
    """Make so many pairs of FC and ReLU: what is kept for gradients grows with them."""
    layers = [
        layer
        for number in range(1, depth + 1)
        for layer in (ops.FC(16, 16, name=f"fc{number}"), ops.ReLU(name=f"relu{number}"))
    ]
    return _sized(sequential(layers), [batch, 16])


def curves() -> GraphView:
    """Make three FC with three activations, whose gradients read different things."""
    layers = [
        ops.FC(8, 8, name="fc1"),
        ops.Tanh(name="tanh"),
        ops.FC(8, 8, name="fc2"),
        ops.LeakyReLU(0.1, name="leaky"),
        ops.FC(8, 4, name="fc3"),
        ops.Sigmoid(name="sigmoid"),
    ]
    return _sized(sequential(layers), [2, 8])


def _padded(channels: int, outputs: int, name: str, kernel: int = 3) -> Node:
    """Make a convolution whose result has the size of its input."""
    pads = [kernel // 2] * 4
    return ops.PaddedConv2D(channels, outputs, [kernel] * 2, name, padding_dims=pads)


def ready(view: GraphView, dims: Sequence[int]) -> GraphView:
    """Set backend, dimensions and seeded weights of a graph."""
    view.set_backend("cpu")
    init_weights(_sized(view, dims), seed=0)
    return view


def _sized(view: GraphView, *dims: Sequence[int]) -> GraphView:
    """Set the dimensions of the inputs of a graph."""
    view.forward_dims(dims)
    return view

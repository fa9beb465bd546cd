"""Recipes on random graphs: whatever is read twice, shared or an output, the numbers stay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import RECIPES, simplify
from tests.recipes.graphs import check, prepared, producer, tensor

Draw = Callable[[st.SearchStrategy[int]], int]

MOVING = sorted(name for name, recipe in RECIPES.items() if recipe.exact)


class _Builder:
    """Grows a graph from one input, one random operator at a time."""

    def __init__(
        self, draw: st.DataObject, dims: tuple[int, ...], *, is_smooth: bool = False
    ) -> None:
        self.is_smooth = is_smooth
        self._draw = draw
        self.start = aidge_nb.Tanh(name="start")
        self.ends: list[tuple[Node, tuple[int, ...]]] = [(self.start, dims)]
        self.shared: dict[str, Node] = {}

    def pick(self, count: int) -> int:
        return self._draw.draw(st.integers(0, count - 1))

    def constant(self, values: object, name: str) -> Node:
        """Make a Producer, or use again one of these values."""
        if name not in self.shared or self.pick(2):
            self.shared[name] = producer(values, name, constant=bool(self.pick(2)))
        return self.shared[name]

    def add(self, node: Node, dims: tuple[int, ...], *parents: Node) -> None:
        for index, parent in enumerate(parents):
            parent.add_child(node, 0, index)
        self.ends.append((node, dims))

    def view(self) -> GraphView:
        view = aidge_nb.get_connected_graph_view(self.start)
        made = [node for node, _ in self.ends]
        unread = [node for node in made if not node.output(0)]
        some = [node for node in made[1:] if node.output(0) and not self.pick(5)]
        view.set_ordered_outputs([Port(node, 0) for node in [*some, *unread]])
        return view


def _grow(builder: _Builder, number: int) -> None:
    parent, dims = builder.ends[builder.pick(len(builder.ends))]
    rank, name = len(dims), f"n{number}"
    orders = list(permutations(range(rank)))
    order = orders[builder.pick(len(orders))]
    axis = builder.pick(rank)
    one = [index for index, size in enumerate(dims) if size == 1]
    simple: list[Callable[[], Node]] = [
        lambda: aidge_nb.Identity(name=name),
        lambda: aidge_nb.Dropout(name=name),
        lambda: aidge_nb.Cast(np.float32, name=name),
        lambda: aidge_nb.Neg(name=name) if builder.is_smooth else aidge_nb.Floor(name=name),
        lambda: aidge_nb.ReLU(name=name),
        lambda: aidge_nb.Abs(name=name),
        lambda: aidge_nb.Neg(name=name),
        lambda: aidge_nb.Abs(name=name) if builder.is_smooth else aidge_nb.Round(name=name),
        lambda: aidge_nb.Clip(name=name, min=-1.0, max=1.0),
        lambda: aidge_nb.Pad([0, 0], name=name),
        lambda: aidge_nb.Concat(1, axis=axis, name=name),
        lambda: aidge_nb.Slice([0], [dims[axis]], [axis], name=name),
    ]
    kind = builder.pick(len(simple) + 8) - len(simple)
    if kind < 0:
        builder.add(simple[kind](), dims, parent)
    elif kind == 0:
        builder.add(aidge_nb.Transpose(order, name=name), tuple(dims[i] for i in order), parent)
    elif kind == 1:
        new = tuple(dims[i] for i in order)
        builder.add(aidge_nb.Reshape(new, name=name), new, parent)
    elif kind == 2:
        new = (*dims[:axis], 1, *dims[axis:])
        builder.add(aidge_nb.Unsqueeze([axis], name=name), new, parent)
    elif kind == 3 and one:
        gone = one[builder.pick(len(one))]
        new = (*dims[:gone], *dims[gone + 1 :])
        builder.add(aidge_nb.Squeeze([gone - rank], name=name), new, parent)
    elif kind == 4 and dims[axis] > 1:
        step = 1 + builder.pick(2)
        count = len(range(1, dims[axis], step))
        node = aidge_nb.Slice([1], [dims[axis]], [axis], [step], name=name)
        builder.add(node, (*dims[:axis], count, *dims[axis + 1 :]), parent)
    elif kind == 5:
        makers = [(0.0, aidge_nb.Add), (1.0, aidge_nb.Mul), (1.0, aidge_nb.Div)]
        neutral, make = makers[builder.pick(3)]
        constant = builder.constant(np.full((1,) * builder.pick(2), neutral), f"{neutral}")
        builder.add(make(name=name), dims, parent, constant)
    elif kind == 6:
        shape = builder.constant(np.array(dims, np.int64), f"shape{dims}")
        builder.add(aidge_nb.Reshape(name=name), dims, parent, shape)
    else:
        alike = [node for node, other in builder.ends if other == dims]
        builder.add(aidge_nb.Add(name=name), dims, parent, alike[builder.pick(len(alike))])


@settings(max_examples=200)
@given(
    names=st.one_of(st.sampled_from([[name] for name in MOVING]), st.just(MOVING)),
    draw=st.data(),
    size=st.integers(1, 12),
)
def test_moving_recipes_keep_every_bit(names: list[str], draw: st.DataObject, size: int) -> None:
    builder = _Builder(draw, (2, 1, 3))
    for number in range(size):
        _grow(builder, number)
    view = prepared(builder.view(), [2, 1, 3])
    before = _ports(view)
    check(view, lambda v: simplify(v, names))
    assert _ports(view) == before
    assert not simplify(view, names)


@settings(max_examples=50)
@given(draw=st.data(), size=st.integers(1, 12))
def test_all_recipes_together(draw: st.DataObject, size: int) -> None:
    builder = _Builder(draw, (2, 1, 3), is_smooth=True)  # rounding would show the smallest error
    for number in range(size):
        _grow(builder, number)
    view = prepared(builder.view(), [2, 1, 3])
    before = _ports(view)
    check(view, lambda v: simplify(v, RECIPES), exact=False)
    assert _ports(view) == before


def _ports(view: GraphView) -> tuple[int, int]:
    """Count the outputs, and the inputs that have to be fed."""
    inputs = view.get_ordered_inputs()
    needed = [port for port in inputs if not port.node.is_optional_input(port.index)]
    return len(view.get_ordered_outputs()), len({*map(_source, needed)})


def _source(port: Port) -> int:
    return id(port.node.get_operator().get_input(port.index))


LAYERS = ("conv", "pad", "norm", "relu", "identity", "depthwise", "padded", "add", "transposed")


@settings(max_examples=60)
@given(
    kinds=st.lists(st.sampled_from(LAYERS), min_size=1, max_size=8),
    outputs=st.lists(st.integers(0, 20), max_size=2),
    shared=st.booleans(),
)
def test_networks_keep_their_numbers(kinds: list[str], outputs: list[int], shared: bool) -> None:
    nodes = [aidge_nb.Identity(name="start")]
    weights: dict[str, tuple[Node | None, ...]] = {}
    for number, kind in enumerate(kinds):
        node = _layer(kind, f"{kind}{number}")
        if shared and kind in weights:
            for index, parameter in enumerate(weights[kind], 1):
                if parameter is not None:
                    node.remove_parent(index)
                    parameter.add_child(node, 0, index)
        weights.setdefault(kind, tuple(node.get_parents()[1:]) if kind != "add" else ())
        nodes[-1].add_child(node, 0, 0)
        if kind == "add":
            nodes[-1].add_child(node, 0, 1)
        nodes.append(node)
    view = aidge_nb.get_connected_graph_view(nodes[0])
    some = [nodes[1 + index % len(kinds)] for index in outputs]
    view.set_ordered_outputs([Port(node, 0) for node in dict.fromkeys([*some, nodes[-1]])])
    prepared(view, [2, 2, 12, 12])
    check(view, simplify, exact=False)
    check(view, lambda v: simplify(v, ["conv_to_matmul"]), exact=False)


def _layer(kind: str, name: str) -> Node:
    makers: dict[str, Callable[[], Node]] = {
        "conv": lambda: aidge_nb.Conv2D(2, 2, [1, 1], name=name, no_bias=len(name) % 2 == 0),
        "depthwise": lambda: aidge_nb.ConvDepthWise2D(2, [1, 1], name=name),
        "padded": lambda: aidge_nb.PaddedConv2D(2, 2, [3, 3], padding_dims=[1] * 4, name=name),
        "transposed": lambda: aidge_nb.ConvTranspose2D(2, 2, [1, 1], name=name),
        "pad": lambda: aidge_nb.Pad([1, 0, 0, 1], name=name),
        "norm": lambda: aidge_nb.BatchNorm2D(2, name=name),
        "relu": lambda: aidge_nb.ReLU(name=name),
        "identity": lambda: aidge_nb.Identity(name=name),
        "add": lambda: aidge_nb.Add(name=name),
    }
    return makers[kind]()


@settings(max_examples=40)
@given(
    ranks=st.sampled_from([(2, 3), (1, 2, 3)]),
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    biases=st.lists(st.sampled_from(["none", "left", "right", "scalar"]), min_size=3, max_size=3),
    output=st.integers(0, 6),
)
def test_products_keep_their_numbers(
    ranks: tuple[int, ...], widths: list[int], biases: list[str], output: int
) -> None:
    start = last = aidge_nb.ReLU(name="start")
    made = [start]
    width = ranks[-1]
    for number, (new, bias) in enumerate(zip(widths, biases, strict=False)):
        product = aidge_nb.MatMul(name=f"m{number}")
        last.add_child(product, 0, 0)
        producer(tensor([width, new], number), f"w{number}").add_child(product, 0, 1)
        made.append(last := product)
        if bias != "none":
            add = aidge_nb.Add(name=f"a{number}")
            dims = [] if bias == "scalar" else [new]
            last.add_child(add, 0, int(bias == "left"))
            producer(tensor(dims, number), f"b{number}").add_child(add, 0, int(bias != "left"))
            made.append(last := add)
        width = new
    view = aidge_nb.get_connected_graph_view(start)
    chosen = dict.fromkeys([made[output % len(made)], last])
    view.set_ordered_outputs([Port(node, 0) for node in chosen])
    prepared(view, ranks)
    count, left = check(view, aidge_nb.matmul_to_fc, exact=False)
    assert count == (len(widths) if len(ranks) == 2 else 0)
    assert ("FC" in left) == (len(ranks) == 2)

"""Models to run: the zoo in small, and random graphs of real operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from aidge_nb import ops, zoo
from aidge_nb.graph import GraphView, Node
from aidge_nb.onnx_io import load_onnx
from aidge_nb.onnx_io.read.inputs import resolve_dims
from aidge_nb.recipes import constant_folding
from aidge_nb.runtime import SequentialScheduler
from tests.zoo.small import SMALL

Array = NDArray[Any]


def zoo_view(name: str) -> GraphView:
    """Load a model of the zoo, ready to be planned and run."""
    model = zoo.build(name, **SMALL[name])
    view = load_onnx(model)
    constant_folding(view)
    assert view.forward_dims(resolve_dims(model.signature).dims, True)
    view.set_backend("cpu")
    return view


def order_of(view: GraphView) -> list[Node]:
    """Schedule a graph."""
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    return scheduler.get_sequential_static_scheduling()


def random_inputs(view: GraphView, seed: int = 0) -> list[Array]:
    """Make data for all inputs of a graph that have dimensions."""
    generator = np.random.default_rng(seed)
    found = []
    for port, *_ in view.get_input_groups():
        tensor = port.node.get_operator().get_input(port.index)
        if tensor is not None and not tensor.undefined():
            found.append(generator.standard_normal(tensor.dims).astype(tensor.dtype.numpy))
    return found


UNARY = (
    lambda name: ops.ReLU(name=name),
    lambda name: ops.Tanh(name=name),
    lambda name: ops.Softmax(1, name=name),
    lambda name: ops.Identity(name=name),
    lambda name: ops.Conv2D(4, 4, [1, 1], name=name),
    lambda name: ops.PaddedConv2D(4, 4, [3, 3], name=name, padding_dims=[1, 1, 1, 1]),
    lambda name: ops.Reshape([1, 4, 3, 3], name=name),
    lambda name: ops.Transpose([0, 1, 3, 2], name=name),
)
BINARY = (
    lambda name: ops.Add(name=name),
    lambda name: ops.Sub(name=name),
    lambda name: ops.Mul(name=name),
)


@st.composite
def random_graphs(draw: st.DrawFn, axes: Sequence[int] = (0, 1)) -> GraphView:
    """Draw an acyclic graph of operators on ``[1, 4, 3, 3]`` that all have kernels.

    Concat is followed by a Slice or Split that gives back the common dimensions.
    """
    first = ops.Identity(name="in")
    nodes: list[Node] = [first]
    ends: list[tuple[Node, int]] = [(first, 0)]
    for number in range(draw(st.integers(1, 10))):
        name = f"n{number}"
        kind = draw(st.sampled_from(["unary", "unary", "binary", "concat"]))
        if kind == "unary":
            node = draw(st.sampled_from(UNARY))(name)
            made = [(node, 0)]
        elif kind == "binary":
            node = draw(st.sampled_from(BINARY))(name)
            made = [(node, 0)]
        else:
            axis, count = draw(st.sampled_from(axes)), draw(st.integers(2, 3))
            node = ops.Concat(count, axis=axis, name=name)
            split = ops.Split(count, axis=axis, name=f"{name}_split")
            inner = draw(st.booleans())
            between = ops.ReLU(name=f"{name}_relu") if inner else node
            if inner:
                node.add_child(between)
                nodes.append(between)
            between.add_child(split, 0, 0)
            nodes.append(split)
            made = [(split, index) for index in range(count)]
        for index in range(1 if kind == "unary" else 2 if kind == "binary" else count):
            parent, output = draw(st.sampled_from(ends))
            parent.add_child(node, output, index)
        nodes.append(node)
        ends += made
    view = GraphView("random")
    view.add(nodes, True)
    if draw(st.booleans()):
        chosen = draw(st.lists(st.sampled_from(ends[1:]), min_size=1, max_size=3, unique=True))
        view.set_ordered_outputs(chosen)
    generator = np.random.default_rng(draw(st.integers(0, 9)))
    for node in view.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            tensor.set_array(generator.standard_normal(tensor.dims).astype(np.float32))
    assert view.forward_dims([[1, 4, 3, 3]], True)
    view.set_backend("cpu")
    return view

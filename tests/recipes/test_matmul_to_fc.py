"""Fully connected layers made of products and sums."""

from __future__ import annotations

import numpy as np

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import matmul_to_fc
from tests.recipes.graphs import check, prepared, producer, tensor


def _linear(name: str, weights: Node, bias: Node | None, left: bool = True) -> list[Node]:
    product = aidge_nb.MatMul(name=f"{name}_matmul")
    weights.add_child(product, 0, 1)
    if bias is None:
        return [product]
    add = aidge_nb.Add(name=name)
    bias.add_child(add, 0, int(left))
    return [product, add]


def _model(*nodes: Node, dims: tuple[int, ...] = (2, 3)) -> GraphView:
    return prepared(aidge_nb.sequential([aidge_nb.ReLU(), *nodes]), dims)


def test_names_and_parameters() -> None:
    weights, bias = producer(tensor([3, 4]), "w"), producer(tensor([4]), "b")
    view = _model(*_linear("fc", weights, bias), aidge_nb.Tanh())
    assert check(view, matmul_to_fc, exact=False) == (1, ["ReLU", "FC", "Tanh"])
    layer = view.get_node("fc_matmul_fc")
    assert [parent and parent.name() for parent in layer.get_parents()][1:] == ["w", "b"]
    stored = view.get_node("w").get_operator().get_output(0).array
    np.testing.assert_array_equal(stored, weights.get_operator().get_output(0).array.T)


def test_shared_weights_stay_for_others() -> None:
    weights, other = producer(tensor([3, 3]), "w"), aidge_nb.Mul(name="other")
    nodes = [*_linear("a", weights, None), *_linear("b", weights, None), other]
    weights.add_child(other, 0, 1)
    view = _model(*nodes, dims=(3, 3))
    assert check(view, matmul_to_fc, exact=False) == (2, ["ReLU", "FC", "FC", "Mul"])
    assert other.get_parent(1) is weights


def test_a_product_that_is_an_output_keeps_its_add() -> None:
    nodes = _linear("fc", producer(tensor([3, 4])), producer(tensor([4])))
    view = aidge_nb.sequential([aidge_nb.ReLU(), *nodes])
    view.set_ordered_outputs([Port(nodes[1], 0), Port(nodes[0], 0)])
    prepared(view, [2, 3])
    assert check(view, matmul_to_fc, exact=False) == (1, ["ReLU", "FC", "Add"])


def test_a_bias_that_repeats_the_result_stays_an_add() -> None:
    nodes = _linear("fc", producer(tensor([3, 4])), producer(tensor([5, 1, 4])))
    assert check(_model(*nodes), matmul_to_fc, exact=False) == (1, ["ReLU", "FC", "Add"])


def test_a_bias_for_each_row_stays_an_add() -> None:
    nodes = _linear("fc", producer(tensor([3, 4])), producer(tensor([2, 1])))
    assert check(_model(*nodes), matmul_to_fc, exact=False) == (1, ["ReLU", "FC", "Add"])


def test_what_is_left_alone() -> None:
    for dims, weights in (((2, 5, 3), [3, 4]), ((3,), [3, 4]), ((2, 3), [2, 3, 4])):
        view = _model(*_linear("fc", producer(tensor(weights)), None), dims=dims)
        assert check(view, matmul_to_fc)[0] == 0
    square = aidge_nb.MatMul()
    start = aidge_nb.ReLU()
    for index in range(2):
        start.add_child(square, 0, index)
    view = prepared(aidge_nb.get_connected_graph_view(start), [3, 3])
    assert check(view, matmul_to_fc)[0] == 0


def test_two_axes_that_follow_from_what_makes_the_data() -> None:
    for first in (aidge_nb.FC(3, 3), aidge_nb.Flatten()):
        view = aidge_nb.sequential([first, *_linear("fc", producer(tensor([3, 4])), None)])
        assert matmul_to_fc(view) == 1
    assert matmul_to_fc(aidge_nb.sequential(_linear("fc", producer(tensor([3, 4])), None))) == 0


def test_the_input_of_the_graph_passes_on() -> None:
    view = aidge_nb.sequential(_linear("fc", producer(tensor([3, 4])), producer(tensor([4]))))
    prepared(view, [2, 3])
    assert check(view, matmul_to_fc, exact=False) == (1, ["FC"])

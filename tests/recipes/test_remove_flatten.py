"""Flatten goes in front of FC alone."""

from __future__ import annotations

import aidge_nb
from aidge_nb.graph import GraphView, Port
from aidge_nb.recipes import remove_flatten
from tests.recipes.graphs import check, prepared, producer, tensor


def _model(count: int = 1, axis: int = 1) -> GraphView:
    flat = [aidge_nb.Flatten(axis, name=f"f{number}") for number in range(count)]
    fc = aidge_nb.FC(12 if axis == 1 else 4, 2, name="fc")
    return aidge_nb.sequential([aidge_nb.ReLU(name="relu"), *flat, fc])


def test_goes_in_front_of_fc() -> None:
    view = prepared(_model(), [2, 3, 4])
    assert check(view, remove_flatten) == (1, ["ReLU", "FC"])


def test_several_go() -> None:
    view = prepared(_model(3), [2, 3, 4])
    returned, left = check(view, lambda v: aidge_nb.simplify(v, ["remove_flatten"]))
    assert left == ["ReLU", "FC"]
    assert isinstance(returned, aidge_nb.SimplifyReport)
    assert returned.counts == {"remove_flatten": 3}


def test_goes_in_front_of_a_product_that_gets_two_axes() -> None:
    product = aidge_nb.MatMul(name="mm")
    producer(tensor([4, 2]), "w").add_child(product, 0, 1)
    view = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Flatten(name="f"), product])
    assert remove_flatten(view) == 0
    assert check(prepared(view, [3, 4]), remove_flatten) == (1, ["ReLU", "MatMul"])


def test_another_axis_stays() -> None:
    view = prepared(_model(axis=2), [2, 3, 4])
    assert check(view, remove_flatten) == (0, ["ReLU", "Flatten", "FC"])


def test_stays_where_something_else_reads_it() -> None:
    view = _model()
    view.add_child(aidge_nb.Tanh(name="tanh"), "f0")
    prepared(view, [2, 3, 4])
    assert check(view, remove_flatten)[0] == 0


def test_stays_where_it_is_an_output() -> None:
    view = _model()
    view.set_ordered_outputs([Port(view.get_node("fc"), 0), Port(view.get_node("f0"), 0)])
    prepared(view, [2, 3, 4])
    assert check(view, remove_flatten)[0] == 0


def test_stays_where_fc_would_take_the_batch_for_features() -> None:
    layers = [aidge_nb.Flatten(), aidge_nb.FC(1, 2, name="fc")]
    view = prepared(aidge_nb.sequential(layers), [5])
    assert check(view, remove_flatten)[0] == 0

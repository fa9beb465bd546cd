"""Copies of graphs, and dimensions of what is put into them."""

import numpy as np

import aidge_nb
from aidge_nb.graph import GraphView
from aidge_nb.graph.cloning import clone_view
from aidge_nb.graph.inference import infer_dims_of


def network() -> GraphView:
    nodes = [
        aidge_nb.PaddedConv2D(1, 2, [3, 3], "conv", None, [1, 1, 1, 1]),
        aidge_nb.ReLU(name="relu"),
    ]
    view = aidge_nb.sequential(nodes)
    view.compile("cpu", dims=[[1, 1, 6, 6]])
    aidge_nb.init_weights(view)
    return view


def test_a_copy_has_values_of_its_own_or_shares_them() -> None:
    view = network()
    weights = view.get_node("conv").get_operator().get_input(1)
    assert weights is not None
    for share in (False, True):
        copy, twin = clone_view(view, share_values=share)
        assert copy.snapshot() == view.snapshot()
        assert set(twin) == set(view)
        assert not set(copy) & set(view)
        mine = copy.get_node("conv").get_operator().get_input(1)
        assert mine is not None
        np.testing.assert_array_equal(mine.array, weights.array)
        assert (mine is weights) == share
        relu = copy.get_node("relu").get_operator().get_output(0)
        assert relu is not view.get_node("relu").get_operator().get_output(0)


def test_nodes_that_are_added_get_the_dimensions_that_the_whole_graph_gives_them() -> None:
    view = network()
    pool, tanh = aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2]), aidge_nb.Tanh(name="tanh")
    view.add_child(pool)
    view.add_child(tanh)
    infer_dims_of([pool, tanh])
    found = [node.get_operator().get_output(0).dims for node in (pool, tanh)]
    assert found == [[1, 2, 3, 3]] * 2
    view.reset_dims()
    assert view.forward_dims([[1, 1, 6, 6]])
    assert found == [node.get_operator().get_output(0).dims for node in (pool, tanh)]


def test_what_depends_on_unknown_dimensions_is_left() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="relu"), aidge_nb.Tanh(name="tanh")])
    infer_dims_of([view.get_node("tanh")])
    assert view.get_node("tanh").get_operator().get_output(0).undefined()

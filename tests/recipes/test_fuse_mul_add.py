"""Fully connected layers of products to which a bias is added, and of no others."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Port
from aidge_nb.recipes import RECIPES, fuse_mul_add
from tests.recipes.graphs import check, prepared, producer, tensor


def _layers(*, left: bool = False) -> GraphView:
    """Make a product with bias, and one without behind it."""
    first, add, second = (
        aidge_nb.MatMul(name="first"),
        aidge_nb.Add(name="add"),
        aidge_nb.MatMul(name="second"),
    )
    producer(tensor([4, 3])).add_child(first, 0, 1)
    producer(tensor([3], 1)).add_child(add, 0, int(not left))
    first.add_child(add, 0, int(left))
    producer(tensor([3, 5], 2)).add_child(second, 0, 1)
    add.add_child(second, 0, 0)
    return aidge_nb.get_connected_graph_view(first)


@pytest.mark.parametrize("left", [False, True])
def test_takes_products_with_a_bias(left: bool) -> None:
    view = prepared(_layers(left=left), [2, 4])
    assert check(view, fuse_mul_add, exact=False) == (1, ["FC", "MatMul"])
    assert view.get_node("first_add").type() == "FC"


def test_a_product_that_others_read_stays() -> None:
    view = _layers()
    view.set_ordered_outputs([Port(view.get_node(name), 0) for name in ("second", "first")])
    assert check(prepared(view, [2, 4]), fuse_mul_add)[0] == 0


def test_data_with_more_axes_stay() -> None:
    assert check(prepared(_layers(), [2, 6, 4]), fuse_mul_add)[0] == 0


def test_is_left_to_the_other_recipe_by_simplify() -> None:
    assert not RECIPES["fuse_mul_add"].safe
    assert RECIPES["matmul_to_fc"].safe

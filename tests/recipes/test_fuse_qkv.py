"""Products with one tensor made one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import fuse_qkv
from tests.recipes.graphs import check, prepared, producer, tensor


def _products(widths: list[int], *, start: Node | None = None) -> tuple[GraphView, list[Node]]:
    start = aidge_nb.Tanh(name="start") if start is None else start
    products = []
    for number, width in enumerate(widths):
        product = aidge_nb.MatMul(name=f"m{number}")
        start.add_child(product, 0, 0)
        producer(tensor([4, width], number), f"w{number}").add_child(product, 0, 1)
        products.append(product)
    view = aidge_nb.get_connected_graph_view(start)
    view.set_ordered_outputs([Port(product, 0) for product in products])
    return view, products


@given(widths=st.lists(st.integers(1, 5), min_size=2, max_size=4))
def test_widths(widths: list[int]) -> None:
    view, _ = _products(widths)
    prepared(view, [2, 3, 4])
    assert check(view, fuse_qkv, exact=False) == (1, ["Tanh", "MatMul", "Split"])
    assert [port.index for port in view.get_ordered_outputs()] == list(range(len(widths)))


def test_weights_that_others_read_stay_for_them() -> None:
    view, products = _products([4, 4])
    weights, other = products[0].get_parent(1), aidge_nb.Mul(name="other")
    assert weights is not None
    products[1].add_child(other, 0, 0)
    weights.add_child(other, 0, 1)
    view.add(other)
    view.set_ordered_outputs([Port(products[0], 0), Port(other, 0)])
    prepared(view, [4, 4])
    assert check(view, fuse_qkv, exact=False)[0] == 1
    assert other.get_parent(1) is weights


def test_one_product_stays() -> None:
    view, _ = _products([4])
    assert check(prepared(view, [2, 4]), fuse_qkv)[0] == 0


def test_products_of_an_input_of_the_graph() -> None:
    products = [aidge_nb.MatMul(name=f"m{number}") for number in range(2)]
    view = aidge_nb.parallel(products)
    given_ = aidge_nb.Tensor()
    for number, product in enumerate(products):
        producer(tensor([4, 3], number)).add_child(product, 0, 1)
        product.get_operator().associate_input(0, given_)
    for product in products:
        view.add(product)
    prepared(view, [2, 4])
    assert check(view, fuse_qkv, exact=False) == (1, ["MatMul", "Split"])
    assert view.get_ordered_inputs()[0] == Port(view.get_node("m0_m1"), 0)
    assert all(port.node.is_optional_input(port.index) for port in view.get_ordered_inputs()[1:])

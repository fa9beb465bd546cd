"""Gelu in the forms in which it is written out, and what only looks like it."""

from __future__ import annotations

from math import sqrt

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import fuse_gelu
from tests.recipes.graphs import check, prepared, producer


def _binary(make: str, parent: Node, other: Node, name: str, left: bool = True) -> Node:
    node: Node = getattr(aidge_nb, make)(name=name)
    parent.add_child(node, 0, int(not left))
    other.add_child(node, 0, int(left))
    return node


def _gelu(
    *,
    divides: bool = True,
    left: bool = True,
    halved: str = "last",
    root: float = sqrt(2),
    one: float = 1.0,
    half: float = 0.5,
    data: Node | None = None,
) -> tuple[GraphView, dict[str, Node]]:
    start = aidge_nb.Tanh(name="start")
    if divides:
        scaled = _binary("Div", start, producer(root), "scaled")
    else:
        scaled = _binary("Mul", start, producer(1 / root), "scaled", left)
    erf = aidge_nb.Erf(name="erf")
    scaled.add_child(erf)
    added = _binary("Add", erf, producer(one), "added", left)
    factor = start if data is None else data
    if data is not None:
        start.add_child(data)
    if halved == "last":
        product = _binary("Mul", added, factor, "product", left)
        last = _binary("Mul", product, producer([half]), "last", left)
    else:
        product = _binary("Mul", factor, producer(half), "halved", left)
        last = _binary("Mul", added, product, "last", left)
    view = aidge_nb.get_connected_graph_view(start)
    nodes = {node.name(): node for node in view if node.name()}
    return prepared(view, [3, 40]), {**nodes, "last": last}


@pytest.mark.parametrize("halved", ["last", "first"])
@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
@pytest.mark.parametrize("divides", [True, False], ids=["Div", "Mul"])
def test_forms(divides: bool, left: bool, halved: str) -> None:
    view, _ = _gelu(divides=divides, left=left, halved=halved)
    assert check(view, fuse_gelu, exact=False) == (1, ["Tanh", "Gelu"])
    assert view.in_view("last")
    assert len(view) == 2


@pytest.mark.parametrize("halved", ["last", "first"])
@pytest.mark.parametrize("wrong", [{"root": 2.0}, {"one": 2.0}, {"half": 1.0}], ids=str)
def test_other_constants(wrong: dict[str, float], halved: str) -> None:
    view, _ = _gelu(halved=halved, **wrong)  # type: ignore[arg-type]
    assert check(view, fuse_gelu)[0] == 0


@pytest.mark.parametrize("halved", ["last", "first"])
def test_other_data(halved: str) -> None:
    view, _ = _gelu(halved=halved, data=aidge_nb.Neg())
    assert check(view, fuse_gelu)[0] == 0


@pytest.mark.parametrize("name", ["scaled", "erf", "added", "product"])
def test_what_is_read_inside_stays(name: str) -> None:
    view, nodes = _gelu()
    view.set_ordered_outputs([Port(nodes["last"], 0), Port(nodes[name], 0)])
    check(view, fuse_gelu, exact=False)
    assert view.in_view(name)


def test_a_quotient_the_other_way_round() -> None:
    start = aidge_nb.Sigmoid(name="start")
    scaled = _binary("Div", start, producer(sqrt(2)), "scaled", left=False)
    erf = aidge_nb.Erf()
    scaled.add_child(erf)
    added = _binary("Add", erf, producer(1.0), "added")
    product = _binary("Mul", added, start, "product")
    _binary("Mul", product, producer(0.5), "last")
    view = prepared(aidge_nb.get_connected_graph_view(start), [3, 4])
    assert check(view, fuse_gelu)[0] == 0

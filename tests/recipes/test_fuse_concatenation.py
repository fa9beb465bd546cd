"""Chains of Concat."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import fuse_concatenation
from tests.recipes.graphs import check, prepared


def _chain(axes: list[int], place: int = 0) -> tuple[GraphView, list[Node]]:
    """Join x with exp x, that with x again, and so on."""
    start, other = aidge_nb.Tanh(name="start"), aidge_nb.Exp()
    start.add_child(other)
    last: Node = other
    made = []
    for number, axis in enumerate(axes):
        join = aidge_nb.Concat(2, axis=axis, name=f"j{number}")
        last.add_child(join, 0, place)
        start.add_child(join, 0, 1 - place)
        made.append(last := join)
    return aidge_nb.get_connected_graph_view(start), made


@pytest.mark.parametrize("place", [0, 1])
def test_a_chain_becomes_one(place: int) -> None:
    view, _ = _chain([1, -1, 1], place)
    prepared(view, [2, 3])
    assert check(view, fuse_concatenation) == (1, ["Tanh", "Exp", "Concat"])
    assert view.get_node("j2").get_nb_inputs() == 4


def test_what_is_an_output_stays() -> None:
    view, made = _chain([1, 1, 1])
    view.set_ordered_outputs([Port(made[2], 0), Port(made[1], 0)])
    prepared(view, [2, 3])
    _, left = check(view, fuse_concatenation)
    assert left.count("Concat") == 2


def test_what_is_read_twice_stays() -> None:
    view, made = _chain([1])
    twice = aidge_nb.Concat(2, axis=1)
    for index in range(2):
        made[0].add_child(twice, 0, index)
    view.add(twice)
    prepared(view, [2, 3])
    assert check(view, fuse_concatenation)[0] == 0


def test_other_axes_stay() -> None:
    start, first = aidge_nb.Tanh(), aidge_nb.Concat(2, axis=0)
    second, other = aidge_nb.Concat(2, axis=1), aidge_nb.Concat(2, axis=0)
    for index in range(2):
        start.add_child(first, 0, index)
        start.add_child(other, 0, index)
    first.add_child(second, 0, 0)
    other.add_child(second, 0, 1)
    view = prepared(aidge_nb.get_connected_graph_view(start), [2, 3])
    assert check(view, fuse_concatenation)[0] == 0


def test_unknown_dimensions_stay() -> None:
    view, _ = _chain([1, 1])
    assert fuse_concatenation(view) == 0

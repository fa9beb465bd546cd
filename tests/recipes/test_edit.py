"""Editing keeps the inputs and outputs of a graph, set or not."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import Port
from aidge_nb.recipes.edit import editing
from tests.graph.nodes import chain, edges_of, names_of, unit


@pytest.mark.parametrize("is_set", [True, False])
def test_outputs_stay_set_or_not(is_set: bool) -> None:
    view = chain("a", "b")
    if is_set:
        view.set_ordered_outputs([Port(view.get_node("b"), 0)])
    with editing(view):
        pass
    view.add_child(unit("c"), "b")
    (output,) = view.get_ordered_outputs()
    assert output.node.name() == ("b" if is_set else "c")


def test_a_node_that_is_cut_off_is_no_output() -> None:
    view = chain("a", "b", "c")
    a, b, c = view
    with editing(view) as edit:
        edit.feed(c, 0, Port(a, 0))
    assert names_of(list(view)) == ["a", "c"]
    assert view.get_ordered_outputs() == [Port(c, 0)]
    assert b not in view


def test_dropping_goes_up_to_what_is_wanted() -> None:
    view = chain("a", "b", "c")
    a, b, c = view
    view.set_ordered_outputs([Port(a, 0)])
    with editing(view) as edit:
        edit.drop(c)
    assert names_of(list(view)) == ["a"]
    assert b.get_parent(0) is None


def test_bypassing_a_node_without_readers() -> None:
    view = chain("a", "b")
    a, b = view
    view.set_ordered_outputs([Port(a, 0)])
    with editing(view) as edit:
        assert edit.bypass(b)
    assert names_of(list(view)) == ["a"]


def test_redirecting_hands_dimensions_on() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    view.forward_dims([[2, 3]])
    new = aidge_nb.Abs(name="new")
    with editing(view) as edit:
        a = view.get_node("a")
        edit.add(new, a)
        edit.feed_like(new, 0, a, 0)
        edit.redirect(Port(a, 0), Port(new, 0))
    assert edges_of(view) == {"new.0>b.0"}
    assert new.get_operator().get_output(0).dims == [2, 3]
    assert view.get_ordered_inputs() == [Port(new, 0)]


def test_an_error_leaves_outputs_as_they_were() -> None:
    view = chain("a", "b")
    with pytest.raises(ZeroDivisionError), editing(view):
        _ = 1 // 0
    assert [port.node.name() for port in view.get_ordered_outputs()] == ["b"]

"""Every recipe on random graphs that hold its pattern: it is found, and the numbers stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import RECIPES, SimplifyReport, simplify
from tests.recipes.graphs import check, prepared
from tests.recipes.patterns import PATTERNS

ELSEWHERE = {"explicit_transpose"}
"""It changes the order of axes of what it gives: ``test_explicit_transpose`` turns them back."""


class _Garden:
    """A graph with a pattern, once or twice, and what may be in the way of finding it."""

    def __init__(self, draw: st.DataObject, name: str) -> None:
        self._draw = draw
        self.dims, plant = PATTERNS[name]
        start = aidge_nb.Tanh(name="start")
        data: Node = start
        for _ in range(self.pick(3)):
            before = (aidge_nb.Sigmoid, aidge_nb.Neg, aidge_nb.Tanh)[self.pick(3)]()
            data.add_child(before)
            data = before
        beds = [plant(self.pick, data) for _ in range(1 + self.pick(2))]
        self.ends = [self._behind(bed[-1]) for bed in beds]
        planted = [node for bed in beds for node in bed]
        others = [node for node in planted if not self.pick(4)] if self.pick(2) else []
        self.is_disturbed = bool(others)
        for node in others:
            self.ends.append(self._behind(node) if self.pick(2) else node)
        self.view: GraphView = aidge_nb.get_connected_graph_view(start)
        self.view.set_ordered_outputs([Port(node, 0) for node in dict.fromkeys(self.ends)])

    def pick(self, count: int) -> int:
        return self._draw.draw(st.integers(0, count - 1))

    @staticmethod
    def _behind(node: Node) -> Node:
        after = aidge_nb.Neg()
        node.add_child(after)
        return after


def test_every_recipe_has_a_pattern() -> None:
    assert set(PATTERNS) == set(RECIPES) - ELSEWHERE


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=20)
@given(draw=st.data())
def test_is_found_and_the_numbers_stay(name: str, draw: st.DataObject) -> None:
    garden = _Garden(draw, name)
    view = prepared(garden.view, garden.dims)
    outputs = len(view.get_ordered_outputs())
    report, _ = check(view, lambda v: simplify(v, [name]), exact=RECIPES[name].exact)
    assert isinstance(report, SimplifyReport)
    assert report or garden.is_disturbed
    assert len(view.get_ordered_outputs()) == outputs
    assert view.forward_dims(allow_data_dependency=True)
    assert not simplify(view, [name])


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=5)
@given(draw=st.data())
def test_all_safe_recipes_keep_the_numbers(name: str, draw: st.DataObject) -> None:
    garden = _Garden(draw, name)
    check(prepared(garden.view, garden.dims), simplify, exact=False)

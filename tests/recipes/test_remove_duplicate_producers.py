"""Equal constants."""

from __future__ import annotations

import numpy as np

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import remove_duplicate_producers
from tests.recipes.graphs import check, prepared, producer


def _added(*producers: Node) -> GraphView:
    last: Node = aidge_nb.Tanh()
    start = last
    for each in producers:
        add = aidge_nb.Add()
        last.add_child(add, 0, 0)
        each.add_child(add, 0, 1)
        last = add
    return aidge_nb.get_connected_graph_view(start)


def test_constants_become_one() -> None:
    view = prepared(_added(*(producer([1.0, 2.0], f"p{i}", constant=True) for i in range(3))), [2])
    assert check(view, remove_duplicate_producers)[0] == 2
    assert [node.name() for node in view if node.type() == "Producer"] == ["p0"]


def test_parameters_stay() -> None:
    view = prepared(_added(*(producer([0.0, 0.0]) for _ in range(2))), [2])
    assert check(view, remove_duplicate_producers)[0] == 0


def test_other_types_dimensions_or_values_stay() -> None:
    values: list[np.ndarray] = [
        np.ones(2, np.float32),
        np.ones((1, 2), np.float32),
        np.full(2, 2, np.float32),
        np.ones(2, np.int32),
        np.ones(2, np.int64),
    ]
    producers = [aidge_nb.Producer(aidge_nb.Tensor(each), constant=True) for each in values]
    view = prepared(_added(*producers), [2])
    assert check(view, remove_duplicate_producers)[0] == 0


def test_outputs_of_the_graph_stay() -> None:
    first, second = (producer([1.0], f"p{i}", constant=True) for i in range(2))
    view = _added(first, second)
    last = view.get_ordered_outputs()
    view.set_ordered_outputs([*last, Port(second, 0)])
    prepared(view, [2])
    assert check(view, remove_duplicate_producers)[0] == 0


def test_producers_without_values_stay() -> None:
    view = _added(aidge_nb.Producer([2], constant=True), aidge_nb.Producer([2], constant=True))
    assert remove_duplicate_producers(view) == 0

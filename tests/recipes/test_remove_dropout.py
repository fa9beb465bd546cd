"""Dropout goes, unless somebody reads its mask."""

from __future__ import annotations

import aidge_nb
from aidge_nb.graph import Port
from aidge_nb.recipes import remove_dropout
from tests.recipes.graphs import check, prepared, producer


def test_goes_with_the_producer_of_its_probability() -> None:
    drop = aidge_nb.Dropout()
    producer(0.5, "probability").add_child(drop, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.ReLU(), drop, aidge_nb.Tanh()]), [2, 3])
    assert check(view, remove_dropout) == (1, ["ReLU", "Tanh"])
    assert len(view) == 2


def test_a_producer_that_others_read_stays() -> None:
    drop, add = aidge_nb.Dropout(), aidge_nb.Add()
    ratio = producer(0.5, "ratio")
    ratio.add_child(drop, 0, 1)
    ratio.add_child(add, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.ReLU(), drop, add]), [2, 3])
    assert check(view, remove_dropout) == (1, ["ReLU", "Add"])
    assert view.in_view("ratio")


def test_stays_where_the_mask_is_an_output() -> None:
    drop = aidge_nb.Dropout()
    view = aidge_nb.sequential([aidge_nb.ReLU(), drop])
    view.set_ordered_outputs([Port(drop, 0), Port(drop, 1)])
    prepared(view, [2, 3])
    assert check(view, remove_dropout) == (0, ["ReLU", "Dropout"])


def test_a_chain_goes() -> None:
    view = aidge_nb.sequential([aidge_nb.Dropout() for _ in range(3)] + [aidge_nb.ReLU()])
    prepared(view, [2])
    assert check(view, remove_dropout) == (3, ["ReLU"])

"""Parts of parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.recipes import fuse_consecutive_slices
from tests.recipes.graphs import check, prepared, producer

bounds = st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3), st.integers(-2, 1))


@given(st.lists(bounds, min_size=2, max_size=3))
def test_any_slices(given_: list[tuple[int, int, int, int]]) -> None:
    slices = [aidge_nb.Slice([s], [e], [axis], [step]) for s, e, step, axis in given_]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *slices]), [7, 6])
    assert check(view, fuse_consecutive_slices) == (len(slices) - 1, ["Tanh", "Slice"])


def test_steps_backwards_stay() -> None:
    slices = [aidge_nb.Slice([5], [-99], [0], [-1]), aidge_nb.Slice([1], [4], [0])]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *slices]), [7, 6])
    assert check(view, fuse_consecutive_slices)[0] == 0


def test_constants_at_the_inputs() -> None:
    first, second = aidge_nb.Slice([1], [6], [0]), aidge_nb.Slice(name="second")
    shared = producer([1], "one")
    shared.add_child(second, 0, 1)
    producer([4], "four").add_child(second, 0, 2)
    shared.add_child(second, 0, 3)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), first, second]), [7, 6])
    assert check(view, fuse_consecutive_slices) == (1, ["Tanh", "Slice"])
    assert len(view) == 2


def test_values_that_are_computed_stay() -> None:
    first, second = aidge_nb.Slice([1], [6], [0]), aidge_nb.Slice([1], [3], [0])
    start = aidge_nb.Identity()
    producer([2]).add_child(start)
    start.add_child(second, 0, 1)
    data = aidge_nb.Tanh()
    data.add_child(first, 0, 0)
    first.add_child(second, 0, 0)
    view = prepared(aidge_nb.get_connected_graph_view(data), [7, 6])
    assert check(view, fuse_consecutive_slices)[0] == 0


def test_the_first_stays_for_others() -> None:
    first, second = aidge_nb.Slice([1], [6], [0]), aidge_nb.Slice([1], [3], [0])
    view = aidge_nb.sequential([aidge_nb.Tanh(), first, second])
    view.add_child(aidge_nb.Exp(name="other"), first)
    prepared(view, [7, 6])
    assert check(view, fuse_consecutive_slices)[0] == 1
    assert len(view) == 4
    assert np.size(second.get_operator().attr.starts) == 2


def test_unknown_dimensions_stay() -> None:
    slices = [aidge_nb.Slice([1], [6], [0]), aidge_nb.Slice([1], [3], [0])]
    assert fuse_consecutive_slices(aidge_nb.sequential(slices)) == 0

"""Unsqueeze behind Unsqueeze."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.recipes import fuse_consecutive_unsqueeze
from tests.recipes.graphs import check, prepared, producer


@given(
    first=st.lists(st.integers(-4, 3), min_size=1, max_size=2, unique_by=lambda axis: axis % 4),
    second=st.lists(st.integers(-5, 4), min_size=1, max_size=1),
)
def test_axes(first: list[int], second: list[int]) -> None:
    dims = [2, 3] if len(first) == 2 else [2, 3, 4]
    nodes = [aidge_nb.Unsqueeze(first), aidge_nb.Unsqueeze(second)]
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *nodes]), dims)
    assert check(view, fuse_consecutive_unsqueeze) == (1, ["Tanh", "Unsqueeze"])


def test_axes_as_tensors() -> None:
    nodes = [aidge_nb.Unsqueeze(), aidge_nb.Unsqueeze()]
    for index, node in enumerate(nodes):
        producer([index]).add_child(node, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), *nodes]), [2, 3])
    assert check(view, fuse_consecutive_unsqueeze) == (1, ["Tanh", "Unsqueeze"])
    assert len(view) == 2


def test_unknown_dimensions_stay() -> None:
    view = aidge_nb.sequential([aidge_nb.Unsqueeze([0]), aidge_nb.Unsqueeze([0])])
    assert fuse_consecutive_unsqueeze(view) == 0

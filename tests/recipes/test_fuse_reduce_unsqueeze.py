"""Reductions whose axes come back."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.recipes import fuse_reduce_unsqueeze
from tests.recipes.graphs import check, prepared, producer


@pytest.mark.parametrize("kind", ["Max", "Mean", "Sum", "L2", "SumSquare", "LogSumExp"])
@pytest.mark.parametrize(
    ("axes", "back", "count"),
    [
        ([1], [1], 1),
        ([-1], [2], 1),
        ([0, 2], [2, 0], 1),
        ([], [0, 1, 2], 1),
        ([1], [0], 0),
        ([1], [1, 2], 0),
    ],
    ids=str,
)
def test_axes(kind: str, axes: list[int], back: list[int], count: int) -> None:
    reduce = getattr(aidge_nb, f"Reduce{kind}")(axes, keep_dims=False)
    nodes = [aidge_nb.Sigmoid(), reduce, aidge_nb.Unsqueeze(back), aidge_nb.Neg()]
    view = prepared(aidge_nb.sequential(nodes), [2, 3, 4])
    assert check(view, fuse_reduce_unsqueeze)[0] == count


def test_axes_as_tensors() -> None:
    reduce, back = aidge_nb.ReduceSum(keep_dims=False), aidge_nb.Unsqueeze()
    axes = producer([1], "axes")
    for node in (reduce, back):
        axes.add_child(node, 0, 1)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), reduce, back]), [2, 3, 4])
    assert check(view, fuse_reduce_unsqueeze) == (1, ["Tanh", "ReduceSum"])
    assert view.in_view("axes")


def test_what_others_read_stays() -> None:
    reduce = aidge_nb.ReduceSum([1], keep_dims=False)
    view = aidge_nb.sequential([aidge_nb.Tanh(), reduce, aidge_nb.Unsqueeze([1])])
    view.add_child(aidge_nb.Exp(), reduce)
    prepared(view, [2, 3, 4])
    assert check(view, fuse_reduce_unsqueeze)[0] == 0

"""A Softmax between two Transposes."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import Port
from aidge_nb.recipes import absorb_transpose_softmax
from tests.recipes.graphs import check, prepared


@pytest.mark.parametrize(
    ("inner", "axis", "outer", "left"),
    [
        ([0, 2, 1], -1, [0, 2, 1], ["Softmax"]),
        ([2, 0, 1], 1, [1, 2, 0], ["Softmax"]),
        ([1, 0, 2], 2, [0, 2, 1], ["Softmax", "Transpose"]),
        ([2, 0, 1], 0, [2, 0, 1], ["Softmax", "Transpose"]),
    ],
)
def test_a_softmax_absorbs_them(
    inner: list[int], axis: int, outer: list[int], left: list[str]
) -> None:
    for before in ([], [aidge_nb.Tanh()]):
        layers = [aidge_nb.Transpose(inner), aidge_nb.Softmax(axis), aidge_nb.Transpose(outer)]
        view = prepared(aidge_nb.sequential([*before, *layers]), [2, 3, 4])
        count, types = check(view, absorb_transpose_softmax)
        assert (count, [each for each in types if each != "Tanh"]) == (1, left)


@pytest.mark.parametrize("place", [0, 1])
def test_a_softmax_absorbs_none_that_others_read(place: int) -> None:
    layers = [aidge_nb.Transpose([1, 0]), aidge_nb.Softmax(0), aidge_nb.Transpose([1, 0])]
    view = aidge_nb.sequential([aidge_nb.Tanh(), *layers])
    view.set_ordered_outputs([Port(layers[place], 0), Port(layers[2], 0)])
    assert check(prepared(view, [2, 3]), absorb_transpose_softmax)[0] == 0

"""Convolutions of one pixel and their neighbours."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.graph import Node, Port
from aidge_nb.recipes import fuse_convolution
from tests.recipes.graphs import check, prepared


def _conv(channels: int, kernel: list[int], has_bias: bool = True, stride: int = 1) -> Node:
    return aidge_nb.Conv2D(
        channels, channels + 1, kernel, stride_dims=[stride, stride], no_bias=not has_bias
    )


@pytest.mark.parametrize("kernels", [([1, 1], [3, 2]), ([3, 2], [1, 1]), ([1, 1], [1, 1])])
@pytest.mark.parametrize("biases", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("around", [True, False])
def test_they_become_one(
    kernels: tuple[list[int], list[int]], biases: tuple[bool, bool], around: bool
) -> None:
    layers = [_conv(2 + i, kernels[i], biases[i], 1 + (kernels[i] != [1, 1])) for i in (0, 1)]
    rows = [aidge_nb.Tanh(), *layers, aidge_nb.Neg()] if around else layers
    view = prepared(aidge_nb.sequential(rows), [1, 2, 7, 6])
    count, types = check(view, fuse_convolution, exact=False)
    assert count == 1
    assert [each for each in types if each == "Conv2D"] == ["Conv2D"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_conv(2, [3, 3]), _conv(3, [3, 3])),
        (_conv(2, [1, 1], stride=2), _conv(3, [3, 3])),
        (_conv(2, [3, 3]), _conv(3, [1, 1], stride=2)),
        (_conv(2, [1, 1]), aidge_nb.PaddedConv2D(3, 2, [3, 3], padding_dims=[1, 1, 1, 1])),
    ],
)
def test_others_stay(first: Node, second: Node) -> None:
    view = prepared(aidge_nb.sequential([first, second]), [1, 2, 7, 7])
    assert check(view, fuse_convolution)[0] == 0


def test_what_is_read_between_stays() -> None:
    first, second = _conv(2, [1, 1]), _conv(3, [3, 3])
    view = aidge_nb.sequential([first, second])
    view.set_ordered_outputs([Port(first, 0), Port(second, 0)])
    assert check(prepared(view, [1, 2, 5, 5]), fuse_convolution)[0] == 0

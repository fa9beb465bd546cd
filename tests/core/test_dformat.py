"""Data formats, and tensors that have one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.errors import ShapeError

SAME_AXES = [
    (a, b) for a, b in product(DataFormat, repeat=2) if a.rank and set(a.value) == set(b.value)
]


@pytest.mark.parametrize(("one", "other"), SAME_AXES)
def test_orders_lead_there_and_back(one: DataFormat, other: DataFormat) -> None:
    array = np.random.default_rng(0).random(tuple(range(2, 2 + one.rank)))
    tensor = aidge_nb.Tensor(array)
    tensor.set_data_format(one)
    tensor.set_data_format(other)
    sizes = dict(zip(one.value, array.shape, strict=True))
    assert tensor.dims == [sizes[axis] for axis in other.value]
    np.testing.assert_array_equal(tensor.array, array.transpose(one.order_to(other)))
    assert tensor.array.flags.c_contiguous
    tensor.set_data_format(one)
    np.testing.assert_array_equal(tensor.array, array)


def test_to_say_the_format_moves_nothing() -> None:
    array = np.zeros((1, 2, 3, 4))
    tensor = aidge_nb.Tensor(array)
    tensor.set_data_format("nhwc")
    assert tensor.array is array
    tensor.set_data_format(aidge_nb.dformat.default)
    assert (tensor.dims, tensor.dformat) == ([1, 2, 3, 4], DataFormat.default)


def test_copies_have_the_format_and_other_ranks_lose_it() -> None:
    tensor = aidge_nb.Tensor.of_dims([1, 2, 3, 4])
    tensor.set_data_format("nhwc")
    assert tensor.clone().dformat.name == "nhwc"
    other = aidge_nb.Tensor()
    other.copy_from(tensor)
    assert other.dformat.name == "nhwc"
    other.copy_from(aidge_nb.Tensor(np.zeros((4, 3, 2, 1))))
    assert other.dformat.name == "nhwc"
    other.resize([24])
    assert other.dformat.name == "default"
    tensor.set_array(np.zeros(3))
    assert tensor.dformat.name == "default"


def test_errors() -> None:
    tensor = aidge_nb.Tensor.of_dims([2, 3])
    with pytest.raises(ShapeError, match=r"axes for nchw \(expected 4, found 2: \[2, 3"):
        tensor.set_data_format("nchw")
    with pytest.raises(ShapeError, match=r"unknown name \(expected default, nc, .*'nwhc'"):
        as_dformat("nwhc")
    with pytest.raises(
        ShapeError, match=r"nchw: cannot become another one.*nchw or nhwc or chwn or hwnc.*ncdhw"
    ):
        DataFormat.nchw.order_to(DataFormat.ncdhw)

"""Tensors outside of a graph compute what NumPy computes on their arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from aidge_nb import Tensor
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import AidgeError, ShapeError

FLOATS = arrays(
    np.float32,
    array_shapes(min_dims=1, max_dims=4, max_side=5),
    elements=st.floats(0.125, 8, width=32),
)
PAIRS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "+": (lambda a, b: a + b, np.add),
    "-": (lambda a, b: a - b, np.subtract),
    "*": (lambda a, b: a * b, np.multiply),
    "/": (lambda a, b: a / b, np.divide),
}
EACH = {"abs": np.abs, "sqrt": np.sqrt, "exp": np.exp, "ln": np.log}


@pytest.mark.parametrize("sign", PAIRS)
@given(data=FLOATS)
def test_pairs(sign: str, data: np.ndarray) -> None:
    ours, theirs = PAIRS[sign]
    for other in (Tensor(data[::-1].copy()), 3.0):
        found = ours(Tensor(data), other)
        assert isinstance(found, Tensor)
        np.testing.assert_array_equal(found, theirs(data, np.asarray(other, np.float32)))


@pytest.mark.parametrize("name", EACH)
@given(data=FLOATS)
def test_each(name: str, data: np.ndarray) -> None:
    found = getattr(Tensor(data), name)()
    assert found.dtype is DType.float32
    np.testing.assert_array_equal(found, EACH[name](data))


def test_roots_and_logarithms_of_what_has_none_are_nan() -> None:
    tensor = Tensor(np.array([-1.0, 0.0], np.float32))
    assert np.isnan(tensor.sqrt().array[0])
    assert np.isnan(tensor.ln().array[0])
    assert tensor.ln().array[1] == -np.inf


def test_clip_and_mean_keep_the_type() -> None:
    tensor = Tensor(np.array([[-2, 0], [3, 7]], np.float32))
    assert tensor.clip(-1.0, 5.0).array.tolist() == [[-1, 0], [3, 5]]
    assert tensor.clip().array.tolist() == tensor.array.tolist()
    assert (tensor.mean().array.tolist(), tensor.mean().dtype) == ([2.0], DType.float32)
    assert float(tensor.mean()) == 2.0


@given(data=FLOATS)
def test_numbers_and_coordinates_are_inverse(data: np.ndarray) -> None:
    tensor = Tensor(data)
    for index in range(tensor.size):
        coords = tensor.get_coord(index)
        assert tensor.get_idx(coords) == index == int(np.dot(coords, tensor.strides))
        assert tensor.extract(coords).array == data.reshape(-1)[index]


def test_parts() -> None:
    data = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    tensor = Tensor(data)
    np.testing.assert_array_equal(tensor.extract([1]), data[1])
    np.testing.assert_array_equal(tensor.extract([0, 1], [2, 2]), data[0:2, 1:3])
    for coords, dims in (([2], None), ([0, 0, 0, 0], None), ([1, 0], [2, 1]), ([0], [1, 1])):
        with pytest.raises(ShapeError, match="does not lie inside"):
            tensor.extract(coords, dims)


def test_filling_and_reshaping_change_the_tensor_itself() -> None:
    tensor = Tensor.of_dims([2, 3])
    tensor.ones()
    assert tensor.reshape([3, 2]) is tensor
    assert (tensor.shape, tensor.array.sum()) == ((3, 2), 6)
    tensor.zeros()
    assert not tensor.array.any()
    with pytest.raises(ShapeError, match=r"do not fill \[4, 2\] \(expected dimensions of 6 val"):
        tensor.reshape([4, 2])
    with pytest.raises(ShapeError, match="dimensions are unknown"):
        Tensor().zeros()


def test_values_of_another_tensor() -> None:
    source = Tensor(np.array([[1.5, 2.5, 3.5]], np.float64))
    target = Tensor(np.zeros(1, np.int32))
    target.copy_cast(source)
    assert (target.array.tolist(), target.dtype) == ([[1, 2, 3]], DType.int32)
    target.cpy_transpose(source, [1, 0])
    assert target.dims == [3, 1]


def test_values_lie_on_the_processor() -> None:
    tensor = Tensor(np.zeros((1, 2, 3, 4), np.float32))
    tensor.set_backend("cpu")
    tensor.to_backend("cpu", 0)
    assert (tensor.backend, tensor.device, tensor.has_impl()) == ("cpu", 0, True)
    assert Tensor().is_undefined()
    tensor.to_dtype(DType.float64)
    tensor.to_dformat("nchw")
    tensor.to_dformat("nhwc")
    assert (tensor.dtype, tensor.shape, tensor.capacity) == (DType.float64, (1, 3, 4, 2), 24)
    with pytest.raises(AidgeError, match=r"another device \(expected 'cpu'.*found 'cuda', dev"):
        tensor.to_backend("cuda")


def test_what_is_no_number_is_refused_by_python() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Tensor([1.0]) + "a"

"""Tensors: their three states, sharing, conversion, and the refusal of impossible dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb import dtype
from aidge_nb.core.dims import Dims, check_dims
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import Limits
from aidge_nb.core.tensor import Tensor


class TestDims:
    def test_of_a_tensor_are_a_list_of_its_own_that_can_be_called(self) -> None:
        tensor = Tensor.of_dims([2, 3, 4])
        dims = tensor.dims
        assert isinstance(dims, list)
        assert dims()[2] == dims[2] == 4
        assert dims == (2, 3, 4)
        assert dims[1:] == (3, 4)
        assert dims != (2, 3)
        dims.append(5)
        assert tensor.dims == [2, 3, 4]
        assert isinstance(tensor.shape, tuple)

    def test_equals_lists_and_tuples(self) -> None:
        dims = Dims((2, 3))
        assert dims == [2, 3]
        assert dims == [2, 3]
        assert dims == (2, 3)
        assert dims != [3, 2]
        assert dims != [2, 3, 1]
        assert (dims != [2, 3]) is False
        assert dims != "23"

    def test_hashes_like_a_tuple(self) -> None:
        assert hash(Dims((2, 3))) == hash((2, 3))

    def test_size(self) -> None:
        assert Dims((2, 3)).size == 6
        assert Dims().size == 1
        assert Dims((2, 0)).size == 0


class TestCheckDims:
    def test_takes_whole_numbers_of_any_type(self) -> None:
        checked = check_dims([np.int64(2), 3, 4.0])
        assert checked == (2, 3, 4)
        assert all(type(dim) is int for dim in checked)

    @pytest.mark.parametrize(
        "dim", [float("nan"), float("inf"), -1, 2.5, "3", None, [1], np.float32("nan")]
    )
    def test_refuses_what_is_no_size(self, dim: Any) -> None:
        with pytest.raises(ShapeError) as refusal:
            check_dims([1, dim], "conv0 (Conv2D), input#0")
        assert str(refusal.value) == (
            "conv0 (Conv2D), input#0: dimension 1 is not a size "
            f"(expected a whole number, 0 or more, found {dim!r})"
        )

    @pytest.mark.parametrize("dims", [3, None, float("nan")])
    def test_refuses_what_is_no_list(self, dims: Any) -> None:
        with pytest.raises(ShapeError, match=r"in: dims must be a list.*found"):
            check_dims(dims, "in")

    @given(st.lists(st.integers(0, 10**12), max_size=Limits().rank))
    def test_keeps_what_is_right(self, dims: list[int]) -> None:
        assert check_dims(dims) == dims


class TestStates:
    def test_undefined(self) -> None:
        tensor = Tensor()
        assert tensor.undefined()
        assert not tensor.has_data
        assert tensor.dims == ()
        assert (tensor.size, tensor.nbytes, tensor.ndim, len(tensor)) == (0, 0, 0, 0)
        assert tensor.dtype is dtype.float32
        assert repr(tensor) == "Tensor(undefined)"

    def test_shaped(self) -> None:
        tensor = Tensor.of_dims([2, 3], dtype.int16)
        assert not tensor.undefined()
        assert not tensor.has_data
        assert tensor.dims == [2, 3]
        assert (tensor.size, tensor.nbytes, tensor.ndim, len(tensor)) == (6, 12, 2, 6)
        assert repr(tensor) == "Tensor([2, 3], int16, no data)"

    def test_filled(self) -> None:
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        tensor = Tensor(array)
        assert tensor.has_data
        assert tensor.array is array
        assert tensor.shape == (2, 3)
        assert tensor[1, 2] == tensor[5] == 5
        assert list(tensor) == array.ravel().tolist()
        assert repr(tensor) == "Tensor([2, 3], float32)"

    def test_scalar_is_not_undefined(self) -> None:
        tensor = Tensor(3.5)
        assert not tensor.undefined()
        assert tensor.dims == ()
        assert tensor.size == 1
        assert tensor.array == 3.5

    def test_is_true_unless_it_is_a_false_scalar(self) -> None:
        assert Tensor()
        assert Tensor(0.0)
        assert Tensor(np.zeros((2, 2)))
        assert Tensor(np.zeros((0,)))
        assert not Tensor(np.array(False))

    @pytest.mark.parametrize("tensor", [Tensor(), Tensor.of_dims([2])])
    def test_data_that_are_not_there(self, tensor: Tensor) -> None:
        with pytest.raises(ShapeError, match=r"has no data yet\. Run the graph, or give it"):
            _ = tensor.array
        with pytest.raises(ShapeError, match="has no data yet"):
            np.asarray(tensor)

    def test_resize_keeps_data_of_as_many_elements(self) -> None:
        tensor = Tensor([1.0, 2.0])
        tensor.resize([2, 1])
        assert tensor.array.tolist() == [[1.0], [2.0]]
        tensor.resize([3])
        assert not tensor.has_data
        assert tensor.dims == [3]

    def test_resize_refuses_nan(self) -> None:
        with pytest.raises(ShapeError, match="dimension 0 is not a size"):
            Tensor().resize([float("nan")])  # type: ignore[list-item]  # the test

    def test_clear_forgets_all(self) -> None:
        tensor = Tensor([1.0])
        tensor.clear()
        assert tensor.undefined()
        assert not tensor.has_data


class TestTypes:
    def test_type_of_the_array(self) -> None:
        assert Tensor(np.zeros(2, np.int8)).dtype is dtype.int8
        assert Tensor([True]).dtype is dtype.boolean

    def test_conversion_at_construction(self) -> None:
        tensor = Tensor([1.5, 2.5], dtype.int32)
        assert tensor.array.tolist() == [1, 2]
        assert tensor.array.dtype == np.int32

    def test_set_datatype_converts_data(self) -> None:
        tensor = Tensor([1.5])
        tensor.set_datatype("float16")
        assert tensor.dtype is dtype.float16
        assert tensor.array.dtype == np.float16
        assert tensor.nbytes == 2

    def test_unknown_type(self) -> None:
        with pytest.raises(ShapeError, match="unknown element type"):
            Tensor(np.zeros(2, "datetime64[s]"))


class TestCopies:
    def test_arrays_are_not_copied(self) -> None:
        array = np.zeros(3, np.float32)
        tensor = Tensor(array)
        array[0] = 7
        assert tensor[0] == 7
        assert np.shares_memory(np.asarray(tensor), array)

    def test_array_protocol_copies_when_asked(self) -> None:
        array = np.zeros(3, np.float32)
        tensor = Tensor(array)
        assert not np.shares_memory(np.array(tensor), array)
        assert not np.shares_memory(np.array(tensor, copy=True), array)
        assert np.shares_memory(np.array(tensor, copy=False), array)
        assert np.asarray(tensor, dtype=np.float64).dtype == np.float64
        with pytest.raises(ValueError, match="copy"):
            np.array(tensor, dtype=np.float64, copy=False)

    def test_dlpack_shares_memory(self) -> None:
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        tensor = Tensor(array)
        back = np.from_dlpack(tensor)
        assert np.array_equal(back, array)
        assert np.shares_memory(back, array)
        assert tensor.__dlpack_device__() == (1, 0)

    def test_clone_is_independent(self) -> None:
        tensor = Tensor(np.zeros(2, np.float32))
        copy = tensor.clone()
        copy.array[0] = 1
        copy.resize([5])
        assert tensor[0] == 0
        assert tensor.dims == [2]

    def test_clone_of_a_shaped_tensor(self) -> None:
        copy = Tensor.of_dims([2, 3], dtype.int8).clone()
        assert (tuple(copy.dims), copy.dtype, copy.has_data) == ((2, 3), dtype.int8, False)

    def test_copy_from_takes_all(self) -> None:
        source, target = Tensor(np.zeros(2, np.int8)), Tensor([1.0, 2.0, 3.0])
        target.copy_from(source)
        assert target.dims == [2]
        assert target.dtype is dtype.int8
        assert target.array is not source.array
        target.share(source)
        assert target.array is source.array


def test_rows_of_different_lengths_are_no_array() -> None:
    with pytest.raises(ShapeError, match=r"rows have different lengths .found \[\[1\], \[1, 2\]\]"):
        Tensor([[1], [1, 2]])

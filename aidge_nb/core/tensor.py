"""Tensors: shared handles on dimensions, an element type and optional data.

The output of a node and the inputs that it feeds hold the *same* :class:`Tensor`, so that writing
one is reading the other. A tensor goes through three states: undefined (nothing is known),
shaped (dimensions without data) and filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import check_limit
from aidge_nb.core.tensor_math import TensorMath


class Dims(tuple[int, ...]):
    """The dimensions of a tensor; callable, because older Aidge writes ``tensor.dims()``.

    Examples
    --------
    >>> dims = Dims((2, 3))
    >>> dims == [2, 3], dims(), dims.size
    (True, (2, 3), 6)
    """

    __slots__ = ()

    def __call__(self) -> Dims:
        """Return the dimensions themselves."""
        return self

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self)

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__


_USUAL_RANK = 8
"""Tensors of no more dimensions are within any limit."""


def check_dims(dims: Iterable[Any], where: str = "tensor") -> Dims:
    """Convert numbers to :class:`Dims`, and check them.

    Raises
    ------
    ShapeError
        For NaN, fractions, negative numbers or what is no number at all.
    LimitError
        For more dimensions than the limit ``rank``.
    """
    if not isinstance(dims, Iterable):
        expected = "whole numbers, such as [1, 3, 8, 8]"
        raise ShapeError.at(where, "dims must be a list", expected=expected, found=repr(dims))
    given = list(dims)
    if len(given) > _USUAL_RANK:
        check_limit("rank", len(given), where, "too many dimensions")
    if set(map(type, given)) <= {int} and min(given, default=0) >= 0:
        return Dims(given)
    checked = []
    for position, dim in enumerate(given):
        try:
            whole = int(dim)
        except (TypeError, ValueError, OverflowError):
            whole = -1
        if whole < 0 or whole != dim:
            raise ShapeError.at(
                where,
                f"dimension {position} is not a size",
                expected="a whole number, 0 or more",
                found=repr(dim),
            )
        checked.append(whole)
    return Dims(checked)


def _as_array(data: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(data)
    except ValueError as error:  # NumPy's word for rows that make no array
        problem = "rows have different lengths"
        raise ShapeError.at("Tensor", problem, found=repr(data)) from error


class Tensor(TensorMath):
    """A tensor that nodes share.

    Parameters
    ----------
    data
        Anything NumPy makes an array of; None leaves the tensor undefined. Arrays are not copied.
    dtype
        Element type to convert to.

    Raises
    ------
    ShapeError
        When there is no such element type, or the rows of ``data`` are of different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> tensor = Tensor(np.zeros((2, 3), np.float32))
    >>> tensor
    Tensor([2, 3], float32)
    >>> np.asarray(tensor).shape
    (2, 3)
    """

    __slots__ = ("_array", "_dformat", "_dims", "_dtype", "grad")

    def __init__(
        self, data: ArrayLike | None = None, dtype: DType | DTypeLike | None = None
    ) -> None:
        self._array: NDArray[Any] | None = None
        self._dims: Dims | None = None
        self._dtype = as_dtype(dtype) if dtype is not None else DType.float32
        self._dformat = DataFormat.default
        self.grad: Tensor | None = None
        if data is not None:
            array = _as_array(data)
            self.set_array(array if dtype is None else array.astype(self._dtype.numpy, copy=False))

    @classmethod
    def of_dims(cls, dims: Iterable[int], dtype: DType | DTypeLike = DType.float32) -> Tensor:
        """Make a tensor that knows its dimensions and has no data yet."""
        tensor = cls(dtype=dtype)
        tensor.resize(dims)
        return tensor

    @property
    def dims(self) -> Dims:
        """The dimensions; empty for scalars and for undefined tensors (see :attr:`undefined`)."""
        return Dims() if self._dims is None else self._dims

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions as a plain tuple, as NumPy calls them."""
        return tuple(self.dims)

    @property
    def undefined(self) -> bool:
        """True when the dimensions are unknown."""
        return self._dims is None

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    @property
    def size(self) -> int:
        """Number of elements; 0 when undefined."""
        return 0 if self._dims is None else self._dims.size

    @property
    def nbytes(self) -> int:
        """Bytes that the elements take; 0 when undefined."""
        return self.size * self._dtype.itemsize

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def dformat(self) -> DataFormat:
        """The order of the axes; ``default`` when unknown."""
        return self._dformat

    def set_data_format(self, dformat: DataFormat | str) -> None:
        """Set the order of the axes, transposing dimensions and data that had another order.

        Raises
        ------
        ShapeError
            When the tensor has another number of axes, or had a format of other axes.

        Examples
        --------
        >>> tensor = Tensor.of_dims([1, 3, 8, 16])
        >>> tensor.set_data_format("nchw")
        >>> tensor.set_data_format("nhwc")
        >>> tensor.dims, tensor.dformat
        ((1, 8, 16, 3), dformat.nhwc)
        """
        new, old = as_dformat(dformat), self._dformat
        if self._dims is not None and new.rank not in (0, len(self._dims)):
            found = f"{len(self._dims)}: {list(self._dims)}"
            problem = f"wrong number of axes for {new.name}"
            raise ShapeError.at(repr(self), problem, expected=new.rank, found=found)
        if old.rank and new.rank:
            order = old.order_to(new)
            if self._dims is not None:
                self._dims = Dims(self._dims[axis] for axis in order)
            if self._array is not None:
                self._array = np.ascontiguousarray(self._array.transpose(order))
        self._dformat = new

    @property
    def has_data(self) -> bool:
        """True when the tensor holds data."""
        return self._array is not None

    @property
    def held(self) -> NDArray[Any] | None:
        """The data, not copied; None when the tensor holds none."""
        return self._array

    @property
    def array(self) -> NDArray[Any]:
        """The data, not copied.

        Raises
        ------
        ShapeError
            When the tensor has no data yet.
        """
        if self._array is None:
            raise ShapeError.at(
                repr(self), "has no data yet", cure="Run the graph, or give it an array."
            )
        return self._array

    def resize(self, dims: Iterable[int]) -> None:
        """Set the dimensions; data of other dimensions are dropped.

        Raises
        ------
        ShapeError
            For what is no list of whole numbers, 0 or more.
        """
        self._dims = check_dims(dims)
        self._check_format()
        if self._array is not None and self._array.shape != tuple(self._dims):
            self._array = None

    def set_datatype(self, dtype: DType | DTypeLike) -> None:
        """Set the element type; data are converted.

        Raises
        ------
        ShapeError
            When there is no such element type.
        """
        self._dtype = as_dtype(dtype)
        if self._array is not None:
            self._array = self._array.astype(self._dtype.numpy, copy=False)

    def set_array(self, array: NDArray[Any]) -> None:
        """Hold ``array`` (not copied), and take its dimensions and element type.

        Raises
        ------
        ShapeError
            When no tensor has elements of its type.
        """
        self._dtype = as_dtype(array.dtype)
        self._array = array
        self._dims = Dims(array.shape)
        self._check_format()

    def _check_format(self) -> None:
        """Forget a data format of another number of axes."""
        is_known = self._dformat is not DataFormat.default
        if is_known and self._dformat.rank != self.ndim:
            self._dformat = DataFormat.default

    def copy_from(self, other: Tensor) -> None:
        """Take dimensions, type, data (they are shared) and format, if any, of ``other``."""
        self._array, self._dims, self._dtype = other._array, other._dims, other._dtype
        if other._dformat is not DataFormat.default:
            self._dformat = other._dformat
        self._check_format()

    @property
    def has_grad(self) -> bool:
        """True when there is a gradient."""
        return self.grad is not None

    def init_grad(self) -> None:
        """Set the gradient to zeros."""
        self.grad = Tensor(np.zeros(self.shape, self._dtype.numpy))

    def add_grad(self, grad: ArrayLike) -> None:
        """Add to the gradient, which begins at zero.

        Raises
        ------
        ShapeError
            When the gradient has other dimensions than the tensor.

        Examples
        --------
        >>> tensor = Tensor([1.0, 2.0])
        >>> tensor.add_grad([0.5, 0.5])
        >>> tensor.add_grad([1.0, 0.0])
        >>> tensor.grad.array.tolist()
        [1.5, 0.5]
        """
        found = np.asarray(grad, self._dtype.numpy)
        if found.shape != self.shape:
            problem = "a gradient has the dimensions of its tensor"
            raise ShapeError.at(
                repr(self), problem, expected=list(self.shape), found=list(found.shape)
            )
        self.grad = Tensor(found if self.grad is None else self.grad.array + found)

    def clear(self) -> None:
        """Forget dimensions and data."""
        self._array = self._dims = None

    def clone(self) -> Tensor:
        """Make an independent copy."""
        copy = Tensor(dtype=self._dtype)
        copy._dims, copy._dformat = self._dims, self._dformat
        copy._array = None if self._array is None else self._array.copy()
        return copy

    def __array__(
        self, dtype: DTypeLike | None = None, *, copy: bool | None = None
    ) -> NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.array.__dlpack_device__()
        return int(kind), int(number)

    def __len__(self) -> int:
        return self.dims[0] if self.dims else 0

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array)

    def __bool__(self) -> bool:
        """Return True always: seed code writes ``if tensor:`` to test for None."""
        return True

    def __repr__(self) -> str:
        if self._dims is None:
            return "Tensor(undefined)"
        state = "" if self.has_data else ", no data"
        return f"Tensor({list(self._dims)}, {self._dtype.name}{state})"

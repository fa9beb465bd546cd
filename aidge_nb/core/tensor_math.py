"""Arithmetic on tensors, slices of them, and queries about their storage.

These are the names that scripts written for Aidge use on tensors outside of a graph. Values are
NumPy arrays on every backend, so that there is nowhere to move them to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from aidge_nb.core.errors import AidgeError, ShapeError

if TYPE_CHECKING:
    from aidge_nb.core.dformat import DataFormat
    from aidge_nb.core.dtype import DType


class TensorMath:
    """Arithmetic on tensors and their parts, and Aidge's queries about storage.

    Examples
    --------
    >>> from aidge_nb import Tensor
    >>> tensor = Tensor(np.array([[1.0, 4.0], [9.0, 16.0]], np.float32))
    >>> (tensor.sqrt() + tensor).array.tolist()
    [[2.0, 6.0], [12.0, 20.0]]
    >>> tensor.extract([1]).array.tolist(), tensor.get_idx([1, 0]), tensor.get_coord(2)
    ([9.0, 16.0], 2, [1, 0])
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what a tensor brings

        def __init__(self, data: ArrayLike | None = None) -> None: ...
        @property
        def array(self) -> NDArray[Any]: ...  # noqa: D102
        @property
        def shape(self) -> tuple[int, ...]: ...  # noqa: D102
        @property
        def dtype(self) -> DType: ...  # noqa: D102
        @property
        def size(self) -> int: ...  # noqa: D102
        @property
        def undefined(self) -> bool: ...  # noqa: D102
        def set_array(self, array: NDArray[Any]) -> None: ...  # noqa: D102
        def set_datatype(self, dtype: DType | DTypeLike) -> None: ...  # noqa: D102
        def set_data_format(self, dformat: DataFormat | str) -> None: ...  # noqa: D102

    # --- arithmetic -------------------------------------------------------------------------

    def _with(self, function: Callable[..., Any], other: object) -> Any:
        if not isinstance(other, (TensorMath, int, float, np.ndarray, np.generic)):
            return NotImplemented  # Python then says which operands do not fit
        return type(self)(function(self.array, _values(other)))

    def __add__(self, other: object) -> Any:
        return self._with(np.add, other)

    def __sub__(self, other: object) -> Any:
        return self._with(np.subtract, other)

    def __mul__(self, other: object) -> Any:
        return self._with(np.multiply, other)

    def __truediv__(self, other: object) -> Any:
        return self._with(np.divide, other)

    def __float__(self) -> float:
        return float(self.array.item())

    def _of_each(self, function: Callable[..., Any]) -> Self:
        with np.errstate(divide="ignore", invalid="ignore"):  # the root of -1 is a NaN, as in C
            return type(self)(function(self.array))

    def abs(self) -> Self:
        """Return the absolute values."""
        return self._of_each(np.abs)

    def sqrt(self) -> Self:
        """Return the square roots; NaN for negative values."""
        return self._of_each(np.sqrt)

    def exp(self) -> Self:
        """Return e to the power of each value."""
        return self._of_each(np.exp)

    def ln(self) -> Self:
        """Return the natural logarithms; NaN for negative values."""
        return self._of_each(np.log)

    def clip(self, min: float = -np.inf, max: float = np.inf) -> Self:
        """Return the values, none below ``min`` and none above ``max``."""
        return type(self)(np.clip(self.array, min, max).astype(self.dtype.numpy, copy=False))

    def mean(self, **numpy: Any) -> Any:
        """Return the mean of all values as a tensor of one element.

        Parameters
        ----------
        **numpy
            Arguments that ``numpy.mean`` passes; the result is then what NumPy computes.
        """
        if numpy:
            return self.array.mean(**numpy)
        return type(self)(self.array.mean(dtype=self.dtype.numpy).reshape(1))

    # --- filling and reading ----------------------------------------------------------------

    def zeros(self) -> None:
        """Set every value to 0.

        Raises
        ------
        ShapeError
            When the dimensions are unknown.
        """
        self._fill(0)

    def ones(self) -> None:
        """Set every value to 1; raises as :meth:`zeros` does."""
        self._fill(1)

    def _fill(self, value: int) -> None:
        if self.undefined:
            cure = "Say them with resize()."
            raise ShapeError.at(repr(self), "its dimensions are unknown", cure=cure)
        self.set_array(np.full(self.shape, value, self.dtype.numpy))

    def reshape(self, dims: Sequence[int]) -> Self:
        """Set other dimensions for the same values, and return the tensor.

        Raises
        ------
        ShapeError
            When they are of another number of values.
        """
        try:
            self.set_array(self.array.reshape(list(dims)))
        except ValueError:
            problem = f"its values do not fill {list(dims)}"
            raise ShapeError.at(
                repr(self), problem, expected=f"dimensions of {self.size} values"
            ) from None
        return self

    def extract(self, coords: Sequence[int], dims: Sequence[int] | None = None) -> Self:
        """Return a part: the values at ``coords``, or ``dims`` values per axis from there on.

        Raises
        ------
        ShapeError
            When the part does not lie inside.
        """
        sizes = [1] * len(coords) if dims is None else list(dims)
        known = len(coords) <= len(self.shape) and len(sizes) == len(coords)
        ends = [start + size for start, size in zip(coords, sizes, strict=False)]
        if not known or any(
            start < 0 or end > limit
            for start, end, limit in zip(coords, ends, self.shape, strict=False)
        ):
            where = f"{list(coords)}" if dims is None else f"{list(dims)} from {list(coords)}"
            raise ShapeError.at(repr(self), "that part does not lie inside", found=where)
        if dims is None:
            return type(self)(self.array[tuple(coords)])
        return type(self)(self.array[tuple(map(slice, coords, ends))])

    def get_coord(self, index: int) -> list[int]:
        """Return the coordinates of a value from its number in row-major order."""
        return [int(each) for each in np.unravel_index(index, self.shape)]

    def get_idx(self, coords: Sequence[int]) -> int:
        """Return the number of a value in row-major order from its coordinates."""
        return int(np.ravel_multi_index(tuple(coords), self.shape))

    @property
    def strides(self) -> list[int]:
        """Distance, in elements, of neighbours along each axis in row-major order."""
        return [int(np.prod(self.shape[axis + 1 :])) for axis in range(len(self.shape))]

    @property
    def capacity(self) -> int:
        """Number of elements that the storage holds: :attr:`size`."""
        return self.size

    def copy_cast(self, other: TensorMath) -> None:
        """Copy the values of another tensor, converted to this element type."""
        self.set_array(other.array.astype(self.dtype.numpy))

    def cpy_transpose(self, other: TensorMath, transpose: Sequence[int]) -> None:
        """Copy the values of another tensor with its axes permuted."""
        self.set_array(np.ascontiguousarray(other.array.transpose(list(transpose))))

    # --- where the values lie ---------------------------------------------------------------

    def set_backend(self, name: str, device: int = 0, copyFrom: bool = True) -> None:
        """Accept any backend: values are NumPy arrays on all of them.

        Raises
        ------
        AidgeError
            For a device that there is not.
        """
        if name != "cpu" or device:
            raise AidgeError.at(
                repr(self),
                "cannot be moved to another device",
                expected="'cpu': values are NumPy arrays on every backend",
                found=f"{name!r}, device {device}",
            )

    to_backend = set_backend

    @property
    def backend(self) -> str:
        """The backend that holds the values: ``cpu``."""
        return "cpu"

    @property
    def device(self) -> int:
        """Number of the device that holds the values: 0."""
        return 0

    def has_impl(self) -> bool:
        """Return whether there is room for values: the dimensions are known."""
        return not self.undefined

    def is_undefined(self) -> bool:
        """Return whether the dimensions are unknown."""
        return self.undefined

    def to_dtype(self, dtype: DType | DTypeLike) -> None:
        """Set the element type; data are converted."""
        self.set_datatype(dtype)

    def to_dformat(self, dformat: DataFormat | str) -> None:
        """Set the order of the axes, transposing data that had another order."""
        self.set_data_format(dformat)


def _values(other: object) -> Any:
    return other.array if isinstance(other, TensorMath) else other

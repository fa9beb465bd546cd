"""Arithmetic on tensors, slices of them, and queries about their storage.

These are the names that scripts written for Aidge use on tensors outside of a graph. Values are
NumPy arrays on every backend, so that there is nowhere to move them to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor_grad import TensorGrad

if TYPE_CHECKING:
    from aidge_nb.core.dformat import DataFormat
    from aidge_nb.core.dtype import DType


class TensorMath(TensorGrad):
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

        @property
        def array(self) -> NDArray[Any]: ...  # noqa: D102
        @property
        def size(self) -> int: ...  # noqa: D102
        @classmethod
        def holding(cls, array: NDArray[Any]) -> Self: ...  # noqa: D102
        def set_array(self, array: NDArray[Any]) -> None: ...  # noqa: D102
        @property
        def held(self) -> NDArray[Any] | None: ...  # noqa: D102
        def set_datatype(self, dtype: DType | DTypeLike, copyCast: bool = True) -> None: ...  # noqa: D102
        def set_data_format(self, dformat: DataFormat | str, copyTrans: bool = True) -> None: ...  # noqa: D102
        def set_backend(self, name: str, device: int = 0, copyFrom: bool = True) -> None: ...  # noqa: D102

    # --- arithmetic -------------------------------------------------------------------------

    def _with(self, function: Callable[..., Any], other: object) -> Any:
        if not isinstance(other, (TensorMath, int, float, list, np.ndarray, np.generic)):
            return NotImplemented  # Python then says which operands do not fit
        values = other.array if isinstance(other, TensorMath) else other
        if isinstance(other, (int, float, list)):
            values = np.asarray(other).astype(self.dtype.numpy)
        return type(self)(function(self.array, values))

    def _become(self, result: Any) -> Any:
        if result is NotImplemented:
            return result
        if self.array.flags.writeable and self.array.dtype == result.array.dtype:
            self.array[...] = result.array
        else:
            self.set_array(result.array)
        return self

    def __add__(self, other: object) -> Any:
        return self._with(np.add, other)

    def __sub__(self, other: object) -> Any:
        return self._with(np.subtract, other)

    def __mul__(self, other: object) -> Any:
        return self._with(np.multiply, other)

    def __truediv__(self, other: object) -> Any:
        return self._with(_quotient, other)

    def __gt__(self, other: object) -> Any:
        return self._with(np.greater, other)

    def __lt__(self, other: object) -> Any:
        return self._with(np.less, other)

    def __iadd__(self, other: object) -> Self:
        found: Self = self._become(self + other)
        return found

    def __isub__(self, other: object) -> Self:
        found: Self = self._become(self - other)
        return found

    def __imul__(self, other: object) -> Self:
        found: Self = self._become(self * other)
        return found

    def __itruediv__(self, other: object) -> Self:
        found: Self = self._become(self / other)
        return found

    def __float__(self) -> float:
        return float(self.array.item())

    def __int__(self) -> int:
        return int(self.array.item())

    def __complex__(self) -> complex:
        return complex(self.array.item())

    def _of_each(self, function: Callable[..., Any]) -> Self:
        with np.errstate(divide="ignore", invalid="ignore"):  # the root of -1 is a NaN, as in C
            return type(self)(function(self.array).astype(self.dtype.numpy, copy=False))

    def abs(self) -> Self:
        """Return the absolute values."""
        return self._of_each(np.abs)

    def sqrt(self) -> Self:
        """Return the square roots, cut to the element type; NaN for negative values."""
        return self._of_each(np.sqrt)

    def exp(self) -> Self:
        """Return e to the power of each value."""
        return self._of_each(np.exp)

    def ln(self) -> Self:
        """Return the natural logarithms; NaN for negative values."""
        return self._of_each(np.log)

    def clip(self, min: float = -np.inf, max: float = np.inf) -> Self:
        """Return the values, none below ``min`` and none above ``max``."""
        if not self.dtype.is_float:  # numbers are cut, as in C
            limits = np.iinfo(self.dtype.value)
            min, max = (int(np.clip(each, limits.min, limits.max)) for each in (min, max))
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
        if self.dtype.is_float:
            return type(self)(self.array.mean(dtype=self.dtype.numpy).reshape(1))
        mean = self.array.mean()
        nearest = np.copysign(np.floor(np.abs(mean) + 0.5), mean)  # halves away from zero, as C
        return type(self)(nearest.astype(self.dtype.numpy).reshape(1))

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
        if self.undefined():
            cure = "Say them with resize()."
            raise ShapeError.at(repr(self), "its dimensions are unknown", cure=cure)
        self.set_array(np.full(self.shape, value, self.dtype.numpy))

    def reshape(self, dims: Sequence[int], copy: str = "if_necessary") -> Self:
        """Set other dimensions for the same values, and return the tensor.

        Parameters
        ----------
        dims
            The new dimensions; -1 is what is left.
        copy
            ``always`` to copy the values. They are never copied otherwise.

        Raises
        ------
        ShapeError
            When they are of another number of values.
        """
        try:
            array = self.array.reshape(list(dims))
        except ValueError:
            problem = f"its values do not fill {list(dims)}"
            raise ShapeError.at(
                repr(self), problem, expected=f"dimensions of {self.size} values"
            ) from None
        self.set_array(array.copy() if copy == "always" else array)
        return self

    @staticmethod
    def can_reshape_without_copy(view: TensorMath, new_dims: Sequence[int]) -> bool:
        """Return whether a tensor can take other dimensions: when its values fill them."""
        return int(np.prod(list(new_dims))) == view.size

    def extract(self, start_coords: Sequence[int], dims: Sequence[int] | None = None) -> Self:
        """Return a part: the values at ``coords``, or ``dims`` values per axis from there on.

        The part shares its values with the tensor.

        Raises
        ------
        ShapeError
            When the part does not lie inside.
        """
        coords: list[Any] = list(start_coords)
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
            return type(self).holding(self.array[(*coords, ...)])
        return type(self).holding(self.array[tuple(map(slice, coords, ends))])

    def copy_cast(self, other: TensorMath) -> None:
        """Copy the values of another tensor, converted to this element type."""
        self.set_array(other.array.astype(self.dtype.numpy))

    def cpy_transpose(self, other: TensorMath, transpose: Sequence[int]) -> None:
        """Copy the values of another tensor with its axes permuted."""
        self.set_array(np.ascontiguousarray(other.array.transpose(list(transpose))))

    # --- where the values lie ---------------------------------------------------------------

    @property
    def device(self) -> int:
        """Number of the device that holds the values: 0."""
        return 0

    @property
    def capacity(self) -> int:
        """Number of elements that the storage holds."""
        return 0 if self.held is None else self.size

    def has_impl(self) -> bool:
        """Return whether there is room for values."""
        return self.held is not None

    def to_device(self, device: int, copyFrom: bool = True) -> None:
        """Accept device 0, and refuse others as :meth:`set_backend` does."""
        self.set_backend("cpu", device)

    def ref_from(self, fallback: Self, backend: str, device: int = 0) -> Self:
        """Return the tensor itself: its values are where every backend finds them."""
        return self

    @staticmethod
    def available_backends() -> set[str]:
        """Return the backends of tensors."""
        return {"cpu"}

    get_available_backends = available_backends

    def to_dtype(self, dtype_: DType | DTypeLike, copy_and_cast_: bool = True) -> None:
        """Set the element type; data are converted."""
        self.set_datatype(dtype_, copy_and_cast_)

    def to_dformat(
        self,
        dformat_: DataFormat | str,
        copy_and_transpose_: bool = True,
        enforce: bool = False,
    ) -> None:
        """Set the order of the axes, transposing data that had another order."""
        self.set_data_format(dformat_, copy_and_transpose_)


def _quotient(left: NDArray[Any], right: Any) -> Any:
    """Divide; whole numbers by whole numbers give whole numbers, cut towards zero as in C."""
    with np.errstate(divide="ignore", invalid="ignore"):  # as in C, what is no number is a NaN
        if not np.issubdtype(np.result_type(left, right), np.integer):
            return np.divide(left, right)
        quotient, rest = np.divmod(left, right)
        return quotient + ((rest != 0) & ((rest < 0) != (left < 0)))

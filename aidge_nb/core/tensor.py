"""Tensors: shared handles on dimensions, an element type and optional data.

A tensor reads as one of Aidge does: its length is the number of elements, which it numbers and
iterates over in row-major order. ``numpy.asarray(tensor)`` is the array with its axes.

The output of a node and the inputs that it feeds hold the *same* :class:`Tensor`, so that writing
one is reading the other. A tensor goes through three states: undefined (nothing is known),
shaped (dimensions without data) and filled.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.dims import DimList, Dims, check_dims
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.core.leniency import SWITCH
from aidge_nb.core.tensor_elements import TensorElements

_OF_PYTHON: dict[type, DTypeLike] = {bool: np.int32, int: np.int32, float: np.float32}
"""Element types that Aidge gives numbers of Python."""


def _as_array(data: ArrayLike) -> NDArray[Any]:
    if type(data) in _OF_PYTHON and abs(data) < 2**31:  # type: ignore[arg-type]  # a number
        return np.asarray(data, _OF_PYTHON[type(data)])
    try:
        return np.array(data, copy=True if SWITCH["lenient"] else None)
    except ValueError as error:  # NumPy's word for rows that make no array
        problem = "rows have different lengths"
        raise ShapeError.at("Tensor", problem, found=repr(data)) from error


class Tensor(TensorElements):
    """A tensor that nodes share.

    Parameters
    ----------
    array
        A tensor, whose data are shared, or anything NumPy makes an array of; None leaves the
        tensor undefined. Arrays are not copied, except for code written for Aidge, where tensors
        own their data. Whole numbers of Python become ``int32``, and others ``float32``.
    dtype
        Element type to convert to. ``"cpu"``, the backend that Aidge takes here, is accepted.
    dims
        Dimensions of a tensor without data, instead of ``array``.
    backend
        Where the data lie: ``cpu``.

    Raises
    ------
    ShapeError
        When there is no such element type, or the rows of ``array`` are of different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> tensor = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> tensor, tensor.dims, len(tensor), tensor[4], tensor[1, 2]
    (Tensor([2, 3], float32), [2, 3], 6, 4.0, 5.0)
    >>> np.asarray(tensor)[1].tolist()
    [3.0, 4.0, 5.0]
    >>> Tensor(dims=[2, 3])
    Tensor([2, 3], float32, no data)
    """

    __slots__ = ("_array", "_backend", "_dformat", "_dims", "_dtype")

    def __init__(
        self,
        array: ArrayLike | None = None,
        dtype: DType | DTypeLike | None = None,
        *,
        dims: Iterable[int] | None = None,
        backend: str = "cpu",
    ) -> None:
        self._array: NDArray[Any] | None = None
        self._dims: Dims | None = None
        self._grad = None
        self._backend = ""
        if isinstance(dtype, str) and dtype == "cpu":
            dtype = None
        self._dtype = as_dtype(dtype) if dtype is not None else DType.float32
        self._dformat = DataFormat.default
        if isinstance(array, Tensor):
            self.share(array)
            array = None if dtype is None else self._array
        if array is not None:
            found = _as_array(array)
            self.set_array(found if dtype is None else found.astype(self._dtype.numpy, copy=False))
            if backend != "cpu":
                self.set_backend(backend)
        elif dims is not None:
            self.resize(dims)

    @classmethod
    def of_dims(cls, dims: Iterable[int], dtype: DType | DTypeLike = DType.float32) -> Tensor:
        """Make a tensor that knows its dimensions and has no data yet."""
        tensor = cls(dtype=dtype)
        tensor.resize(dims)
        return tensor

    @classmethod
    def holding(cls, array: NDArray[Any]) -> Self:
        """Make a tensor of an array that is never copied."""
        tensor = cls()
        tensor.set_array(array)
        return tensor

    @property
    def dims(self) -> DimList:
        """A list of the dimensions; empty for scalars and for undefined tensors."""
        return DimList(self._dims or ())

    @property
    def shape(self) -> Dims:
        """The dimensions as a tuple, as NumPy calls them."""
        return Dims() if self._dims is None else self._dims

    def undefined(self) -> bool:
        """Return whether the dimensions are unknown."""
        return self._dims is None

    is_undefined = undefined

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._dims or ())

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

    def set_data_format(
        self, dformat: DataFormat | str, copyTrans: bool = True, enforce: bool = False
    ) -> None:
        """Set the order of the axes, transposing dimensions and data that had another order.

        Parameters
        ----------
        dformat
            The new order.
        copyTrans
            Whether to transpose; otherwise dimensions and data stay as they are.
        enforce
            Accepted for Aidge's sake: a tensor never refuses a format of as many axes as it has.

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
        ([1, 8, 16, 3], dformat.nhwc)
        """
        new, old = as_dformat(dformat), self._dformat
        if self._dims is not None and new.rank not in (0, len(self._dims)):
            found = f"{len(self._dims)}: {list(self._dims)}"
            problem = f"wrong number of axes for {new.name}"
            raise ShapeError.at(repr(self), problem, expected=new.rank, found=found)
        if old.rank and new.rank and copyTrans:
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

    def readable(self) -> NDArray[Any]:
        """Return :attr:`array`; zeros where code written for Aidge reads what nothing wrote."""
        if self._array is None and self._dims is not None and SWITCH["lenient"]:
            self.zeros()
        return self.array

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

    def resize(self, dims: Iterable[int], strides: Iterable[int] = ()) -> None:
        """Set the dimensions; data of another number of elements are dropped.

        Parameters
        ----------
        dims
            The new dimensions.
        strides
            Distances of neighbours along each axis: none, or those of row-major order.

        Raises
        ------
        ShapeError
            For what is no list of whole numbers, 0 or more; for other strides.
        """
        checked = check_dims(dims)
        usual = [prod(checked[axis + 1 :]) for axis in range(len(checked))]
        if (given := list(strides)) and given != usual:
            problem = "its values lie in row-major order"
            raise ShapeError.at(repr(self), problem, expected=usual, found=given)
        self._dims = checked
        self._check_format()
        if self._array is not None and self._array.shape != tuple(self._dims):
            fits = self._array.size == self._dims.size
            self._array = self._array.reshape(self._dims) if fits else None
        self._allocate()

    def _allocate(self) -> None:
        """Make room for values where code asked for a backend."""
        if self._backend and self._array is None and self._dims is not None:
            self._array = np.zeros(self._dims, self._dtype.numpy)

    def set_backend(self, name: str, device: int = 0, copyFrom: bool = True) -> None:
        """Make room for the values, which are NumPy arrays on every backend.

        Raises
        ------
        AidgeError
            For a device that does not exist.
        """
        if name != "cpu" or device:
            raise AidgeError.at(
                repr(self),
                "cannot be moved to another device",
                expected="'cpu': values are NumPy arrays on every backend",
                found=f"{name!r}, device {device}",
            )
        self._backend = name
        self._allocate()

    to_backend = set_backend

    @property
    def backend(self) -> str:
        """The backend that holds the values: ``cpu``; empty when nothing does."""
        return "" if self._array is None else "cpu"

    def set_datatype(self, dtype: DType | DTypeLike, copyCast: bool = True) -> None:
        """Set the element type; data are converted, or are 0 again without ``copyCast``.

        Raises
        ------
        ShapeError
            When there is no such element type.
        """
        self._dtype = as_dtype(dtype)
        if self._array is not None and copyCast:
            self._array = self._array.astype(self._dtype.numpy, copy=False)
        elif self._array is not None:
            self._array = np.zeros(self._array.shape, self._dtype.numpy)

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
        """Take dimensions, type, a copy of the data, and format, if any, of ``other``."""
        self.share(other)
        if self._array is not None:
            self._array = self._array.copy()

    def share(self, other: Tensor) -> None:
        """Take dimensions, type, the data themselves, and format, if any, of ``other``."""
        self._array, self._dims, self._dtype = other._array, other._dims, other._dtype
        if other._dformat is not DataFormat.default:
            self._dformat = other._dformat
        self._check_format()

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
        return np.array(self.readable(), dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self.array.__dlpack_device__()
        return int(kind), int(number)

    def __repr__(self) -> str:
        if self._dims is None:
            return "Tensor(undefined)"
        state = "" if self.has_data else ", no data"
        return f"Tensor({list(self._dims)}, {self._dtype.name}{state})"

"""Data types of tensor elements, under the names that Aidge gives them.

``aidge_nb.dtype.float32`` is a :class:`DType`; anything NumPy takes for a dtype is understood by
:func:`as_dtype`.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import DTypeLike

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.leniency import allows


class DType(Enum):
    """The type of a tensor's elements; the value is NumPy's name of it.

    Examples
    --------
    >>> DType.float32.itemsize, DType.float32.numpy
    (4, dtype('float32'))
    """

    float16 = "float16"
    float32 = "float32"
    float64 = "float64"
    int8 = "int8"
    int16 = "int16"
    int32 = "int32"
    int64 = "int64"
    uint8 = "uint8"
    uint16 = "uint16"
    uint32 = "uint32"
    uint64 = "uint64"
    boolean = "bool"
    complex64 = "complex64"
    complex128 = "complex128"
    string = "object"

    def __init__(self, name: str) -> None:
        self._numpy: np.dtype[np.generic] = np.dtype(name)
        self._itemsize = self._numpy.itemsize
        self._is_float = name.startswith("float")

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy dtype."""
        return self._numpy

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._itemsize

    @property
    def is_float(self) -> bool:
        """True when elements are floating-point numbers."""
        return self._is_float

    def __repr__(self) -> str:
        return f"dtype.{self.name}"


_BY_NUMPY = {member.numpy: member for member in DType}


def as_dtype(value: DType | DTypeLike) -> DType:
    """Convert a NumPy dtype or a name to a :class:`DType`.

    Raises
    ------
    ShapeError
        When tensors cannot hold such elements.

    Examples
    --------
    >>> as_dtype("float32"), as_dtype(int)
    (dtype.float32, dtype.int64)
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in DType.__members__:
        return DType[value]
    stored = getattr(value, "storage", None)
    if isinstance(stored, DType) and allows(f"{value} is held as {stored.name}."):
        return stored
    try:
        numpy_dtype = np.dtype(value)
    except TypeError:
        numpy_dtype = None
    if numpy_dtype is not None and numpy_dtype.kind in "US":
        return DType.string
    found = _BY_NUMPY.get(numpy_dtype) if numpy_dtype is not None else None
    if found is None:
        names = ", ".join(member.name for member in DType)
        raise ShapeError.at("dtype", "unknown element type", expected=names, found=value)
    return found


__all__ = ["DType", "as_dtype", *DType.__members__]

float16 = DType.float16
float32 = DType.float32
float64 = DType.float64
int8 = DType.int8
int16 = DType.int16
int32 = DType.int32
int64 = DType.int64
uint8 = DType.uint8
uint16 = DType.uint16
uint32 = DType.uint32
uint64 = DType.uint64
boolean = DType.boolean
complex64 = DType.complex64
complex128 = DType.complex128
string = DType.string

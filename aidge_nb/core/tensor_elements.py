"""Elements of a tensor as Aidge sees them: numbered in row-major order, with coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index as whole
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.leniency import is_lenient
from aidge_nb.core.tensor_math import TensorMath
from aidge_nb.core.tensor_text import values_as_text

if TYPE_CHECKING:
    from aidge_nb.core.dformat import DataFormat

_AXES = ("", "c", "nc", "ncw", "nchw", "ncdhw")
"""Data format of a tensor that has none, by number of axes."""


class TensorElements(TensorMath):
    """Access to the elements of a tensor, and what its axes are.

    Examples
    --------
    >>> import numpy as np
    >>> from aidge_nb import Tensor
    >>> tensor = Tensor(np.array([[1.0, 4.0], [9.0, 16.0]], np.float32))
    >>> len(tensor), tensor[2], tensor[1, 0], list(tensor)
    (4, 9.0, 9.0, [1.0, 4.0, 9.0, 16.0])
    >>> tensor[3] = 25
    >>> print(tensor)
    [[  1.00000,  4.00000],
     [  9.00000, 25.00000]]
    >>> tensor.get_idx([1, 0]), tensor.get_coord(2), tensor.get_channel_dim_idx()
    (2, [1, 0], 1)
    """

    __slots__ = ()

    if TYPE_CHECKING:  # what a tensor brings

        def readable(self) -> NDArray[Any]: ...  # noqa: D102
        @property
        def dformat(self) -> DataFormat: ...  # noqa: D102

    def __len__(self) -> int:
        """Return the number of elements."""
        return self.size

    def __getitem__(self, key: int | Sequence[int]) -> Any:
        """Return an element as a number of Python, by its number or its coordinates."""
        return self.readable().item(self._place(key))

    def __setitem__(self, key: int | Sequence[int], value: Any) -> None:
        """Set an element, by its number or its coordinates."""
        place = self._place(key)
        if self.held is None:
            self.zeros()
        elif not self.array.flags.writeable:
            self.set_array(self.array.copy())
        self.array[np.unravel_index(place, self.shape)] = value

    def _place(self, key: Any) -> int:
        if isinstance(key, (list, tuple)):
            return self.get_idx(key)
        try:
            place = whole(key)
        except TypeError:
            place = -1
        if place < 0:
            raise TypeError(
                f"{self!r}[{key!r}]: elements are numbered from 0, or have one coordinate per "
                "axis; numpy.asarray(tensor)[...] takes slices and counts from the end"
            )
        if place >= self.size:
            raise IndexError(f"{self!r}[{place}]: it has {self.size} elements")
        return place

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements in row-major order, as numbers of Python."""
        return iter(self.readable().reshape(-1).tolist() if self.size else ())

    def __bool__(self) -> bool:
        """Return the value of a boolean scalar; otherwise True, as older Aidge's ``if tensor:``."""
        held = self.held
        return bool(held) if held is not None and held.shape == () and held.dtype == bool else True

    def __eq__(self, other: object) -> bool:
        """Return whether both hold equal values of the same type and dimensions."""
        if self is other:
            return self.held is not None or NotImplemented
        if not isinstance(other, TensorElements):
            return NotImplemented
        ours, theirs = self.held, other.held
        if ours is None or theirs is None or ours.dtype != theirs.dtype:
            return False
        return np.array_equal(ours, theirs)

    __hash__ = object.__hash__  # a tensor is a key as itself, whatever it holds

    def __str__(self) -> str:
        if self.held is not None:
            return values_as_text(self.held)
        return "[]" if is_lenient() else repr(self)

    def to_cstring(self) -> str:
        """Return the values as C initialises an array of them."""
        return values_as_text(self.array, c_code=True)

    # --- numbers and coordinates ------------------------------------------------------------

    def get_coord(self, flatIdx: int) -> list[int]:
        """Return the coordinates of an element from its number in row-major order.

        Raises
        ------
        ShapeError
            When there is no such element.
        """
        if not 0 <= flatIdx < self.size:
            raise ShapeError.at(repr(self), f"has no element {flatIdx}", expected=self._numbers())
        return [int(each) for each in np.unravel_index(flatIdx, self.shape)]

    def get_idx(self, coords: Sequence[int]) -> int:
        """Return the number of an element in row-major order from its coordinates.

        Raises
        ------
        ShapeError
            When it lies outside, or for another number of coordinates.
        """
        given = [whole(each) for each in coords]
        if len(given) != len(self.shape):
            problem = f"coordinates {given} are not one per axis"
            raise ShapeError.at(repr(self), problem, expected=len(self.shape), found=len(given))
        if any(not 0 <= one < size for one, size in zip(given, self.shape, strict=True)):
            raise ShapeError.at(repr(self), f"coordinates {given} lie outside")
        return int(np.ravel_multi_index(tuple(given), self.shape)) if given else 0

    as_coord = get_coord
    as_idx = get_idx

    def _numbers(self) -> str:
        return f"0 to {self.size - 1}" if self.size else "none"

    @property
    def strides(self) -> list[int]:
        """Distance, in elements, of neighbours along each axis in row-major order."""
        return [int(np.prod(self.shape[axis + 1 :])) for axis in range(len(self.shape))]

    def stride(self, idx: int) -> int:
        """Return the distance, in elements, of neighbours along an axis; 0 for no axis of it."""
        return self.strides[idx] if 0 <= idx < len(self.shape) else 0

    # --- what the axes are ------------------------------------------------------------------

    def _axis(self, letter: str) -> int:
        known = len(self.shape) < len(_AXES)
        names = self.dformat.value or (_AXES[len(self.shape)] if known else "")
        return names.find(letter)

    def _axis_size(self, letter: str) -> int:
        axis = self._axis(letter)
        return 1 if axis < 0 else self.shape[axis]

    def get_batch_dim_idx(self) -> int:
        """Return the axis of the batch; -1 when there is none."""
        return self._axis("n")

    def get_channel_dim_idx(self) -> int:
        """Return the axis of the channels; -1 when there is none."""
        return self._axis("c")

    def get_depth_dim_idx(self) -> int:
        """Return the axis of the depth; -1 when there is none."""
        return self._axis("d")

    def get_height_dim_idx(self) -> int:
        """Return the axis of the height; -1 when there is none."""
        return self._axis("h")

    def get_width_dim_idx(self) -> int:
        """Return the axis of the width; -1 when there is none."""
        return self._axis("w")

    def get_batch_dim_size(self) -> int:
        """Return the size of the batch; 1, here and for the other axes, when there is none."""
        return self._axis_size("n")

    def get_channel_dim_size(self) -> int:
        """Return the number of channels."""
        return self._axis_size("c")

    def get_depth_dim_size(self) -> int:
        """Return the size along the depth."""
        return self._axis_size("d")

    def get_height_dim_size(self) -> int:
        """Return the number of rows."""
        return self._axis_size("h")

    def get_width_dim_size(self) -> int:
        """Return the number of columns."""
        return self._axis_size("w")

"""Dimensions: the tuple that the library computes with, the list that tensors show, and axes."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, SupportsIndex, TypeVar, overload

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.leniency import is_lenient
from aidge_nb.core.limits import check_limit

T = TypeVar("T")


class ListLike(tuple[T, ...]):
    """A tuple that equals a list of the same values, and may be added to one.

    It is written as a list where code for Aidge runs.

    Examples
    --------
    >>> ListLike((3, 3)) == [3, 3], ListLike((3, 3)) + [1]
    (True, [3, 3, 1])
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else tuple.__add__(self, other)

    def __radd__(self, other: Any) -> Any:
        return [*other, *self] if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self)) if is_lenient() else tuple.__repr__(self)

    __hash__ = tuple.__hash__


class Dims(ListLike[int]):
    """Dimensions as a tuple, which equals a list of the same numbers.

    Examples
    --------
    >>> dims = Dims((2, 3))
    >>> dims == [2, 3], dims.size
    (True, 6)
    """

    __slots__ = ()

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self)


class DimList(list[int]):
    """The list that ``tensor.dims`` gives, as in Aidge: a copy, which changes no tensor.

    It can be called, because older Aidge writes ``tensor.dims()``, and equals tuples, too.

    Examples
    --------
    >>> dims = DimList([2, 3])
    >>> dims == [2, 3], dims == (2, 3), dims() + [4], dims[1:]
    (True, True, [2, 3, 4], [3])
    """

    def __call__(self) -> DimList:
        """Return the dimensions themselves."""
        return self

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # as all lists

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> DimList: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | DimList:
        found = list.__getitem__(self, key)
        return DimList(found) if isinstance(found, list) else found


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


def axis_of(axis: int, rank: int, where: str = "") -> int:
    """Turn an axis that may count from the end into one that counts from the start.

    Raise ShapeError when a tensor of this rank has no such axis.

    Examples
    --------
    >>> axis_of(-1, 4)
    3
    """
    if not -rank <= axis < rank:
        raise ShapeError.at(where, "no such axis", expected=f"{-rank} to {rank - 1}", found=axis)
    return axis % rank


def window_count(
    size: int, kernel: int, stride: int = 1, dilation: int = 1, *, ceil: bool = False
) -> int:
    """Count the places where a sliding window fits; 0 or less when it is larger than the input.

    With ``ceil`` a last window may hang over the end, as long as it starts inside.

    Examples
    --------
    >>> window_count(7, 3, 2), window_count(8, 3, 2), window_count(8, 3, 2, ceil=True)
    (3, 3, 4)
    """
    span = size - (dilation * (kernel - 1) + 1)
    if not ceil or span < 0:
        return span // stride + 1
    count = -(-span // stride) + 1
    return count - 1 if (count - 1) * stride >= size else count

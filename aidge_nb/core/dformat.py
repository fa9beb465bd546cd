"""Data formats: the order in which a tensor keeps batch (n), channels (c) and space (d, h, w).

``aidge_nb.dformat.nhwc`` is a :class:`DataFormat`, as in Aidge. Operators of this library compute
on channels before space (``nchw``); cameras and many accelerators keep channels last (``nhwc``).
"""

from __future__ import annotations

from enum import Enum

from aidge_nb.core.errors import ShapeError


class DataFormat(Enum):
    """An order of axes; the value has one letter per axis and is empty for ``default``.

    Examples
    --------
    >>> DataFormat.nchw.order_to(DataFormat.nhwc)
    (0, 2, 3, 1)
    >>> DataFormat.nhwc.rank, DataFormat.nhwc.channels_first
    (4, dformat.nchw)
    """

    default = ""
    nc = "nc"
    chw = "chw"
    hwc = "hwc"
    ncw = "ncw"
    nwc = "nwc"
    nchw = "nchw"
    nhwc = "nhwc"
    chwn = "chwn"
    hwnc = "hwnc"
    ncdhw = "ncdhw"
    ndhwc = "ndhwc"
    cdhwn = "cdhwn"

    @property
    def rank(self) -> int:
        """Number of axes; 0 for ``default``."""
        return len(self.value)

    @property
    def channels_first(self) -> DataFormat:
        """The format of the same axes that operators compute on."""
        return _COMPUTED[frozenset(self.value)]

    def order_to(self, other: DataFormat) -> tuple[int, ...]:
        """Return the axes of this format in the order of another one, as Transpose wants them.

        Raises
        ------
        ShapeError
            When the two are not about the same axes.
        """
        if set(self.value) != set(other.value):
            raise ShapeError.at(
                f"data format {self.name}",
                "cannot become another one: its axes are others",
                expected=_alike(self),
                found=other.name,
            )
        return tuple(self.value.index(axis) for axis in other.value)

    def __repr__(self) -> str:
        return f"dformat.{self.name}"


_COMPUTED = {
    frozenset(each.value): each
    for each in (
        DataFormat.default,
        DataFormat.nc,
        DataFormat.chw,
        DataFormat.ncw,
        DataFormat.nchw,
        DataFormat.ncdhw,
    )
}


def _alike(one: DataFormat) -> str:
    return " or ".join(each.name for each in DataFormat if set(each.value) == set(one.value))


def as_dformat(value: DataFormat | str) -> DataFormat:
    """Convert a name to a :class:`DataFormat`.

    Raises
    ------
    ShapeError
        When there is no such format.

    Examples
    --------
    >>> as_dformat("NHWC")
    dformat.nhwc
    """
    if isinstance(value, DataFormat):
        return value
    name = str(value).lower()
    if name not in DataFormat.__members__:
        names = ", ".join(DataFormat.__members__)
        raise ShapeError.at("data format", "unknown name", expected=names, found=repr(value))
    return DataFormat[name]


__all__ = ["DataFormat", "as_dformat", *DataFormat.__members__]

default = DataFormat.default
nc = DataFormat.nc
chw = DataFormat.chw
hwc = DataFormat.hwc
ncw = DataFormat.ncw
nwc = DataFormat.nwc
nchw = DataFormat.nchw
nhwc = DataFormat.nhwc
chwn = DataFormat.chwn
hwnc = DataFormat.hwnc
ncdhw = DataFormat.ncdhw
ndhwc = DataFormat.ndhwc
cdhwn = DataFormat.cdhwn

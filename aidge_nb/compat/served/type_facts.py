"""Types and formats of ``aidge_core``, and its enumerations: tables and rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from aidge_nb.core import dformat as formats
from aidge_nb.core.dformat import DataFormat
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import current_limits
from aidge_nb.ops.spiking import leaky_reset

PACKED = {"octo_binary": 1, "quad_int2": 2, "quad_uint2": 2} | dict.fromkeys(
    ("dual_int3", "dual_uint3", "dual_int4", "dual_uint4"), 4
)
"""Types of several numbers in a byte, and the bits of each."""

_ANY = ("any", *(f"any_{number}" for number in range(1, 6)))
_SMALL = (
    *("bfloat16", "binary", "octo_binary", "ternary", *PACKED, *_ANY),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(2, 16) if bits != 8),
)


class _Stored:
    """A type that no tensor holds; whole bytes may hold its numbers."""

    name: str

    @property
    def storage(self) -> DType | None:
        """The type of whole bytes that holds such numbers; None when there is none."""
        found = get_underlying_type(OtherType[self.name])
        return found if isinstance(found, DType) else None


OtherType = Enum("OtherType", {name: name for name in dict.fromkeys(_SMALL)}, type=_Stored)  # type: ignore[misc]
"""Types that Aidge names and no tensor here holds; small integers take a byte each."""

OtherFormat = Enum("OtherFormat", {name: name for name in _ANY})  # type: ignore[misc]
"""Formats that stand for any other."""

AnyType = DType | OtherType
AnyFormat = DataFormat | OtherFormat


class _Members(type):
    """The members of some enumerations, as attributes of one class."""

    KINDS: tuple[type[Enum], ...] = ()

    def __getattr__(cls, name: str) -> Any:
        members = cls.__members__
        if name in members:
            return members[name]
        raise AttributeError(f"{cls.__name__} has no {name!r}; it has {', '.join(members)}")

    @property
    def __members__(cls) -> dict[str, Enum]:
        """All members by name, as an enumeration has them."""
        return {name: each for kind in cls.KINDS for name, each in kind.__members__.items()}

    def __dir__(cls) -> list[str]:
        return list(cls.__members__)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.KINDS)


class dtype(metaclass=_Members):  # noqa: N801  # Aidge's name
    """Aidge's types: those of tensors, and others that describe hardware."""

    KINDS = (DType, OtherType)


class dformat(metaclass=_Members):  # noqa: N801  # Aidge's name
    """Aidge's formats."""

    KINDS = (DataFormat, OtherFormat)


def is_floating_point(dt: AnyType) -> bool:
    """Return whether numbers of the type have fractions."""
    return "float" in dt.name


def is_integer(dt: AnyType) -> bool:
    """Return whether the type is one of integers."""
    return "int" in dt.name or dt.name in ("binary", "octo_binary", "ternary")


def is_unsigned(dt: AnyType) -> bool:
    """Return whether the type has no negative numbers."""
    return "uint" in dt.name


def is_packed(dt: AnyType) -> bool:
    """Return whether a byte has several numbers of the type."""
    return dt.name in PACKED


def _bits(dt: AnyType) -> int:
    """Return the bits of one number."""
    special = {"boolean": 1, "binary": 1, "octo_binary": 1, "ternary": 2, "string": 8}
    digits = "".join(each for each in dt.name if each.isdigit())
    return special.get(dt.name) or (8 if dt.name in _ANY else int(digits))


def dtype_bit_width(dt: AnyType) -> int:
    """Return how many bits an element takes: 8 for packed ones.

    Examples
    --------
    >>> dtype_bit_width(dtype.int4), dtype_bit_width(dtype.dual_int4)
    (4, 8)
    """
    return 8 if is_packed(dt) else _bits(dt)


def get_underlying_type(dt: AnyType) -> AnyType:
    """Return the type in which numbers of a smaller one are stored."""
    if not is_integer(dt) or isinstance(dt, DType) or _bits(dt) > 8:
        return dt
    return DType.uint8 if is_packed(dt) or is_unsigned(dt) else DType.int8


def get_range(bits: int, is_signed: bool) -> tuple[int, int]:
    """Return the least and the greatest integer of so many bits."""
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


def get_datatype_range(dt: AnyType) -> tuple[int, int]:
    """Return the least and the greatest integer of a type.

    Raises
    ------
    ShapeError
        For types that are not of integers.
    """
    if not is_integer(dt):
        raise ShapeError.at("type", "is not one of integers", found=dt.name)
    if dt.name.endswith(("binary", "ternary")):
        return -1, 1
    return get_range(_bits(dt), not is_unsigned(dt))


def format_as(value: Enum) -> str:
    """Return the name of a type, format or kind of elements."""
    return (
        value.name.upper()
        if isinstance(value, DataFormat) and value.value
        else (
            value.name.capitalize() if isinstance(value, (DataFormat, OtherFormat)) else value.name
        )
    )


def numpy_to_aidge_dtype(dtype: np.dtype[Any]) -> DType:
    """Return the type of a NumPy dtype."""
    return as_dtype(dtype)


def aidge_to_numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """Return the NumPy dtype of a type."""
    return dtype.numpy


class _Info:
    """The limits of a type, as NumPy has them."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
        try:
            self._info: Any = self._of(dtype.numpy)
        except ValueError as error:
            raise ShapeError.at(type(self).__name__, str(error), found=dtype.name) from error
        self.bits = int(self._info.bits)
        self.min, self.max = self._info.min, self._info.max

    _of: Callable[[Any], Any]


class iinfo(_Info):  # noqa: N801  # Aidge's name
    """The limits of a type of integers: ``bits``, ``min``, ``max``."""

    min: int
    max: int
    bits: int
    dtype: DType
    _of = staticmethod(np.iinfo)


class finfo(_Info):  # noqa: N801  # Aidge's name
    """The limits of a floating-point type: ``bits``, ``eps``, ``min``, ``max``."""

    eps: float
    smallest_normal: float
    min: float
    max: float
    bits: int
    dtype: DType
    _of = staticmethod(np.finfo)

    def __init__(self, dtype: DType) -> None:
        super().__init__(dtype)
        self.eps, self.smallest_normal = self._info.eps, self._info.smallest_normal


def _index_of(axis: str) -> Callable[[AnyFormat], int]:
    def index(format: AnyFormat) -> int:
        return str(format.value).find(axis) if isinstance(format, DataFormat) else -1

    index.__doc__ = f"Return the place of {axis!r} in a format; -1 where it has none."
    return index


batch_idx, channel_idx, depth_idx = map(_index_of, "ncd")
height_idx, width_idx = map(_index_of, "hw")


def get_permutation_mapping(src: DataFormat, dst: DataFormat) -> list[int]:
    """Return the axes of a format in the order of another; the rest up to five stay."""
    one = src if src is not DataFormat.default else dst.channels_first
    two = dst if dst is not DataFormat.default else src.channels_first
    order = list(one.order_to(two))
    return order + list(range(len(order), 5))


def get_transposed_data_format(
    input_data_format: DataFormat, output_dims_order: Sequence[int]
) -> DataFormat:
    """Return the format of a tensor after a Transpose; ``default`` where it has no name."""
    name = "".join(input_data_format.value[axis] for axis in output_dims_order)
    found = getattr(formats, name, DataFormat.default) if name else DataFormat.default
    return found if isinstance(found, DataFormat) else DataFormat.default


# --- enumerations ---------------------------------------------------------------------------


class Enumeration(str, Enum):  # noqa: UP042  # the value is a number
    """A word that attributes take, and Aidge's number of it."""

    def __new__(cls, number: int, word: str) -> Enumeration:
        """Make a member: its text is what operators of this library take."""
        member = str.__new__(cls, word)
        member._value_ = number
        return member

    __str__ = Enum.__str__


def _enumeration(name: str, words: str) -> Any:
    members = {word: (number, word.lower()) for number, word in enumerate(words.split())}
    make: Any = Enumeration  # its functional interface
    return make(name, members)


ENUMERATIONS: dict[str, Any] = {
    name: _enumeration(name, words)
    for name, words in {
        "OperatorType": "Data Tensor",
        "PaddingMode": "CONSTANT EDGE REFLECT WRAP CONSTANT_LOWEST",
        "Parity": "Even Odd",
        "RoundingMode": "DOWN UP TOWARD_ZERO AWAY_FROM_ZERO HALF_DOWN HALF_UP HALF_TOWARD_ZERO "
        "HALF_AWAY_FROM_ZERO HALF_TO_EVEN HALF_TO_ODD",
        "crypto_hash_function": "SHA256",
        "aspect_ratio": "STRETCH NOT_LARGER NOT_SMALLER",
    }.items()
} | {"leaky_reset": leaky_reset}
"""Enumerations of Aidge that say how an operator works."""

OPEN = ("Parity", "crypto_hash_function", "aspect_ratio", "leaky_reset")
"""Those whose members are names of the module, too."""

INNER: dict[tuple[str, str], Any] = {
    ("BitShiftOp", "Direction"): _enumeration("Direction", "LEFT RIGHT"),
    ("ScatterOp", "Reduction"): _enumeration("Reduction", "NONE ADD MUL MAX MIN"),
}
"""Enumerations that belong to a class of operators."""


class Interpolation:
    """Ways in which Resize finds values between those it has."""

    Mode = _enumeration("Mode", "CUBIC LINEAR ROUND_PREFER_FLOOR ROUND_PREFER_CEIL FLOOR CEIL")
    CoordinateTransformation = _enumeration(
        "CoordinateTransformation",
        "HALF_PIXEL HALF_PIXEL_SYMMETRIC PYTORCH_HALF_PIXEL ALIGN_CORNERS ASYMMETRIC "
        "TF_HALF_PIXEL_FOR_NN TF_CROP_AND_RESIZE",
    )


for _kind in (Interpolation.Mode, Interpolation.CoordinateTransformation):
    for _member in _kind:
        setattr(Interpolation, _member.name, _member)


class ArrayNamespaceInfo:
    """Answers to what the array API asks of a library."""

    def capabilities(self) -> dict[str, Any]:
        """Tell what indices may be, and how many dimensions there are."""
        limit = current_limits().rank
        return {
            "boolean indexing": True,
            "data-dependent shapes indexing": True,
            "max dimensions": limit,
        }

    def default_device(self) -> str:
        """Return where tensors are."""
        return "cpu"

    def devices(self) -> list[str]:
        """List where tensors can be."""
        return ["cpu"]

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """Return the types that numbers get."""
        return {"real floating": DType.float32, "integral": DType.int64, "indexing": DType.int64}

    def dtypes(self, *, device: str | None = None, kind: str | None = None) -> dict[str, DType]:
        """Return the types that tensors can have, by name."""
        return dict(DType.__members__)

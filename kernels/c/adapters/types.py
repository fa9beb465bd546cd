"""Names of element types in C, and refusals of those that a kernel does not take."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError, explain
from aidge_nb.kernels.c.calls import CCall, In, Out, Site

SUFFIXES = {
    DType.float32: "f32",
    DType.boolean: "bool",
    DType.int8: "i8",
    DType.uint8: "u8",
    DType.int16: "i16",
    DType.uint16: "u16",
    DType.int32: "i32",
    DType.uint32: "u32",
    DType.int64: "i64",
    DType.uint64: "u64",
}
F32 = (DType.float32,)
INTEGERS = (DType.int8, DType.uint8, DType.int32, DType.int64)
"""The integers that C kernels compute with."""
PLACES = (DType.int32, DType.int64)
"""The integers that can say where an element is."""


def suffix_of(dtype: DType) -> str:
    """Return what the names of kernels for this element type end with.

    Examples
    --------
    >>> suffix_of(DType.float32)
    'f32'
    """
    return SUFFIXES[dtype]


def refuse(
    site: Site, problem: str, *, expected: object = None, found: object = None
) -> ExportError:
    """Make the error for a node that no C kernel computes."""
    cure = "Let another operator do it, or give this one a kernel with c_kernel()."
    return ExportError(
        explain(site.label, f"no C kernel {problem}", expected=expected, found=found, cure=cure)
    )


def need(site: Site, allowed: Sequence[DType], *indices: int) -> str:
    """Return the suffix of the element type that some inputs have together.

    Raises
    ------
    ExportError
        When it is not one of those allowed, or they have several.
    """
    found = [site.input(index).dtype for index in indices or (0,)]
    if len(set(found)) != 1 or found[0] not in allowed:
        raise refuse(
            site,
            "takes these element types",
            expected=" or ".join(dtype.name for dtype in allowed),
            found=", ".join(dtype.name for dtype in found),
        )
    return suffix_of(found[0])


def bits_of_elements(dtype: DType) -> int:
    """Return the size of an element in bits, for kernels that only move them."""
    return 8 * dtype.itemsize


def copy_call(nbytes: int, source: In | Out, target: Out) -> CCall:
    """Copy bytes."""
    return CCall("nb_copy", "nb_move", "nb_copy_config", {"bytes": nbytes}, (source, target))


def cast_call(site: Site, source: DType, target: DType, index: int = 0) -> CCall:
    """Turn the elements of input ``index`` into another type, into output 0.

    Raises
    ------
    ExportError
        When there is no such conversion.
    """
    for dtype in (source, target):
        if dtype not in SUFFIXES:
            raise refuse(site, "converts this element type", found=dtype.name)
    function = f"nb_cast_{suffix_of(source)}_{suffix_of(target)}"
    fields = {"count": site.input(index).size}
    return CCall(function, "nb_cast", "nb_cast_config", fields, (In(index), Out(0)))

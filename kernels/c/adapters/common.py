"""Shared by adapters: names of element types in C, refusals, strides, fields of windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c.calls import CCall, Fields, In, Out, Site, Value

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
    return ExportError.at(
        site.label, f"no C kernel {problem}", expected=expected, found=found, cure=cure
    )


def need(site: Site, allowed: Sequence[DType], *indices: int) -> str:
    """Return the suffix of the element type that some inputs have together.

    Raise ExportError when it is not one of those allowed, or they have several.
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

    Raise ExportError when there is no such conversion.
    """
    for dtype in (source, target):
        if dtype not in SUFFIXES:
            raise refuse(site, "converts this element type", found=dtype.name)
    function = f"nb_cast_{suffix_of(source)}_{suffix_of(target)}"
    fields = {"count": site.input(index).size}
    return CCall(function, "nb_cast", "nb_cast_config", fields, (In(index), Out(0)))


MAX_RANK = 8  # as in nb_common.h

Ints = tuple[int, ...]


def row_major(dims: Sequence[int]) -> Ints:
    """Return the strides of a contiguous tensor, in elements.

    Examples
    --------
    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for size in reversed(dims):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def repeated(dims: Sequence[int], target: Sequence[int]) -> Ints:
    """Return the strides of a contiguous tensor that is repeated to the dimensions ``target``.

    Examples
    --------
    >>> repeated((3, 1), (2, 3, 4))
    (0, 1, 0)
    """
    dims = dims[max(0, len(dims) - len(target)) :]  # those in front have size 1
    missing = len(target) - len(dims)
    own = row_major(dims)
    return (0,) * missing + tuple(
        0 if size == 1 else step for size, step in zip(dims, own, strict=True)
    )


def joined(where: str, dims: Sequence[int], *strides: Sequence[int]) -> tuple[Ints, ...]:
    """Join neighbouring dimensions that all tensors go through alike, and drop those of size 1.

    Returns the dimensions, then the strides of each tensor; at least one dimension is left. Raise
    ExportError when more dimensions are left than the kernels can walk through.

    Examples
    --------
    >>> joined("", (2, 3, 4), (12, 4, 1), (0, 4, 1))
    ((2, 12), (12, 1), (0, 1))
    """
    if 0 in dims:
        return ((0,), *((0,) for _ in strides))
    kept: list[tuple[int, ...]] = []
    for size, *steps in zip(dims, *strides, strict=True):
        if size == 1:
            continue
        before = kept[-1] if kept else None
        if before and all(
            outer == inner * size for outer, inner in zip(before[1:], steps, strict=True)
        ):
            kept[-1] = (before[0] * size, *steps)
        else:
            kept.append((size, *steps))
    if not kept:
        kept = [(1, *(0 for _ in strides))]
    if len(kept) > MAX_RANK:
        raise ExportError.at(
            where, "too many dimensions", expected=f"at most {MAX_RANK}", found=list(dims)
        )
    return tuple(zip(*kept, strict=True))


def axis_fields(dims: tuple[int, ...], axis: int) -> dict[str, int]:
    """Say how many elements lie before, along and after an axis.

    Examples
    --------
    >>> axis_fields((2, 3, 4, 5), 1)
    {'outer': 2, 'size': 3, 'inner': 20}
    """
    return {"outer": prod(dims[:axis]), "size": dims[axis], "inner": prod(dims[axis + 1 :])}


def with_steps(fields: Fields) -> Fields:
    """Add the steps of tensors in one piece to the fields of a window.

    Examples
    --------
    >>> dict(with_steps({"in_dims": (1, 4, 5), "out_dims": (1, 2, 3)}))  # doctest: +ELLIPSIS
    {'in_dims': ..., 'out_dims': ..., 'x_channel': 20, 'x_line': 5, 'y_channel': 6}
    """
    given, made = ints_of(fields["in_dims"]), ints_of(fields["out_dims"])
    return {**fields, "x_channel": prod(given), "x_line": given[-1], "y_channel": prod(made)}


def ints_of(value: Value) -> tuple[int, ...]:
    """Return the numbers of a field that has several."""
    return tuple(map(int, value)) if isinstance(value, tuple) else ()


def works_on_wholes(fields: Fields) -> bool:
    """Return whether a call with these fields reads and writes tensors in one piece.

    Examples
    --------
    >>> fields = with_steps({"in_dims": (1, 4, 5), "out_dims": (1, 2, 3)})
    >>> works_on_wholes(fields), works_on_wholes({**fields, "x_line": 8})
    (True, False)
    """
    if "x_channel" in fields:
        return dict(with_steps(fields)) == dict(fields)
    if "b_depth" in fields and "y_row" in fields and fields["b_column"] == 1:
        return fields["columns"] == fields["b_depth"] == fields["y_row"]
    return True

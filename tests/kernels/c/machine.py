"""Running an operator by the exact NumPy kernels and by the C kernels, to compare the bits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import ExportError, ShapeError
from aidge_nb.graph.spec import SPECS, OpSpec
from aidge_nb.kernels import find_kernel
from aidge_nb.kernels.c import CCall, Site, TensorType, find_c_kernel
from aidge_nb.kernels.c.compiling import FLAGS, Program

Array = NDArray[Any]
Arrays = Sequence[Array | None]


def exact(type_name: str, *arrays: Array | None, **attrs: Any) -> tuple[Array, ...]:
    """Run the exact NumPy kernel; attributes that are not given have their defaults."""
    spec = SPECS[type_name]
    kernel = find_kernel(spec, "exact")
    assert kernel is not None, f"{type_name} has no exact kernel"
    with np.errstate(all="ignore"):  # as the schedulers do
        result = kernel(*_filled(spec, arrays), **spec.make_attributes(**attrs))
    return result if isinstance(result, tuple) else (result,)


def _filled(spec: OpSpec, arrays: Arrays) -> list[Array | None]:
    missing = len(spec.inputs) - len(arrays) if not spec.variadic else 0
    return [*arrays, *[None] * missing]


def site_of(
    type_name: str, arrays: Arrays, outputs: Sequence[Array], known: Collection[int], **attrs: Any
) -> Site:
    """Describe an operator on arrays; ``known`` are inputs whose values the program may know."""
    spec = SPECS[type_name]
    every = _filled(spec, arrays)
    return Site(
        type_name,
        spec,
        spec.make_attributes(**attrs),
        tuple(None if array is None else _type(array) for array in every),
        tuple(map(_type, outputs)),
        {i: array for i, array in enumerate(every) if array is not None and i in known},
    )


def _type(array: Array) -> TensorType:
    return TensorType(as_dtype(array.dtype), array.shape)


def calls_of(site: Site) -> tuple[CCall, ...]:
    """Give the calls for a site."""
    adapter = find_c_kernel(site.spec)
    assert adapter is not None, f"{site.spec.type} has no C kernel"
    calls = adapter(site)
    return calls if isinstance(calls, tuple) else (calls,)


def compiled(
    type_name: str,
    arrays: Arrays,
    like: Sequence[Array],
    known: Collection[int],
    flags: Sequence[str] = FLAGS,
    **attrs: Any,
) -> list[Array]:
    """Run the C kernel; ``like`` are arrays of the outputs' types."""
    given = [None if a is None else np.asarray(a, order="C") for a in arrays]
    outputs = [np.full(a.shape, _rubbish(a.dtype), a.dtype) for a in like]
    calls = calls_of(site_of(type_name, given, outputs, known, **attrs))
    Program(calls, flags).run(_filled(SPECS[type_name], given), outputs)
    return outputs


def _rubbish(dtype: np.dtype[Any]) -> Any:
    """Give an element that a kernel must write over."""
    return np.nan if dtype.kind == "f" else True if dtype.kind == "b" else 77


def differing(found: Array, expected: Array) -> int:
    """Count the elements whose bits differ; the payload of NaN does not count.

    Examples
    --------
    >>> differing(np.float32([0.0, np.nan]), np.float32([-0.0, -np.nan]))
    1
    """
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if found.dtype.kind != "f":
        return int(np.count_nonzero(found != expected))
    whole = np.dtype(f"u{found.dtype.itemsize}")
    same = np.ascontiguousarray(found).view(whole) == np.ascontiguousarray(expected).view(whole)
    return int(np.count_nonzero(~(same | (np.isnan(found) & np.isnan(expected)))))


def check(type_name: str, *arrays: Array | None, known: Collection[int] = (), **attrs: Any) -> None:
    """Check that C and NumPy agree in every bit."""
    expected = exact(type_name, *arrays, **attrs)
    found = compiled(type_name, arrays, expected, known, **attrs)
    for ours, theirs in zip(found, expected, strict=True):
        assert differing(ours, theirs) == 0, (type_name, attrs)


def differing_bits(type_name: str, arrays: Arrays, **attrs: Any) -> int | None:
    """Count differing elements; None where the exact arithmetic or C has no kernel for them."""
    if find_c_kernel(SPECS[type_name]) is None:
        return None
    try:
        expected = exact(type_name, *arrays, **attrs)
        found = compiled(type_name, arrays, expected, range(len(arrays)), **attrs)
    except (ExportError, ShapeError):
        return None
    return sum(differing(ours, np.asarray(a)) for ours, a in zip(found, expected, strict=True))

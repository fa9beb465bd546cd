"""A case: an operator, its inputs, and what must come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dims import Dims
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.graph.spec import SPECS, OpSpec, ShapeContext
from aidge_nb.kernels import find_kernel

Array = NDArray[Any]
Inputs = Sequence[Array | None]
Oracle = Callable[..., Any]

TOLERANCE = 1e-5  # relative to the largest element, for float32


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """An operator on given arrays; ``oracle(*arrays)`` gives the right outputs."""

    type: str
    arrays: Inputs
    oracle: Oracle
    attrs: dict[str, Any] = field(default_factory=dict)
    tolerance: float = TOLERANCE

    def __post_init__(self) -> None:
        arrays = tuple(None if array is None else np.asarray(array) for array in self.arrays)
        object.__setattr__(self, "arrays", arrays)

    @property
    def spec(self) -> OpSpec:
        return SPECS[self.type]

    def __repr__(self) -> str:
        dims = ",".join("-" if a is None else "x".join(map(str, a.shape)) for a in self.arrays)
        attrs = ",".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"{self.type}({dims}){{{attrs}}}"


def run(type_name: str, *arrays: Array | None, **attrs: Any) -> tuple[Array, ...]:
    """Call the kernel of an operator; attributes that are not given have their defaults."""
    spec = SPECS[type_name]
    kernel = find_kernel(spec)
    assert kernel is not None, f"{type_name} has no kernel"
    missing = len(spec.inputs) - len(arrays) if not spec.variadic else 0
    with np.errstate(all="ignore"):  # as the schedulers do
        result = kernel(*arrays, *[None] * missing, **spec.make_attributes(**attrs))
    return result if isinstance(result, tuple) else (result,)


def run_one(type_name: str, *arrays: Array | None, **attrs: Any) -> Array:
    """Call the kernel of an operator, and give its first output."""
    return run(type_name, *arrays, **attrs)[0]


def declared(case: Case, nb_outputs: int) -> tuple[list[Dims], list[DType]]:
    """Give the dimensions and types that the declaration of the operator promises."""
    spec = case.spec
    missing = len(spec.inputs) - len(case.arrays) if not spec.variadic else 0
    arrays = [*case.arrays, *[None] * missing]
    context = ShapeContext(
        case.type,
        [None if array is None else Dims(array.shape) for array in arrays],
        [None if array is None else as_dtype(array.dtype) for array in arrays],
        spec.make_attributes(**case.attrs),
        lambda index: arrays[index],
        nb_outputs,
    )
    first = context.dtypes[0] or DType.float32
    dtypes = spec.dtypes(context) if spec.dtypes is not None else [first] * nb_outputs
    return [Dims(dims) for dims in spec.dims(context)], list(dtypes)


def check_close(found: Array, expected: Any, tolerance: float = TOLERANCE) -> None:
    """Compare: integers must be equal, floats close on the scale of the largest."""
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    if found.dtype == np.float16:
        tolerance = 2e-3
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)

"""Functions for operators of the ONNX standard that this library does not declare.

A declared operator (:class:`~aidge_nb.graph.spec.OpSpec`) has dims, a consumer-producer model and
a factory. Many operators of ONNX are met too rarely for that, and many declared ones have rare
variants. For those a plain function is enough to run a model: it takes arrays by position (None
for an optional input that is not there) and the attributes by keyword, under the names and with
the defaults of ONNX. Its output dims are found by trying it on ones and zeros.

Values that are no tensors are kept in arrays of objects: a sequence is one of rank 1 whose
elements are arrays, an optional without a value is one of rank 0 that holds None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.kernels.options import attribute_names, with_options

Function = TypeVar("Function", bound=Callable[..., Any])

Array = NDArray[Any]
_KERNELS: dict[tuple[str, str], StandardKernel] = {}
MICROSOFT = "com.microsoft"
"""The domain of ONNX Runtime's operators."""
OURS = "aidge_nb"
"""The domain of operators that no standard has."""
TFLITE = "tflite"
"""The domain of operators on codes that round as TensorFlow Lite does."""

_SITE = "site"
_VARARGS = 0x04  # flag of code objects, see the documentation of `inspect`


Zero = TypeVar("Zero", bound=Array | None, covariant=True)


class Codes(NamedTuple, Generic[Zero]):
    """Codes, and what they stand for; three inputs of an operator."""

    codes: Array
    scale: Array
    zero: Zero


class Coding(NamedTuple, Generic[Zero]):
    """How the codes of a result are to be understood; two inputs of an operator."""

    scale: Array
    zero: Zero


AnyCoding = Codes[Array | None] | Coding[Array | None]
_PARTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "Codes": (Codes._make, ("", "_scale", "_zero")),
    "Coding": (Coding._make, ("_scale", "_zero")),
}
"""Inputs that parameters of a type stand for: what their names end with."""


@dataclass(frozen=True)
class NodeContext:
    """Facts about the node of a call, for functions that take a keyword ``site``."""

    opset: int  # version of the operator's domain
    nb_outputs: int = 1  # how many are wanted
    # Element types as ONNX calls them, where they were inferred: NumPy has not all of them.
    input_types: tuple[str | None, ...] = ()
    output_types: tuple[str | None, ...] = ()
    # Each runs the graph of an attribute (then_branch, body): on its inputs and all of the node.
    bodies: Mapping[str, Callable[..., list[NDArray[Any]]]] = field(default_factory=dict)
    # Number of inputs that each of these graphs declares.
    body_inputs: Mapping[str, int] = field(default_factory=dict)
    # Stacked results of each of these graphs when there are none, output by output.
    body_zeros: Mapping[str, tuple[NDArray[Any], ...]] = field(default_factory=dict)

    def input_type(self, index: int) -> str | None:
        """Return the element type of an input, None where it is not known."""
        return self.input_types[index] if index < len(self.input_types) else None

    def output_type(self, index: int = 0) -> str | None:
        """Return the element type of an output, None where it is not known."""
        return self.output_types[index] if index < len(self.output_types) else None


@dataclass(frozen=True, eq=False)
class StandardKernel:
    """A function that computes one output, or a tuple of them."""

    function: Callable[..., Any]
    nb_inputs: int  # by position; with ``variadic`` any number may follow
    variadic: bool
    attributes: frozenset[str]  # names of those that it takes
    wants_site: bool  # takes a NodeContext
    decided_by: tuple[int, ...]  # inputs whose values, not only dims, decide dims of the outputs
    open_dims: bool  # dims of the outputs are known only when it has run
    needed: tuple[str | None, ...] = ()  # names of inputs that must be there, None for others
    options: type | None = None  # a dataclass of attributes that it takes as one value, ``options``
    overwrites: tuple[int, ...] = ()  # inputs in whose place the output may be written
    zeros: tuple[tuple[int, int], ...] = ()  # inputs of codes, and the inputs of their zero points
    scales: tuple[tuple[int, bool], ...] = ()  # of codes; whether they are those of a result
    groups: tuple[tuple[Any, slice], ...] = ()  # what makes parameters of which inputs

    def __call__(
        self, arrays: list[Array | None], attributes: Mapping[str, Any], site: NodeContext
    ) -> tuple[Array, ...]:
        """Compute the outputs.

        Raise ShapeError for a scale that no codes can have, or a zero point that these cannot have.
        """
        given = [*arrays, *[None] * max(0, self.nb_inputs - len(arrays))]
        self.check_scales(given.__getitem__)
        for codes, zero in self.zeros:
            check_zero(given[zero], given[codes], f"input#{zero}")
        keywords = with_options(attributes, self.options)
        if self.wants_site:
            keywords[_SITE] = site
        grouped = [make(given[part]) for make, part in self.groups]
        rest = given[self.groups[-1][1].stop :] if self.groups else given
        result = self.function(*grouped, *rest, **keywords)
        return result if isinstance(result, tuple) else (result,)

    def check_scales(self, value: Callable[[int], Array | None]) -> None:
        """Raise ShapeError for a scale, of those inputs whose values are known, of no codes.

        Numbers whose scale is 0 are all 0; but nothing can be divided by it.
        """
        for index, is_divisor in self.scales:
            scale = value(index)
            if scale is not None:
                check_scale(scale, f"input#{index}", is_divisor=is_divisor)


def check_scale(scale: Array, where: str, *, is_divisor: bool = True) -> None:
    """Raise ShapeError for a scale that codes, or results that are divided by it, cannot have."""
    if scale.size == 1 and 0 < scale.item() < np.inf:  # most are so, and this takes less time
        return
    bad = scale[~((scale > 0) if is_divisor else (scale >= 0)) | np.isinf(scale)]
    if bad.size:
        raise ShapeError.at(
            where,
            "cannot quantize by this scale" if is_divisor else "codes cannot have this scale",
            expected="positive, finite numbers" if is_divisor else "finite numbers, none below 0",
            found=float(bad.reshape(-1)[0]),
            cure="Calibrate again; a value that is always zero can have the scale 1.",
        )


def check_zero(zero: Array | None, codes: Array | None, where: str) -> None:
    """Raise ShapeError for a zero point that these codes cannot have."""
    if zero is None or codes is None or zero.dtype == codes.dtype or codes.dtype.kind not in "iu":
        return
    limits = np.iinfo(codes.dtype)
    bad = zero[~((zero >= limits.min) & (zero <= limits.max))]
    if bad.size:
        raise ShapeError.at(
            where,
            "a zero point is none of the codes",
            expected=f"{limits.min} to {limits.max}, as {codes.dtype} has",
            found=bad.reshape(-1)[0].item(),
        )


def standard(
    *op_types: str,
    domain: str = "",
    decided_by: tuple[int, ...] = (),
    open_dims: bool = False,
    options: type | None = None,
    overwrites: tuple[int, ...] = (),
) -> Callable[[Function], Function]:
    """Make the decorated function compute operators of these ONNX types.

    Parameters called ``x``, ``x_scale`` and ``x_zero`` are codes, their scale and zero point;
    ``y_scale`` without a ``y`` is the scale of the result. One parameter ``x: Codes[Array]`` stands
    for these three inputs, ``y: Coding[Array]`` for two; ``Array | None`` in place of ``Array``
    says that the zero point need not be there.

    Raise GraphError when one of them has a function already.
    """

    def bind(function: Function) -> Function:
        code: Any = getattr(function, "__code__")  # noqa: B009  # a function's, for type checkers
        groups, names, needed = _inputs(function, code)
        keywords = attribute_names(function, options)
        kernel = StandardKernel(
            function,
            len(names),
            bool(code.co_flags & _VARARGS),
            keywords - {_SITE},
            _SITE in keywords,
            decided_by,
            open_dims,
            needed,
            options,
            overwrites,
            _zeros(names),
            _scales(names),
            groups,
        )
        for op_type in op_types:
            if (domain, op_type) in _KERNELS:
                raise GraphError.at(op_type, "has a function already")
            _KERNELS[domain, op_type] = kernel
        return function

    return bind


def _inputs(
    function: Callable[..., Any], code: Any
) -> tuple[tuple[tuple[Any, slice], ...], list[str], tuple[str | None, ...]]:
    """Return what parameters are made of, the names of inputs, and of those that must be there.

    Parameters behind the last one of several inputs are left out of the first.
    """
    groups: list[tuple[Any, slice]] = []
    names: list[str] = []
    needed: list[str | None] = []
    for parameter in code.co_varnames[: code.co_argcount]:
        kind = str(function.__annotations__.get(parameter))
        make, parts = _PARTS.get(kind.partition("[")[0], (_first, ("",)))
        groups.append((make, slice(len(names), len(names) + len(parts))))
        for part in parts:
            names.append(f"{parameter}{part}")
            may_miss = "None" in kind and (make is _first or part == "_zero")
            needed.append(None if may_miss else names[-1])
    while groups and groups[-1][0] is _first:
        groups.pop()
    if code.co_flags & _VARARGS:
        more = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        needed.append(None if "None" in str(function.__annotations__.get(more)) else more)
    return tuple(groups), names, tuple(needed)


def _first(arrays: Sequence[Array | None]) -> Array | None:
    return arrays[0]


def _zeros(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the places of codes and of their zero points."""
    place = {name: index for index, name in enumerate(names)}
    pairs = ((name, f"{name}_zero") for name in names)
    return tuple((place[codes], place[zero]) for codes, zero in pairs if zero in place)


def _scales(names: Sequence[str]) -> tuple[tuple[int, bool], ...]:
    """Return the places of scales, and whether there are no codes among the inputs for them."""
    pairs = ((index, name.removesuffix("_scale")) for index, name in enumerate(names))
    return tuple((index, codes not in names) for index, codes in pairs if codes != names[index])


def bound_standard_kernel(op_type: str, domain: str = "") -> StandardKernel | None:
    """Return the function that an imported module bound to an ONNX operator, or None."""
    return _KERNELS.get((domain, op_type))

"""Which function computes which operator.

A kernel is a plain function: arrays in, arrays out. It is bound to the :class:`OpSpec` itself and
not to its name, so that an operator that only shares the name of a declared one has no kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError, explain
from aidge_nb.graph.spec import OpSpec
from aidge_nb.ops.place import PLACE

Kernel = Callable[..., NDArray[Any] | tuple[NDArray[Any], ...]]
"""Takes the inputs (None for an optional one that is not there) and, by name, the attributes."""

Function = TypeVar("Function", bound=Kernel)

OPTIONAL_OUTPUTS = "optional_outputs"
"""A keyword that a kernel may take besides the attributes: False when only output 0 is read."""

OUT = "out"
"""A keyword that a kernel may take besides the attributes: an array to write output 0 into.

It has the dimensions and the type of the output. It may be the memory of an input that the
declaration permits to overwrite.
"""

_VARARGS, _VARKEYWORDS = 0x04, 0x08  # flags of code objects, see the documentation of `inspect`

_KERNELS: dict[tuple[OpSpec, str], Kernel] = {}


def kernel(*specs: OpSpec, backend: str = "cpu") -> Callable[[Function], Function]:
    """Bind the decorated function to operators.

    Its positional parameters are the inputs, its keyword-only ones the attributes, all of them;
    ``out=None`` may follow, ``place=None`` where the place in a whole decides on bits, and
    ``optional_outputs=True`` where outputs need not be read.

    Raises
    ------
    GraphError
        When the signature does not agree with a spec, or the spec has a kernel already.

    Examples
    --------
    >>> from aidge_nb.graph import OpSpec
    >>> from aidge_nb.kernels import find_kernel
    >>> from aidge_nb.graph.spec import InputSpec
    >>> spec = OpSpec("Twice", (InputSpec("x"),), lambda context: [context.dim(0)])
    >>> @kernel(spec)
    ... def twice(x):
    ...     return x + x
    >>> find_kernel(spec) is twice
    True
    """

    def bind(function: Function) -> Function:
        for spec in specs:
            _check_signature(function, spec)
            if (spec, backend) in _KERNELS:
                raise GraphError(explain(spec.type, f"has a kernel on backend {backend!r} already"))
            _KERNELS[spec, backend] = function
        return function

    return bind


def bound_kernel(spec: OpSpec, backend: str = "cpu") -> Kernel | None:
    """Return the kernel that an imported module bound to an operator, or None."""
    return _KERNELS.get((spec, backend))


def can_skip_outputs(function: Kernel) -> bool:
    """Return whether the kernel saves work when called with ``optional_outputs=False``."""
    return OPTIONAL_OUTPUTS in _signature(function)[1]


def can_write_into(function: Kernel) -> bool:
    """Return whether the kernel can be called with ``out=`` an array that takes output 0."""
    return OUT in _signature(function)[1]


def can_be_placed(function: Kernel) -> bool:
    """Return whether the kernel can be called with ``place=`` where its result lies in a whole."""
    return PLACE in _signature(function)[1]


def _signature(function: Kernel) -> tuple[str, frozenset[str]]:
    """Return the positional parameters as text, such as ``"1 and more"``, and the keyword names."""
    code: Any = getattr(function, "__code__", None)
    if code is None or code.co_flags & _VARKEYWORDS:
        return "a plain function without **", frozenset()
    positional = code.co_argcount
    keywords = code.co_varnames[positional : positional + code.co_kwonlyargcount]
    return _count(positional, bool(code.co_flags & _VARARGS)), frozenset(keywords)


def _count(positional: int, is_variadic: bool) -> str:
    return f"{positional} and more" if is_variadic else str(positional)


def _check_signature(function: Kernel, spec: OpSpec) -> None:
    found, keywords = _signature(function)
    expected = _count(len(spec.inputs) - spec.variadic, spec.variadic)
    more = {OUT, PLACE, OPTIONAL_OUTPUTS} if spec.optional_outputs else {OUT, PLACE}
    if found == expected and keywords - more == set(spec.attrs):
        return
    raise GraphError(
        explain(
            f"kernel of {spec.type}",
            "does not take what the operator has",
            expected=f"positional {expected}, keyword-only {sorted(spec.attrs)}",
            found=f"positional {found}, keyword-only {sorted(keywords)}",
            cure="Arrays come by position, all attributes by keyword.",
        )
    )

"""Which function computes which operator; its family is imported when it is first asked for.

A kernel is a plain function: arrays in, arrays out. It is bound to the :class:`OpSpec` itself and
not to its name, so that an operator that only shares the name of a declared one has no kernel.

A family has one name everywhere: ``ops/<family>.py`` declares its operators,
``kernels/cpu/<family>/`` and ``kernels/exact/<family>.py`` compute them. Importing a graph asks
for no kernel, running one imports the families that are in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.fixed import FIXED, FixedMaker
from aidge_nb.kernels.gradients import GRADIENTS, REASONS, STANDARD_GRADIENTS, Gradient
from aidge_nb.kernels.options import shared_defaults
from aidge_nb.kernels.standard import StandardKernel, bound_standard_kernel
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
    one with a default may be missing in some of the operators. ``out=None`` may follow,
    ``place=None`` where the place in a whole decides on bits, and ``optional_outputs=True`` where
    outputs need not be read.

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
            _check_signature(function, spec, shared_defaults(function, specs))
            if (spec, backend) in _KERNELS:
                raise GraphError.at(spec.type, f"has a kernel on backend {backend!r} already")
            _KERNELS[spec, backend] = function
        return function

    return bind


def bound_kernel(spec: OpSpec, backend: str = "cpu") -> Kernel | None:
    """Return the kernel that an imported module bound to an operator, or None."""
    return _KERNELS.get((spec, backend))


def can_skip_outputs(function: Kernel) -> bool:
    """Return whether the kernel saves work when called with ``optional_outputs=False``."""
    return OPTIONAL_OUTPUTS in keywords_of(function)


def can_write_into(function: Kernel) -> bool:
    """Return whether the kernel can be called with ``out=`` an array that takes output 0."""
    return OUT in keywords_of(function)


def can_be_placed(function: Kernel) -> bool:
    """Return whether the kernel can be called with ``place=`` where its result lies in a whole."""
    return PLACE in keywords_of(function)


def keywords_of(function: Kernel) -> frozenset[str]:
    """Return the names of the keywords that the kernel takes."""
    return _signature(function)[1]


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


def _check_signature(function: Kernel, spec: OpSpec, defaults: frozenset[str]) -> None:
    found, keywords = _signature(function)
    expected = _count(len(spec.inputs) - spec.variadic, spec.variadic)
    more = {OUT, PLACE, OPTIONAL_OUTPUTS} if spec.optional_outputs else {OUT, PLACE}
    attrs = frozenset(spec.attrs)
    if found == expected and attrs <= keywords <= attrs | more | defaults:
        return
    raise GraphError.at(
        f"kernel of {spec.type}",
        "does not take what the operator has",
        expected=f"positional {expected}, keyword-only {sorted(spec.attrs)}",
        found=f"positional {found}, keyword-only {sorted(keywords)}",
        cure="Arrays come by position, all attributes by keyword.",
    )


FAMILIES = (
    *("activation", "arithmetic", "convolution", "indexing", "linear", "maths"),
    *("normalization", "pooling", "producer", "reduction", "resampling", "sequence"),
    *("shape", "slicing"),
)
"""Families with declared operators: modules of :mod:`aidge_nb.ops`."""


def find_kernel(spec: OpSpec, backend: str = "cpu") -> Kernel | None:
    """Return the kernel of an operator, or None when the backend has none."""
    found = bound_kernel(spec, backend)
    if found is not None:
        return found
    if backend == "exact" and spec in _exact_as_they_are():
        backend = "cpu"
    if backend == "exact":
        _import_family(spec, "aidge_nb.kernels.exact.{}")
    elif backend == "cpu":
        _import_family(spec, "aidge_nb.kernels.cpu.{}.forward")
    return bound_kernel(spec, backend)


def find_gradient(spec: OpSpec, backend: str = "cpu") -> Gradient | None:
    """Return the gradient of an operator: that of the backend, else that of ``cpu``, if any."""
    _import_family(spec, "aidge_nb.kernels.cpu.{}.gradient")
    return GRADIENTS.get((spec, backend)) or GRADIENTS.get((spec, "cpu"))


def why_no_gradient(spec: OpSpec) -> str | None:
    """Return the reason why an operator has no gradient, or None when none was noted."""
    _import_family(spec, "aidge_nb.kernels.cpu.{}.gradient")
    return REASONS.get(spec)


def find_fixed(spec: OpSpec) -> FixedMaker | None:
    """Return the function that prepares fixed steps of an operator, or None."""
    _import_family(spec, "aidge_nb.kernels.cpu.{}.fixed")
    return FIXED.get(spec)


def has_standard_kernel(op_type: str, domain: str = "") -> bool:
    """Return whether an ONNX operator has a function, without importing it."""
    return (domain, op_type) in standard_operators() or bound_standard_kernel(
        op_type, domain
    ) is not None


def find_standard_kernel(op_type: str, domain: str = "") -> StandardKernel | None:
    """Return the function of an ONNX operator without declaration, or None."""
    module = standard_operators().get((domain, op_type))
    if module is not None:
        import_module(f"aidge_nb.kernels.cpu.{module}")
    return bound_standard_kernel(op_type, domain)


def find_standard_gradient(op_type: str, domain: str = "") -> Gradient | None:
    """Return the gradient of an ONNX operator without declaration, or None."""
    module = standard_operators().get((domain, op_type))
    if module is not None:
        family = module.partition(".")[0]
        _import_if_there(f"aidge_nb.kernels.cpu.{family}.gradient")
    return STANDARD_GRADIENTS.get((domain, op_type))


@cache
def standard_operators() -> dict[tuple[str, str], str]:
    """Return the module of each ONNX operator that has a function, by domain and type.

    ``operators.txt`` beside this module lists them.
    """
    found = {}
    for line in Path(__file__).with_name("operators.txt").read_text("utf-8").splitlines():
        place, _, op_types = line.partition(": ")
        module, domain = place.split()
        for op_type in op_types.split():
            found["" if domain == "ai.onnx" else domain, op_type] = module
    return found


_FAMILY_OF: dict[OpSpec, str] = {}


def _family_of(spec: OpSpec) -> str | None:
    """Return the family of a declared operator: the module of ``ops`` that names it."""
    if spec not in _FAMILY_OF:
        modules = ((family, sys.modules.get(f"aidge_nb.ops.{family}")) for family in FAMILIES)
        for family, module in modules:
            for value in vars(module).values() if module else ():
                specs = value if isinstance(value, tuple) else (value,)
                _FAMILY_OF.update((each, family) for each in specs if isinstance(each, OpSpec))
    return _FAMILY_OF.get(spec)


@cache
def _exact_as_they_are() -> frozenset[OpSpec]:
    from aidge_nb.kernels.exact.shared import SHARED

    return frozenset(SHARED)


def _import_family(spec: OpSpec, pattern: str) -> None:
    family = _family_of(spec)
    if family is not None:
        _import_if_there(pattern.format(family))


@cache
def _import_if_there(name: str) -> None:
    if find_spec(name) is not None:
        import_module(name)

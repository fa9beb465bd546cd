"""Which function computes the gradient of which operator.

A gradient is a plain function beside the kernel that it belongs to. It takes one execution as it
was recorded, with the gradients that came back to its outputs, and gives those of its inputs. It
says which inputs and outputs it reads: these alone are kept from the forward pass to the backward
pass, and in place of all others it gets stand-ins of the same dimensions and type without values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.options import attribute_names, shared_defaults, with_options

Array = NDArray[Any]
Gradients = Array | tuple[Array | None, ...]
Function = TypeVar("Function", bound=Callable[..., Gradients])

GRADIENTS: dict[tuple[OpSpec, str], Gradient] = {}
"""Gradients that imported modules bound with :func:`gradient`, by operator and backend."""
STANDARD_GRADIENTS: dict[tuple[str, str], Gradient] = {}
"""Likewise with :func:`standard_gradient`, by domain and type of the operator."""
REASONS: dict[OpSpec, str] = {}
"""Why operators have no gradient."""
_VARKEYWORDS = 0x08  # flag of code objects, see the documentation of `inspect`


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """One execution of an operator, and the gradients that came back to it."""

    inputs: tuple[Array | None, ...]  # None for an optional input that was not there
    outputs: tuple[Array | None, ...]  # None for one that was not computed
    grads: tuple[Array | None, ...]  # of each output; None for those that are not floating-point
    wanted: frozenset[int]  # inputs whose gradients are wanted; others may be left out

    def input(self, index: int) -> Array:
        """Return an input that must be connected."""
        return _there(self.inputs, index, "input")

    def optional(self, index: int) -> Array | None:
        """Return an optional input, or None."""
        return self.inputs[index] if index < len(self.inputs) else None

    @property
    def x(self) -> Array:
        """The first input."""
        return _there(self.inputs, 0, "input")

    @property
    def y(self) -> Array:
        """The first output."""
        return _there(self.outputs, 0, "output")

    @property
    def dy(self) -> Array:
        """The gradient of the first output."""
        return _there(self.grads, 0, "gradient of output")

    def grad(self, index: int) -> Array:
        """Return the gradient of a further output; 0 where there is none."""
        grad = self.grads[index] if index < len(self.grads) else None
        return np.zeros((), self.dy.dtype) if grad is None else grad


def _there(arrays: tuple[Array | None, ...], index: int, what: str) -> Array:
    array = arrays[index] if index < len(arrays) else None
    if array is None:
        raise GraphError.at(f"{what}#{index}", "was not recorded")
    return array


@dataclass(frozen=True, eq=False)
class Gradient:
    """A function that returns the gradient of the first input, or a tuple of them or None."""

    function: Callable[..., Gradients]
    inputs: tuple[int, ...] | None  # of the execution, that it reads; None stands for all
    outputs: tuple[int, ...] | None  # likewise
    attributes: frozenset[str]  # names of those that it takes
    options: type | None = None  # a dataclass of attributes that it takes as one value, ``options``

    def reads_input(self, index: int) -> bool:
        """Return whether input ``index`` is kept for the backward pass."""
        return self.inputs is None or index in self.inputs

    def reads_output(self, index: int) -> bool:
        """Return whether output ``index`` is kept for the backward pass."""
        return self.outputs is None or index in self.outputs

    def __call__(
        self, recorded: Recorded, attributes: Mapping[str, Any]
    ) -> tuple[Array | None, ...]:
        """Compute the gradients of the inputs, each of the type of its input.

        There are fewer of them than inputs when the last have none.
        """
        taken = {name: attributes[name] for name in self.attributes if name in attributes}
        found = self.function(recorded, **with_options(taken, self.options))
        found = found if isinstance(found, tuple) else (found,)
        return tuple(map(_of_type, found, recorded.inputs))


def _of_type(grad: Array | None, array: Array | None) -> Array | None:
    """Cast a gradient to the type of its input; return None for whole numbers."""
    if grad is None or array is None or array.dtype.kind != "f":
        return None
    return grad.astype(array.dtype, copy=False)


def gradient(
    *specs: OpSpec,
    inputs: tuple[int, ...] | None = (),
    outputs: tuple[int, ...] | None = (),
    backend: str = "cpu",
    options: type | None = None,
) -> Callable[[Function], Function]:
    """Bind the decorated function to operators, as their gradient.

    Its one positional parameter is a :class:`Recorded`, its keyword-only ones attributes of the
    operator; one with a default may be missing in some of the operators. ``inputs`` and ``outputs``
    are what it reads of the execution, None for everything; the fields of ``options`` are
    attributes that it takes as one value.
    Raise GraphError when the signature does not agree with a spec, or the spec has a gradient
    already.

    Examples
    --------
    >>> from aidge_nb.graph import OpSpec
    >>> from aidge_nb.kernels.registry import find_gradient
    >>> from aidge_nb.graph.spec import InputSpec
    >>> spec = OpSpec("Twice", (InputSpec("x"),), lambda context: [context.dim(0)])
    >>> @gradient(spec)
    ... def twice(run):
    ...     return 2 * run.dy
    >>> find_gradient(spec).function is twice
    True
    """

    def bind(function: Function) -> Function:
        for spec in specs:
            keywords = _keywords(function, options, spec, shared_defaults(function, specs))
            if (spec, backend) in GRADIENTS:
                problem = f"has a gradient on backend {backend!r} already"
                raise GraphError.at(spec.type, problem)
            GRADIENTS[spec, backend] = Gradient(function, inputs, outputs, keywords, options)
        return function

    return bind


def without_gradient(*specs: OpSpec, reason: str) -> None:
    """Note that operators have no gradient, and why: ``reason`` goes on after their name."""
    for spec in specs:
        REASONS[spec] = reason


def standard_gradient(
    *op_types: str,
    domain: str = "",
    inputs: tuple[int, ...] | None = (),
    outputs: tuple[int, ...] | None = (),
    options: type | None = None,
) -> Callable[[Function], Function]:
    """Bind the decorated function to operators of ONNX that have no declaration.

    It is as :func:`gradient` wants it; attributes that a node does not have take its defaults.
    A keyword ``opset`` gets the version of the operator's domain. Raise GraphError when one of them
    has a gradient already.
    """

    def bind(function: Function) -> Function:
        for op_type in op_types:
            if (domain, op_type) in STANDARD_GRADIENTS:
                raise GraphError.at(op_type, "has a gradient already")
            names = attribute_names(function, options)
            STANDARD_GRADIENTS[domain, op_type] = Gradient(
                function, inputs, outputs, names, options
            )
        return function

    return bind


def stand_in(array: Array) -> Array:
    """Return an array of the same dimensions and type without memory or values.

    Examples
    --------
    >>> stand_in(np.ones((2, 2), np.float32))
    array([[nan, nan],
           [nan, nan]], dtype=float32)
    """
    value = array.dtype.type(np.nan) if array.dtype.kind == "f" else np.zeros((), array.dtype)
    return np.broadcast_to(np.asarray(value), array.shape)


def _keywords(
    function: Callable[..., Any], options: type | None, spec: OpSpec, defaults: frozenset[str]
) -> frozenset[str]:
    """Check the signature and return the attributes that the function takes."""
    code: Any = getattr(function, "__code__", None)
    count = -1 if code is None or code.co_flags & _VARKEYWORDS else code.co_argcount
    keywords = frozenset[str]() if code is None else attribute_names(function, options)
    if count == 1 and keywords <= defaults.union(spec.attrs):
        return keywords
    raise GraphError.at(
        f"gradient of {spec.type}",
        "does not take what it is given",
        expected=f"positional 1, keyword-only of {sorted(spec.attrs)}",
        found=f"positional {count}, keyword-only {sorted(keywords)}",
    )

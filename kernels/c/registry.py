"""Which calls of C kernels compute a node.

An adapter is a pure function from a :class:`Site`, one node with its dimensions, to one or
several :class:`CCall`. It is bound to the operator's declaration, as NumPy kernels are; operators
that only the ONNX standard declares are found by name. Who lays out memory turns :class:`In`,
:class:`Out` and :class:`Scratch` into addresses; :class:`Constant` are arrays that the adapter
derived from parameters, such as packed weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.c.calls import (
    CCall,
    Site,
)

Adapter = Callable[[Site], CCall | tuple[CCall, ...]]
Function = TypeVar("Function", bound=Adapter)

_ADAPTERS: dict[tuple[OpSpec | str, str | None], Adapter] = {}


def c_kernel(*operators: OpSpec | str, target: str | None = None) -> Callable[[Function], Function]:
    """Bind the decorated adapter to operators.

    Parameters
    ----------
    operators
        Declarations; or, for operators that only a standard declares, its domain and their name:
        ``"QLinearConv"``, ``"com.microsoft.QGemm"``.
    target
        The target that it is for; the one for all targets when None. One of a target goes first.

    Raises
    ------
    ExportError
        When an operator has an adapter for this target already.

    Examples
    --------
    >>> from aidge_nb.graph import OpSpec
    >>> from aidge_nb.kernels.c import find_c_kernel
    >>> from aidge_nb.graph.spec import InputSpec
    >>> spec = OpSpec("Shiny", (InputSpec("x"),), lambda context: [context.dim(0)])
    >>> @c_kernel(spec, target="robot")
    ... def shiny(site):
    ...     fields = {"count": site.outputs[0].size}
    ...     return CCall("nb_relu_f32", "nb_unary", "nb_unary_config", fields, (In(0), Out(0)))
    >>> find_c_kernel(spec) is None, find_c_kernel(spec, "robot") is shiny
    (True, True)
    """

    def bind(function: Function) -> Function:
        for operator in operators:
            if (operator, target) in _ADAPTERS:
                raise ExportError(explain(str(operator), "has a C kernel already", found=target))
            _ADAPTERS[operator, target] = function
        return function

    return bind


def bound_adapter(operator: OpSpec | str, target: str | None = None) -> Adapter | None:
    """Return the adapter that an imported module bound to an operator, or None."""
    return _ADAPTERS.get((operator, target)) or _ADAPTERS.get((operator, None))

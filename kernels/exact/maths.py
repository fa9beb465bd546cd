"""Functions of one number, applied to each element."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions import exponential, logarithm, trigonometry
from aidge_nb.kernels.exact.functions.error_function import erf
from aidge_nb.kernels.exact.functions.floats import float32
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import maths as specs

FUNCTIONS: dict[OpSpec, Callable[[Array], Array]] = {
    specs.EXP: exponential.exp,
    specs.LN: logarithm.log,
    specs.ERF: erf,
    specs.SIN: trigonometry.sin,
    specs.COS: trigonometry.cos,
    specs.TAN: trigonometry.tan,
    specs.ASIN: trigonometry.asin,
    specs.ACOS: trigonometry.acos,
    specs.ATAN: trigonometry.atan,
    specs.SINH: exponential.sinh,
    specs.COSH: exponential.cosh,
    specs.TANH: exponential.tanh,
    specs.ASINH: logarithm.asinh,
    specs.ACOSH: logarithm.acosh,
    specs.ATANH: logarithm.atanh,
}


def bind_floats(functions: Mapping[OpSpec, Callable[[Array], Array]]) -> None:
    """Bind functions of float32 numbers to operators that apply them to each element."""
    for spec, function in functions.items():
        _bind(spec, function)


def _bind(spec: OpSpec, function: Callable[[Array], Array]) -> None:
    @kernel(spec, backend="exact")
    def of_float(x: Array) -> Array:
        return function(float32(x))


bind_floats(FUNCTIONS)

"""Functions of one number, applied to each element."""

from __future__ import annotations

from collections.abc import Callable

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


def _bind(spec: OpSpec, function: Callable[[Array], Array]) -> None:
    @kernel(spec, backend="exact")
    def of_float(x: Array) -> Array:
        return function(float32(x))


for _spec, _function in FUNCTIONS.items():
    _bind(_spec, _function)

"""Calls of functions of one number, and of the activations among them."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dtype import DType
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.c.adapters.common import (
    F32,
    INTEGERS,
    cast_call,
    copy_call,
    need,
    refuse,
)
from aidge_nb.kernels.c.calls import CCall, Fields, In, Out, Site, c_kernel
from aidge_nb.ops import activation, maths
from aidge_nb.ops.rules import choice_of

_FUNCTIONS: dict[OpSpec, tuple[str, str]] = {
    maths.SQRT: ("sqrt", "nb_unary"),
    maths.RECIPROCAL: ("reciprocal", "nb_unary"),
    maths.EXP: ("exp", "nb_exponential"),
    maths.LN: ("ln", "nb_exponential"),
    maths.ERF: ("erf", "nb_exponential"),
    maths.SINH: ("sinh", "nb_exponential"),
    maths.COSH: ("cosh", "nb_exponential"),
    maths.TANH: ("tanh", "nb_exponential"),
    maths.ASINH: ("asinh", "nb_exponential"),
    maths.ACOSH: ("acosh", "nb_exponential"),
    maths.ATANH: ("atanh", "nb_exponential"),
    maths.SIN: ("sin", "nb_angle"),
    maths.COS: ("cos", "nb_angle"),
    maths.TAN: ("tan", "nb_angle"),
    maths.ASIN: ("asin", "nb_angle"),
    maths.ACOS: ("acos", "nb_angle"),
    maths.ATAN: ("atan", "nb_angle"),
    activation.SIGMOID: ("sigmoid", "nb_exponential"),
    activation.SWISH: ("swish", "nb_exponential"),
    activation.SOFTPLUS: ("softplus", "nb_exponential"),
    activation.MISH: ("mish", "nb_exponential"),
    activation.ELU: ("elu", "nb_exponential"),
    activation.CELU: ("celu", "nb_exponential"),
    activation.SELU: ("selu", "nb_exponential"),
    activation.GELU: ("gelu", "nb_exponential"),
    activation.LEAKY_RELU: ("leaky_relu", "nb_activation"),
    activation.HARD_SIGMOID: ("hard_sigmoid", "nb_activation"),
    activation.HARD_SWISH: ("hard_swish", "nb_activation"),
    activation.THRESHOLDED_RELU: ("thresholded_relu", "nb_activation"),
    activation.SOFTSIGN: ("softsign", "nb_activation"),
    activation.HEAVISIDE: ("heaviside", "nb_activation"),
}
"""Functions that give float32 numbers: what they are called, and the unit they are in."""


@c_kernel(*_FUNCTIONS)
def function(site: Site) -> tuple[CCall, ...]:
    """Apply a function of float32 numbers; integers are converted first."""
    name, unit = _FUNCTIONS[site.spec]
    if name == "gelu" and choice_of(site.attrs["approximate"], ("none", "tanh"), "Gelu") == "tanh":
        name = "gelu_tanh"
    source: In | Out = In(0)
    calls: tuple[CCall, ...] = ()
    if not site.input(0).dtype.is_float:
        calls, source = (cast_call(site, site.input(0).dtype, DType.float32),), Out(0)
    else:
        need(site, F32)
    fields = _fields_of(site, unit)
    return (*calls, CCall(f"nb_{name}_f32", unit, f"{unit}_config", fields, (source, Out(0))))


def _fields_of(site: Site, unit: str) -> Fields:
    fields: dict[str, int | float] = {"count": site.outputs[0].size}
    attrs = site.attrs
    if unit == "nb_exponential":
        fields |= {"alpha": float(attrs.get("alpha", 0)), "gamma": float(attrs.get("gamma", 0))}
    if unit == "nb_activation":
        alpha = attrs.get("negative_slope", attrs.get("alpha", attrs.get("value", 0)))
        fields |= {"alpha": float(alpha), "beta": float(attrs.get("beta", 0))}
    return fields


_NUMBERS = (*F32, *INTEGERS)
_SIMPLE: dict[OpSpec, tuple[str, Sequence[DType]]] = {
    activation.RELU: ("relu", _NUMBERS),
    maths.ABS: ("abs", _NUMBERS),
    maths.NEG: ("neg", _NUMBERS),
    maths.SIGN: ("sign", _NUMBERS),
    maths.NOT: ("not", (DType.boolean,)),
    maths.BITWISE_NOT: ("bitwise_not", INTEGERS),
    maths.IS_NAN: ("is_nan", F32),
}
"""Functions that convert nothing: what they are called, and the types that they take."""


@c_kernel(*_SIMPLE)
def simple(site: Site) -> CCall:
    """Apply a function of one number, of one operation or a few."""
    name, allowed = _SIMPLE[site.spec]
    suffix = need(site, allowed)
    unit = "nb_unary" if suffix in ("f32", "bool") else "nb_integer"
    return _unary(site, f"nb_{name}_{suffix}", unit)


def _unary(site: Site, name: str, unit: str = "nb_unary") -> CCall:
    fields = {"count": site.outputs[0].size}
    return CCall(name, unit, "nb_unary_config", fields, (In(0), Out(0)))


_ROUNDINGS = {"up": "ceil", "down": "floor"}


@c_kernel(maths.FLOOR, maths.CEIL, maths.ROUND)
def rounding(site: Site) -> CCall:
    """Round to whole numbers; integers are ones already."""
    if site.input(0).dtype in INTEGERS:
        return copy_call(site.outputs[0].nbytes, In(0), Out(0))
    need(site, F32)
    mode = {maths.FLOOR: "down", maths.CEIL: "up"}.get(site.spec) or site.attrs["rounding_mode"]
    return _unary(site, f"nb_{_ROUNDINGS.get(mode, f'round_{mode}')}_f32")


@c_kernel(maths.IS_INF)
def is_inf(site: Site) -> CCall:
    """Mark which elements are infinite."""
    need(site, F32)
    wanted = bool(site.attrs["detect_positive"]), bool(site.attrs["detect_negative"])
    kinds = {(True, True): "", (True, False): "positive_", (False, True): "negative_"}
    if wanted not in kinds:
        raise refuse(site, "looks for infinity of no sign")
    return _unary(site, f"nb_is_{kinds[wanted]}infinity_f32")

"""Operators that round to few levels, as networks are trained that shall be quantized.

Sources: LSQ, S. K. Esser and others, 2020; DoReFa, S. Zhou and others, 2016; scale-adjusted
training and CG-PACT, Q. Jin and others, 2019. What these leave open is as in aidge_quantization.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import ShapeContext

__all__ = ["CGPACT", "LSQ", "DoReFa", "DoReFaMode", "FixedQ", "ScaleAdjust", "TanhClamp"]

Array = NDArray[Any]

DoReFaMode = Enum("DoReFaMode", "Default Symmetric", start=0)
"""Whether levels lie between -1 and 1 without 0, or on both sides of it."""

SCALED = ("data_output", "scaling")


def _with_scale(context: ShapeContext) -> Sequence[Sequence[int]]:
    return [context.dim(0), [1]]


def _away(x: Array) -> Array:
    """Round to integers, halves away from 0."""
    rounded: Array = np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)
    return rounded


@operator("FixedQ", "data_input")
def fixed_point(
    x: Array, *, nb_bits: int = 8, span: float = 4.0, is_output_unsigned: bool = False
) -> Array:
    """Return the nearest of 2**bits numbers from -span to span, or from 0 to it."""
    step = x.dtype.type(span / 2 ** (nb_bits - (not is_output_unsigned)))
    least = x.dtype.type(0 if is_output_unsigned else -span)
    levels: Array = _away(np.clip(x, least, x.dtype.type(span) - step) / step) * step
    return levels


@operator("LSQ", "data_input step_size")
def learned_step(x: Array, step: Array, *, range: tuple[int, int] = (0, 255)) -> Array:
    """Return the nearest multiple of a step, within bounds."""
    levels: Array = _away(np.clip(x / step[0], *range)) * step[0]
    return levels


@operator("CGPACT", "data_input alpha")
def clipped_levels(x: Array, alpha: Array, *, range: int = 255) -> Array:
    """Return the nearest of so many steps from 0 to a bound."""
    bound = np.abs(alpha[0])
    levels: Array = np.rint(np.clip(x, 0, bound) / bound * range) * (bound / range)
    return levels


@operator("DoReFa", "data_input")
def even_levels(x: Array, *, range: int = 255, mode: Enum = DoReFaMode["Default"]) -> Array:
    """Return the nearest of so many steps from -1 to 1, or of multiples of one."""
    one = x.dtype.type(1)
    if mode.name == "Symmetric":
        levels: Array = one / range * np.rint(x * range)
    else:
        levels = one / range * np.rint((x + one) / 2 * range) * 2 - one
    return levels


@operator("ScaleAdjust", "data_input", _with_scale, outputs=SCALED)
def scale_adjust(x: Array) -> tuple[Array, Array]:
    """Divide by the deviation times the root of what one output reads, which comes second."""
    scale = np.std(x, ddof=1) * np.sqrt(x.size // x.shape[0])
    return (x / scale).astype(x.dtype), np.array([scale], x.dtype)


@operator("TanhClamp", "data_input", _with_scale, outputs=SCALED)
def tanh_clamp(x: Array) -> tuple[Array, Array]:
    """Return the hyperbolic tangents over the largest magnitude of them, which comes second."""
    scale = np.tanh(np.abs(x).max())
    return np.tanh(x) / scale, np.array([scale], x.dtype)


def FixedQ(
    nb_bits: int = 8, span: float = 4.0, is_output_unsigned: bool = False, name: str = ""
) -> Node:
    """Make a node that rounds to ``nb_bits`` bits between -span, or 0 if unsigned, and span."""
    attrs = {"nb_bits": nb_bits, "span": span, "is_output_unsigned": is_output_unsigned}
    return node_of("FixedQ", name, **attrs)


def LSQ(range: tuple[int, int] = (0, 255), name: str = "") -> Node:
    """Make a node that rounds to multiples of its second input, within a range of codes."""
    return node_of("LSQ", name, range=tuple(range))


def CGPACT(range: int = 255, name: str = "") -> Node:
    """Make a node that rounds to ``range`` steps between 0 and its second input."""
    return node_of("CGPACT", name, range=range)


def DoReFa(range: int = 255, mode: Enum = DoReFaMode["Default"], name: str = "") -> Node:
    """Make a node that rounds to ``range`` steps from -1 to 1, or, symmetric, from 0 to 1."""
    return node_of("DoReFa", name, range=range, mode=mode)


def ScaleAdjust(name: str = "") -> Node:
    """Make a node that gives weights a deviation that fits how many an output reads."""
    return node_of("ScaleAdjust", name)


def TanhClamp(name: str = "") -> Node:
    """Make a node that squeezes numbers between -1 and 1."""
    return node_of("TanhClamp", name)

"""Functions of one number, applied to each element.

Those that have no sense on integers give float32 there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import float_result, same_dims


def boolean_result(context: ShapeContext) -> Sequence[DType]:
    """Return the type of truth values."""
    return [DType.boolean]


def of_each(
    type_name: str,
    onnx: str | None = "",
    dtypes: Callable[[ShapeContext], Sequence[DType]] | None = None,
    **attrs: Any,
) -> OpSpec:
    """Declare a function of each element of one input; ``onnx`` is None where ONNX has none."""
    return declare(
        type_name,
        ports.DATA,
        same_dims,
        attrs=attrs,
        dtypes=dtypes,
        cp=CpModel.IN_PLACE,
        overwrites=(0,),
        onnx=() if onnx is None else (onnx or type_name,),
    )


ABS = of_each("Abs")
NEG = of_each("Neg")
SIGN = of_each("Sign")
FLOOR = of_each("Floor")
CEIL = of_each("Ceil")
# ONNX rounds halves to even: its reader sets the mode.
ROUND = of_each("Round", rounding_mode="half_away_from_zero")

SQRT = of_each("Sqrt", dtypes=float_result)
RECIPROCAL = of_each("Reciprocal", dtypes=float_result)
EXP = of_each("Exp", dtypes=float_result)
LN = of_each("Ln", onnx="Log", dtypes=float_result)
ERF = of_each("Erf", dtypes=float_result)

SIN = of_each("Sin", dtypes=float_result)
COS = of_each("Cos", dtypes=float_result)
TAN = of_each("Tan", dtypes=float_result)
ASIN = of_each("Asin", dtypes=float_result)
ACOS = of_each("Acos", dtypes=float_result)
ATAN = of_each("Atan", dtypes=float_result)
SINH = of_each("Sinh", dtypes=float_result)
COSH = of_each("Cosh", dtypes=float_result)
TANH = of_each("Tanh", dtypes=float_result)
ASINH = of_each("Asinh", dtypes=float_result)
ACOSH = of_each("Acosh", dtypes=float_result)
ATANH = of_each("Atanh", dtypes=float_result)

NOT = of_each("Not", dtypes=boolean_result)
BITWISE_NOT = of_each("BitwiseNot")
IS_NAN = of_each("IsNaN", dtypes=boolean_result)
IS_INF = of_each("IsInf", dtypes=boolean_result, detect_negative=True, detect_positive=True)


Abs = factory(ABS, plain, does="computes the absolute value")
Neg = factory(NEG, plain, does="changes the sign")
Sign = factory(SIGN, plain, does="computes -1, 0 or 1")
Floor = factory(FLOOR, plain, does="rounds down")
Ceil = factory(CEIL, plain, does="rounds up")


def Round(name: str = "", rounding_mode: str = "half_away_from_zero") -> Node:
    """Make a node that rounds to whole numbers.

    Parameters
    ----------
    name
        Name of the node.
    rounding_mode
        Where halves go: ``half_away_from_zero``, ``half_to_even`` (as in ONNX), ``half_up``,
        ``half_down``, ``half_toward_zero``, ``half_to_odd``, or ``up``, ``down``,
        ``toward_zero``, ``away_from_zero`` for every number.
    """
    return make_node(ROUND, name, rounding_mode=rounding_mode)


Sqrt = factory(SQRT, plain, does="computes the square root")
Reciprocal = factory(RECIPROCAL, plain, does="computes 1 / x")
Exp = factory(EXP, plain, does="computes e to the power of x")
Ln = factory(LN, plain, does="computes the natural logarithm")
Erf = factory(ERF, plain, does="computes the error function, 2/√π ∫ exp(-t²) dt from 0 to x")
Sin = factory(SIN, plain, does="computes the sine; angles are in radians")
Cos = factory(COS, plain, does="computes the cosine; angles are in radians")
Tan = factory(TAN, plain, does="computes the tangent; angles are in radians")
Asin = factory(ASIN, plain, does="computes the inverse sine, in radians")
Acos = factory(ACOS, plain, does="computes the inverse cosine, in radians")
Atan = factory(ATAN, plain, does="computes the inverse tangent, in radians")
Sinh = factory(SINH, plain, does="computes the hyperbolic sine")
Cosh = factory(COSH, plain, does="computes the hyperbolic cosine")
Tanh = factory(TANH, plain, does="computes the hyperbolic tangent")
Asinh = factory(ASINH, plain, does="computes the inverse hyperbolic sine")
Acosh = factory(ACOSH, plain, does="computes the inverse hyperbolic cosine")
Atanh = factory(ATANH, plain, does="computes the inverse hyperbolic tangent")
Not = factory(NOT, plain, does="turns true into false and false into true")
BitwiseNot = factory(BITWISE_NOT, plain, does="inverts all bits of integers")
IsNaN = factory(IS_NAN, plain, does="marks elements that are not a number")


def IsInf(name: str = "", detect_negative: bool = True, detect_positive: bool = True) -> Node:
    """Make a node that marks elements that are infinite, of either sign or of one.

    Parameters
    ----------
    name
        Name of the node.
    detect_negative, detect_positive
        Whether minus, plus infinity counts.
    """
    return make_node(IS_INF, name, detect_negative=detect_negative, detect_positive=detect_positive)

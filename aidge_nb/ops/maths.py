"""Functions of one number, applied to each element.

Those that have no sense on integers give float32 there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, InputSpec, OpSpec, ShapeContext, register
from aidge_nb.ops.build import make_node
from aidge_nb.ops.rules import float_of

DATA = (InputSpec("data_input"),)


def same_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    """Give every output the dimensions of input 0."""
    return [context.dim(0)] * context.nb_outputs


def float_result(context: ShapeContext) -> Sequence[DType]:
    """Give input 0's element type if it is floating-point, else float32."""
    return [float_of(context.dtypes[0])]


def boolean_result(context: ShapeContext) -> Sequence[DType]:
    """Give the type of truth values."""
    return [DType.boolean]


def declare(
    type_name: str,
    onnx: str = "",
    dtypes: Callable[[ShapeContext], Sequence[DType]] | None = None,
    **attrs: Any,
) -> OpSpec:
    """Declare a function that is applied to each element of one input."""
    return register(
        OpSpec(
            type_name,
            DATA,
            same_dims,
            attrs=attrs,
            dtypes=dtypes,
            cp=CpModel.IN_PLACE,
            overwrites=(0,),
            onnx=(onnx or type_name,),
        )
    )


ABS = declare("Abs")
NEG = declare("Neg")
SIGN = declare("Sign")
FLOOR = declare("Floor")
CEIL = declare("Ceil")
# ONNX rounds halves to even: its reader sets the mode.
ROUND = declare("Round", rounding_mode="half_away_from_zero")

SQRT = declare("Sqrt", dtypes=float_result)
RECIPROCAL = declare("Reciprocal", dtypes=float_result)
EXP = declare("Exp", dtypes=float_result)
LN = declare("Ln", onnx="Log", dtypes=float_result)
ERF = declare("Erf", dtypes=float_result)

SIN = declare("Sin", dtypes=float_result)
COS = declare("Cos", dtypes=float_result)
TAN = declare("Tan", dtypes=float_result)
ASIN = declare("Asin", dtypes=float_result)
ACOS = declare("Acos", dtypes=float_result)
ATAN = declare("Atan", dtypes=float_result)
SINH = declare("Sinh", dtypes=float_result)
COSH = declare("Cosh", dtypes=float_result)
TANH = declare("Tanh", dtypes=float_result)
ASINH = declare("Asinh", dtypes=float_result)
ACOSH = declare("Acosh", dtypes=float_result)
ATANH = declare("Atanh", dtypes=float_result)

NOT = declare("Not", dtypes=boolean_result)
BITWISE_NOT = declare("BitwiseNot")
IS_NAN = declare("IsNaN", dtypes=boolean_result)
IS_INF = declare("IsInf", dtypes=boolean_result, detect_negative=True, detect_positive=True)


def Abs(name: str = "") -> Node:
    """Make a node that gives the absolute value."""
    return make_node(ABS, name)


def Neg(name: str = "") -> Node:
    """Make a node that changes the sign."""
    return make_node(NEG, name)


def Sign(name: str = "") -> Node:
    """Make a node that gives -1, 0 or 1."""
    return make_node(SIGN, name)


def Floor(name: str = "") -> Node:
    """Make a node that rounds down."""
    return make_node(FLOOR, name)


def Ceil(name: str = "") -> Node:
    """Make a node that rounds up."""
    return make_node(CEIL, name)


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


def Sqrt(name: str = "") -> Node:
    """Make a node that gives the square root."""
    return make_node(SQRT, name)


def Reciprocal(name: str = "") -> Node:
    """Make a node that gives 1 / x."""
    return make_node(RECIPROCAL, name)


def Exp(name: str = "") -> Node:
    """Make a node that gives e to the power of x."""
    return make_node(EXP, name)


def Ln(name: str = "") -> Node:
    """Make a node that gives the natural logarithm."""
    return make_node(LN, name)


def Erf(name: str = "") -> Node:
    """Make a node that gives the error function, 2/√π ∫ exp(-t²) dt from 0 to x."""
    return make_node(ERF, name)


def Sin(name: str = "") -> Node:
    """Make a node that gives the sine; angles are in radians."""
    return make_node(SIN, name)


def Cos(name: str = "") -> Node:
    """Make a node that gives the cosine; angles are in radians."""
    return make_node(COS, name)


def Tan(name: str = "") -> Node:
    """Make a node that gives the tangent; angles are in radians."""
    return make_node(TAN, name)


def Asin(name: str = "") -> Node:
    """Make a node that gives the inverse sine, in radians."""
    return make_node(ASIN, name)


def Acos(name: str = "") -> Node:
    """Make a node that gives the inverse cosine, in radians."""
    return make_node(ACOS, name)


def Atan(name: str = "") -> Node:
    """Make a node that gives the inverse tangent, in radians."""
    return make_node(ATAN, name)


def Sinh(name: str = "") -> Node:
    """Make a node that gives the hyperbolic sine."""
    return make_node(SINH, name)


def Cosh(name: str = "") -> Node:
    """Make a node that gives the hyperbolic cosine."""
    return make_node(COSH, name)


def Tanh(name: str = "") -> Node:
    """Make a node that gives the hyperbolic tangent."""
    return make_node(TANH, name)


def Asinh(name: str = "") -> Node:
    """Make a node that gives the inverse hyperbolic sine."""
    return make_node(ASINH, name)


def Acosh(name: str = "") -> Node:
    """Make a node that gives the inverse hyperbolic cosine."""
    return make_node(ACOSH, name)


def Atanh(name: str = "") -> Node:
    """Make a node that gives the inverse hyperbolic tangent."""
    return make_node(ATANH, name)


def Not(name: str = "") -> Node:
    """Make a node that turns true into false and false into true."""
    return make_node(NOT, name)


def BitwiseNot(name: str = "") -> Node:
    """Make a node that inverts all bits of integers."""
    return make_node(BITWISE_NOT, name)


def IsNaN(name: str = "") -> Node:
    """Make a node that tells which elements are not a number."""
    return make_node(IS_NAN, name)


def IsInf(name: str = "", detect_negative: bool = True, detect_positive: bool = True) -> Node:
    """Make a node that tells which elements are infinite, of either sign or of one."""
    return make_node(IS_INF, name, detect_negative=detect_negative, detect_positive=detect_positive)

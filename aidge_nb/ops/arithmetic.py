"""Operators that combine several inputs element by element, with broadcasting.

Element types should be equal, as in ONNX; where they are not, the widest one is taken,
floating-point first. Integers divide towards zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.maths import boolean_result
from aidge_nb.ops.rules import broadcast, common_dtype


def broadcast_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    """Return the dimensions that all inputs have together."""
    dims = [context.dim(index) for index in range(len(context.dims))]
    return [broadcast(dims, context.where)]


def common_result(context: ShapeContext) -> Sequence[DType]:
    """Return the element type that all inputs have together."""
    return [common_dtype(context.dtypes)]


def _declare(
    type_name: str,
    names: Sequence[str] = ("data_input_1", "data_input_2"),
    dtypes: Callable[[ShapeContext], Sequence[DType]] | None = common_result,
    output: str = "data_output",
    **attrs: Any,
) -> OpSpec:
    return declare(
        type_name,
        ports.data(*names),
        broadcast_dims,
        outputs=(output,),
        attrs=attrs,
        dtypes=dtypes,
        cp=CpModel.IN_PLACE,
        overwrites=(0, 1),
        onnx=(type_name,),
    )


def _declare_variadic(type_name: str) -> OpSpec:
    return declare(
        type_name,
        ports.DATA,
        broadcast_dims,
        dtypes=common_result,
        cp=CpModel.IN_PLACE,
        variadic=True,
        overwrites=(0,),
        onnx=(type_name,),
    )


ADD = _declare("Add", ("data_input_0", "data_input_1"))
SUB = _declare("Sub")
MUL = _declare("Mul")
DIV = _declare("Div")
MOD = _declare("Mod", ("dividend", "divisor"), output="remainder", fmod=False)
POW = _declare("Pow", dtypes=None)
BIT_SHIFT = _declare(
    "BitShift", ("InputTensor", "ShiftAmount"), output="OutputTensor", direction="right"
)

SUM = _declare_variadic("Sum")
MEAN = _declare_variadic("Mean")
MAX = _declare_variadic("Max")
MIN = _declare_variadic("Min")

EQUAL = _declare("Equal", dtypes=boolean_result)
GREATER = _declare("Greater", dtypes=boolean_result)
GREATER_OR_EQUAL = _declare("GreaterOrEqual", dtypes=boolean_result)
LESS = _declare("Less", dtypes=boolean_result)
LESS_OR_EQUAL = _declare("LessOrEqual", dtypes=boolean_result)
AND = _declare("And", dtypes=boolean_result)
OR = _declare("Or", dtypes=boolean_result)
XOR = _declare("Xor", dtypes=boolean_result)

BITWISE_AND = _declare("BitwiseAnd")
BITWISE_OR = _declare("BitwiseOr")
BITWISE_XOR = _declare("BitwiseXor")

WHERE = declare(
    "Where",
    (*ports.attr("cond_input"), *ports.data("data_input_1", "data_input_2")),
    broadcast_dims,
    dtypes=lambda context: [common_dtype(context.dtypes[1:])],
    cp=CpModel.IN_PLACE,
    overwrites=(1, 2),
    onnx=("Where",),
)


def Add(name: str = "") -> Node:
    """Make a node that adds two inputs.

    Parameters
    ----------
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Add(name="sum").inputs_names()
    ['data_input_0', 'data_input_1']
    """
    return make_node(ADD, name)


Sub = factory(SUB, plain, does="subtracts its second input from the first")
Mul = factory(MUL, plain, does="multiplies two inputs")
Div = factory(DIV, plain, does="divides its first input by the second; integers towards zero")


def Mod(name: str = "", fmod: bool = False) -> Node:
    """Make a node that computes the remainder of a division.

    It has the sign of the divisor, or with ``fmod`` that of the dividend, as in C.

    Parameters
    ----------
    name
        Name of the node.
    fmod
        Whether the result has the sign of the dividend, as in C; otherwise that of the
        divisor.
    """
    return make_node(MOD, name, fmod=fmod)


Pow = factory(POW, plain, does="raises input 0 to the power of input 1, in the type of input 0")


def BitShift(direction: str = "right", name: str = "") -> Node:
    """Make a node that shifts the bits of integers by as many places as input 1 says.

    ``direction`` is ``left`` or ``right``.

    Parameters
    ----------
    direction
        Whether bits go to the left (up) or to the right (down).
    name
        Name of the node.
    """
    return make_node(BIT_SHIFT, name, direction=direction)


def _of_several(spec: OpSpec, nb_inputs: int, name: str = "") -> Node:
    """Make a node that {does} any number of inputs.

    Parameters
    ----------
    nb_inputs
        Number of inputs.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}(3).get_nb_inputs()
    3
    """
    return make_node(spec, name, nb_inputs=nb_inputs)


Sum = factory(SUM, _of_several, does="adds up")
Mean = factory(MEAN, _of_several, does="computes the mean of")
Max = factory(MAX, _of_several, does="computes the largest of")
Min = factory(MIN, _of_several, does="computes the smallest of")
Equal = factory(EQUAL, plain, does="marks where two inputs are equal")
Greater = factory(GREATER, plain, does="marks where its first input is greater than the second")
GreaterOrEqual = factory(
    GREATER_OR_EQUAL,
    plain,
    does="marks where its first input is greater than or equal to the second",
)
Less = factory(LESS, plain, does="marks where its first input is less than the second")
LessOrEqual = factory(
    LESS_OR_EQUAL, plain, does="marks where its first input is less than or equal to the second"
)
And = factory(AND, plain, does="marks where both inputs are true")
Or = factory(OR, plain, does="marks where one input or both are true")
Xor = factory(XOR, plain, does="marks where exactly one of two inputs is true")
BitwiseAnd = factory(BITWISE_AND, plain, does="combines the bits of two integer inputs by 'and'")
BitwiseOr = factory(BITWISE_OR, plain, does="combines the bits of two integer inputs by 'or'")
BitwiseXor = factory(
    BITWISE_XOR, plain, does="combines the bits of two integer inputs by 'exclusive or'"
)
Where = factory(
    WHERE, plain, does="takes from input 1 where input 0 is true, from input 2 elsewhere"
)

"""Activations: non-linear functions of one number, applied to each element."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, InputCategory, InputSpec, OpSpec, ShapeContext, register
from aidge_nb.ops.build import add_parameter, make_node
from aidge_nb.ops.maths import declare, float_result, same_dims
from aidge_nb.ops.rules import broadcasts_to, port

RELU = declare("ReLU", onnx="Relu")
LEAKY_RELU = declare("LeakyReLU", onnx="LeakyRelu", dtypes=float_result, negative_slope=0.0)
SIGMOID = declare("Sigmoid", dtypes=float_result)
HARD_SIGMOID = declare("HardSigmoid", dtypes=float_result, alpha=0.2, beta=0.5)
HARD_SWISH = declare("HardSwish", dtypes=float_result, alpha=1 / 6, beta=0.5)
SWISH = declare("Swish", dtypes=float_result, alpha=1.0)
SOFTPLUS = declare("Softplus", dtypes=float_result)
SOFTSIGN = declare("Softsign", dtypes=float_result)
ELU = declare("Elu", dtypes=float_result, alpha=1.0)
CELU = declare("Celu", dtypes=float_result, alpha=1.0)
SELU = declare(
    "Selu", dtypes=float_result, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875
)
THRESHOLDED_RELU = declare("ThresholdedRelu", dtypes=float_result, alpha=1.0)
GELU = declare("Gelu", dtypes=float_result, approximate="none")
MISH = declare("Mish", dtypes=float_result)

CLIP = register(
    OpSpec(
        "Clip",
        (
            InputSpec("data_input"),
            InputSpec("min_empty_tensor", InputCategory.OptionalAttr),
            InputSpec("max_empty_tensor", InputCategory.OptionalAttr),
        ),
        same_dims,
        attrs={"min": -inf, "max": inf},
        cp=CpModel.IN_PLACE,
        overwrites=(0,),
        onnx=("Clip",),
    )
)


def _prelu_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    if not broadcasts_to(context.dim(1), context.dim(0)):
        raise ShapeError(
            explain(
                port(context.where, 1),
                "slopes do not fit the data",
                expected=f"what can be repeated to {list(context.dim(0))}",
                found=list(context.dim(1)),
            )
        )
    return [context.dim(0)]


PRELU = register(
    OpSpec(
        "PRelu",
        (InputSpec("data_input"), InputSpec("slope", InputCategory.Param)),
        _prelu_dims,
        cp=CpModel.IN_PLACE,
        overwrites=(0,),
        onnx=("PRelu",),
    )
)


def ReLU(name: str = "") -> Node:
    """Make a node that gives max(0, x).

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.ReLU(name="relu")
    Node(relu, ReLU)
    """
    return make_node(RELU, name)


def LeakyReLU(negative_slope: float = 0.0, name: str = "") -> Node:
    """Make a node that gives x where it is positive, and ``negative_slope`` x elsewhere."""
    return make_node(LEAKY_RELU, name, negative_slope=negative_slope)


def PRelu(nb_slopes: int = 1, name: str = "") -> Node:
    """Make a LeakyReLU whose slopes, ``<name>_slope``, are learnt.

    Parameters
    ----------
    nb_slopes
        Number of slopes: 1, or the size of the last dimension. They are combined with the data by
        broadcasting.
    name
        Name of the node.
    """
    node = make_node(PRELU, name)
    add_parameter(node, 1, "slope", (nb_slopes,))
    return node


def Clip(name: str = "", min: float = -inf, max: float = inf) -> Node:
    """Make a node that keeps values between two bounds.

    The bounds may also come as scalars at inputs 1 and 2.
    """
    return make_node(CLIP, name, min=min, max=max)


def Sigmoid(name: str = "") -> Node:
    """Make a node that gives 1 / (1 + exp(-x))."""
    return make_node(SIGMOID, name)


def HardSigmoid(name: str = "", alpha: float = 0.2, beta: float = 0.5) -> Node:
    """Make a node that gives ``alpha`` x + ``beta``, kept between 0 and 1."""
    return make_node(HARD_SIGMOID, name, alpha=alpha, beta=beta)


def HardSwish(alpha: float = 1 / 6, beta: float = 0.5, name: str = "") -> Node:
    """Make a node that gives x times HardSigmoid of x.

    Source: A. Howard and others, Searching for MobileNetV3, 2019, section 5.2.
    """
    return make_node(HARD_SWISH, name, alpha=alpha, beta=beta)


def Swish(alpha: float = 1.0, name: str = "") -> Node:
    """Make a node that gives x times Sigmoid of ``alpha`` x; with ``alpha`` 1 it is called SiLU."""
    return make_node(SWISH, name, alpha=alpha)


def Softplus(name: str = "") -> Node:
    """Make a node that gives ln(1 + exp(x))."""
    return make_node(SOFTPLUS, name)


def Softsign(name: str = "") -> Node:
    """Make a node that gives x / (1 + abs(x))."""
    return make_node(SOFTSIGN, name)


def Elu(alpha: float = 1.0, name: str = "") -> Node:
    """Make a node that gives x where it is positive, ``alpha`` (exp(x) - 1) elsewhere."""
    return make_node(ELU, name, alpha=alpha)


def Celu(alpha: float = 1.0, name: str = "") -> Node:
    """Make a node that gives max(0, x) + min(0, ``alpha`` (exp(x / ``alpha``) - 1))."""
    return make_node(CELU, name, alpha=alpha)


def Selu(
    alpha: float = 1.67326319217681884765625,
    gamma: float = 1.05070102214813232421875,
    name: str = "",
) -> Node:
    """Make a node that gives ``gamma`` times Elu.

    Source: G. Klambauer and others, Self-Normalizing Neural Networks, 2017.
    """
    return make_node(SELU, name, alpha=alpha, gamma=gamma)


def ThresholdedRelu(alpha: float = 1.0, name: str = "") -> Node:
    """Make a node that gives x where it is greater than ``alpha``, 0 elsewhere."""
    return make_node(THRESHOLDED_RELU, name, alpha=alpha)


def Gelu(approximate: str = "none", name: str = "") -> Node:
    """Make a node that gives x times the normal distribution function of x.

    ``approximate`` is ``none`` for the definition, by Erf, or ``tanh``.

    Source: D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016.
    """
    return make_node(GELU, name, approximate=approximate)


def Mish(name: str = "") -> Node:
    """Make a node that gives x tanh(Softplus(x))."""
    return make_node(MISH, name)

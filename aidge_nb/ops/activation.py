"""Activations: non-linear functions of one number, applied to each element."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import add_parameter, declare, factory, make_node, plain
from aidge_nb.ops.maths import of_each
from aidge_nb.ops.rules import broadcasts_to, float_result, port, same_dims

RELU = of_each("ReLU", onnx="Relu")
LEAKY_RELU = of_each("LeakyReLU", onnx="LeakyRelu", dtypes=float_result, negative_slope=0.0)
SIGMOID = of_each("Sigmoid", dtypes=float_result)
HARD_SIGMOID = of_each("HardSigmoid", dtypes=float_result, alpha=0.2, beta=0.5)
HARD_SWISH = of_each("HardSwish", dtypes=float_result, alpha=1 / 6, beta=0.5)
SWISH = of_each("Swish", dtypes=float_result, alpha=1.0)
SOFTPLUS = of_each("Softplus", dtypes=float_result)
SOFTSIGN = of_each("Softsign", dtypes=float_result)
ELU = of_each("Elu", dtypes=float_result, alpha=1.0)
CELU = of_each("Celu", dtypes=float_result, alpha=1.0)
SELU = of_each(
    "Selu", dtypes=float_result, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875
)
THRESHOLDED_RELU = of_each("ThresholdedRelu", dtypes=float_result, alpha=1.0)
HEAVISIDE = of_each("Heaviside", onnx=None, dtypes=float_result, value=0.5)
GELU = of_each("Gelu", dtypes=float_result, approximate="none")
MISH = of_each("Mish", dtypes=float_result)

CLIP = declare(
    "Clip",
    (*ports.DATA, *ports.optional("min_empty_tensor", "max_empty_tensor")),
    same_dims,
    attrs={"min": -inf, "max": inf},
    cp=CpModel.IN_PLACE,
    overwrites=(0,),
    onnx=("Clip",),
)


def _prelu_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    if not broadcasts_to(context.dim(1), context.dim(0)):
        raise ShapeError.at(
            port(context.where, 1),
            "slopes do not fit the data",
            expected=f"what can be repeated to {list(context.dim(0))}",
            found=list(context.dim(1)),
        )
    return [context.dim(0)]


PRELU = declare(
    "PRelu",
    (*ports.DATA, *ports.param("slope")),
    _prelu_dims,
    cp=CpModel.IN_PLACE,
    overwrites=(0,),
    onnx=("PRelu",),
)


def ReLU(name: str = "") -> Node:
    """Make a node that computes max(0, x).

    Parameters
    ----------
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.ReLU(name="relu")
    Node(relu, ReLU)
    """
    return make_node(RELU, name)


def LeakyReLU(negative_slope: float = 0.0, name: str = "") -> Node:
    """Make a node that computes x where it is positive, and ``negative_slope`` x elsewhere.

    Parameters
    ----------
    negative_slope
        Slope for negative values.
    name
        Name of the node.
    """
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

    Parameters
    ----------
    name
        Name of the node.
    min, max
        Least and largest value of the output; inputs 1 and 2 may give them instead.
    """
    return make_node(CLIP, name, min=min, max=max)


Sigmoid = factory(SIGMOID, plain, does="computes 1 / (1 + exp(-x))")


def HardSigmoid(name: str = "", alpha: float = 0.2, beta: float = 0.5) -> Node:
    """Make a node that computes ``alpha`` x + ``beta``, kept between 0 and 1.

    Parameters
    ----------
    name
        Name of the node.
    alpha
        Slope of the line between 0 and 1.
    beta
        Value of the line at 0.
    """
    return make_node(HARD_SIGMOID, name, alpha=alpha, beta=beta)


def HardSwish(alpha: float = 1 / 6, beta: float = 0.5, name: str = "") -> Node:
    """Make a node that computes x times HardSigmoid of x.

    Source: A. Howard and others, Searching for MobileNetV3, 2019, section 5.2.

    Parameters
    ----------
    alpha
        Slope of the line between 0 and 1.
    beta
        Value of the line at 0.
    name
        Name of the node.
    """
    return make_node(HARD_SWISH, name, alpha=alpha, beta=beta)


def _of_alpha(spec: OpSpec, alpha: float = 1.0, name: str = "") -> Node:
    """Make a node that computes {what}.

    Parameters
    ----------
    alpha
        {alpha}.
    name
        Name of the node.
    """
    return make_node(spec, name, alpha=alpha)


Swish = factory(
    SWISH,
    _of_alpha,
    what="x times Sigmoid of ``alpha`` x; with ``alpha`` 1 it is called SiLU",
    alpha="Factor of x inside Sigmoid",
)
Elu = factory(
    ELU,
    _of_alpha,
    what="x where it is positive, ``alpha`` (exp(x) - 1) elsewhere",
    alpha="Limit for large negative values, with its sign changed",
)
Celu = factory(
    CELU,
    _of_alpha,
    what="max(0, x) + min(0, ``alpha`` (exp(x / ``alpha``) - 1))",
    alpha="Limit for large negative values, with its sign changed",
)
ThresholdedRelu = factory(
    THRESHOLDED_RELU,
    _of_alpha,
    what="x where it is greater than ``alpha``, 0 elsewhere",
    alpha="Value up to which elements become 0",
)


def Heaviside(value: float, name: str = "") -> Node:
    """Make a node that computes 1 where x is positive, ``value`` where it is 0, 0 elsewhere.

    Parameters
    ----------
    value
        Result where x is 0.
    name
        Name of the node.
    """
    return make_node(HEAVISIDE, name, value=value)


Softplus = factory(SOFTPLUS, plain, does="computes ln(1 + exp(x))")
Softsign = factory(SOFTSIGN, plain, does="computes x / (1 + abs(x))")


def Selu(
    alpha: float = 1.67326319217681884765625,
    gamma: float = 1.05070102214813232421875,
    name: str = "",
) -> Node:
    """Make a node that computes ``gamma`` times Elu.

    Source: G. Klambauer and others, Self-Normalizing Neural Networks, 2017.

    Parameters
    ----------
    alpha, gamma
        Factor in the formula.
    name
        Name of the node.
    """
    return make_node(SELU, name, alpha=alpha, gamma=gamma)


def Gelu(approximate: str = "none", name: str = "") -> Node:
    """Make a node that computes x times the normal distribution function of x.

    ``approximate`` is ``none`` for the definition, by Erf, or ``tanh``.

    Source: D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016.

    Parameters
    ----------
    approximate
        ``"tanh"`` for the approximation, ``"none"`` for the exact function.
    name
        Name of the node.
    """
    return make_node(GELU, name, approximate=approximate)


Mish = factory(MISH, plain, does="computes x tanh(Softplus(x))")

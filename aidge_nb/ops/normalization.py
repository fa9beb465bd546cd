"""Normalizations, and Softmax with its kin."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import add_parameter, declare, factory, make_node
from aidge_nb.ops.rules import broadcasts_to, float_result, need_dims, need_rank, port

_SCALED = (*ports.DATA, *ports.param("scale"))


def _per_channel_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    need_rank(data, range(2, 99), port(context.where, 0))
    for index in range(1, len(context.dims)):
        where = port(context.where, index)
        need_dims(context.dim(index), [data[1]], "wrong number of features", where)
    return [data]


def _axis_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    axis_of(int(context.attrs.axis), len(data) or 1, context.where)
    return [data]


def _from_axis_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    inner = data[axis_of(int(context.attrs.axis), len(data), context.where) :]
    for index in range(1, len(context.dims)):
        if context.present(index) and not broadcasts_to(context.dim(index), inner):
            raise ShapeError.at(
                port(context.where, index),
                "does not fit the normalized dims",
                expected=list(inner),
                found=list(context.dim(index)),
            )
    return [data]


BATCH_NORM = declare(
    "BatchNorm2D",
    (*_SCALED, *ports.param("shift"), *ports.attr("mean", "variance")),
    _per_channel_dims,
    attrs={"epsilon": 1e-5, "momentum": 0.9, "training_mode": False},
    cp=CpModel.IN_PLACE,
    overwrites=(0,),
)
INSTANCE_NORM = declare(
    "InstanceNorm",
    (*_SCALED, *ports.param("bias")),
    _per_channel_dims,
    attrs={"epsilon": 1e-5},
    cp=CpModel.IN_PLACE,
    onnx=("InstanceNormalization",),
)
LAYER_NORM = declare(
    "LayerNorm",
    (*_SCALED, *ports.optional_param("bias")),
    _from_axis_dims,
    attrs={"axis": -1, "epsilon": 1e-5},
    cp=CpModel.IN_PLACE,
)
RMS_NORM = declare(
    "RMSNormalization",
    _SCALED,
    _from_axis_dims,
    attrs={"axis": -1, "epsilon": 1e-5},
    cp=CpModel.IN_PLACE,
)


def _group_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, groups = context.dim(0), int(context.attrs.num_groups)
    if len(data) < 2 or groups < 1 or data[1] % groups:
        raise ShapeError.at(
            port(context.where, 0),
            "channels do not make up the groups",
            expected=f"a multiple of {groups} channels",
            found=list(data),
        )
    return _per_channel_dims(context)


GROUP_NORM = declare(
    "GroupNormalization",
    (*_SCALED, *ports.param("bias")),
    _group_dims,
    attrs={"num_groups": REQUIRED, "epsilon": 1e-5},
    cp=CpModel.IN_PLACE,
)
LRN_SPEC = declare(
    "LRN",
    ports.DATA,
    lambda context: [context.dim(0)],
    attrs={"alpha": 1e-4, "beta": 0.75, "bias": 1.0, "size": REQUIRED},
    dtypes=float_result,
    cp=CpModel.IN_PLACE,
    overwrites_mixed=(0,),
    onnx=("LRN",),
)
LP_NORM = declare(
    "LpNormalization",
    ports.DATA,
    _axis_dims,
    attrs={"axis": -1, "p": 2},
    dtypes=float_result,
    cp=CpModel.IN_PLACE,
    onnx=("LpNormalization",),
)


def _declare_softmax(type_name: str, cp: CpModel = CpModel.IN_PLACE) -> OpSpec:
    return declare(
        type_name,
        ports.DATA,
        _axis_dims,
        # `flatten`: all dimensions from the axis on count as one, as in ONNX below opset 13.
        attrs={"axis": REQUIRED, "flatten": False},
        dtypes=float_result,
        cp=cp,
    )


SOFTMAX = _declare_softmax("Softmax")
LOG_SOFTMAX = _declare_softmax("LogSoftmax")
HARDMAX = _declare_softmax("Hardmax", CpModel.DEFAULT)


def BatchNorm2D(
    nb_features: int,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: bool = False,
    name: str = "",
) -> Node:
    """Make a node that normalizes each channel by stored statistics: (x - mean) / deviation.

    Parameters
    ----------
    nb_features
        Number of channels.
    epsilon
        Added to the variance.
    momentum
        Share of the old statistics that training keeps.
    training_mode
        Whether statistics are taken from the batch; not by forward passes of this library.
    name
        Name of the node. Its Producers are called ``<name>_scale``, ``<name>_shift``,
        ``<name>_batch_mean`` and ``<name>_batch_variance``.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.BatchNorm2D(8, name="bn").get_parent(3)
    Node(bn_batch_mean, Producer)
    """
    node = make_node(
        BATCH_NORM, name, epsilon=epsilon, momentum=momentum, training_mode=training_mode
    )
    for index, suffix in enumerate(("scale", "shift", "batch_mean", "batch_variance"), 1):
        add_parameter(node, index, suffix, (nb_features,))
    return node


def _with_parameters(node: Node, dims: Sequence[int]) -> Node:
    """Add a Producer for each input but the data, called as the input is."""
    for index, each in enumerate(node.get_operator().spec.inputs[1:], 1):
        add_parameter(node, index, each.name, dims)
    return node


def InstanceNorm(nb_features: int, epsilon: float = 1e-5, name: str = "") -> Node:
    """Make a node that normalizes each channel of each image by its own statistics.

    Its Producers are called ``<name>_scale`` and ``<name>_bias``.

    Parameters
    ----------
    nb_features
        Number of channels (features) that are normalized.
    epsilon
        Value added to the variance, lest it be 0.
    name
        Name of the node.
    """
    return _with_parameters(make_node(INSTANCE_NORM, name, epsilon=epsilon), (nb_features,))


def _from_axis(
    spec: OpSpec,
    normalized_shape: Sequence[int],
    axis: int = -1,
    epsilon: float = 1e-5,
    name: str = "",
) -> Node:
    """Make a node that {does} over all dimensions from ``axis`` on.

    Parameters
    ----------
    normalized_shape
        Dimensions of {parameters}: those of the data from ``axis`` on.
    axis
        First dimension to normalize over; negative ones count from the end.
    epsilon
        Added to the {what}, lest it be 0.
    name
        Name of the node. {producers}.
    """
    return _with_parameters(make_node(spec, name, axis=axis, epsilon=epsilon), normalized_shape)


LayerNorm = factory(
    LAYER_NORM,
    _from_axis,
    does="normalizes",
    parameters="scale and bias",
    what="variance",
    producers="Its Producers are called ``<name>_scale`` and ``<name>_bias``",
)
RMSNormalization = factory(
    RMS_NORM,
    _from_axis,
    does="divides by the root of the mean square",
    parameters="the scale",
    what="mean square",
    producers="Its Producer is called ``<name>_scale``",
)


def GroupNormalization(
    nb_features: int, num_groups: int, epsilon: float = 1e-5, name: str = ""
) -> Node:
    """Make a node that normalizes each group of channels of each image by its own statistics.

    Its Producers are called ``<name>_scale`` and ``<name>_bias``.

    Parameters
    ----------
    nb_features
        Number of channels (features) that are normalized.
    num_groups
        Number of groups of channels that share their statistics.
    epsilon
        Value added to the variance, lest it be 0.
    name
        Name of the node.
    """
    node = make_node(GROUP_NORM, name, num_groups=num_groups, epsilon=epsilon)
    return _with_parameters(node, (nb_features,))


def LRN(
    size: int, name: str = "", alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Node:
    """Make a node that divides by (``bias`` + ``alpha`` / ``size`` Σ x²) to the power of ``beta``.

    The sum goes over ``size`` channels around each channel.

    Source: A. Krizhevsky and others, ImageNet Classification with Deep CNNs, 2012, section 3.3.

    Parameters
    ----------
    size
        Number of neighbouring channels that are summed.
    name
        Name of the node.
    alpha
        Factor of the sum of squares.
    beta
        Exponent.
    bias
        Value added to the sum.
    """
    return make_node(LRN_SPEC, name, size=size, alpha=alpha, beta=beta, bias=bias)


def LpNormalization(axis: int = -1, p: int = 2, name: str = "") -> Node:
    """Make a node that divides by the sum of absolute values (``p`` 1) or the length (``p`` 2).

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    p
        Which norm: 1 or 2.
    name
        Name of the node.
    """
    return make_node(LP_NORM, name, axis=axis, p=p)


def _along(spec: OpSpec, axis: int, name: str = "") -> Node:
    """Make a node that {does}.

    Parameters
    ----------
    axis
        The axis; negative ones count from the end.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.{type}(1).get_operator().attr.axis
    1
    """
    return make_node(spec, name, axis=axis)


Softmax = factory(SOFTMAX, _along, does="turns numbers into shares that add up to 1 along an axis")
LogSoftmax = factory(LOG_SOFTMAX, _along, does="computes the logarithm of Softmax")
Hardmax = factory(
    HARDMAX, _along, does="sets the first largest element along an axis to 1, the others to 0"
)

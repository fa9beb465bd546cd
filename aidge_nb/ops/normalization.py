"""Normalizations, and Softmax with its kin."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, InputCategory, InputSpec, OpSpec, ShapeContext, register
from aidge_nb.ops.build import add_parameter, factory, make_node
from aidge_nb.ops.rules import broadcasts_to, float_result, need_rank, port

_DATA = InputSpec("data_input")
_SCALE = InputSpec("scale", InputCategory.Param)
_BIAS = InputSpec("bias", InputCategory.Param)


def _per_channel_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    need_rank(data, range(2, 99), port(context.where, 0))
    for index in range(1, len(context.dims)):
        if context.dim(index) != (data[1],):
            raise ShapeError.at(
                port(context.where, index),
                "wrong number of features",
                expected=[data[1]],
                found=list(context.dim(index)),
            )
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


BATCH_NORM = register(
    OpSpec(
        "BatchNorm2D",
        (
            _DATA,
            _SCALE,
            InputSpec("shift", InputCategory.Param),
            InputSpec("mean", InputCategory.Attr),
            InputSpec("variance", InputCategory.Attr),
        ),
        _per_channel_dims,
        attrs={"epsilon": 1e-5, "momentum": 0.9, "training_mode": False},
        cp=CpModel.IN_PLACE,
        overwrites=(0,),
    )
)
INSTANCE_NORM = register(
    OpSpec(
        "InstanceNorm",
        (_DATA, _SCALE, _BIAS),
        _per_channel_dims,
        attrs={"epsilon": 1e-5},
        cp=CpModel.IN_PLACE,
        onnx=("InstanceNormalization",),
    )
)
LAYER_NORM = register(
    OpSpec(
        "LayerNorm",
        (_DATA, _SCALE, InputSpec("bias", InputCategory.OptionalParam)),
        _from_axis_dims,
        attrs={"axis": -1, "epsilon": 1e-5},
        cp=CpModel.IN_PLACE,
    )
)
RMS_NORM = register(
    OpSpec(
        "RMSNormalization",
        (_DATA, _SCALE),
        _from_axis_dims,
        attrs={"axis": -1, "epsilon": 1e-5},
        cp=CpModel.IN_PLACE,
    )
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


GROUP_NORM = register(
    OpSpec(
        "GroupNormalization",
        (_DATA, _SCALE, _BIAS),
        _group_dims,
        attrs={"num_groups": REQUIRED, "epsilon": 1e-5},
        cp=CpModel.IN_PLACE,
    )
)
LRN_SPEC = register(
    OpSpec(
        "LRN",
        (_DATA,),
        lambda context: [context.dim(0)],
        attrs={"alpha": 1e-4, "beta": 0.75, "bias": 1.0, "size": REQUIRED},
        dtypes=float_result,
        cp=CpModel.IN_PLACE,
        overwrites_mixed=(0,),
        onnx=("LRN",),
    )
)
LP_NORM = register(
    OpSpec(
        "LpNormalization",
        (_DATA,),
        _axis_dims,
        attrs={"axis": -1, "p": 2},
        dtypes=float_result,
        cp=CpModel.IN_PLACE,
        onnx=("LpNormalization",),
    )
)


def _declare_softmax(type_name: str, cp: CpModel = CpModel.IN_PLACE) -> OpSpec:
    return register(
        OpSpec(
            type_name,
            (_DATA,),
            _axis_dims,
            # `flatten`: all dimensions from the axis on count as one, as in ONNX below opset 13.
            attrs={"axis": REQUIRED, "flatten": False},
            dtypes=float_result,
            cp=cp,
        )
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
    node = make_node(INSTANCE_NORM, name, epsilon=epsilon)
    add_parameter(node, 1, "scale", (nb_features,))
    add_parameter(node, 2, "bias", (nb_features,))
    return node


def LayerNorm(
    normalized_shape: Sequence[int], axis: int = -1, epsilon: float = 1e-5, name: str = ""
) -> Node:
    """Make a node that normalizes over all dimensions from ``axis`` on.

    Parameters
    ----------
    normalized_shape
        Dimensions of scale and bias: those of the data from ``axis`` on.
    axis
        First dimension to normalize over.
    epsilon
        Added to the variance.
    name
        Name of the node. Its Producers are called ``<name>_scale`` and ``<name>_bias``.
    """
    node = make_node(LAYER_NORM, name, axis=axis, epsilon=epsilon)
    add_parameter(node, 1, "scale", normalized_shape)
    add_parameter(node, 2, "bias", normalized_shape)
    return node


def RMSNormalization(
    normalized_shape: Sequence[int], axis: int = -1, epsilon: float = 1e-5, name: str = ""
) -> Node:
    """Make a node that divides by the root of the mean square over all dimensions from ``axis`` on.

    Its Producer is called ``<name>_scale``.

    Parameters
    ----------
    normalized_shape
        Dimensions at the end of the data that are normalized, in elements.
    axis
        The axis; negative ones count from the end.
    epsilon
        Value added to the variance, lest it be 0.
    name
        Name of the node.
    """
    node = make_node(RMS_NORM, name, axis=axis, epsilon=epsilon)
    add_parameter(node, 1, "scale", normalized_shape)
    return node


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
    add_parameter(node, 1, "scale", (nb_features,))
    add_parameter(node, 2, "bias", (nb_features,))
    return node


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

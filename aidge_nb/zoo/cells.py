"""Small networks of Inception cells, dense blocks and ShuffleNet units."""

from __future__ import annotations

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder


def inception_like(
    size: int = 32,
    batch: int | str = 1,
    classes: int = 10,
    channels: int = 16,
    cells: int = 2,
    seed: int = 0,
) -> OnnxModel:
    """Build a network of Inception cells: four branches of unequal length side by side.

    Parameters
    ----------
    size
        Height and width of the image, in pixels.
    batch
        Number of images, or the name of an open size.
    classes
        Number of outputs.
    channels
        Number of channels that a cell puts out; a multiple of 4.
    cells
        Number of cells.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``fc`` of dims (batch, classes).

    References
    ----------
    C. Szegedy et al., "Going Deeper with Convolutions", 2014, https://arxiv.org/abs/1409.4842

    Examples
    --------
    >>> sum(node.op_type == "Concat" for node in inception_like(cells=3).nodes)
    3
    """
    builder = ModelBuilder("inception_like", seed)
    value = builder.input("data", (batch, 3, size, size))
    value = _conv_relu(builder, "stem", value, 3, channels, kernel=3, stride=2)
    branch = channels // 4
    for number in range(cells):
        name = f"cell{number}"
        pooled = builder.pool("MaxPool", f"{name}_pool", value, kernel=3, stride=1, pad=1)
        reduced3 = _conv_relu(builder, f"{name}_3x3_reduce", value, channels, branch)
        reduced5 = _conv_relu(builder, f"{name}_5x5_reduce", value, channels, branch)
        branches = [
            _conv_relu(builder, f"{name}_1x1", value, channels, branch),
            _conv_relu(builder, f"{name}_3x3", reduced3, branch, branch, kernel=3),
            _conv_relu(builder, f"{name}_5x5", reduced5, branch, branch, kernel=5),
            _conv_relu(builder, f"{name}_pool_proj", pooled, channels, branch),
        ]
        value = builder.node("Concat", branches, f"{name}_concat", axis=1)
    return _head(builder, value, 4 * branch, classes, batch)


def densenet_like(
    size: int = 32,
    batch: int | str = 1,
    classes: int = 10,
    growth: int = 8,
    layers: int = 4,
    seed: int = 0,
) -> OnnxModel:
    """Build a dense block: each layer reads all the layers before it.

    Parameters
    ----------
    size, batch, classes, seed
        As for :func:`inception_like`.
    growth
        Number of channels that each layer adds.
    layers
        Number of layers in the block.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``fc`` of dims (batch, classes).

    References
    ----------
    G. Huang et al., "Densely Connected Convolutional Networks", 2016,
    https://arxiv.org/abs/1608.06993

    Examples
    --------
    >>> [len(node.inputs) for node in densenet_like().nodes if node.op_type == "Concat"]
    [2, 3, 4, 5]
    """
    builder = ModelBuilder("densenet_like", seed)
    value = builder.input("data", (batch, 3, size, size))
    channels = 2 * growth
    value = _conv_relu(builder, "stem", value, 3, channels, kernel=3, stride=2)
    features = [value]
    for number in range(layers):
        name = f"layer{number}"
        value = builder.batch_norm(f"{name}_bn", value, channels)
        value = builder.node("Relu", [value], f"{name}_relu")
        features.append(builder.conv(f"{name}_conv", value, channels, growth, 3, pad=1, bias=False))
        value = builder.node("Concat", features, f"{name}_concat", axis=1)
        channels += growth
    value = _conv_relu(builder, "transition", value, channels, channels // 2)
    value = builder.pool("AveragePool", "transition_pool", value, kernel=2, stride=2)
    return _head(builder, value, channels // 2, classes, batch)


def shufflenet_like(
    size: int = 32,
    batch: int = 1,
    classes: int = 10,
    channels: int = 24,
    groups: int = 3,
    cells: int = 2,
    seed: int = 0,
) -> OnnxModel:
    """Build a network of ShuffleNet units: grouped convolutions and a channel shuffle between.

    Parameters
    ----------
    size, batch, classes, cells, seed
        As for :func:`inception_like`.
    channels
        Number of channels; a multiple of 4 × ``groups``.
    groups
        Number of groups of the 1×1 convolutions.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``fc`` of dims (batch, classes).

    References
    ----------
    X. Zhang et al., "ShuffleNet: An Extremely Efficient Convolutional Neural Network for Mobile
    Devices", 2017, https://arxiv.org/abs/1707.01083

    Examples
    --------
    >>> [node.op_type for node in shufflenet_like(cells=1).nodes if "shuffle" in node.name]
    ['Reshape', 'Transpose', 'Reshape']
    """
    builder = ModelBuilder("shufflenet_like", seed)
    value = builder.input("data", (batch, 3, size, size))
    value = _conv_relu(builder, "stem", value, 3, channels, kernel=3, stride=2)
    side, inside = (size + 1) // 2, channels // 4
    for number in range(cells):
        name, shortcut = f"unit{number}", value
        value = builder.conv(f"{name}_gconv1", value, channels, inside, 1, group=groups)
        value = builder.node("Relu", [value], f"{name}_relu1")
        split = (batch, groups, inside // groups, side, side)
        value = _reshape(builder, f"{name}_shuffle_split", value, split)
        value = builder.node("Transpose", [value], f"{name}_shuffle", perm=(0, 2, 1, 3, 4))
        value = _reshape(builder, f"{name}_shuffle_join", value, (batch, inside, side, side))
        value = builder.conv(f"{name}_dwconv", value, inside, inside, 3, pad=1, group=inside)
        value = builder.conv(f"{name}_gconv2", value, inside, channels, 1, group=groups, gain=1.0)
        value = builder.node("Add", [value, shortcut], f"{name}_add")
        value = builder.node("Relu", [value], f"{name}_relu2")
    return _head(builder, value, channels, classes, batch)


def _conv_relu(
    builder: ModelBuilder,
    name: str,
    value: str,
    in_channels: int,
    out_channels: int,
    *,
    kernel: int = 1,
    stride: int = 1,
) -> str:
    value = builder.conv(
        name, value, in_channels, out_channels, kernel, stride=stride, pad=kernel // 2
    )
    return builder.node("Relu", [value], f"{name}_relu")


def _reshape(builder: ModelBuilder, name: str, value: str, dims: tuple[int, ...]) -> str:
    return builder.node("Reshape", [value, builder.constant(f"{name}_dims", dims)], name)


def _head(
    builder: ModelBuilder, value: str, channels: int, classes: int, batch: int | str
) -> OnnxModel:
    value = builder.node("GlobalAveragePool", [value], "pool")
    value = builder.node("Flatten", [value], "flatten", axis=1)
    value = builder.dense("fc", value, channels, classes, gain=1.0)
    return builder.build({value: (batch, classes)})

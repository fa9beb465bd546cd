"""Small classics: a multilayer perceptron, LeNet-5, SqueezeNet, and the tiling model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder, scaled

_FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
"""Channels of each fire module: squeezed, and of each of the two expansions."""


def mlp(
    inputs: int = 784,
    batch: int | str = 1,
    hidden: Sequence[int] = (32, 10),
    classes: int = 10,
    seed: int = 0,
) -> OnnxModel:
    """Build a multilayer perceptron.

    Parameters
    ----------
    inputs
        Number of inputs.
    batch
        Number of samples, or the name of an open size.
    hidden
        Number of neurons of each hidden layer.
    classes
        Number of outputs.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, inputs), output of dims (batch, classes).

    References
    ----------
    D. Rumelhart, G. Hinton, R. Williams, "Learning representations by back-propagating errors",
    1986, https://doi.org/10.1038/323533a0

    Examples
    --------
    >>> mlp(4, hidden=[8], classes=3)
    OnnxModel('mlp', 3 nodes, 4 initializers, 67 parameters, opset 13)
    """
    builder = ModelBuilder("mlp", seed)
    value = builder.input("data", (batch, inputs))
    size = inputs
    for number, neurons in enumerate(hidden):
        value = builder.dense(f"fc{number}", value, size, neurons)
        value = builder.node("Relu", [value], f"relu{number}")
        size = neurons
    value = builder.dense(f"fc{len(hidden)}", value, size, classes, gain=1.0)
    return builder.build({value: (batch, classes)})


def lenet(batch: int | str = 1, classes: int = 10, seed: int = 0) -> OnnxModel:
    """Build LeNet-5, with ReLU and max pooling, for images of 32 × 32.

    Parameters
    ----------
    batch
        Number of images, or the name of an open size.
    classes
        Number of outputs.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 1, 32, 32), output ``fc3`` of dims (batch, classes).

    References
    ----------
    Y. LeCun et al., "Gradient-based learning applied to document recognition", 1998,
    https://doi.org/10.1109/5.726791

    Examples
    --------
    >>> [node.op_type for node in lenet().nodes][:3]
    ['Conv', 'Relu', 'MaxPool']
    """
    builder = ModelBuilder("lenet", seed)
    value = builder.input("data", (batch, 1, 32, 32))
    for number, (in_channels, out_channels) in enumerate(((1, 6), (6, 16)), start=1):
        value = builder.conv(f"conv{number}", value, in_channels, out_channels, 5)
        value = builder.node("Relu", [value], f"relu{number}")
        value = builder.pool("MaxPool", f"pool{number}", value, kernel=2, stride=2)
    value = builder.node("Flatten", [value], "flatten", axis=1)
    for number, (inputs, outputs) in enumerate(((400, 120), (120, 84)), start=1):
        value = builder.dense(f"fc{number}", value, inputs, outputs)
        value = builder.node("Relu", [value], f"relu{number + 2}")
    return builder.build({builder.dense("fc3", value, 84, classes, gain=1.0): (batch, classes)})


def squeezenet(
    size: int = 224, batch: int | str = 1, classes: int = 1000, width: float = 1.0, seed: int = 0
) -> OnnxModel:
    """Build SqueezeNet 1.1.

    Parameters
    ----------
    size
        Height and width of the image, in pixels; at least 32.
    batch
        Number of images, or the name of an open size.
    classes
        Number of outputs.
    width
        Factor on the number of channels.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``softmax`` of dims (batch, classes).

    References
    ----------
    F. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters", 2016,
    https://arxiv.org/abs/1602.07360

    Examples
    --------
    >>> squeezenet(size=32, width=0.25, classes=10)
    OnnxModel('squeezenet', 67 nodes, 52 initializers, 53290 parameters, opset 13)
    """
    builder = ModelBuilder("squeezenet", seed)
    channels = scaled(64, width)
    value = builder.input("data", (batch, 3, size, size))
    value = builder.conv("conv1", value, 3, channels, 3, stride=2)
    value = builder.node("Relu", [value], "relu_conv1")
    value = builder.pool("MaxPool", "pool1", value, kernel=3, stride=2)
    for number, fire in enumerate(_FIRES, start=2):
        squeezed, expanded = (scaled(count, width) for count in fire)
        value = _fire(builder, f"fire{number}", value, channels, squeezed, expanded)
        channels = 2 * expanded
        if number in (3, 5):
            value = builder.pool("MaxPool", f"pool{number}", value, kernel=3, stride=2)
    value = builder.node("Dropout", [value], "drop9")
    value = builder.conv("conv10", value, channels, classes, 1)
    value = builder.node("Relu", [value], "relu_conv10")
    value = builder.node("GlobalAveragePool", [value], "pool10")
    value = builder.node("Flatten", [value], "flatten", axis=1)
    return builder.build({builder.node("Softmax", [value], "softmax", axis=1): (batch, classes)})


def _fire(
    builder: ModelBuilder, name: str, value: str, channels: int, squeezed: int, expanded: int
) -> str:
    """Squeeze with 1×1, expand with 1×1 and 3×3 side by side."""

    def layer(part: str, value: str, inputs: int, outputs: int, kernel: int) -> str:
        value = builder.conv(f"{name}_{part}", value, inputs, outputs, kernel, pad=kernel // 2)
        return builder.node("Relu", [value], f"{name}_relu_{part}")

    value = layer("squeeze1x1", value, channels, squeezed, 1)
    branches = [
        layer("expand1x1", value, squeezed, expanded, 1),
        layer("expand3x3", value, squeezed, expanded, 3),
    ]
    return builder.node("Concat", branches, f"{name}_concat", axis=1)


def tiling_model(
    size: int = 66, batch: int | str = 4, channels: int = 32, seed: int = 0
) -> OnnxModel:
    """Build the four layers of the tiling tutorial: LeakyReLU, convolution, batch norm, ReLU.

    Parameters
    ----------
    size
        Height and width of the image, in pixels.
    batch
        Number of images, or the name of an open size.
    channels
        Number of channels of the convolution.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``relu0`` of dims
        (batch, channels, size - 2, size - 2).

    References
    ----------
    https://eclipse.dev/aidge/source/Tutorial/index.html

    Examples
    --------
    >>> [node.name for node in tiling_model().nodes]
    ['leakyrelu0', 'conv0', 'bn0', 'relu0']
    """
    builder = ModelBuilder("tiling_model", seed)
    value = builder.input("data", (batch, 3, size, size))
    value = builder.node("LeakyRelu", [value], "leakyrelu0", alpha=float(np.float32(0.01)))
    value = builder.conv("conv0", value, 3, channels, 3)
    value = builder.batch_norm("bn0", value, channels)
    value = builder.node("Relu", [value], "relu0")
    return builder.build({value: (batch, channels, size - 2, size - 2)})

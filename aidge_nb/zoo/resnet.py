"""Residual networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder, scaled

_Layer = tuple[int, int, int, int]
"""Channels before and after a convolution, its kernel, and its stride."""


def resnet18(
    size: int = 224,
    batch: int | str = 1,
    classes: int = 1000,
    width: float = 1.0,
    blocks: Sequence[int] = (2, 2, 2, 2),
    seed: int = 0,
) -> OnnxModel:
    """Build ResNet-18.

    Parameters
    ----------
    size
        Height and width of the image, in pixels.
    batch
        Number of images, or the name of an open size.
    classes
        Number of outputs.
    width
        Factor on the number of channels.
    blocks
        Number of blocks of each of the up to four stages.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output ``fc`` of dims (batch, classes).

    References
    ----------
    K. He et al., "Deep Residual Learning for Image Recognition", 2015,
    https://arxiv.org/abs/1512.03385

    Examples
    --------
    >>> resnet18(size=32, classes=10, width=0.25, blocks=(1, 1))
    OnnxModel('resnet18', 23 nodes, 32 initializers, 22202 parameters, opset 13)
    """
    return _resnet("resnet18", _basic_block, size, batch, classes, width, blocks, seed)


def resnet50(
    size: int = 224,
    batch: int | str = 1,
    classes: int = 1000,
    width: float = 1.0,
    blocks: Sequence[int] = (3, 4, 6, 3),
    seed: int = 0,
) -> OnnxModel:
    """Build ResNet-50, with the stride in the 3×3 convolution of a block ("v1.5").

    Parameters, result and reference are those of :func:`resnet18`.

    Examples
    --------
    >>> resnet50(size=32, classes=10, width=0.25, blocks=(1, 1))
    OnnxModel('resnet50', 31 nodes, 47 initializers, 33786 parameters, opset 13)
    """
    return _resnet("resnet50", _bottleneck, size, batch, classes, width, blocks, seed)


def _resnet(
    name: str,
    layers_of: Callable[[int, int, int], Sequence[_Layer]],
    size: int,
    batch: int | str,
    classes: int,
    width: float,
    blocks: Sequence[int],
    seed: int,
) -> OnnxModel:
    builder = ModelBuilder(name, seed)
    channels = scaled(64, width)
    value = builder.input("data", (batch, 3, size, size))
    value = builder.conv_bn(("conv1", "bn1", "relu1"), value, 3, channels, 7, stride=2)
    value = builder.pool("MaxPool", "maxpool", value, kernel=3, stride=2, pad=1)
    for stage, count in enumerate(blocks):
        for number in range(count):
            prefix = f"layer{stage + 1}_{number}"
            inside = scaled(64 << stage, width)
            stride = 2 if stage and not number else 1
            layers = layers_of(channels, inside, stride)
            value = _block(builder, prefix, value, layers)
            channels = layers[-1][1]
    value = builder.node("GlobalAveragePool", [value], "avgpool")
    value = builder.node("Flatten", [value], "flatten", axis=1)
    return builder.build({builder.dense("fc", value, channels, classes): (batch, classes)})


def _basic_block(channels: int, inside: int, stride: int) -> tuple[_Layer, ...]:
    return (channels, inside, 3, stride), (inside, inside, 3, 1)


def _bottleneck(channels: int, inside: int, stride: int) -> tuple[_Layer, ...]:
    return (channels, inside, 1, 1), (inside, inside, 3, stride), (inside, 4 * inside, 1, 1)


def _block(builder: ModelBuilder, prefix: str, value: str, layers: Sequence[_Layer]) -> str:
    """Add layers, and a shortcut around them, with a convolution where its dims differ."""
    shortcut = value
    for number, (before, after, kernel, step) in enumerate(layers, start=1):
        kinds = ("conv", "bn", "relu") if number < len(layers) else ("conv", "bn")
        names = [f"{prefix}_{kind}{number}" for kind in kinds]
        scale = 1.0 if number < len(layers) else 0.5
        value = builder.conv_bn(names, value, before, after, kernel, stride=step, scale=scale)
    before, after, stride = layers[0][0], layers[-1][1], max(step for *_, step in layers)
    if stride > 1 or before != after:
        names = [f"{prefix}_downsample_conv", f"{prefix}_downsample_bn"]
        shortcut = builder.conv_bn(names, shortcut, before, after, stride=stride, scale=0.5)
    value = builder.node("Add", [value, shortcut], f"{prefix}_add")
    return builder.node("Relu", [value], f"{prefix}_relu_out")

"""Residual networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder, scaled

_Block = Callable[[ModelBuilder, str, str, int, int, int], tuple[str, int]]


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
    block: _Block,
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
    value = _conv_bn(builder, "conv1", "bn1", value, 3, channels, kernel=7, stride=2, relu="relu1")
    value = builder.pool("MaxPool", "maxpool", value, kernel=3, stride=2, pad=1)
    for stage, count in enumerate(blocks):
        for number in range(count):
            prefix = f"layer{stage + 1}_{number}"
            inside = scaled(64 << stage, width)
            stride = 2 if stage and not number else 1
            value, channels = block(builder, prefix, value, channels, inside, stride)
    value = builder.node("GlobalAveragePool", [value], "avgpool")
    value = builder.node("Flatten", [value], "flatten", axis=1)
    return builder.build({builder.dense("fc", value, channels, classes): (batch, classes)})


def _conv_bn(
    builder: ModelBuilder,
    name: str,
    bn_name: str,
    value: str,
    in_channels: int,
    out_channels: int,
    *,
    kernel: int = 1,
    stride: int = 1,
    relu: str = "",
) -> str:
    value = builder.conv(
        name, value, in_channels, out_channels, kernel, stride=stride, pad=kernel // 2, bias=False
    )
    value = builder.batch_norm(bn_name, value, out_channels, scale=1.0 if relu else 0.5)
    return builder.node("Relu", [value], relu) if relu else value


def _join(
    builder: ModelBuilder,
    prefix: str,
    value: str,
    shortcut: str,
    in_channels: int,
    out_channels: int,
    stride: int,
) -> str:
    """Add the shortcut, with a convolution where its dims differ."""
    if stride > 1 or in_channels != out_channels:
        names = (f"{prefix}_downsample_conv", f"{prefix}_downsample_bn")
        shortcut = _conv_bn(builder, *names, shortcut, in_channels, out_channels, stride=stride)
    value = builder.node("Add", [value, shortcut], f"{prefix}_add")
    return builder.node("Relu", [value], f"{prefix}_relu_out")


def _basic_block(
    builder: ModelBuilder, prefix: str, value: str, in_channels: int, inside: int, stride: int
) -> tuple[str, int]:
    shortcut = value
    for number, (channels, step) in enumerate(((in_channels, stride), (inside, 1)), start=1):
        names = (f"{prefix}_conv{number}", f"{prefix}_bn{number}")
        relu = f"{prefix}_relu1" if number == 1 else ""
        value = _conv_bn(builder, *names, value, channels, inside, kernel=3, stride=step, relu=relu)
    return _join(builder, prefix, value, shortcut, in_channels, inside, stride), inside


def _bottleneck(
    builder: ModelBuilder, prefix: str, value: str, in_channels: int, inside: int, stride: int
) -> tuple[str, int]:
    out_channels = 4 * inside
    shortcut = value
    layers = (
        (in_channels, inside, 1, 1),
        (inside, inside, 3, stride),
        (inside, out_channels, 1, 1),
    )
    for number, (channels, out, kernel, step) in enumerate(layers, start=1):
        names = (f"{prefix}_conv{number}", f"{prefix}_bn{number}")
        relu = f"{prefix}_relu{number}" if number < 3 else ""
        value = _conv_bn(
            builder, *names, value, channels, out, kernel=kernel, stride=step, relu=relu
        )
    return _join(builder, prefix, value, shortcut, in_channels, out_channels, stride), out_channels

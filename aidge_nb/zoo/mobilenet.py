"""MobileNetV2, with the node names of the file ``mobilenetv2-7.onnx`` of the ONNX model zoo."""

from __future__ import annotations

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder, scaled

_BLOCKS = tuple(
    (expansion, channels, 1 if number else stride)
    for expansion, channels, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for number in range(count)
)
"""Expansion, channels and stride of each bottleneck."""


def mobilenet_v2(
    size: int = 224,
    batch: int | str = 1,
    classes: int = 1000,
    width: float = 1.0,
    depth: int = 17,
    seed: int = 0,
) -> OnnxModel:
    """Build MobileNetV2.

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
    depth
        Number of bottlenecks, of the 17 of the paper.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (batch, 3, size, size), output of dims (batch, classes).

    References
    ----------
    M. Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018,
    https://arxiv.org/abs/1801.04381

    Examples
    --------
    >>> mobilenet_v2().nodes[0].name
    'mobilenetv20_features_conv0_fwd'
    >>> mobilenet_v2(size=32, classes=10, width=0.25, depth=3)
    OnnxModel('mobilenet_v2', 35 nodes, 57 initializers, 10816 parameters, opset 7)
    """
    builder = ModelBuilder("mobilenet_v2", seed, opset=7)
    net = "mobilenetv20_features"
    channels = scaled(32, width)
    value = builder.input("data", (batch, 3, size, size))
    names = _names(f"{net}_", 0)
    value = builder.conv_bn(names, value, 3, channels, 3, stride=2, gain=1.0)
    for number, (expansion, out_channels, stride) in enumerate(_BLOCKS[:depth]):
        out_channels = scaled(out_channels, width)
        prefix = f"{net}_linearbottleneck{number}_"
        value = _bottleneck(builder, prefix, value, channels, expansion, out_channels, stride)
        channels = out_channels
    last = scaled(1280, width)
    names = _names(f"{net}_", 1)
    value = builder.conv_bn(names, value, channels, last, gain=1.0)
    value = builder.node("GlobalAveragePool", [value], f"{net}_pool0_fwd")
    value = builder.conv("mobilenetv20_output_pred_fwd", value, last, classes, 1, bias=False)
    shape = builder.constant("reshape_attr_tensor", [0, -1])
    value = builder.node("Reshape", [value, shape], "mobilenetv20_output_flatten0_reshape0")
    return builder.build({value: (batch, classes)})


def _names(prefix: str, number: int) -> list[str]:
    return [f"{prefix}{kind}{number}_fwd" for kind in ("conv", "batchnorm", "relu")]


def _bottleneck(
    builder: ModelBuilder,
    prefix: str,
    value: str,
    in_channels: int,
    expansion: int,
    out_channels: int,
    stride: int,
) -> str:
    """Expand with 1×1, filter each channel, project back; add the input where dims allow it."""
    inside = in_channels * expansion
    shortcut = value
    names = [_names(prefix, number) for number in range(3)]
    value = builder.conv_bn(names[0], value, in_channels, inside, gain=1.0)
    value = builder.conv_bn(names[1], value, inside, inside, 3, stride=stride, group=inside)
    value = builder.conv_bn(names[2][:2], value, inside, out_channels, scale=0.7)
    if stride == 1 and in_channels == out_channels:
        value = builder.node("Add", [value, shortcut], f"{prefix}elemwise_add0")
    return value

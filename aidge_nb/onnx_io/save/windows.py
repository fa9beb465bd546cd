"""Write convolutions and pooling: the inverse of ``convert.windows``."""

from __future__ import annotations

from typing import Any

from aidge_nb.graph.inference import KnownValues
from aidge_nb.graph.node import Node
from aidge_nb.onnx_io.save.site import WriteSite, writes

_RANKS = (1, 2, 3)
_FILLS = {"Conv": "constant", "AvgPooling": "constant", "MaxPooling": "constant_lowest"}


def _types(*stems: str) -> tuple[str, ...]:
    return tuple(
        f"{padded}{stem}{rank}D" for padded in ("", "Padded") for stem in stems for rank in _RANKS
    )


def is_plain(node: Node) -> bool:
    """Return whether the meta-operator pads as ONNX does: with zeros, or the lowest value."""
    if not node.type().startswith("Padded"):
        return True
    inside = node.get_operator().micro_graph
    pads = [] if inside is None else [each for each in inside.get_nodes() if each.type() == "Pad"]
    fill = next((f for stem, f in _FILLS.items() if stem in node.type()), "")
    window = len(node.get_operator().attr.kernel_dims)
    used = range(3 if "Conv" in node.type() else 1, node.get_nb_inputs())
    return (
        len(pads) == 1
        and pads[0].get_operator().attr.mode == fill
        and (fill != "constant" or not pads[0].get_operator().attr.constant_value)
        and tuple(pads[0].get_operator().attr.axes) == tuple(range(-window, 0))
        and all(node.get_operator().get_input(index) is None for index in used)
    )


def _window(site: WriteSite, strides: str, dilations: str) -> dict[str, Any]:
    """Return the attributes of a sliding window, omitting ONNX's defaults."""
    attr = site.attr
    attributes: dict[str, Any] = {"kernel_shape": tuple(attr.kernel_dims)}
    for name, ours in (("strides", strides), ("dilations", dilations)):
        if any(step != 1 for step in attr[ours]):
            attributes[name] = tuple(attr[ours])
    if "padding_dims" in attr and any(attr.padding_dims):
        attributes["pads"] = tuple(attr.padding_dims)
    return attributes


@writes(*_types("Conv", "ConvDepthWise"))
def conv(site: WriteSite) -> None:
    """Write a convolution; a depthwise one has as many groups as channels."""
    group = int(site.attr.group) if "group" in site.attr else 1
    if "DepthWise" in site.node.type():
        group = _channels(site)
    site.emit(
        "Conv", {**_window(site, "stride_dims", "dilation_dims"), "group": group}, site.inputs[:3]
    )


def _channels(site: WriteSite) -> int:
    """Return the number of channels: the weights have it, also when they are computed."""
    weights = site.operator.get_input(1)
    if weights is not None and not weights.undefined():
        return weights.dims[0]
    value = KnownValues(allow_computed=True).of_input(site.node, 1)
    if value is not None:
        return int(value.shape[0])
    if "onnx.group" not in site.node.annotations:
        raise site.error("the number of channels is not known", cure="Call forward_dims() first.")
    return int(site.node.annotations["onnx.group"])


@writes(*_types("MaxPooling"))
def max_pooling(site: WriteSite) -> None:
    """Write maximum pooling."""
    flags = {
        "ceil_mode": int(site.attr.ceil_mode) or None,
        "storage_order": int(site.attr.storage_order) or None,
    }
    site.emit("MaxPool", {**_window(site, "stride_dims", "dilations"), **flags}, site.inputs[:1])


@writes(*_types("AvgPooling"))
def average_pooling(site: WriteSite) -> None:
    """Write average pooling, counting the padding or not."""
    ignored = tuple(site.attr.ignore_pads)
    pads = tuple(site.attr.padding_dims) if "padding_dims" in site.attr else (0,) * len(ignored)
    if any(ignored) and ignored != pads:
        raise site.error("it leaves out a part of the padding", expected=pads, found=ignored)
    flags = {
        "ceil_mode": int(site.attr.ceil_mode) or None,
        "count_include_pad": int(any(pads) and not any(ignored)) or None,
    }
    site.emit(
        "AveragePool", {**_window(site, "stride_dims", "dilations"), **flags}, site.inputs[:1]
    )


@writes(*(f"ConvTranspose{rank}D" for rank in _RANKS))
def conv_transpose(site: WriteSite) -> None:
    """Write transposed convolutions."""
    attr = site.attr
    attributes = _window(site, "stride_dims", "dilation_dims")
    if any(attr.pads):
        attributes["pads"] = tuple(attr.pads)
    if any(attr.output_padding):
        attributes["output_padding"] = tuple(attr.output_padding)
    site.emit("ConvTranspose", {**attributes, "group": attr.group})

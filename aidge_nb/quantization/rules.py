"""Integer operators for the layers of a quantized graph, family by family.

A rule takes a layer whose inputs are codes and whose result is quantized. It makes the node that
computes codes from codes, with its parameters connected, or says why there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.cpu.quantization.ours import LinearOptions, linear_places
from aidge_nb.kernels.cpu.quantization.standard import INT32_ROOM, largest_sum
from aidge_nb.kernels.padded import inner_window
from aidge_nb.kernels.standard import MICROSOFT, OURS
from aidge_nb.quantization.coded import Coded, coded_constant, coded_input
from aidge_nb.quantization.kinds import AVERAGE_POOLINGS, CONVOLUTIONS, TRANSPOSED, is_moving
from aidge_nb.quantization.layer import Builder, NotInteger, QuantizedLayer, converted

Rule = Callable[[QuantizedLayer], Node]


def _window(node: Node) -> Mapping[str, Any]:
    found = inner_window(node.get_operator())
    attributes = dict(node.get_operator().attr.dict()) if found is None else dict(found.attrs)
    steps = {
        "kernel_shape": attributes.get("kernel_dims"),
        "strides": attributes.get("stride_dims"),
        "dilations": attributes.get("dilation_dims", attributes.get("dilations")),
        "pads": attributes.get("pads"),
    }
    return {name: tuple(value) for name, value in steps.items() if value}


def _is_along(coded: Coded, codes: NDArray[Any], axis: int) -> bool:
    """Return whether there is a scale and zero point for each index of an axis."""
    rank, count = codes.ndim, codes.shape[axis]
    is_axis = -rank <= coded.axis < rank and coded.axis % rank == axis
    return is_axis and coded.scale.size == count and coded.zero.size in (1, count)


def _check_room(
    layer: QuantizedLayer, rows: NDArray[Any], coded: Coded, bias: NDArray[np.int32] | None
) -> None:
    """Raise NotInteger where sums of products may leave int32; those of 16-bit codes have 64."""
    if not layer.is_wide and largest_sum(rows, coded.zero, bias) > INT32_ROOM:
        raise NotInteger("its sums may be larger than int32 holds")


def _check_narrow(layer: QuantizedLayer) -> None:
    """Raise NotInteger for codes of 16 bits, where only those of 8 have an operator."""
    if layer.is_wide:
        raise NotInteger(f"there is no integer operator for {layer.node.type()} of 16-bit codes")


def convolution(layer: QuantizedLayer) -> Node:
    """Make a QLinearConv."""
    node, data = layer.node, layer.data(0)
    coded, codes = layer.parameter(1)
    if coded.scale.size > 1 and not _is_along(coded, codes, 0):
        raise NotInteger("its weights have scales along another axis than the output channels")
    bias = layer.bias(2, data.scale.reshape(-1) * coded.scale.reshape(-1))
    _check_room(layer, codes.reshape(len(codes), -1), coded, bias)
    group = int(node.get_operator().attr.dict().get("group", 1))
    if "DepthWise" in node.type():
        group = codes.shape[0]
    builder = Builder(layer, "QLinearConv").codes(data)
    builder.constant(codes, f"{node.name()}_w_codes")
    builder.coding(coded).coding(layer.result).constant(bias, f"{node.name()}_b_codes")
    return builder.build(group=group, **_window(node))


def spreading_convolution(layer: QuantizedLayer) -> Node:
    """Make a QLinearConvTranspose."""
    _check_narrow(layer)
    node, data = layer.node, layer.data(0)
    coded, codes = layer.parameter(1)
    if coded.scale.size > 1 and not _is_along(coded, codes, 1):
        raise NotInteger("its weights have scales along another axis than the output channels")
    attr = node.get_operator().attr.dict()
    group, depth = int(attr["group"]), codes.shape[0] // int(attr["group"])
    scale = np.tile(coded.scale.reshape(-1), group if coded.scale.size > 1 else 1)
    zero = np.tile(coded.zero.reshape(-1), group if coded.zero.size > 1 else 1)
    bias = layer.bias(2, data.scale.reshape(-1) * scale)
    rows = codes.reshape(group, depth, codes.shape[1], -1).swapaxes(1, 2)
    _check_room(layer, rows.reshape(group * codes.shape[1], -1), replace(coded, zero=zero), bias)
    builder = Builder(layer, "QLinearConvTranspose", OURS).codes(data)
    builder.constant(codes, f"{node.name()}_w_codes")
    builder.coding(replace(coded, scale=scale, zero=zero)).coding(layer.result)
    builder.constant(bias, f"{node.name()}_b_codes")
    return builder.build(group=group, output_padding=tuple(attr["output_padding"]), **_window(node))


def fully_connected(layer: QuantizedLayer) -> Node:
    """Make a QGemm."""
    node, data = layer.node, layer.data(0)
    tensor = node.get_operator().get_input(0)
    rank = None if tensor is None or tensor.undefined() else tensor.ndim
    if rank is None and node.annotations.get("onnx.matrix"):
        rank = 2
    if rank != 2:
        raise NotInteger("its data are not known to have two axes")
    coded, codes = layer.parameter(1)
    if coded.scale.size > 1 and not _is_along(coded, codes, 0):
        raise NotInteger("its weights have scales along another axis than the outputs")
    bias = layer.bias(2, data.scale.reshape(-1) * coded.scale.reshape(-1))
    _check_room(layer, codes, coded, bias)
    builder = Builder(layer, "QGemm", MICROSOFT).codes(data)
    builder.constant(codes, f"{node.name()}_w_codes").coding(coded)
    builder.constant(bias, f"{node.name()}_b_codes").coding(layer.result)
    return builder.build(transB=1)


def product(layer: QuantizedLayer) -> Node:
    """Make a QLinearMatMul."""
    right = coded_input(layer.edit, layer.node, 1)
    codes = coded_constant(layer.edit, right)
    if right is None or codes is None:
        builder = Builder(layer, "QLinearMatMul")
        for source, coded in _alike(layer):
            builder.codes(coded, source)
    else:
        builder = Builder(layer, "QLinearMatMul").codes(layer.data(0))
        right, codes = layer.parameter(1)
        if right.scale.size > 1 and (codes.ndim != 2 or not _is_along(right, codes, 1)):
            raise NotInteger("its weights have scales along another axis than the columns")
        _check_room(layer, codes.swapaxes(-1, -2).reshape(-1, codes.shape[-2]), right, None)
        builder.constant(codes, f"{layer.node.name()}_w_codes").coding(right)
    return builder.coding(layer.result).build()


def _two_inputs(op_type: str) -> Rule:
    def rule(layer: QuantizedLayer) -> Node:
        if layer.node.get_nb_inputs() != 2:
            raise NotInteger("it does not combine two tensors")
        builder = Builder(layer, op_type, MICROSOFT)
        for source, coded in _alike(layer):
            builder.codes(coded, source)
        return builder.coding(layer.result).build()

    return rule


def _alike(layer: QuantizedLayer) -> list[tuple[Port | None, Coded]]:
    """Return two inputs as codes of one type: those of 8 bits are made wider beside 16 bits.

    A port has the codes of an input that was made wider; scale and zero point stay.
    """
    both = [layer.data(0), layer.data(1)]
    if both[0].kind == both[1].kind:
        return [(None, coded) for coded in both]
    wide = next((coded.kind for coded in both if coded.is_wide), None)
    if wide is None or (wide.kind != "u") != all(coded.kind.kind == "i" for coded in both):
        raise NotInteger("it does not combine two tensors of the same type of codes")
    found: list[tuple[Port | None, Coded]] = []
    for index, coded in enumerate(both):
        if coded.is_wide:
            found.append((None, coded))
        else:
            wider = replace(coded, zero=coded.zero.astype(wide))
            name = f"{layer.node.name()}_input_{index}"
            found.append((converted(layer, coded, wider, name=name), wider))
    return found


def concatenation(layer: QuantizedLayer) -> Node:
    """Make a Concat of codes, after a conversion of each input that is coded otherwise.

    Codes are converted in place, and the parts of a Concat need no copies.
    """
    node, edit = layer.node, layer.edit
    for index, coded in enumerate(layer.all_data()):
        if coded.is_like(layer.result):
            edit.feed_like(node, index, coded.node, 0)
        else:
            name = f"{node.name()}_input_{index}"
            edit.feed(node, index, converted(layer, coded, layer.result, name=name))
    node.get_operator().get_output(0).set_datatype(layer.result.kind)
    return node


def normalization(layer: QuantizedLayer) -> Node:
    """Make a QLinearConv of one weight per channel, whose scale is the factor of the channel."""
    node, data = layer.node, layer.data(0)
    values = [layer.known(index) for index in range(1, 5)]
    factor, shift, mean, variance = (each.reshape(-1).astype(np.float64) for each in values)
    attr = node.get_operator().attr
    factor = factor / np.sqrt(variance + float(attr.epsilon))
    tensor = node.get_operator().get_input(0)
    if attr.training_mode or tensor is None or tensor.undefined() or tensor.ndim < 3:
        raise NotInteger("its data are not known to have channels, or it is trained")
    scale = np.where(factor == 0, 1, np.abs(factor) / 127).astype(np.float32)
    codes = np.sign(factor).astype(np.int8) * np.int8(127)
    step = float(data.scale.reshape(())) * scale.astype(np.float64)
    bias = np.rint((shift - mean * factor) / step)
    if np.abs(bias).max(initial=0) >= 2**31:
        raise NotInteger("its shift does not fit into int32")
    name, dims = node.name(), (len(codes), *[1] * (tensor.ndim - 1))
    builder = Builder(layer, "QLinearConv").codes(data)
    builder.constant(codes.reshape(dims), f"{name}_w_codes")
    builder.constant(scale, f"{name}_w_scale").constant(
        np.zeros(len(codes), np.int8), f"{name}_w_zero"
    )
    builder.coding(layer.result).constant(bias.astype(np.int32), f"{name}_b_codes")
    return builder.build(group=len(codes), kernel_shape=dims[2:])


def average(layer: QuantizedLayer) -> Node:
    """Make a QLinearAveragePool, or a QLinearGlobalAveragePool."""
    if layer.node.type() == "GlobalAveragePooling":
        builder = Builder(layer, "QLinearGlobalAveragePool", MICROSOFT).codes(layer.data(0))
        return builder.coding(layer.result).build()
    found = inner_window(layer.node.get_operator())
    attributes = layer.node.get_operator().attr.dict() if found is None else found.attrs
    pads, ignored = attributes.get("pads", ()), attributes.get("ignore_pads", ())
    window = _window(layer.node)
    if any(step != 1 for step in window.get("dilations", ())):
        raise NotInteger("it has gaps between the rows of its window")
    if any(ignored) and tuple(ignored) != tuple(pads):
        raise NotInteger("it counts a part of its padding")
    builder = Builder(layer, "QLinearAveragePool", MICROSOFT).codes(layer.data(0))
    kept = {name: value for name, value in window.items() if name != "dilations"}
    options = {"count_include_pad": int(not any(ignored)), **kept}
    if attributes.get("ceil_mode"):
        options["ceil_mode"] = 1
    return builder.coding(layer.result).build(**options)


def softmax(layer: QuantizedLayer) -> Node:
    """Make a QLinearSoftmax."""
    _check_narrow(layer)
    axis = int(layer.node.get_operator().attr.axis)
    builder = Builder(layer, "QLinearSoftmax", MICROSOFT).codes(layer.data(0))
    return builder.coding(layer.result).build(axis=axis, opset=13)


def resampling(layer: QuantizedLayer) -> Node:
    """Make a ResizeCodes, and a table behind it where the result is coded otherwise."""
    _check_narrow(layer)
    node, given, attr = layer.node, layer.data(0), layer.node.get_operator().attr.dict()
    if not is_moving(node):
        raise NotInteger("codes are resampled by their neighbours or linearly, inside of the data")
    tensor = node.get_operator().get_input(0)
    if tensor is None or tensor.undefined():
        raise NotInteger("its dims are not known")
    options: dict[str, Any] = {
        name: int(attr[name]) if isinstance(attr[name], bool) else attr[name]
        for name in ("coordinate_transformation_mode", "aspect_ratio", "antialias", "axes")
    }
    options["exclude_outside"] = int(attr["exclude_outside"])
    for index, name, kind in ((2, "scales", float), (3, "sizes", int)):
        values = attr[name] if node.source(index) is None else layer.known(index).reshape(-1)
        options[name] = tuple(kind(value) for value in values)
    try:
        linear_places(tuple(tensor.dims), LinearOptions(**options))
    except ShapeError as error:
        raise NotInteger(str(error)) from None
    made = (
        Builder(layer, "ResizeCodes", OURS)
        .only_codes(given)
        .build(**options, zero=int(given.zero.reshape(())))
    )
    if given.is_like(layer.result):
        return made
    name = f"{node.name()}_table"
    return converted(layer, given, layer.result, (), Port(made, 0), name).node


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(CONVOLUTIONS, convolution),
    **dict.fromkeys(AVERAGE_POOLINGS, average),
    **dict.fromkeys(TRANSPOSED, spreading_convolution),
    "GlobalAveragePooling": average,
    "FC": fully_connected,
    "MatMul": product,
    "Add": _two_inputs("QLinearAdd"),
    "Mul": _two_inputs("QLinearMul"),
    "BatchNorm2D": normalization,
    "Concat": concatenation,
    "Softmax": softmax,
    "Resize": resampling,
}
"""The rule of each type of layer; functions of one tensor and movements of data have none."""

"""Convert convolutions and pooling, with padding and any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import SPECS
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported, converts
from aidge_nb.ops.padded import padded
from aidge_nb.ops.rules import halves, same_pads, spatial

_AUTO = ("SAME_UPPER", "SAME_LOWER")


@dataclass(frozen=True)
class _Window:
    """Kernel, strides and dilations per spatial dimension; pads as begins, then ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.kernel)

    @property
    def reach(self) -> tuple[int, ...]:
        """Size of the dilated kernel."""
        pairs = zip(self.kernel, self.dilations, strict=True)
        return tuple((k - 1) * dilation + 1 for k, dilation in pairs)

    @classmethod
    def of(cls, call: OnnxCall, kernel: Sequence[int]) -> _Window:
        """Read the window of a node.

        Raise Unsupported when no operator has this number of dimensions, or the padding is unknown.
        """
        rank = len(kernel)
        if not 1 <= rank <= 3:
            raise Unsupported(f"{rank} spatial dimensions, not 1 to 3")
        strides = spatial(call.attr("strides") or (1,) * rank, rank, "strides")
        dilations = spatial(call.attr("dilations") or (1,) * rank, rank, "dilations")
        window = cls(tuple(kernel), strides, dilations, (0,) * (2 * rank))
        pads = window._pads(call)
        if min(pads) < 0:
            raise Unsupported("negative pads")
        return cls(window.kernel, strides, dilations, pads)

    def _pads(self, call: OnnxCall) -> tuple[int, ...]:
        automatic = call.attr("auto_pad", "NOTSET")
        if automatic in _AUTO:
            upper = automatic == "SAME_UPPER"
            return same_pads(self._sizes(call), self.reach, self.strides, upper=upper)
        if automatic == "VALID":
            return (0,) * (2 * self.rank)
        pads = call.attr("pads") or (0,) * (2 * self.rank)
        return spatial(pads, 2 * self.rank, "pads", least=min(pads))

    def _sizes(self, call: OnnxCall) -> tuple[int, ...]:
        """Return the spatial dimensions of the data, 1 where they make no difference."""
        if all(stride == 1 for stride in self.strides):
            return (1,) * self.rank
        dims = call.dims(0)
        if dims is None:
            raise Unsupported(
                f"auto_pad={call.attr('auto_pad')} of data of unknown size; pass dims="
            )
        return dims[2:]


def _kernel_of_weights(call: OnnxCall) -> tuple[int, ...]:
    kernel = call.attr("kernel_shape")
    if kernel:
        return tuple(kernel)
    dims = call.dims(1)
    if dims is None:
        raise Unsupported("the size of the kernel is not known")
    return tuple(dims[2:])


@converts("Conv")
def conv(call: OnnxCall) -> Node:
    """Convert Conv; depthwise and padded ones have operators of their own."""
    window = _Window.of(call, _kernel_of_weights(call))
    group = int(call.attr("group", 1))
    weights = call.dims(1)
    depthwise = group > 1 and weights is not None and tuple(weights[:2]) == (group, 1)
    type_name = f"{'ConvDepthWise' if depthwise else 'Conv'}{window.rank}D"
    attributes: dict[str, Any] = {"stride_dims": window.strides, "dilation_dims": window.dilations}
    if not depthwise:
        attributes["group"] = group
    node = _place(call, type_name, "conv_depth_wise" if depthwise else "conv", window, attributes)
    node.annotations["onnx.group"] = group  # what writing needs where weights are an input
    return node


def _place(
    call: OnnxCall,
    type_name: str,
    suffix: str,
    window: _Window,
    attributes: dict[str, Any],
    mode: str = "constant",
) -> Node:
    """Add the operator, as a meta-operator with a Pad where there is padding."""
    if not any(window.pads):
        return call.make(type_name, kernel_dims=window.kernel, **attributes)
    spec = SPECS[type_name]
    node = padded(spec, call.name, suffix, window.kernel, window.pads, mode, **attributes)
    return call.conversion.place(node, call.inputs)


@converts("MaxPool")
def max_pool(call: OnnxCall) -> Node:
    """Convert MaxPool; with pads, indices would refer to padded data."""
    window = _Window.of(call, call.attr("kernel_shape", ()))
    ceil_mode = _ceil_mode(call, window)
    call.need_outputs(1 if any(window.pads) else 2)
    attributes: dict[str, Any] = {
        "stride_dims": window.strides,
        "dilations": window.dilations,
        "ceil_mode": ceil_mode,
        "storage_order": bool(call.attr("storage_order", 0)),
    }
    type_name = f"MaxPooling{window.rank}D"
    return _place(call, type_name, "maxpooling", window, attributes, "constant_lowest")


@converts("AveragePool")
def average_pool(call: OnnxCall) -> Node:
    """Convert AveragePool, counting the padding or not."""
    window = _Window.of(call, call.attr("kernel_shape", ()))
    counted = bool(call.attr("count_include_pad", 0))
    attributes: dict[str, Any] = {
        "stride_dims": window.strides,
        "dilations": window.dilations,
        "ceil_mode": _ceil_mode(call, window),
        "ignore_pads": (0,) * (2 * window.rank) if counted else window.pads,
    }
    return _place(call, f"AvgPooling{window.rank}D", "avgpooling", window, attributes)


def _ceil_mode(call: OnnxCall, window: _Window) -> bool:
    """Return whether a last window may hang over; refuse it where padding makes a difference."""
    if not call.attr("ceil_mode", 0):
        return False
    ends = window.pads[window.rank :]
    dims = call.dims(0)
    for axis, end in enumerate(ends):
        if not end:
            continue
        if dims is None:
            raise Unsupported("ceil_mode with pads of data of unknown size; pass dims=")
        size = dims[2 + axis] + window.pads[axis]
        stride = window.strides[axis]
        span = size + end - window.reach[axis]
        if size <= -(-span // stride) * stride < size + end:
            raise Unsupported("ceil_mode with a window that starts in the padding")
    return True


@converts("ConvTranspose")
def conv_transpose(call: OnnxCall) -> Node:
    """Convert ConvTranspose; padding crops the output."""
    kernel = _kernel_of_weights(call)
    rank = len(kernel)
    window = _Window.of(_without_padding(call), kernel)
    extra = tuple(call.attr("output_padding") or (0,) * rank)
    pads, extra = _transposed_pads(call, window, extra)
    return call.make(
        f"ConvTranspose{rank}D",
        kernel_dims=window.kernel,
        stride_dims=window.strides,
        dilation_dims=window.dilations,
        output_padding=extra,
        pads=pads,
        group=int(call.attr("group", 1)),
    )


def _without_padding(call: OnnxCall) -> OnnxCall:
    kept = {k: v for k, v in call.node.attributes.items() if k not in ("auto_pad", "pads")}
    return OnnxCall(replace(call.node, attributes=kept), call.conversion)


def _transposed_pads(
    call: OnnxCall, window: _Window, extra: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return crop and extension of the output, as written or for a wanted size."""
    automatic = call.attr("auto_pad", "NOTSET")
    wanted = call.attr("output_shape")
    if wanted is None and automatic not in _AUTO:
        pads = () if automatic == "VALID" else tuple(call.attr("pads") or ())
        return pads or (0,) * (2 * window.rank), extra
    dims = call.dims(0)
    if dims is None:
        raise Unsupported("padding that depends on data of unknown size; pass dims=")
    totals, added = [], []
    for axis, size in enumerate(dims[2:]):
        stride = window.strides[axis]
        target = int(wanted[-window.rank :][axis]) if wanted is not None else size * stride
        surplus = stride * (size - 1) + extra[axis] + window.reach[axis] - target
        totals.append(max(0, surplus))
        added.append(extra[axis] + max(0, -surplus))
    return halves(totals, upper=automatic == "SAME_UPPER"), tuple(added)

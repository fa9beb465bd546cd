"""Write operators with few variants: the inverse of ``convert.simple``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from aidge_nb.core.dtype import as_dtype
from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.kernels.formats import TYPES
from aidge_nb.onnx_io.convert.operator import OnnxOperatorOp
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxNode, OnnxValue, trimmed
from aidge_nb.onnx_io.save.schema import onnx_types
from aidge_nb.onnx_io.save.site import WriteSite, writes

_OURS_ALONE = frozenset(["gathered_shape", "nb_outputs", "producer"])
"""Attributes that say what follows from something else."""
_ROUNDING = "rounding_mode"
_OWN_DOMAIN = "aidge_nb"
"""Domain of generic operators that came from no ONNX model."""

_CHANGED = {
    "BatchNormalization": 9,
    "Gemm": 7,
    "GridSample": 20,
    "GroupNormalization": 21,
    "PRelu": 7,
    "RoiAlign": 16,
    "Scan": 9,
    "DFT": 20,
}


def renamed(site: WriteSite) -> None:
    """Write an operator that is an ONNX one under another name, or a generic one.

    Raise OnnxError when ONNX has none.
    """
    if isinstance(site.operator, GenericOperatorOp):
        generic(site)
        return
    known = onnx_types().get(site.node.type())
    if known is None:
        raise site.error("ONNX has no such operator")
    op_type, names = known
    schema, spec = site.schema(op_type), site.operator.spec
    wanted = {}
    for name, value in site.attr.items():
        if name in _OURS_ALONE or name == _ROUNDING:
            _check_rounding(site, name, value)
            continue
        theirs = names.get(name, name)
        if theirs not in schema.attributes:  # it was called otherwise in other versions
            theirs = name
        is_usual = _is_default(value, spec.attrs[name])
        if not is_usual or schema.defaults.get(theirs) is not None:
            wanted[theirs] = value
    site.emit(op_type, wanted)


def _check_rounding(site: WriteSite, name: str, value: Any) -> None:
    """Reject means of integers, which ONNX rounds differently."""
    is_float = site.operator.get_output(0).dtype.is_float
    if name == _ROUNDING and not is_float and value != "toward_zero":
        raise site.error("ONNX cuts means of integers off", found=f"rounding_mode {value}")


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        return np.array_equal(value, default)
    if isinstance(value, (tuple, list)) and isinstance(default, (tuple, list)):
        return list(value) == list(default)
    return bool(value == default)


def generic(site: WriteSite) -> None:
    """Write a generic operator unchanged, its bodies reading the new value names."""
    annotations = site.node.annotations
    captured = annotations.get("onnx.captured", ())
    count = len(site.inputs) - len(captured)
    given, around = site.inputs[:count], dict(zip(captured, site.inputs[count:], strict=True))
    around |= dict(zip(annotations.get("onnx.inputs", ()), given, strict=False))
    domain = annotations.get("onnx.domain", _OWN_DOMAIN)
    version = annotations.get("onnx.version", 1)
    operator = site.operator
    if isinstance(operator, OnnxOperatorOp) and not domain and version != site.opset:
        since = site.schema(operator.type()).since
        if version < _CHANGED.get(operator.type(), 0) <= since:
            raise site.error(
                "the operator has changed since it was loaded", expected=version, found=site.opset
            )
    attributes = {
        key: _rebound(value, around) if isinstance(value, OnnxGraph) else value
        for key, value in site.attr.items()
    }
    if domain:
        site.writer.use_domain(site, domain, version)
    outputs = list(site.outputs)
    site.writer.add(operator.type(), trimmed(given), outputs, site.name, domain, attributes)


def _rebound(body: OnnxGraph, around: Mapping[str, str]) -> OnnxGraph:
    """Return a body that reads outer values under their new names."""
    own = body.defined
    names = {old: new for old, new in around.items() if old not in own and old}

    def renamed_node(node: OnnxNode) -> OnnxNode:
        inputs = tuple(names.get(name, name) for name in node.inputs)
        return replace(node, inputs=inputs).with_bodies(lambda _, inner: _rebound(inner, names))

    outputs = tuple(OnnxValue(names.get(v.name, v.name), v.dtype, v.dims) for v in body.outputs)
    return replace(body, nodes=tuple(map(renamed_node, body.nodes)), outputs=outputs)


@writes("FC")
def fully_connected(site: WriteSite) -> None:
    """Write FC as Gemm, after a Flatten where FC flattens its input."""
    inputs = list(site.inputs)
    data = site.operator.get_input(0)
    rank = None if data is None or data.undefined() else data.ndim
    if rank is None and site.node.annotations.get("onnx.matrix"):
        rank = 2
    if rank != 2:
        inputs[0] = site.prepend("Flatten", {"axis": 0 if rank == 1 else 1})
    site.emit("Gemm", {"transB": 1}, inputs)


@writes("BatchNorm2D")
def batch_normalization(site: WriteSite) -> None:
    """Write batch normalisation with given statistics."""
    if site.attr.training_mode:
        raise site.error("training statistics", cure="Set training_mode to False.")
    attributes = {"epsilon": site.attr.epsilon, "momentum": site.attr.momentum}
    site.emit("BatchNormalization", attributes)


@writes("Softmax", "LogSoftmax", "Hardmax")
def softmax(site: WriteSite) -> None:
    """Write Softmax; before opset 13 it spans all axes from the given one on."""
    axis, flatten = int(site.attr.axis), bool(site.attr.flatten)
    dims = site.operator.get_output(0)
    last = axis == -1 or (not dims.undefined() and axis == dims.ndim - 1)
    if flatten != (site.opset < 13) and not last:
        which = "over all axes from one on" if flatten else "along an axis that is not the last"
        raise site.error(f"opset {site.opset} cannot work {which}", cure="Pass opset=.")
    site.emit(site.node.type(), {"axis": axis})


@writes("Dropout")
def dropout(site: WriteSite) -> None:
    """Write Dropout; its probability is an input from opset 12 on."""
    attributes: dict[str, Any] = {}
    if not _is_default(site.attr.seed, site.operator.spec.attrs["seed"]):
        attributes["seed"] = site.attr.seed
    inputs = list(site.inputs)
    if site.attr.probability != 0.5 and not inputs[1]:
        if site.opset < 12:
            attributes["ratio"] = float(site.attr.probability)
        else:
            inputs[1] = site.constant("ratio", site.attr.probability, np.float32)
    if site.attr.training_mode and not inputs[2] and site.opset >= 12:
        inputs[2] = site.constant("training_mode", True, np.bool_)
    site.emit("Dropout", attributes, inputs)


def _number(dtype: Any) -> int:
    name = as_dtype(dtype).value
    return TYPES.index("string" if name == "object" else np.dtype(name).name)


_RESPELLED: dict[str, Callable[[Attributes], dict[str, Any]]] = {
    "BitShift": lambda attr: {"direction": attr.direction.upper()},
    "Cast": lambda attr: {"to": _number(attr.target_type)},
    "ConstantOfShape": lambda attr: {"value": np.asarray(attr.value).reshape(1)},
    "EyeLike": lambda attr: {
        "k": attr.k,
        "dtype": None if attr.dtype is None else _number(attr.dtype),
    },
    "Shape": lambda attr: {  # our end is inclusive
        "start": attr.start or None,
        "end": None if attr.end == -1 else attr.end + 1,
    },
}
"""The attributes of operators that ONNX has under the same names, as it spells them."""


@writes(*_RESPELLED)
def respelled(site: WriteSite) -> None:
    """Write an operator whose attributes ONNX spells in another way."""
    site.emit(site.node.type(), _RESPELLED[site.node.type()](site.attr))


@writes("Round")
def round_(site: WriteSite) -> None:
    """Write Round, which rounds halves to even in ONNX."""
    if site.attr.rounding_mode != "half_to_even":
        raise site.error("ONNX rounds halves to even", found=site.attr.rounding_mode)
    site.emit("Round")


@writes("Split")
def split(site: WriteSite) -> None:
    """Write Split; without sizes, opset 18 needs the number of parts."""
    attributes: dict[str, Any] = {"axis": site.attr.axis}
    if site.attr.split:
        attributes["split"] = tuple(site.attr.split)
    elif not site.inputs[1] and site.opset >= 18:
        attributes["num_outputs"] = len(site.outputs)
    site.emit("Split", attributes)


@writes("Scatter")
def scatter(site: WriteSite) -> None:
    """Write Scatter, named ScatterElements since opset 11."""
    reduction = None if site.attr.reduction == "none" else site.attr.reduction
    op_type = "ScatterElements" if site.opset >= 11 else "Scatter"
    site.emit(op_type, {"axis": site.attr.axis, "reduction": reduction})


@writes("Clip")
def clip(site: WriteSite) -> None:
    """Write Clip; limits are inputs of the data's type since opset 11."""
    limits = {"min": site.attr.min, "max": site.attr.max}
    dtype = site.operator.get_output(0).dtype.numpy
    inputs, attributes = list(site.inputs), {}
    for index, (name, limit) in enumerate(limits.items(), start=1):
        if inputs[index] or np.isinf(limit):
            continue
        if site.opset < 11:
            attributes[name] = float(limit)
        else:
            inputs[index] = site.constant(name, limit, dtype)
    site.emit("Clip", attributes, inputs)


@writes("TopK")
def top_k(site: WriteSite) -> None:
    """Write TopK; its number is a list of one since opset 10."""
    attr = site.attr
    inputs = list(site.inputs)
    attributes: dict[str, Any] = {"axis": attr.axis}
    if not attr.largest:
        attributes["largest"] = 0
    if not attr.sorted:
        attributes["sorted"] = 0
    if not inputs[1] and site.opset < 10:
        attributes["k"] = attr.k
    elif not inputs[1]:
        inputs[1] = site.constant("k", [attr.k])
    site.emit("TopK", attributes, inputs)


@writes("Gather", "GatherElements", "GatherND")
def gather(site: WriteSite) -> None:
    """Write Gather; indices held as an attribute become a constant."""
    inputs = list(site.inputs)
    if not inputs[1]:
        indices = np.asarray(site.attr.indices, np.int64)
        dims = tuple(site.attr.gathered_shape)
        inputs[1] = site.constant("indices", indices.reshape(dims) if dims else indices)
    attributes = {k: site.attr[k] for k in ("axis", "batch_dims") if k in site.attr}
    site.emit(site.node.type(), {k: v or None for k, v in attributes.items()}, inputs)


@writes("Resize")
def resize(site: WriteSite) -> None:
    """Write Resize, named Upsample before opset 10."""
    attr = site.attr
    style = attr.interpolation_mode
    mode = style if style in ("linear", "cubic") else "nearest"
    if site.opset < 11:
        if (attr.coordinate_transformation_mode, style) not in (
            ("asymmetric", "floor"),
            ("asymmetric", "linear"),
        ):
            raise site.error(f"opset {site.opset} has no such resampling", cure="Pass opset=.")
        op_type = "Resize" if site.opset == 10 else "Upsample"
        scales = {"scales": tuple(attr.scales)} if attr.scales else {}
        site.emit(op_type, {"mode": mode, **scales}, [site.inputs[0], site.inputs[2]])
        return
    attributes: dict[str, Any] = {
        "mode": mode,
        "coordinate_transformation_mode": attr.coordinate_transformation_mode,
        "nearest_mode": None if mode != "nearest" else style,
        "cubic_coeff_a": attr.cubic_coeff_a,
        "extrapolation_value": attr.extrapolation_value,
        "exclude_outside": int(attr.exclude_outside),
        "antialias": int(attr.antialias) or None,
        "keep_aspect_ratio_policy": None if attr.aspect_ratio == "stretch" else attr.aspect_ratio,
        "axes": tuple(attr.axes) or None,
    }
    if attr.padding_mode != "edge":
        raise site.error("ONNX repeats the edge", found=attr.padding_mode)
    inputs = list(site.inputs)
    for index, (name, dtype) in enumerate(
        (("roi", np.float32), ("scales", np.float32), ("sizes", np.int64)), start=1
    ):
        if len(attr[name]) and not inputs[index]:
            inputs[index] = site.constant(name, attr[name], dtype)
    site.emit("Resize", attributes, inputs)

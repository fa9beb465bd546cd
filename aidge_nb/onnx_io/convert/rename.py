"""Convert operators that differ from ours only by names and defaults.

Those with other names for attributes, or other defaults, are listed here as data; where the
operator's name alone differs, ``OpSpec.onnx`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from types import MappingProxyType
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import SPECS, OpSpec
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported


@dataclass(frozen=True)
class _Renaming:
    """Attribute names, ONNX to ours, and defaults for those that ONNX omits."""

    type: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


_REDUCTIONS = "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()  # noqa: SIM905  # reads better
_KEEP_DIMS = {"keepdims": "keep_dims"}

_RENAMINGS: dict[str, _Renaming] = {
    **{f"Reduce{kind}": _Renaming(f"Reduce{kind}", _KEEP_DIMS) for kind in _REDUCTIONS},
    "ReduceMean": _Renaming("ReduceMean", _KEEP_DIMS, {"rounding_mode": "toward_zero"}),
    "ArgMax": _Renaming("ArgMax", _KEEP_DIMS),
    "ArgMin": _Renaming("ArgMin", _KEEP_DIMS),
    "DepthToSpace": _Renaming("DepthToSpace", {"blocksize": "block_size"}, {"mode": "DCR"}),
    "GroupNormalization": _Renaming("GroupNormalization"),
    "LayerNormalization": _Renaming("LayerNorm"),
    "LeakyRelu": _Renaming("LeakyReLU", {"alpha": "negative_slope"}, {"negative_slope": 0.01}),
    "Pad": _Renaming("Pad", {"value": "constant_value", "paddings": "pads"}),
    "Reshape": _Renaming("Reshape", {"allowzero": "allow_zero"}),
    "RMSNormalization": _Renaming("RMSNormalization"),
    "Round": _Renaming("Round", {}, {"rounding_mode": "half_to_even"}),
    "SpaceToDepth": _Renaming("SpaceToDepth", {"blocksize": "block_size"}),
    "Transpose": _Renaming("Transpose", {"perm": "output_dims_order"}),
}

_MEANINGLESS = frozenset(["consumed_inputs", "stash_type", "saturate", "round_mode", "is_test"])
"""Attributes that change nothing here: old memory hints, and precisions that NumPy has not."""


def renamed(call: OnnxCall) -> Node:
    """Add the operator that is the ONNX one under another name.

    Raise Unsupported when we have no such operator, or it lacks an attribute, input or output that
    the node uses.
    """
    renaming = _RENAMINGS.get(call.node.op_type)
    spec = SPECS.get(renaming.type) if renaming else _by_onnx_name().get(call.node.op_type)
    if spec is None:
        raise Unsupported("no such operator")
    attributes = dict(renaming.defaults) if renaming else {}
    for key, value in call.node.attributes.items():
        if key not in _MEANINGLESS:
            name = renaming.attributes.get(key, key) if renaming else key
            attributes[name] = _as_default(name, value, spec.attrs.get(name))
    unknown = sorted(set(attributes) - set(spec.attrs))
    if unknown:
        raise Unsupported(f"{spec.type} has no attribute {', '.join(unknown)}")
    if not spec.variadic and any(map(call.has, range(len(spec.inputs), len(call.inputs)))):
        raise Unsupported(f"{spec.type} has {len(spec.inputs)} inputs and not {len(call.inputs)}")
    call.need_outputs(len(spec.outputs))
    return call.make(spec.type, **attributes)


def renamings() -> dict[str, tuple[str, Mapping[str, str]]]:
    """Return our type and the attribute names, ONNX to ours, by ONNX operator."""
    return {name: (each.type, each.attributes) for name, each in _RENAMINGS.items()}


def has_rename(op_type: str) -> bool:
    """Return whether an operator of ours is the ONNX one under another name."""
    return op_type in _RENAMINGS or op_type in _by_onnx_name()


@cache
def _by_onnx_name() -> Mapping[str, OpSpec]:
    return MappingProxyType({name: spec for spec in SPECS.values() for name in spec.onnx})


def _as_default(name: str, value: Any, default: Any) -> Any:
    """Return an attribute with the type of its default: ONNX writes booleans as numbers."""
    if isinstance(default, (int, float)) and not isinstance(value, (int, float)):
        raise TypeError(f"attribute {name} should be a number and is {value!r}")
    if isinstance(default, tuple) and not isinstance(value, tuple):
        raise TypeError(f"attribute {name} should be a list of numbers and is {value!r}")
    return bool(value) if isinstance(default, bool) else value

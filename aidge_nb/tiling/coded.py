"""Rules of operators on codes: those of their twins, with the inputs and attributes of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.ops.coded import Twin
from aidge_nb.tiling.ranges import Region, whole
from aidge_nb.tiling.tile_nodes import PartFacts, PartRule, dims_of


def rule_of_twin(node: Node, twin: Twin, family: Callable[[Node], PartRule]) -> PartRule:
    """Return the rule of an operator on codes."""
    inner, operator = family(twin.node), node.get_operator()
    rest = {
        index: (whole(dims_of(node, index)), twin.along.get(index))
        for index in range(operator.nb_inputs)
        if index not in twin.inputs and operator.get_input(index) is not None
    }
    attributes = _ATTRIBUTES.get(node.type())

    def rule(output: Region) -> PartFacts:
        inputs, changes, pads = inner(output)
        read = {twin.inputs[index]: region for index, region in inputs.items()}
        for index, (region, axis) in rest.items():
            read[index] = region if axis is None else (output[axis],)
        if attributes is not None:
            changes = attributes(node, read, output, dict(changes), pads)
        return dict(sorted(read.items())), changes, pads

    return rule


def _of_convolution(
    node: Node,
    read: dict[int, Region],
    output: Region,
    changes: dict[str, Any],
    pads: tuple[int, ...],
) -> dict[str, Any]:
    groups = int(node.get_operator().attr.dict().get("group", 1))
    group = 1 if groups == 1 else read[0][1].size // dims_of(node, 3)[1]
    return {"group": group, "pads": pads, "auto_pad": "NOTSET"}


def _of_average_pool(
    node: Node,
    read: dict[int, Region],
    output: Region,
    changes: dict[str, Any],
    pads: tuple[int, ...],
) -> dict[str, Any]:
    """Keep the arithmetic of windows: one that covers all data has another, that of a mean."""
    attr = node.get_operator().attr.dict()
    kernel, strides = tuple(attr["kernel_shape"]), tuple(attr.get("strides") or ())
    counted = int(attr.get("count_include_pad") or 0) if "ignore_pads" not in changes else 0
    sizes, pads = tuple(each.size for each in read[0][2:]), tuple(pads) or (0,) * 2 * len(kernel)
    whole_sizes = tuple(dims_of(node, 0)[2:])
    if sizes == kernel != whole_sizes and not any(pads):
        axis = next((place for place, step in enumerate(strides) if step > 1), None)
        if axis is None:
            problem = "a part of one window is computed like a mean of all, with other bits"
            raise ShapeError.at(node.label, problem, cure="Cut it into fewer parts.")
        behind = len(kernel) + axis  # a row that no window reaches
        pads = (*pads[:behind], 1, *pads[behind + 1 :])
    return {"count_include_pad": counted, "ceil_mode": 0, "pads": pads, "auto_pad": "NOTSET"}


_ATTRIBUTES: dict[str, Callable[..., dict[str, Any]]] = {
    "QLinearConv": _of_convolution,
    "QLinearAveragePool": _of_average_pool,
}
"""Attributes that differ in a part, under the names of ONNX; others have no such."""

"""Quantizer and Dequantizer: meta-operators of arithmetic and casts; and what changes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb import ops
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing

LARGEST = float(np.finfo(np.float32).max)
"""The bounds of a Clip that cuts nothing."""


class _ChainBuilder:
    """A micro-graph in the making, one node after the other."""

    def __init__(self, name: str, internal: Any, to_type: Any) -> None:
        self.name, self.view = name, GraphView()
        self.to_type = None if getattr(to_type, "name", to_type) == "any" else to_type
        self.dtype = DType.float32 if self.to_type is None else as_dtype(internal)
        self.nodes: list[Node] = []
        if self.to_type is not None:
            self.then("CastIn", ops.Cast(self.dtype))

    def then(self, suffix: str, node: Node, **constants: float) -> None:
        """Add a node that reads the last one, and constants under their names."""
        node.set_name(f"{self.name}_{suffix}" if self.name else "")
        if self.nodes:
            self.nodes[-1].add_child(node, 0, 0)
        for index, (name, value) in enumerate(constants.items(), 1):
            values = np.atleast_1d(np.asarray(value, self.dtype.numpy))
            producer = ops.Producer(Tensor(values), name)
            producer.add_child(node, 0, index)
            self.view.add(producer)
        self.view.add(node)
        self.nodes.append(node)

    def finish(self, kind: str) -> Node:
        """Make the meta-operator, which ends with a cast to the wanted type, if there is one."""
        if self.to_type is not None:
            self.then("CastOut", ops.Cast(self.to_type))
        first, last = self.nodes[0], self.nodes[-1]
        self.view.set_ordered_outputs([(last, 0)])
        return MetaOperator(kind, self.view, self.name, input_ports=[[Port(first, 0)]])


def Quantizer(
    scaling_factor: float,
    nb_channels: int = 1,
    name: str = "",
    zero_point: float = 0,
    round: bool = False,
    clip_min: float = -LARGEST,
    clip_max: float = LARGEST,
    to_type: Any = None,
    internal_type: Any = DType.float64,
) -> Node:
    """Make a meta-operator that computes Clip(Round(x · scale) + zero point).

    Parameters
    ----------
    scaling_factor
        The factor.
    nb_channels
        1; each channel has the same factor.
    name
        Name, which those of its nodes begin with.
    zero_point
        What is added.
    round
        Whether to round, halves up.
    clip_min, clip_max
        Bounds of the result.
    to_type
        Element type of the result; the computation is in ``internal_type`` then.
    internal_type
        Element type of the computation.
    """
    chain = _ChainBuilder(name, internal_type, to_type)
    chain.then("MulQuant", ops.Mul(), ScalingFactor=scaling_factor)
    if round:
        chain.then("RoundQuant", ops.Round(rounding_mode="half_up"))
    chain.then("AddQuant", ops.Add(), ZeroPoint=zero_point)
    bounds = {f"{name}_ClipQuantMin": clip_min, f"{name}_ClipQuantMax": clip_max}
    chain.then("ClipQuant", ops.Clip(), **bounds)
    return chain.finish("Quantizer")


def Dequantizer(
    scaling_factor: float,
    name: str = "",
    zero_point: float = 0,
    to_type: Any = None,
    internal_type: Any = DType.float64,
) -> Node:
    """Make a meta-operator that computes (x - zero point) · scale.

    Parameters
    ----------
    scaling_factor
        The factor.
    name
        Name, which those of its nodes begin with.
    zero_point
        What is taken away first.
    to_type
        Element type of the result; the computation is in ``internal_type`` then.
    internal_type
        Element type of the computation.
    """
    chain = _ChainBuilder(name, internal_type, to_type)
    chain.then("SubDeQuant", ops.Sub(), ZeroPoint=zero_point)
    chain.then("MulDeQuant", ops.Mul(), ScalingFactor=scaling_factor)
    return chain.finish("Dequantizer")


# --- the parts of a Quantizer --------------------------------------------------------------------


def _part(quantizer: Node, kind: str) -> Node:
    """Return the node of a type inside of a Quantizer."""
    inside = quantizer.get_operator().micro_graph
    found = [node for node in inside or () if node.type() == kind]
    if quantizer.type() not in ("Quantizer", "Dequantizer") or not found:
        cure = "Pass what aidge_core.Quantizer made."
        raise GraphError.at(quantizer.label, f"has no {kind} inside", cure=cure)
    return found[0]


def _factor(quantizer: Node, index: int) -> Tensor:
    tensor = _part(quantizer, "Mul").get_operator().get_input(1)
    if tensor is None or not 0 <= index < tensor.size:
        found = 0 if tensor is None else tensor.size
        raise GraphError.at(quantizer.label, f"has no factor {index}", found=found)
    return tensor


def get_scaling_factor(quantizer: Node, index: int = 0) -> float:
    """Return the factor of a Quantizer for a channel.

    Raise GraphError for another node, or a channel that it has not.

    Examples
    --------
    >>> get_scaling_factor(Quantizer(4.0))
    4.0
    """
    return float(np.asarray(_factor(quantizer, index)).flat[index])


def set_scaling_factor(quantizer: Node, value: float, index: int = 0) -> None:
    """Set the factor of a Quantizer for a channel."""
    tensor = _factor(quantizer, index)
    values = np.array(tensor)
    values.flat[index] = value
    tensor.set_array(values)


def multiply_scaling_factor(quantizer: Node, coefficient: float, index: int = 0) -> None:
    """Multiply the factor of a Quantizer for a channel."""
    set_scaling_factor(quantizer, coefficient * get_scaling_factor(quantizer, index), index)


def set_clip_range(quantizer: Node, min: float, max: float) -> None:
    """Set the bounds of a Quantizer's result."""
    clip = _part(quantizer, "Clip").get_operator()
    clip.attr.min, clip.attr.max = float(min), float(max)
    for index, value in ((1, min), (2, max)):
        tensor = clip.get_input(index)
        if tensor is not None:
            tensor.set_array(np.full(tensor.dims, value, tensor.dtype.numpy))


def remove_round(quantizer: Node) -> None:
    """Let a Quantizer round no more."""
    inside = quantizer.get_operator().micro_graph
    rounds = [node for node in inside or () if node.type() == "Round"]
    if inside is not None and rounds:
        with editing(inside) as edit:
            edit.bypass(rounds[0])

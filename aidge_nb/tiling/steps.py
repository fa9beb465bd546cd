"""How one part of a node's output is computed, as a value, with helpers for rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.tiling.ranges import Range, Region, whole


@dataclass(frozen=True, slots=True)
class PartStep:
    """How one part of a node's output is computed.

    Attributes
    ----------
    output
        Region of the part.
    inputs
        Regions that it reads, by the number of the input.
    changes
        Attributes that differ from those of the node.
    pads
        Padding before each spatial axis, then after each.
    macs
        Multiply-accumulates.
    """

    output: Region
    inputs: Mapping[int, Region]
    changes: Mapping[str, Any] = field(default_factory=dict)
    pads: tuple[int, ...] = ()
    macs: int = 0


PartFacts = tuple[Mapping[int, Region], Mapping[str, Any], tuple[int, ...]]
"""Inputs, changes and pads of a part."""

PartRule = Callable[[Region], PartFacts]
"""Function from a part of a node's output to its facts."""


def is_padded(node: Node) -> bool:
    """Return whether a node is a padded meta-operator."""
    return node.type().startswith("Padded")


def inside(node: Node) -> tuple[Node, Node]:
    """Return the Pad and the operator inside a padded meta-operator."""
    micro = node.get_operator().micro_graph
    if micro is None:
        raise GraphError.at(node.label, "has no graph inside")
    nodes = [each for each in micro.get_nodes() if each.type() != "Producer"]
    pad, inner = sorted(nodes, key=lambda each: each.type() != "Pad")
    return pad, inner


def dims_of(node: Node, index: int) -> Sequence[int]:
    """Return the dimensions of an input.

    Raises
    ------
    ShapeError
        When they are unknown.
    """
    tensor = node.get_operator().get_input(index)
    if tensor is None or tensor.undefined:
        raise ShapeError.at(
            f"{node.label}, input#{index}",
            "has no dimensions yet",
            cure="Call forward_dims(), or compile(dims=...), before tiling.",
        )
    return tensor.dims


def parameters_of(node: Node, indices: Sequence[int]) -> Callable[[Range], dict[int, Region]]:
    """Return a function that cuts parameters along their first axis (channels)."""
    rest = {
        index: whole(dims_of(node, index)[1:])
        for index in indices
        if node.get_operator().get_input(index) is not None
    }
    return lambda channels: {index: (channels, *behind) for index, behind in rest.items()}

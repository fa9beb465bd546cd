"""Parts of nodes as plain values: how each is computed, and the recipe of the node that does it.

A recipe makes the node that computes a part, or all, of another. It can be sent to another process;
a node cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import find_spec
from aidge_nb.ops.build import make_node
from aidge_nb.ops.padded import padded
from aidge_nb.ops.place import PLACE, TilePlace, place_in
from aidge_nb.tiling.ranges import Range, Region, whole


@dataclass(frozen=True, slots=True)
class PartStep:
    """How one part of a node's output is computed."""

    output: Region  # region of the part
    inputs: Mapping[int, Region]  # regions that it reads, by the number of the input
    # attributes that differ from those of the node
    changes: Mapping[str, Any] = field(default_factory=dict)
    pads: tuple[int, ...] = ()  # padding before each spatial axis, then after each
    macs: int = 0  # multiply-accumulates


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
    """Return the dimensions of an input; raise ShapeError when they are unknown."""
    tensor = node.get_operator().get_input(index)
    if tensor is None or tensor.undefined():
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


_SUFFIXES = {
    "ConvDepthWise": "conv_depth_wise",
    "MaxPooling": "maxpooling",
    "AvgPooling": "avgpooling",
}


@dataclass(frozen=True)
class NodeRecipe:
    """The values to make a node."""

    type: str  # the operator type, without padding
    attributes: Mapping[str, Any] = field(default_factory=dict)  # its attributes
    pads: tuple[int, ...] = ()  # pads before each spatial axis, then after each; empty if none
    nb_inputs: int | None = None  # number of inputs of variadic operators
    place: TilePlace | None = None  # place of the tile in the whole, for its kernel
    backend: str = ""  # name of its backend
    like: GenericOperatorOp | None = None  # an operator that is not declared: made like this one

    def make(self, name: str = "") -> Node:
        """Make the unconnected node; raise GraphError for an unknown operator."""
        if self.like is not None:
            operator = self.like.clone()
            operator.attr.update(self.attributes)
            if self.backend:
                operator.set_backend(self.backend)
            return Node(operator, name)
        spec = find_spec(self.type)
        if spec is None:
            raise GraphError.at(name, "unknown operator", found=self.type)
        attributes = dict(self.attributes)
        if self.pads:
            mode = "constant_lowest" if "MaxPooling" in spec.type else "constant"
            suffix = _SUFFIXES.get(spec.type.rstrip("123D"), "conv")
            kernel = attributes.pop("kernel_dims")
            node = padded(spec, name, suffix, kernel, self.pads, mode, **attributes)
        else:
            node = make_node(spec, name, nb_inputs=self.nb_inputs, **attributes)
        if self.place is not None:
            computes = inside(node)[1] if is_padded(node) else node
            computes.get_operator().attr.add_attr(PLACE, self.place)
        if self.backend:
            node.get_operator().set_backend(self.backend)
        return node


def recipe_of(node: Node, part: PartStep | None = None) -> NodeRecipe:
    """Return the recipe of a node, or of a part of it.

    Raise GraphError for a node that is not a plain operator, such as a meta-operator.
    """
    if part is not None:
        return recipes_of(node)(part)
    operator = node.get_operator()
    if isinstance(operator, GenericOperatorOp):
        return NodeRecipe(node.type(), like=_bare(operator), backend=operator.backend())
    if operator.micro_graph is not None or find_spec(node.type()) is None:
        raise GraphError.at(node.label, "must be a plain operator", found=node.type())
    spec = operator.spec
    count = node.get_nb_inputs() if spec.variadic else None
    return NodeRecipe(spec.type, _declared(operator), (), count, None, operator.backend())


def recipes_of(node: Node) -> Callable[[PartStep], NodeRecipe]:
    """Return a function from parts of a node to their recipes."""
    whole_one = node.get_operator()
    if isinstance(whole_one, GenericOperatorOp):
        like, kind, on = _bare(whole_one), node.type(), whole_one.backend()
        return lambda part: NodeRecipe(kind, part.changes, like=like, backend=on)
    computes = (inside(node)[1] if is_padded(node) else node).get_operator()
    spec, attributes, backend = computes.spec, _declared(computes), node.get_operator().backend()
    dims = node.get_operator().get_output(0).dims
    count = node.get_nb_inputs() if spec.variadic else None

    def describe(part: PartStep) -> NodeRecipe:
        place = place_in(computes, [each.start for each in part.output], dims)
        pads = part.pads if any(part.pads) else ()
        return NodeRecipe(spec.type, {**attributes, **part.changes}, pads, count, place, backend)

    return describe


def _bare(operator: GenericOperatorOp) -> GenericOperatorOp:
    """Return a copy that knows no data."""
    copy = operator.clone()
    for index in range(copy.nb_outputs):
        copy.get_output(index).clear()
    return copy


def _declared(operator: Operator) -> dict[str, Any]:
    """Return the declared attributes of an operator."""
    values = operator.attr.dict()
    return {key: values[key] for key in operator.spec.attrs}

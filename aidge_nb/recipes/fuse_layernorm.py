"""Fuse the written-out (x - mean) / √(variance + ε) · scale + bias into LayerNorm."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.query import SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.build import make_node
from aidge_nb.ops.normalization import LAYER_NORM
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.fuse_squeeze import axes_at
from aidge_nb.recipes.registry import recipe

_CENTRED = "ReduceMean#1-1>Sub#1"
_REST = "ReduceMean#2-*>Add#1->Sqrt#1-1>Div#1-*>Mul#1-*>Add#2;Sub#1~0-0>Div#1"
_QUERIES = (
    f"{_CENTRED}~>Pow#1->{_REST};Sub#1~>$",
    f"{_CENTRED}~*>Mul#2->{_REST};Sub#1~*>$",
)
"""The square is a power, or a product."""


@recipe(needs=("dims", "values"), exact=False)
def fuse_layernorm(view: GraphView) -> Iterable[str]:
    """Make LayerNorm of the operators that exporters write it with.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=1))
    >>> model.forward_dims([[1, 3, 28, 28]], allow_data_dependency=True)
    True
    >>> fuse_layernorm(model), [node.name() for node in model if node.type() == "LayerNorm"]
    (3, ['layer0_norm1', 'layer0_norm2', 'layernorm'])
    """
    for query in _QUERIES:
        with editing(view) as edit:
            for match in keep_disjoint(
                SinglePassGraphMatching(view).find(query), share_producers=True
            ):
                nodes = {
                    f"{kind}{anchor}": node
                    for kind, anchors in match.anchors.items()
                    for anchor, node in anchors.items()
                }
                attributes = _attributes(edit, nodes)
                if attributes is not None:
                    yield nodes["Add#2"].label
                    _replace(edit, nodes, *attributes)


def _attributes(edit: Edit, nodes: dict[str, Node]) -> tuple[int, float] | None:
    """Return the first axis and ε, None where the match is something else."""
    mean, centre, variance = nodes["ReduceMean#1"], nodes["Sub#1"], nodes["ReduceMean#2"]
    if edit.source(mean, 0) != edit.source(centre, 0) or edit.source(mean, 0) is None:
        return None
    data = centre.get_operator().get_input(0)
    if data is None or data.undefined():
        return None
    axes = _last_axes(edit, mean, data.ndim)
    if axes is None or axes != _last_axes(edit, variance, data.ndim):
        return None
    if not _is_square(edit, nodes):
        return None
    epsilon = edit.constant(nodes["Add#1"], _other(nodes["Add#1"], variance))
    inner = tuple(data.dims[axes:])
    for name, before in (("Mul#1", nodes["Div#1"]), ("Add#2", nodes["Mul#1"])):
        values = edit.constant(nodes[name], _other(nodes[name], before))
        if values is None or values.shape != inner:
            return None
    return (axes, epsilon.item()) if epsilon is not None and epsilon.size == 1 else None


def _last_axes(edit: Edit, node: Node, rank: int) -> int | None:
    """Return the first of the axes that are reduced, which are all up to the last."""
    axes = axes_at(edit, node, 1, rank)
    if not node.get_operator().attr.keep_dims or not axes or axes != list(range(axes[0], rank)):
        return None
    return axes[0]


def _is_square(edit: Edit, nodes: dict[str, Node]) -> bool:
    if "Mul#2" in nodes:
        return nodes["Mul#2"].get_parents() == [nodes["Sub#1"]] * 2
    exponent = edit.constant(nodes["Pow#1"], 1)
    return exponent is not None and bool((exponent == 2).all()) and exponent.size == 1


def _other(node: Node, parent: Node) -> int:
    """Return the input that something else than ``parent`` feeds."""
    return 1 if node.get_parent(0) is parent else 0


def _replace(edit: Edit, nodes: dict[str, Node], axis: int, epsilon: float) -> None:
    last, scale = nodes["Add#2"], nodes["Mul#1"]
    rank = last.get_operator().get_output(0).ndim
    new = make_node(LAYER_NORM, last.name(), axis=axis - rank, epsilon=epsilon)
    edit.add(new, last)
    edit.feed_like(new, 0, nodes["Sub#1"], 0)
    edit.feed_like(new, 1, scale, _other(scale, nodes["Div#1"]))
    edit.feed_like(new, 2, last, _other(last, scale))
    edit.redirect(Port(last, 0), Port(new, 0))

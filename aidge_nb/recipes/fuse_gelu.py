"""Fuse the written-out x/2 (1 + erf(x/√2)) into Gelu."""

from __future__ import annotations

from collections.abc import Iterable
from math import isclose, sqrt

from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.query import MatchingResult, SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.activation import Gelu
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

_QUERIES = (
    "Div#1->Erf-*>Add#1-*>Mul#1-*>Mul#2",
    "Mul#0->Erf-*>Add#1-*>Mul#1-*>Mul#2",
    "Div#1->Erf-*>Add#1-*>Mul#1;Mul#1<*-Mul#2",
    "Mul#0->Erf-*>Add#1-*>Mul#1;Mul#1<*-Mul#2",
)
"""Half of it may be taken at the end, or of x at first; x may be divided by √2 or multiplied."""


@recipe(needs=("values",), exact=False)
def fuse_gelu(view: GraphView) -> Iterable[str]:
    """Make Gelu of the operators that exporters write it with.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=2))
    >>> fuse_gelu(model), [node.name() for node in model if node.type() == "Gelu"]
    (2, ['layer0_gelu', 'layer1_gelu'])
    """
    for query in _QUERIES:
        with editing(view) as edit:
            for match in keep_disjoint(
                SinglePassGraphMatching(view).find(query), share_producers=True
            ):
                last = _checked(edit, match)
                if last is not None:
                    yield last.label
                    new = edit.add(Gelu(name=last.name()), last)
                    root = match.nodes[0]
                    edit.feed_like(new, 0, root, 1 - _constant_at(edit, root))
                    edit.redirect(Port(last, 0), Port(new, 0))


def _checked(edit: Edit, match: MatchingResult) -> Node | None:
    """Return the node that has the result, None when a constant or an edge is another."""
    root, _, add, product, other = match.nodes
    factor = sqrt(2) if root.type() == "Div" else sqrt(0.5)
    if not _is_scaled(edit, root, factor) or not _is_scaled(edit, add, 1):
        return None
    if root.type() == "Div" and _constant_at(edit, root) != 1:
        return None
    data = edit.source(root, 1 - _constant_at(edit, root))
    second = next(i for i in (0, 1) if product.get_parent(i) is not add)
    if product.get_parent(0) is product.get_parent(1) or not _is_scaled(edit, other, 0.5):
        return None
    halved_first = product.get_parent(second) is other
    wanted = (
        edit.source(other, 1 - _constant_at(edit, other))
        if halved_first
        else edit.source(product, second)
    )
    return (product if halved_first else other) if wanted == data and data is not None else None


def _constant_at(edit: Edit, node: Node) -> int:
    return 1 if edit.constant(node, 1) is not None else 0


def _is_scaled(edit: Edit, node: Node, expected: float) -> bool:
    """Return whether one of two inputs is this number."""
    values = edit.constant(node, _constant_at(edit, node))
    return (
        values is not None and values.size == 1 and isclose(values.item(), expected, rel_tol=1e-6)
    )

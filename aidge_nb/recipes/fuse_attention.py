"""Fuse softmax(q kᵀ / √d) v into one block."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.fuse import fuse_nodes
from aidge_nb.graph.query import SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.registry import recipe

ATTENTION = "ScaledDotProductAttention"
"""Type of the new nodes."""

_QUERIES = (
    "MatMul->Div#1->Softmax->MatMul;Div#1<1~Producer",
    "MatMul->Mul#1->Softmax->MatMul;Mul#1<1~Producer",
    "MatMul->Softmax->MatMul",
)


@recipe(safe=False)
def fuse_attention(view: GraphView) -> Iterable[str]:
    """Fuse scaled dot-product attention into meta-operators.

    The scores may be divided by a constant, multiplied by one, or not scaled (the query is, then).
    The new nodes are of type ``ScaledDotProductAttention``; their inputs are query, key and value.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=2))
    >>> fuse_attention(model)
    2
    """
    for query in _QUERIES:
        for match in keep_disjoint(SinglePassGraphMatching(view).find(query), share_producers=True):
            yield match.nodes[-1].label
            fuse_nodes(match, ATTENTION, inner_outputs=True)

"""Fuse attention with the products before and after it into one block."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.fuse import fuse_nodes
from aidge_nb.graph.query import SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.fuse_attention import ATTENTION, fuse_attention
from aidge_nb.recipes.registry import recipe

_QUERY = (
    f"{ATTENTION}#->Transpose->Reshape->MatMul-*>Add;"
    + "".join(f"{ATTENTION}#<{i}-(Transpose<-Reshape<-Add#{i});" for i in range(3))
    + "".join(f"Add#{i}<*-{i}-Split#;" for i in range(3))
    + "Split#<-MatMul"
)


@recipe(safe=False)
def fuse_multi_head_attention(view: GraphView) -> Iterable[str]:
    """Fuse multi-head attention into meta-operators, with attention as an inner one.

    The pattern is one product for query, key and value, a Split, a bias for each, the split into
    heads, attention, and a product with bias.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=2))
    >>> fuse_multi_head_attention(model)
    2
    """
    fuse_attention(view)
    for match in keep_disjoint(SinglePassGraphMatching(view).find(_QUERY), share_producers=True):
        yield match.nodes[0].label
        fuse_nodes(match, "MultiHeadAttention", inner_outputs=True)

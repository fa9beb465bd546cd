"""Fold shapes once dimensions are known: Shape nodes, and values computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.recipes.registry import REGISTERED, Recipe


def constant_shape_folding(view: GraphView, dims: Sequence[Sequence[int]] = ()) -> bool:
    """Replace Shape and Size nodes, and what is computed from them, by their results.

    Parameters
    ----------
    view
        The graph; it takes tensors of these dimensions alone afterwards.
    dims
        Dimensions of its inputs, where they are not known yet.

    Returns
    -------
    bool
        Whether anything changed.

    Raises
    ------
    ShapeError
        When the dimensions do not fit.

    Examples
    --------
    >>> import aidge_nb
    >>> data, shape, out = aidge_nb.ReLU(), aidge_nb.Shape(), aidge_nb.Reshape()
    >>> data.add_child(shape), data.add_child(out, 0, 0), shape.add_child(out, 0, 1)
    (None, None, None)
    >>> model = aidge_nb.get_connected_graph_view(data)
    >>> constant_shape_folding(model, [[2, 3]]), sorted(node.type() for node in model)
    (True, ['Producer', 'ReLU', 'Reshape'])
    """
    propagate_dims(view, dims, allow_data_dependency=True)
    return bool(fold_constants(view, constant_shape=True))


def _apply(view: GraphView) -> Iterable[str]:
    return fold_constants(view, constant_shape=True)


REGISTERED["constant_shape_folding"] = Recipe(
    "constant_shape_folding",
    "Replace Shape nodes, and what is computed from them, by their results.",
    ("dims", "values"),
    safe=True,
    exact=True,
    apply=_apply,
)

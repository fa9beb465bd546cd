"""Stands in for ``aidge_model_explorer``: shows a graph in the notebook, without a server."""

from __future__ import annotations

from typing import Any

from aidge_nb.compat.convert import from_aidge, is_real
from aidge_nb.compat.served.tuto_utils import display
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph.view import GraphView

__all__ = ["visualize"]


def visualize(graphview: GraphView | Any, name: str = "", embed: bool = True) -> None:
    """Show a graph in the notebook.

    Parameters
    ----------
    graphview
        A graph of this library, or one of the real aidge_core.
    name
        Title of the picture.
    embed
        Taken for Aidge's sake: the view is always in the notebook.

    Raises
    ------
    AidgeError
        For anything but a graph.
    """
    view = from_aidge(graphview) if is_real(graphview) else graphview
    if not isinstance(view, GraphView):
        raise AidgeError.at(
            "visualize", "is not a graph", expected="a GraphView", found=type(view).__name__
        )
    if name and not view.name():
        view.set_name(name)
    display(view._repr_mimebundle_())

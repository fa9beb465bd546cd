"""What is given as a graph, and is none."""

from __future__ import annotations

from aidge_nb.core.errors import AidgeError, GraphError
from aidge_nb.graph.view import GraphView


def check_view(view: object, where: str, error: type[AidgeError] = GraphError) -> None:
    """Refuse what is no graph.

    Parameters
    ----------
    view
        What was given.
    where, error
        Who was given it, and the error of that part of the library.

    Raises
    ------
    AidgeError
        When it is no GraphView: the one that ``error`` names.

    Examples
    --------
    >>> check_view("model.onnx", "tiling")
    Traceback (most recent call last):
        ...
    aidge_nb.core.errors.GraphError: tiling: there is no graph (expected a GraphView, found str). \
Pass the graph, such as that of aidge_nb.sequential([...]); aidge_nb.load_onnx() reads one from a
    file.
    """
    if not isinstance(view, GraphView):
        raise error.at(
            where,
            "there is no graph",
            expected="a GraphView",
            found=type(view).__name__,
            cure="Pass the graph, such as that of aidge_nb.sequential([...]); "
            "aidge_nb.load_onnx() reads one from a file.",
        )

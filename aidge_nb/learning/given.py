"""What people hand to losses, rates and optimizers: made numbers of, or refused with its name."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, SchedulingError, ShapeError, explain
from aidge_nb.graph.given import check_view
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.passes import as_array


def number_of(
    where: str, value: Any, problem: str, expected: str, fits: Callable[[float], bool]
) -> float:
    """Give a finite number that fits.

    Raises
    ------
    AidgeError
        For another one, and for what is no number.

    Examples
    --------
    >>> number_of("rate", 0.5, "no rate", "above 0", lambda rate: rate > 0)
    0.5
    """
    if not isinstance(value, Real) or not isfinite(value) or not fits(float(value)):
        found = value if isinstance(value, Real) else type(value).__name__
        raise AidgeError(explain(where, problem, expected=expected, found=found))
    return float(value)


def count_of(where: str, value: Any, least: int = 1) -> int:
    """Give a whole number that is not below ``least``.

    Raises
    ------
    AidgeError
        For anything else.

    Examples
    --------
    >>> count_of("steps", 3.0)
    3
    """

    def fits(count: float) -> bool:
        return count >= least and count == int(count)

    return int(number_of(where, value, "is no count", f"{least} or more", fits))


def numbers_of(where: str, value: Any) -> NDArray[Any]:
    """Give an array of real numbers.

    Raises
    ------
    ShapeError
        For what is none.

    Examples
    --------
    >>> numbers_of("target", [[0, 1]]).tolist()
    [[0, 1]]
    """
    array = as_array(value, where)
    if array.dtype.kind not in "biuf":
        problem = "holds no real numbers"
        raise ShapeError(explain(where, problem, expected="numbers", found=array.dtype.name))
    return np.asarray(array)


def graph_of(where: str, view: Any) -> GraphView:
    """Give a graph.

    Raises
    ------
    SchedulingError
        For what is none.

    Examples
    --------
    >>> graph_of("training_graph", None)
    Traceback (most recent call last):
        ...
    aidge_nb.core.errors.SchedulingError: training_graph: there is no graph (expected a GraphView, \
found NoneType). Pass the graph, such as that of aidge_nb.sequential([...]); aidge_nb.load_onnx() \
reads one from a file.
    """
    check_view(view, where, SchedulingError)
    graph: GraphView = view
    return graph

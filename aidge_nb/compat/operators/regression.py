"""Regression with support vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator
from aidge_nb.graph.node import Node
from aidge_nb.ops.rules import choice_of

Array = NDArray[Any]

_KERNELS: dict[str, Callable[[Array, Array, float, float, float], Array]] = {
    "LINEAR": lambda x, s, gamma, offset, degree: x @ s.T,
    "POLY": lambda x, s, gamma, offset, degree: (gamma * (x @ s.T) + offset) ** degree,
    "RBF": lambda x, s, gamma, offset, degree: np.exp(-gamma * ((x[:, None] - s) ** 2).sum(-1)),
    "SIGMOID": lambda x, s, gamma, offset, degree: np.tanh(gamma * (x @ s.T) + offset),
}


@operator("SVMRegressor", "data_input", lambda context: [[context.dim(0)[0], 1]])
def svm_regressor(
    x: Array,
    *,
    coefficients: Sequence[float],
    support_vectors: Sequence[float],
    kernel_params: Sequence[float],
    kernel_type: str,
    rho: Sequence[float],
    n_supports: int,
) -> Array:
    """Add up how near each row is to the support vectors, each with its coefficient."""
    supports = np.array(support_vectors).reshape(n_supports, -1)
    gamma, offset, degree = (*kernel_params, 0.0, 0.0, 0.0)[:3]
    rows = x.reshape(len(x), -1).astype(np.float64)
    near = _KERNELS[kernel_type](rows, supports, gamma, offset, degree)
    result: Array = (near @ np.array(coefficients) + rho[0]).astype(x.dtype)
    return result[:, None]


def SVMRegressor(
    coefficients: Sequence[float],
    support_vectors: Sequence[float],
    kernel_params: Sequence[float],
    kernel_type: str,
    rho: Sequence[float],
    n_supports: int,
    name: str = "",
) -> Node:
    """Make a node that predicts one number for each row.

    Parameters
    ----------
    coefficients
        One for each support vector.
    support_vectors
        Their elements, one vector after the other.
    kernel_params
        Factor, offset and degree of the kernel.
    kernel_type
        ``LINEAR``, ``POLY``, ``RBF`` or ``SIGMOID``.
    rho
        What is added in the end.
    n_supports
        Number of support vectors.
    name
        Name of the node.
    """
    return node_of(
        "SVMRegressor",
        name,
        coefficients=list(coefficients),
        support_vectors=list(support_vectors),
        kernel_params=list(kernel_params),
        kernel_type=choice_of(kernel_type, tuple(_KERNELS), "kernel_type"),
        rho=list(rho),
        n_supports=n_supports,
    )

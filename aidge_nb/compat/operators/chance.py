"""Random numbers."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import node_of, operator, same
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.graph.node import Node

Array = NDArray[Any]


@operator(
    "RandomNormalLike",
    "data_input",
    same,
    lambda context: [context.attrs["dtype"] or context.dtypes[0] or DType.float32],
)
def random_normal_like(
    x: Array,
    *,
    mean: float = 0.0,
    scale: float = 1.0,
    dtype: DType | None = None,
    seed: float = nan,
) -> Array:
    """Return normal numbers in the dimensions of the input."""
    rng = np.random.default_rng(None if isnan(seed) else int(seed))
    return rng.normal(mean, scale, x.shape).astype(x.dtype if dtype is None else dtype.numpy)


def RandomNormalLike(
    mean: float = 0.0, scale: float = 1.0, dtype: Any = "any", seed: float = nan, name: str = ""
) -> Node:
    """Make a node that gives normally distributed numbers, as many as its input has.

    Parameters
    ----------
    mean, scale
        Mean and standard deviation.
    dtype
        Element type; ``"any"`` for that of the input.
    seed
        Where the numbers begin: the same one gives the same numbers, which are not Aidge's.
    name
        Name of the node.
    """
    kind = None if getattr(dtype, "name", dtype) == "any" else as_dtype(dtype)
    return node_of("RandomNormalLike", name, mean=mean, scale=scale, dtype=kind, seed=float(seed))

"""All grids of a convolution, weighed one by one: what choices of tiles are compared with."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph import Node

__all__ = ["exhaustive"]

Ends = tuple[int, int, int, int, int]  # outputs, taps, stride, padding before, inputs


def exhaustive(node: Node, memory: int) -> tuple[float, float]:
    """Weigh all grids of a convolution; give the least traffic, and the most bytes used for it."""
    operator = node.get_operator()
    source, weight, bias = (operator.get_input(index) for index in range(3))
    if source is None or weight is None:
        raise ValueError(f"{node.label} is not connected")
    attr, out = operator.attr, operator.get_output(0).dims
    pads = attr.padding_dims if "padding_dims" in attr else (0,) * 4
    tall, wide = (
        _parts_of(
            (out[2 + i], attr.kernel_dims[i], attr.stride_dims[i], pads[i], source.dims[2 + i])
        )
        for i in range(2)
    )
    parameters = weight.nbytes + (bias.nbytes if bias is not None else 0)
    apart = "DepthWise" in node.type()
    tiles = np.multiply.outer(np.arange(1, out[2] + 1), np.arange(1, out[3] + 1))
    read = 4 * source.dims[1] * np.multiply.outer(tall[:, 1], wide[:, 1])
    best = (np.inf, 0.0)
    for groups in range(1, out[1] + 1):
        channels = -(-out[1] // groups)
        held = np.multiply.outer(tall[:, 0], wide[:, 0]) * (channels if apart else source.dims[1])
        given = np.multiply.outer(tall[:, 2], wide[:, 2]) * channels
        size = 4 * (held + given) + parameters * channels / out[1]
        stay = read * (1 if apart else groups) + parameters
        pass_by = read + parameters * (tiles if groups > 1 else 1)
        moved = np.where(size <= memory, np.minimum(stay, pass_by) + 4 * prod(out[1:]), np.inf)
        if np.isfinite(moved.min()):
            used = size[moved == moved.min()].max()
            best = min(best, (moved.min(), -used))
    return best[0], -best[1]


def _parts_of(ends: Ends) -> NDArray[np.int64]:
    """For each number of parts: the largest input, all inputs, and the largest output."""
    outs, taps, stride, before, ins = ends
    found = []
    for count in range(1, outs + 1):
        least, larger = divmod(outs, count)
        bounds = np.array([least * part + min(part, larger) for part in range(count + 1)])
        low = np.maximum(bounds[:-1] * stride - before, 0)
        high = np.minimum((bounds[1:] - 1) * stride - before + taps, ins)
        found.append([(high - low).max(), (high - low).sum(), np.diff(bounds).max()])
    return np.array(found)

"""Say what a quantized network loses and saves, layer by layer, for its views."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from aidge_nb.memory.values.plan import MemoryPlan
    from aidge_nb.quantization.post_training import QuantizedNetwork, QuantizedTensor
    from aidge_nb.quantization.ranges import Observed

BARS = 64
"""Bars of a histogram."""

Facts = dict[str, Any]


def quantized_facts(
    found: QuantizedNetwork, before: MemoryPlan, after: MemoryPlan, integer: tuple[str, ...]
) -> Facts:
    """Return what views of a quantized network draw, ready for JSON.

    Parameters
    ----------
    found
        The network, with prices.
    before, after
        Memory in floating point, and as it is now.
    integer
        Names of the layers that compute on integers.
    """
    tensors = {each.name: each for each in found.tensors}
    histograms = found.histograms
    view = found.reference
    owned = {name for layer in found.layers for name in layer.members}
    inputs = [name for name in tensors if name not in owned]
    rows = [_row(name, tensors[name], histograms[name]) for name in inputs]
    work = 0
    for layer in found.layers:
        macs = sum(view.get_node(name).get_operator().macs() or 0 for name in layer.members)
        work += macs if layer.name in integer else 0
        first = next((name for name in layer.members if name in histograms), layer.name)
        row = _row(layer.name, tensors.get(first), histograms.get(first))
        row |= {"members": list(layer.members), "alone": _finite(layer.sqnr), "macs": macs}
        row |= {"on": 2 if layer.is_float else int(layer.is_wide)}
        rows.append(row | {"more": [layer.wide_bytes, layer.more_bytes]})
    total = sum(row["macs"] for row in rows)
    return {
        "sqnr": _finite(found.sqnr),
        "peak": [before.peak, after.peak],
        "parameters": list(found.parameter_bytes),
        "macs": [total, work],
        "kinds": [*found.kinds, "float"],
        "rows": rows,
    }


def _row(name: str, tensor: QuantizedTensor | None, held: Observed | None) -> Facts:
    """Return a row of what computes nothing: it is on nothing that could be chosen."""
    row: Facts = {"name": name, "members": [name], "on": None, "alone": None}
    row |= {"more": [0, 0], "macs": 0, "tensor": None}
    if tensor is not None and held is not None:
        bars = np.log1p(held.counts.reshape(BARS, -1).sum(axis=1))
        row["tensor"] = {
            "sqnr": _finite(tensor.sqnr),
            "worst": [tensor.worst[0], _finite(tensor.worst[1])],
            "range": [tensor.low, tensor.high],
            "observed": list(tensor.observed),
            "clipped": tensor.clipped,
            "bars": np.round(bars / max(bars.max(), 1.0), 4).tolist(),
        }
    return row


def _finite(value: float | None) -> float | None:
    return round(value, 2) if value is not None and isfinite(value) else None

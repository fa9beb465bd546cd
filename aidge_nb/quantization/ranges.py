"""Choose the range of a tensor from what it held for some samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 2048
PERCENTILE = 99.999
"""Of the numbers that the rule "percentile" keeps within the range."""


@dataclass
class Observed:
    """Extremes of what a tensor held, and a histogram between them.

    Attributes
    ----------
    low, high
        Extremes; 0 is always between them, since padding and ReLU give it.
    counts
        Numbers of each of :data:`BINS` bins of equal width.
    """

    low: float = 0.0
    high: float = 0.0
    counts: Floats = field(default_factory=lambda: np.zeros(BINS))

    def widen(self, values: NDArray[np.generic]) -> None:
        """Take the extremes of some values in."""
        self.low = min(self.low, float(values.min(initial=0.0)))
        self.high = max(self.high, float(values.max(initial=0.0)))

    def count(self, values: NDArray[np.generic]) -> None:
        """Count values that lie between the extremes."""
        if self.high > self.low:
            found, _ = np.histogram(values, BINS, (self.low, self.high))
            self.counts += found

    @property
    def centres(self) -> Floats:
        """Middle of each bin."""
        edges = np.linspace(self.low, self.high, BINS + 1)
        return np.asarray((edges[:-1] + edges[1:]) / 2)

    def clipped(self, low: float, high: float) -> float:
        """Return the share of the numbers outside of a range."""
        total = self.counts.sum()
        outside = (self.centres < low) | (self.centres > high)
        return float(self.counts[outside].sum() / total) if total else 0.0


def error(observed: Observed, low: float, high: float, levels: int) -> float:
    """Return the sum of squared errors of rounding to ``levels`` steps between two limits."""
    step = (high - low) / levels
    if step <= 0:
        return float("inf")
    kept = np.clip(observed.centres, low, high)
    near = low + np.rint((kept - low) / step) * step
    return float((observed.counts * (observed.centres - near) ** 2).sum())


def all_of_it(observed: Observed, levels: int) -> tuple[float, float]:
    """Return the extremes."""
    return observed.low, observed.high


def most_of_it(observed: Observed, levels: int) -> tuple[float, float]:
    """Return the range that keeps :data:`PERCENTILE` % of the numbers."""
    total = observed.counts.cumsum()
    if not total[-1]:
        return observed.low, observed.high
    cut = (1 - PERCENTILE / 100) / 2 * total[-1]
    first = int(np.searchsorted(total, cut, "right"))
    last = int(np.searchsorted(total, total[-1] - cut))
    edges = np.linspace(observed.low, observed.high, BINS + 1)
    return min(float(edges[first]), 0.0), max(float(edges[min(last, BINS - 1) + 1]), 0.0)


def least_error(observed: Observed, levels: int) -> tuple[float, float]:
    """Return the part of the range whose squared error is least, of 64 parts from each end."""
    best = observed.low, observed.high
    for cut in (0, 1):
        parts = np.linspace(0.36, 1.0, 65)
        candidates = [
            (best[0] * part, best[1]) if cut == 0 else (best[0], best[1] * part) for part in parts
        ]
        best = min(candidates, key=lambda pair: error(observed, pair[0], pair[1], levels))
    return best


def least_surprise(observed: Observed, levels: int) -> tuple[float, float]:
    """Return the part of the range that loses least information (Kullback–Leibler divergence).

    Source: S. Migacz, 8-bit Inference with TensorRT, GTC 2017.
    """
    best, least = (observed.low, observed.high), float("inf")
    for part in np.linspace(0.36, 1.0, 65):
        low, high = observed.low * part, observed.high * part
        divergence = _divergence(observed, low, high, levels)
        if divergence < least:
            best, least = (low, high), divergence
    return best


def _divergence(observed: Observed, low: float, high: float, levels: int) -> float:
    centres = observed.centres
    # What is 0 exactly, as behind ReLU, has a code of its own and would hide all else.
    counts = np.where(np.abs(centres) * BINS <= observed.high - observed.low, 0, observed.counts)
    inside = (centres >= low) & (centres <= high)
    if not inside.any() or high <= low:
        return float("inf")
    reference = np.where(inside, counts, 0.0)
    first, last = np.flatnonzero(inside)[[0, -1]]
    reference[first] += counts[:first].sum()
    reference[last] += counts[last + 1 :].sum()
    code = np.rint((np.clip(centres, low, high) - low) / (high - low) * levels).astype(int)
    filled = inside & (counts > 0)
    sums = np.bincount(code[inside], counts[inside], levels + 1)
    places = np.bincount(code[filled], minlength=levels + 1)
    spread = np.where(filled, sums[code] / np.maximum(places[code], 1), 0.0)
    p, q = reference / reference.sum(), spread / max(spread.sum(), 1e-300)
    used = p > 0
    return float((p[used] * np.log(p[used] / np.maximum(q[used], 1e-12))).sum())


RangeRule = Callable[[Observed, int], tuple[float, float]]

RANGES: Mapping[str, RangeRule] = {
    "minmax": all_of_it,
    "percentile": most_of_it,
    "mse": least_error,
    "entropy": least_surprise,
}
"""The rules by name."""

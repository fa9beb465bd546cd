"""Choose the range of a tensor from what it held for some samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BINS = 2048
PARTS = 8
"""Parts of the samples that are judged by each other."""
PERCENTILE = 99.999
"""Of the numbers that the rule "percentile" keeps within the range."""

_FACTORS = sorted(np.linspace(0.36, 1.48, 57), key=lambda each: abs(each - 1))
"""Of a range, 1 first: it wins where others are as good."""


@dataclass
class Share:
    """Extremes and histogram of a tensor over some of the samples.

    Attributes
    ----------
    low, high
        Extremes; 0 is always between them, since padding and ReLU give it.
    counts
        Numbers of each of :data:`BINS` bins of equal width between the extremes of all samples.
    """

    low: float = 0.0
    high: float = 0.0
    counts: Floats = field(default_factory=lambda: np.zeros(BINS))


@dataclass
class Observed:
    """Extremes of what a tensor held, and a histogram between them.

    Attributes
    ----------
    parts
        The samples in a few parts, so that a range that some of them give can be judged by others.
    """

    parts: dict[int, Share] = field(default_factory=dict)

    def widen(self, values: NDArray[np.generic], part: int = 0) -> None:
        """Take the extremes of some values in."""
        known = self.parts.setdefault(part % PARTS, Share())
        known.low = min(known.low, float(values.min(initial=0.0)))
        known.high = max(known.high, float(values.max(initial=0.0)))

    def count(self, values: NDArray[np.generic], part: int = 0) -> None:
        """Count values that lie between the extremes."""
        if self.high > self.low:
            found, _ = np.histogram(values, BINS, (self.low, self.high))
            self.parts[part % PARTS].counts += found

    @property
    def low(self) -> float:
        """The least number, at most 0."""
        return min((part.low for part in self.parts.values()), default=0.0)

    @property
    def high(self) -> float:
        """The largest number, at least 0."""
        return max((part.high for part in self.parts.values()), default=0.0)

    @property
    def counts(self) -> Floats:
        """Numbers of each of :data:`BINS` bins of equal width between the extremes."""
        return sum((part.counts for part in self.parts.values()), np.zeros(BINS))

    @property
    def centres(self) -> Floats:
        """Middle of each bin."""
        edges = np.linspace(self.low, self.high, BINS + 1)
        return np.asarray((edges[:-1] + edges[1:]) / 2)

    def clipped(self, low: float, high: float) -> float:
        """Return the share of the numbers outside of a range."""
        counts = self.counts
        total, outside = counts.sum(), (self.centres < low) | (self.centres > high)
        return float(counts[outside].sum() / total) if total else 0.0


def error(observed: Observed, low: float, high: float, levels: int) -> float:
    """Return the sum of squared errors of rounding to ``levels`` steps between two limits."""
    counts = observed.counts[None]
    return _error(observed.centres, counts, np.array([low]), np.array([high]), levels)


def _error(centres: Floats, counts: Floats, low: Floats, high: Floats, levels: int) -> float:
    """Return the same for several parts, each with limits of its own."""
    start, end = low[:, None], high[:, None]
    step = np.where(end > start, end - start, np.inf) / levels
    kept = np.clip(centres, start, end)
    near = np.where(np.isinf(step), start, start + np.rint((kept - start) / step) * step)
    return float((counts * (centres - near) ** 2).sum())


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
    """Return the range whose squared error is least for samples that did not make it.

    Each part of the samples is left out in turn. One factor for each end of the range of the
    others is wanted, such that the part left out loses least: below 1 where rare numbers are
    better clipped, above 1 where other samples reach further, as they do when there are few. The
    range of all samples times the factors is the result. Where the samples are a single part,
    nothing is known of others, and no factor is above 1.
    """
    parts = list(observed.parts.values()) or [Share()]
    others = [[each for each in parts if each is not part] or [part] for part in parts]
    lows = np.array([min(each.low for each in some) for some in others])
    highs = np.array([max(each.high for each in some) for some in others])
    counts, centres = np.stack([part.counts for part in parts]), observed.centres

    def lost(factors: tuple[float, float]) -> float:
        return _error(centres, counts, lows * factors[0], highs * factors[1], levels)

    options = [float(each) for each in _FACTORS if each <= 1 or len(parts) > 1]
    best = (1.0, 1.0)
    if observed.low < 0:
        best = min(((each, best[1]) for each in options), key=lost)
    if observed.high > 0:
        best = min(((best[0], each) for each in options), key=lost)
    return observed.low * best[0], observed.high * best[1]


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

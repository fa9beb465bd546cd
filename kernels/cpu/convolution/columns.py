"""Gathering the columns that a convolution multiplies with its weights, in two copies.

The first copy takes, for each tap along the last dimension, what that tap sees of each line: lines
without overlap, padded with zeros. In the second one the windows along the other dimensions are
whole runs of such lines, which copy fast even where lines are short.

Source: K. Chellapilla and others, High Performance Convolutional Neural Networks for Document
Processing, 2006, section 3.
"""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, index, output_sizes, windows


@dataclass(frozen=True, slots=True)
class ConvWindow:
    """How a window slides over data.

    There is one number per spatial dimension, and there are two or more of these: one-dimensional
    data have lines of one element.
    """

    sizes: tuple[int, ...]  # of the data
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]  # padding before the data
    counts: tuple[int, ...]  # places of the window

    @classmethod
    def of(
        cls, sizes: Ints, kernel: Ints, strides: Ints, dilations: Ints, pads: Ints = ()
    ) -> ConvWindow:
        """Work out the places; ``pads`` are those before each dimension, then those after.

        Raise ShapeError when the window fits nowhere.

        Examples
        --------
        >>> ConvWindow.of([5], [3], [2], [1], [1, 1]).counts
        (3, 1)
        """
        rank = len(sizes)
        before, after = pads[:rank] or (0,) * rank, pads[rank:] or (0,) * rank
        padded = [size + b + a for size, b, a in zip(sizes, before, after, strict=True)]
        counts = output_sizes(padded, kernel, strides, dilations)
        ones, zeros = ((1,), (0,)) if rank == 1 else ((), ())
        return cls(
            (*sizes, *ones),
            (*kernel, *ones),
            (*strides, *ones),
            (*dilations, *ones),
            (*before, *zeros),
            (*counts, *ones),
        )

    @property
    def is_trivial(self) -> bool:
        """Tells whether the columns are the data."""
        return prod(self.kernel) == prod(self.strides) == 1 and self.counts == self.sizes

    def spans(self, lines: int) -> tuple[int, ...]:
        """Return how far some lines of places reach, along all dimensions but the last."""
        return tuple(
            (count - 1) * stride + (k - 1) * dilation + 1
            for count, stride, k, dilation in zip(
                (lines, *self.counts[1:-1]), self.strides, self.kernel, self.dilations, strict=False
            )
        )

    def stage_size(self, lines: int) -> int:
        """Count the elements per channel that lie between the two copies."""
        return self.kernel[-1] * prod(self.spans(lines)) * self.counts[-1]


@dataclass(frozen=True, slots=True)
class Gathering:
    """Copies to make, in order, after the stage was filled with zeros where it must be."""

    stage: Array | None
    copies: tuple[tuple[Array, Array], ...]

    def run(self) -> None:
        """Copy."""
        if self.stage is not None:
            self.stage.fill(0)
        for target, source in self.copies:
            np.copyto(target, source)


def gathering(
    x: Array, sliding: ConvWindow, first: int, lines: int, stage: Array, columns: Array
) -> Gathering:
    """Plan how to gather the columns of some lines of places.

    ``first`` and ``lines`` are places along the first spatial dimension. Dimensions: x
    ``[..., *sizes]``, columns ``[..., *kernel, lines, *counts[1:]]``; ``stage`` is memory to use,
    ``sliding.stage_size(lines)`` elements for each of the leading dimensions.

    Examples
    --------
    >>> x, columns = np.arange(3.0).reshape(1, 3, 1), np.empty((1, 2, 1, 3, 1))
    >>> sliding = ConvWindow.of([3], [2], [1], [1], [1, 0])
    >>> gathering(x, sliding, 0, 3, np.empty(sliding.stage_size(3)), columns).run()
    >>> columns.reshape(2, 3).tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 2.0]]
    """
    lead = x.shape[: -len(sliding.sizes)]
    spans = sliding.spans(lines)
    starts = [-before for before in sliding.before]
    starts[0] += first * sliding.strides[0]
    inside = [
        (max(0, -start), min(span, size - start))
        for start, span, size in zip(starts, spans, sliding.sizes, strict=False)
    ]
    is_whole = all(ends == (0, span) for ends, span in zip(inside, spans, strict=True))
    taps = _taps_of_lines(sliding)
    if is_whole and taps == [(0, 0, sliding.counts[-1], 0)]:  # nothing to do in the first copy
        boxed = x[index(..., *map(_behind, starts[:-1], spans), slice(None))]
        counts = (lines, *sliding.counts[1:])
        seen = windows(boxed, sliding.kernel, counts, sliding.strides, sliding.dilations)
        return Gathering(None, ((columns, seen),))
    made = stage[: prod(lead) * sliding.stage_size(lines)].reshape(
        *lead, sliding.kernel[-1], *spans, sliding.counts[-1]
    )
    copies = []
    for tap, low, high, source in taps:
        box = [slice(*ends) for ends in inside]
        data = [slice(low + at, high + at) for (low, high), at in zip(inside, starts, strict=False)]
        if low < high and all(part.start < part.stop for part in box):
            step = sliding.strides[-1]
            line = slice(source, source + (high - low - 1) * step + 1, step)
            target = made[index(*(slice(None) for _ in lead), tap, *box, slice(low, high))]
            copies.append((target, x[index(..., *data, line)]))
    is_padded = not is_whole or any(high - low < sliding.counts[-1] for _, low, high, _ in taps)
    copies.append((columns, _windows_of_lines(made, sliding, lines)))
    return Gathering(made if is_padded else None, tuple(copies))


def _behind(start: int, span: int) -> slice:
    return slice(start, start + span)


def _taps_of_lines(sliding: ConvWindow) -> list[tuple[int, int, int, int]]:
    """List the taps along the last dimension: the places where each sees data, and the first."""
    size, count, stride = sliding.sizes[-1], sliding.counts[-1], sliding.strides[-1]
    found = []
    for tap in range(sliding.kernel[-1]):
        offset = tap * sliding.dilations[-1] - sliding.before[-1]
        low = min(count, max(0, -(offset // stride)))
        high = max(low, min(count, (size - 1 - offset) // stride + 1))
        found.append((tap, low, high, low * stride + offset))
    return found


def _windows_of_lines(stage: Array, sliding: ConvWindow, lines: int) -> Array:
    """View the stage ``[..., tap, *spans, places]`` as columns ``[..., *kernel, *counts]``."""
    rank = len(sliding.sizes)
    lead, steps = stage.shape[: -rank - 1], stage.strides
    tap, *along, place = steps[-rank - 1 :]
    return np.ndarray(  # as_strided would keep its arguments, for each of a thousand panels
        (*lead, *sliding.kernel, lines, *sliding.counts[1:]),
        stage.dtype,
        stage,
        strides=(
            *steps[: -rank - 1],
            *(step * dilation for step, dilation in zip(along, sliding.dilations, strict=False)),
            tap,
            *(step * stride for step, stride in zip(along, sliding.strides, strict=False)),
            place,
        ),
    )

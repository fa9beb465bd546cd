"""Convolutions in panels: products of the weights and the columns of some lines of the result.

Windows are gathered as columns of a matrix. A BLAS chooses the order in which it adds up the terms
of an element by the dimensions of the product and by the place of the element in it. So that a part
of a layer, computed apart, has the same bits, panels are always those of the whole layer: a part
computes the panels that it lies in, at its place in them, with zeros for what is not its own.
Panels do not depend on the size of the batch or the number of groups.

Reference: K. Goto and R. van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Ints,
    accumulator,
    index,
    spread_sizes,
    tap_slices,
)
from aidge_nb.kernels.cpu.common.panels import multiply
from aidge_nb.kernels.cpu.convolution.columns import ConvWindow, Gathering, gathering
from aidge_nb.kernels.registry import kernel
from aidge_nb.kernels.workspace import Workspace
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS
from aidge_nb.ops.place import TilePlace

_PIECE = 9 << 16  # bytes of gathered columns and their lines: more than half of an L2 cache
_COLUMNS = 1024  # most columns of a panel where they need not be gathered
_FEW = 128  # with fewer columns a BLAS is slow


@dataclass(frozen=True, slots=True)
class Panel:
    """A product ``[group, outs, terms]`` of matrices, and the steps before and after it."""

    rows: Array
    columns: Array
    product: Array  # where the product goes
    gather: Gathering | None = None  # gathers the columns; None where they are the data
    zeros: Array | None = None  # memory to fill with zeros first
    part: tuple[Array, Array] | None = None  # the part that is wanted, and where it goes

    def run(self) -> None:
        """Compute."""
        if self.zeros is not None:
            self.zeros.fill(0)
        if self.gather is not None:
            self.gather.run()
        np.matmul(self.rows, self.columns, out=self.product)
        if self.part is not None:
            np.copyto(self.part[1], self.part[0])


def plan_panels(
    x: Array,
    weight: Array,
    result: Array,
    sliding: ConvWindow,
    group: int,
    workspace: Workspace,
    place: TilePlace | None = None,
) -> Iterator[Panel]:
    """Cut a convolution into panels, to be run one after the other.

    Data, weights and result are as ONNX has them, contiguous and of one element type. All panels
    share the workspace; ``place`` is that of the result in the whole layer, if it is a part.

    Examples
    --------
    >>> x, weight, result = np.ones((1, 2, 4, 1)), np.ones((3, 2, 2, 1)), np.empty((1, 3, 3, 1))
    >>> sliding = ConvWindow.of([4, 1], [2, 1], [1, 1], [1, 1])
    >>> for panel in plan_panels(x, weight, result, sliding, 1, Workspace()):
    ...     panel.run()
    >>> result[0, :, :, 0].tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """
    outs = len(weight) // group
    cut = _Cut(
        x.reshape(len(x), group, x.shape[1] // group, *sliding.sizes),
        weight.reshape(group, outs, prod(weight.shape[1:])),
        result.reshape(len(x), group, outs, *sliding.counts),
        sliding,
        _Whole.of(sliding, outs, place),
        workspace,
    )
    return cut.direct() if place is None and sliding.is_trivial else cut.gathered()


@dataclass(frozen=True, slots=True)
class _Whole:
    """The result of a whole layer, per group: which part of it is computed."""

    outs: int
    counts: tuple[int, ...]
    starts: tuple[int, ...]
    is_part: bool

    @classmethod
    def of(cls, sliding: ConvWindow, outs: int, place: TilePlace | None) -> _Whole:
        if place is None:
            return cls(outs, sliding.counts, (0,) * (1 + len(sliding.counts)), False)
        ones, zeros = ((1,), (0,)) if len(place.whole) == 2 else ((), ())
        return cls(place.whole[0], (*place.whole[1:], *ones), (*place.starts, *zeros), True)

    @property
    def width(self) -> int:
        """Columns of a line."""
        return prod(self.counts[1:])

    def lines(self, column_bytes: int, *, is_pointwise: bool) -> int:
        """Choose how many lines make a panel, by the whole layer alone."""
        columns = _COLUMNS if is_pointwise else max(_FEW, _PIECE // max(1, column_bytes))
        most = max(1, columns // max(1, self.width))
        panels = -(-self.counts[0] // most)
        return -(-self.counts[0] // max(1, panels))


@dataclass(frozen=True, slots=True)
class _Cut:
    """A convolution, by groups.

    Dimensions: x ``[batch, group, channels, *sizes]``, rows ``[group, outs, terms]``, result
    ``[batch, group, outs, *counts]``.
    """

    x: Array
    rows: Array
    result: Array
    sliding: ConvWindow
    whole: _Whole
    workspace: Workspace

    def _column_bytes(self) -> int:
        """Count the bytes that a column of a group takes, with what it is gathered from."""
        kernel, strides = self.sliding.kernel, self.sliding.strides
        return int(self.x.itemsize * self.x.shape[2] * (prod(kernel) + kernel[-1] * strides[0]))

    def _lines(self) -> int:
        is_pointwise = prod(self.sliding.kernel) == prod(self.sliding.strides) == 1
        return self.whole.lines(self._column_bytes(), is_pointwise=is_pointwise)

    def direct(self) -> Iterator[Panel]:
        """Take the data as they are for columns."""
        size, step = prod(self.sliding.sizes), self._lines() * self.whole.width
        columns = self.x.reshape(*self.x.shape[:3], size)
        target = self.result.reshape(*self.result.shape[:3], size)
        for sample in range(len(columns)):
            for start in range(0, size, step):
                part = index(sample, ..., slice(start, start + step))
                yield Panel(self.rows, columns[part], target[part])

    def gathered(self) -> Iterator[Panel]:
        """Gather the columns of some groups, and of some lines, at a time."""
        terms, lines = self.rows.shape[2], self._lines()
        channels = self.x.shape[2]
        staged = channels * self.sliding.stage_size(lines)
        gathered = terms * lines * self.whole.width
        panel_bytes = self._column_bytes() * lines * self.whole.width
        groups = max(1, min(len(self.rows), _PIECE // max(1, panel_bytes)))
        stage = self.workspace.array((groups * staged,), self.x.dtype)
        columns = self.workspace.array((groups * gathered,), self.x.dtype)
        product = None
        if self.whole.is_part:
            wanted = groups * self.whole.outs * lines * self.whole.width
            product = self.workspace.array((wanted,), self.x.dtype)
        for sample in range(len(self.x)):
            for group in range(0, len(self.rows), groups):
                some = slice(group, min(len(self.rows), group + groups))
                for start in range(0, self.whole.counts[0], lines):
                    stop = min(self.whole.counts[0], start + lines)
                    panel = self._panel(sample, some, range(start, stop), stage, columns, product)
                    if panel is not None:
                        yield panel

    def _panel(
        self,
        sample: int,
        groups: slice,
        lines: range,
        stage: Array,
        columns: Array,
        product: Array | None,
    ) -> Panel | None:
        first, counts = self.whole.starts[1], self.sliding.counts
        low, high = max(lines.start, first), min(lines.stop, first + counts[0])
        if low >= high:
            return None
        data, rows = self.x[sample, groups], self.rows[groups]
        shape = (len(rows), rows.shape[2], len(lines) * self.whole.width)
        seen = columns[: prod(shape)].reshape(shape)
        taps = seen.reshape(
            *data.shape[:2], *self.sliding.kernel, len(lines), *self.whole.counts[1:]
        )
        result = self.result[sample, groups]
        if product is None:
            gather = gathering(data, self.sliding, low, high - low, stage, taps)
            here = result.reshape(len(rows), rows.shape[1], -1)
            begin = lines.start * self.whole.width
            return Panel(rows, seen, here[..., begin : begin + shape[2]], gather)
        inside = index(
            ...,
            slice(low - lines.start, high - lines.start),
            *map(_from, self.whole.starts[2:], counts[1:]),
        )
        gather = gathering(data, self.sliding, low - first, high - low, stage, taps[inside])
        wide = product[: len(rows) * self.whole.outs * shape[2]].reshape(len(rows), -1, shape[2])
        blocks = wide.reshape(*wide.shape[:2], len(lines), *self.whole.counts[1:])
        outs = _from(self.whole.starts[0], rows.shape[1])
        wanted = blocks[(slice(None), outs, *inside[1:])]
        return Panel(
            _padded(rows, self.whole.outs, outs),
            seen,
            wide,
            gather,
            seen,
            (wanted, result[:, :, low - first : high - first]),
        )


def _from(start: int, size: int) -> slice:
    return slice(start, start + size)


def _padded(rows: Array, outs: int, part: slice) -> Array:
    """Place the rows among those of the whole layer."""
    if rows.shape[1] == outs:
        return rows
    padded = np.zeros((len(rows), outs, rows.shape[2]), rows.dtype)
    padded[:, part] = rows
    return padded


@kernel(*CONVS, *DEPTHWISE_CONVS)
def conv(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilation_dims: Ints,
    group: int = 0,
    out: Array | None = None,
    place: TilePlace | None = None,
) -> Array:
    """Convolve; channels of each group apart, without groups each channel."""
    groups = int(group) or x.shape[1]
    return convolve(x, weight, bias, stride_dims, dilation_dims, groups, out, place)


def convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    strides: Ints,
    dilations: Ints,
    group: int,
    out: Array | None = None,
    place: TilePlace | None = None,
) -> Array:
    """Convolve data ``[batch, channels, *spatial]``.

    Raise ShapeError when the weights have other channels than the data, or a kernel larger than
    these.
    """
    if weight.shape[1] * group != x.shape[1]:
        found = f"{list(x.shape)} and weights {list(weight.shape)}, {group} groups"
        raise ShapeError.at("input#0", "wrong number of channels", found=found)
    sliding = ConvWindow.of(x.shape[2:], weight.shape[2:], strides, dilations)
    total = accumulator(x.dtype)
    dims = (len(x), len(weight), *sliding.counts[: x.ndim - 2])
    is_fit = out is not None and out.dtype == total and out.flags.c_contiguous
    result = out if out is not None and is_fit else np.empty(dims, total)
    data, rows = np.ascontiguousarray(x, total), np.ascontiguousarray(weight, total)
    for panel in plan_panels(data, rows, result, sliding, group, Workspace(), place):
        panel.run()
    if bias is not None:
        result += bias.reshape(-1, *(1 for _ in x.shape[2:]))
    return result.astype(x.dtype, copy=False)


@kernel(*TRANSPOSED_CONVS)
def conv_transposed(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    stride_dims: Ints,
    dilation_dims: Ints,
    kernel_dims: Ints,
    output_padding: Ints,
    pads: Ints,
    group: int,
) -> Array:
    """Spread each element of the data over a window, weighted."""
    batch, channels, *sizes = x.shape
    rank = len(sizes)
    dtype, total = x.dtype, accumulator(x.dtype)
    outs, taps = weight.shape[1], weight.shape[2:]
    rows = weight.astype(total, copy=False).reshape(group, channels // group, outs * prod(taps))
    data = x.astype(total, copy=False).reshape(batch, group, channels // group, prod(sizes))
    products = np.empty((batch, group, outs * prod(taps), prod(sizes)), total)
    multiply(rows.swapaxes(1, 2), data, products)
    columns = products.reshape(batch, group * outs, *taps, *sizes)
    extra = tuple(output_padding) or (0,) * rank
    full = spread_sizes(sizes, taps, stride_dims, dilation_dims, extra)
    result = np.zeros((batch, group * outs, *full), total)
    for tap, places in tap_slices(taps, sizes, stride_dims, dilation_dims):
        result[index(..., *places)] += columns[index(slice(None), slice(None), *tap)]
    if any(pads):
        kept = (slice(pads[axis], full[axis] - pads[rank + axis]) for axis in range(rank))
        result = result[index(..., *kept)]
    if bias is not None:
        result += bias.reshape(-1, *(1 for _ in sizes))
    return np.ascontiguousarray(result, dtype)

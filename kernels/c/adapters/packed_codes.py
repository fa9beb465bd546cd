"""Calls of products of 8-bit numbers with weights in the order in which a target reads them.

What does not suit them, such as weights that are computed, gets the calls for all targets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.c.adapters import products, quantization, tflite
from aidge_nb.kernels.c.adapters.common import ints_of, with_steps
from aidge_nb.kernels.c.adapters.quantization import EIGHT_BITS, is_mixed
from aidge_nb.kernels.c.adapters.tflite_wide import ends_of, is_wide
from aidge_nb.kernels.c.calls import NULL, CCall, Constant, Fields, In, Out, Scratch, Site, c_kernel
from aidge_nb.kernels.cpu.quantization import tflite as tflite_codes

Codes = NDArray[np.int8]


@dataclass(frozen=True)
class Packing:
    """How convolutions of a target read weights: some rows side by side, a run of taps of each."""

    unit: str  # its functions are nb_<kind>_<the unit's last word>_<type>
    rows: int
    run: int
    order: tuple[int, ...] = ()  # of the taps of a run; as they are when empty
    is_channel_last: bool = False  # whether taps are [kernel][in channels]
    shift_u8: int = 0  # numbers of this type are taken as x + shift
    shift_i8: int = 0
    columns: int = 2  # places whose data are gathered at once
    item: int = 1  # bytes of a number that was gathered
    is_tight: bool = False  # whether the last rows lie close together, with zeros at the end
    depthwise: str = ""  # the unit for groups of one input channel, where it is another

    def unit_of(self, kind: str) -> str:
        """Return the unit that has a kind of function."""
        return (self.depthwise if kind == "depthwise" else "") or self.unit

    def name(self, kind: str, site: Site) -> str:
        """Return the name of a function for the type of the data."""
        suffix = "u8" if site.input(0).dtype is EIGHT_BITS[0] else "i8"
        return f"nb_{kind}_{self.unit.rpartition('_')[2]}_{suffix}"

    def depth(self, taps: int) -> int:
        """Return the taps of a row, up to a multiple of a run."""
        return taps + -taps % self.run

    def packed(self, weight: Codes, groups: int) -> Codes:
        """Arrange weights ``[out channels, in channels, *kernel]``, filled up with zeros.

        Examples
        --------
        >>> PAIRS.packed(np.arange(1, 6, dtype=np.int8).reshape(1, 5), 1).reshape(-1, 2, 4).tolist()
        [[[1, 3, 2, 4], [0, 0, 0, 0]], [[5, 0, 0, 0], [0, 0, 0, 0]]]
        """
        turned = np.moveaxis(weight, 1, -1) if self.is_channel_last else weight
        taps = turned.reshape(groups, len(weight) // groups, -1)
        more = [(0, 0), (0, -taps.shape[1] % self.rows), (0, -taps.shape[2] % self.run)]
        filled = np.pad(taps, more)
        high, deep = filled.shape[1] // self.rows, filled.shape[2] // self.run
        runs = filled.reshape(groups, high, self.rows, deep, self.run).transpose(0, 1, 3, 2, 4)
        ordered = runs[..., self.order] if self.order else runs
        last = taps.shape[1] % self.rows
        if not self.is_tight or not last:
            return np.ascontiguousarray(ordered).reshape(-1)
        zeros = np.zeros((self.rows - last) * self.run, np.int8)
        parts = (ordered[:, :-1], ordered[:, -1, :, :last], zeros)
        return np.concatenate([part.reshape(-1) for part in parts])

    def shift(self, site: Site) -> int:
        """Return what is added to a number before it is multiplied."""
        return self.shift_u8 if site.input(0).dtype is EIGHT_BITS[0] else self.shift_i8


PAIRS = Packing(
    "nb_conv_codes", rows=2, run=4, order=(0, 2, 1, 3), item=2, depthwise="nb_depthwise_codes"
)
SIXTEENS = Packing(
    "nb_conv_sixteen",
    rows=4,
    run=16,
    is_channel_last=True,
    shift_u8=-128,
    columns=8,
    depthwise="nb_depthwise_sixteen",
)
WIDE = Packing(
    "nb_conv_wide", rows=8, run=4, shift_i8=128, columns=48, depthwise="nb_depthwise_wide"
)
WIDE_PRODUCT = Packing("nb_product_wide", rows=16, run=4, shift_i8=128, columns=4, is_tight=True)
TARGETS = {
    None: WIDE,
    "cortex-m3": PAIRS,
    "cortex-m4": PAIRS,
    "cortex-m7": PAIRS,
    "cortex-m55": SIXTEENS,
}
_FARTHEST = 0xFFFF  # from the first column to the last one, in bytes, of nb_conv_sixteen


def _known(site: Site, *indices: int) -> bool:
    return all(index in site.constants for index in indices if site.has(index))


def _signed(site: Site, weight: int, zero: int, shape: tuple[int, ...]) -> Codes | None:
    """Return weights less their zero points, unless some do not fit 8 bits."""
    wide = site.constant(weight).astype(np.int32)
    if site.has(zero):
        zeros = site.constant(zero).astype(np.int32).reshape(-1)
        if zeros.size not in (1, wide.shape[shape.index(-1)]):
            return None
        wide = wide - zeros.reshape(shape if zeros.size > 1 else (1,) * wide.ndim)
    narrow = wide.astype(np.int8)
    return narrow if np.array_equal(narrow, wide) else None


def _parameters(
    site: Site,
    weights: Codes,
    codes: tuple[Codes, int],
    bias: int,
    factor: NDArray[np.float32],
    shift: int = 0,
) -> tuple[Constant, Constant, Constant]:
    """Return weights ``codes`` in place of an input, biases with the zero point in them, factors.

    ``weights`` are those of each output channel, ``bias`` is an input; ``shift`` is added to data.
    """
    outs = len(weights)
    zero = int(site.constant(2).reshape(-1)[0]) if site.has(2) else 0
    sums = weights.reshape(outs, -1).astype(np.int64).sum(axis=1)
    total = -(zero + shift) * sums
    if site.has(bias):
        total = total + site.constant(bias).reshape(-1)
    return (
        Constant("weight", codes[0], of=codes[1]),
        Constant("bias", total.astype(np.int32), of=bias if site.has(bias) else None),
        Constant("factor", np.array(np.broadcast_to(factor.reshape(-1), (outs,)), np.float32)),
    )


def _call(
    site: Site,
    kind: str,
    packing: Packing,
    fields: Fields,
    parameters: tuple[Constant, ...],
    zero: int,
    scratch: int,
) -> CCall:
    function = packing.name(kind, site)
    x_zero = In(2) if site.has(2) else NULL
    weight, bias, factor = parameters
    args = (In(0), weight, x_zero, bias, factor, In(zero), Out(0), Scratch())
    return CCall(function, packing.unit_of(kind), "nb_conv_config", fields, args, scratch)


def _factor(call: CCall) -> NDArray[np.float32]:
    """Return the factors of a call for all targets."""
    found = (each for each in call.args if isinstance(each, Constant) and each.name == "factor")
    return next(found).array


def _columns(packing: Packing, depth: int, *, is_product: bool = False) -> int:
    """Return the bytes of the columns of numbers that are gathered at once."""
    columns = 1 if is_product and packing is SIXTEENS else packing.columns
    return columns * packing.item * packing.depth(depth)


def _lines(packing: Packing, fields: Fields) -> int:
    """Return the bytes of the rows of a channel, and of its taps, as the headers say."""
    kernel, dilations, strides, out = (
        ints_of(fields[name]) for name in ("kernel", "dilations", "strides", "out_dims")
    )
    span = (kernel[1] - 1) * dilations[1] + 1
    if packing is SIXTEENS:
        return span * ((out[2] + 8) * strides[2] + kernel[2] * dilations[2])
    if packing is WIDE:
        return 2 * kernel[1] * ((out[2] + 16) * strides[2] + (kernel[2] - 1) * dilations[2] + 1)
    width = ((kernel[2] - 1) * dilations[2] + 2) // 2 * 2
    return 2 * (kernel[1] * width + span * ((out[2] + 2) * strides[2] + width))


def _as_a_row(fields: Fields) -> Fields:
    """Make one row of all places, where each result is computed from one place of its own."""
    ones = all(set(ints_of(fields[name])) == {1} for name in ("kernel", "strides"))
    if not ones or any(ints_of(fields["pads"])):
        return fields
    if fields["in_dims"] != fields["out_dims"]:
        return fields
    row = (1, 1, prod(ints_of(fields["in_dims"])))
    return with_steps({**fields, "in_dims": row, "out_dims": row, "dilations": (1, 1, 1)})


def q_linear_conv(site: Site, packing: Packing) -> CCall:
    """Convolve and quantize; scales must be known."""
    general = quantization.q_linear_conv(site)
    shape = (-1,) + (1,) * (len(site.input(3).dims) - 1)
    if is_mixed(site) or not _known(site, 2, 3, 5, 8):
        return general
    weights = _signed(site, 3, 5, shape)
    if weights is None or site.outputs[0].size == 0:
        return general
    fields, groups = general.fields, int(site.attrs.get("group", 1))
    factor = _factor(general)
    kernel, depth = site.input(3).dims[2:], prod(site.input(3).dims[1:])
    if site.input(3).dims[1] == 1 and len(kernel) <= 2:
        values = _parameters(site, weights, (weights.reshape(-1), 3), 8, factor)
        return _call(site, "depthwise", packing, fields, values, 7, _lines(packing, fields))
    fields = fields if packing is PAIRS else _as_a_row(fields)
    if packing is SIXTEENS and 7 * packing.depth(depth) > _FARTHEST:
        packing = PAIRS
    codes = packing.packed(weights, groups), 3
    values = _parameters(site, weights, codes, 8, factor, packing.shift(site))
    scratch = _columns(packing, depth)
    return _call(site, "conv", packing, fields, values, 7, scratch)


def _line_fields(batch: int, columns: int, depth: int) -> Fields:
    """Describe products of lines as convolutions of images of one pixel."""
    ones = dict.fromkeys(("in_dims", "out_dims", "kernel", "strides", "dilations"), (1, 1, 1))
    fields: Fields = {
        "batch": batch,
        "groups": 1,
        "in_channels": depth,
        "out_channels": columns,
        **ones,
        "pads": (0, 0, 0),
    }
    return with_steps(fields)


def _fully_connected(
    site: Site, packing: Packing, general: CCall, bias: int, zero: int, *, transposed: bool
) -> CCall:
    """Multiply rows by a matrix that is known; ``general`` is the call for all targets."""
    fields = general.fields
    by_column = not any(fields[name] for name in ("bias_row", "factor_row", "a_zero_step"))
    dims = site.input(3).dims
    if is_mixed(site) or not _known(site, 2, 3, 5, bias) or len(dims) != 2 or not by_column:
        return general
    columns, depth = dims if transposed else dims[::-1]
    weights = _signed(site, 3, 5, (-1, 1) if transposed else (1, -1))
    if weights is None or fields["a_depth"] != 1 or not site.outputs[0].size or not depth:
        return general
    rows = weights if transposed else np.ascontiguousarray(weights.T)
    shape = _line_fields(site.outputs[0].size // columns, columns, depth)
    kind = "conv"
    if packing is WIDE:
        kind, packing = "product", WIDE_PRODUCT
    codes = packing.packed(rows, 1), 3
    values = _parameters(site, rows, codes, bias, _factor(general), packing.shift(site))
    scratch = _columns(packing, depth, is_product=True)
    return _call(site, kind, packing, shape, values, zero, scratch)


def q_linear_mat_mul(site: Site, packing: Packing) -> CCall:
    """Multiply matrices and quantize; scales must be known."""
    general = products.q_linear_mat_mul(site)
    return _fully_connected(site, packing, general, len(site.inputs), 7, transposed=False)


def q_gemm(site: Site, packing: Packing) -> CCall:
    """Multiply matrices, add a bias, and quantize; scales must be known."""
    general = products.q_gemm(site)
    if not site.has(7) or site.attrs.get("transA", 0):
        return general
    transposed = bool(site.attrs.get("transB", 0))
    return _fully_connected(site, packing, general, 6, 8, transposed=transposed)


def _fixed(
    site: Site,
    packing: Packing,
    fields: Fields,
    weights: Codes,
    at: tuple[int, int, int],
    groups: int = 1,
    name: str = "conv",
) -> CCall:
    """Call a kernel that rescales by whole numbers; ``at`` are y's zero, its scale and the bias."""
    zero, scale, bias = at
    outs, depth = len(weights), weights[0].size
    if name == "depthwise":
        codes, room = weights.reshape(-1), _lines(packing, fields)
    else:
        if packing is SIXTEENS and 7 * packing.depth(depth) > _FARTHEST:
            packing = PAIRS
        fields = fields if packing is PAIRS else _as_a_row(fields)
        codes, room = packing.packed(weights, groups), _columns(packing, depth)
    pairs = tflite_codes.factors(site.constant(1), site.constant(4), site.constant(scale))
    by = np.array(np.broadcast_to(pairs, (outs, 2)))
    ends = [tflite_codes.whole(site.constant(zero)), *ends_of(site)]
    weight, offsets, _ = _parameters(site, weights, (codes, 3), bias, np.zeros(1, np.float32))
    args = (
        *(In(0), weight, In(2) if site.has(2) else NULL, offsets, Constant("by", by)),
        *(Constant("ends", np.asarray(ends, np.int32)), Out(0), Scratch()),
    )
    unit = packing.unit_of(name)
    return CCall(f"{unit}_fixed", unit, "nb_conv_config", fields, args, room)


def tflite_conv(site: Site, packing: Packing) -> CCall:
    """Convolve codes, and rescale as TensorFlow Lite does."""
    general = tflite.conv(site)
    if is_wide(site) or not _known(site, 2, 3, 5, 8) or site.outputs[0].size == 0:
        return general
    dims = site.input(3).dims
    weights = _signed(site, 3, 5, (-1,) + (1,) * (len(dims) - 1))
    if weights is None:
        return general
    fields, at = general.fields, (7, 6, 8)
    if dims[1] == 1 and len(dims) <= 4:
        return _fixed(site, packing, fields, weights, at, name="depthwise")
    return _fixed(site, packing, fields, weights, at, int(site.attrs.get("group", 1)))


def tflite_gemm(site: Site, packing: Packing) -> CCall:
    """Multiply matrices of codes, and rescale as TensorFlow Lite does."""
    general = tflite.gemm(site)
    if is_wide(site) or not _known(site, 2, 3, 5, 6) or not site.outputs[0].size:
        return general
    weights = _signed(site, 3, 5, (-1, 1))
    if weights is None or not weights.size:
        return general
    fields = _line_fields(site.outputs[0].size // len(weights), *weights.shape)
    return _fixed(site, packing, fields, weights, (8, 7, 6))


def _bound(adapter: Callable[[Site, Packing], CCall], packing: Packing) -> Callable[[Site], CCall]:
    return lambda site: adapter(site, packing)


for _target, _packing in TARGETS.items():
    c_kernel("QLinearConv", target=_target)(_bound(q_linear_conv, _packing))
    c_kernel("QLinearMatMul", target=_target)(_bound(q_linear_mat_mul, _packing))
    c_kernel("com.microsoft.QGemm", target=_target)(_bound(q_gemm, _packing))
    if _target is not None:
        c_kernel("tflite.QLinearConv", target=_target)(_bound(tflite_conv, _packing))
        c_kernel("tflite.QGemm", target=_target)(_bound(tflite_gemm, _packing))

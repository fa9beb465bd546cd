"""Conversions of element types that NumPy has not: Cast, CastLike, BitCast."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.formats import FLOATS, INTEGERS, TYPES, decoded, fitted, holder
from aidge_nb.kernels.standard import NodeContext, standard


@standard("Cast")
def cast(x: Array, *, to: int, saturate: int = 1, round_mode: str = "up") -> Array:
    """Convert the elements."""
    return _converted(x, TYPES[to], bool(saturate), round_mode)


@standard("CastLike")
def cast_like(
    x: Array, target: Array, *, saturate: int = 1, round_mode: str = "up", site: NodeContext
) -> Array:
    """Convert the elements to the type of another tensor."""
    kind = site.input_type(1) or target.dtype.name
    return _converted(x, kind, bool(saturate), round_mode)


def _converted(x: Array, kind: str, saturate: bool, round_mode: str) -> Array:
    if x.dtype == object and kind != "string":
        x = np.array([float(text) for text in x.flat]).reshape(x.shape)
    if kind == "string":
        return np.array([_text(value) for value in x.flat], object).reshape(x.shape)
    return fitted(x, kind, saturate=saturate, round_mode=round_mode)


def _text(value: object) -> str:
    """Spell a number as ONNX Runtime does: with eight digits."""
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if not isinstance(value, (float, np.floating)):
        return str(value)
    if np.isnan(value):
        return "NaN"
    return f"{float(value):.8g}" if np.isfinite(value) else "INF" if value > 0 else "-INF"


@standard("BitCast")
def bit_cast(x: Array, *, to: int, site: NodeContext) -> Array:
    """Read the same bits as elements of another type of the same size."""
    source, target = site.input_type(0) or x.dtype.name, TYPES[to]
    bits = _encoded(x, source)
    if target in INTEGERS and INTEGERS[target][2] < 8:
        return fitted(bits, target)
    if target == "bfloat16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    if target in FLOATS:
        return decoded(bits, _eight_bits(target), bits.size, apart=True)
    if target == "bool":
        return bits.view(np.bool_)
    return bits.view(holder(target))


def _encoded(x: Array, kind: str) -> Array:
    """Return the bits of elements, as unsigned integers."""
    x = np.array(x, order="C")
    if kind == "bfloat16":
        return (x.view(np.uint32) >> 16).astype(np.uint16)
    if kind in INTEGERS and INTEGERS[kind][2] < 8:
        return x.astype(np.uint8) & ((1 << INTEGERS[kind][2]) - 1)
    if kind in FLOATS:
        table = decoded(np.arange(256, dtype=np.uint8), _eight_bits(kind), 256, apart=True)
        lookup = {value.tobytes(): code for code, value in enumerate(table)}
        codes = [lookup[value.tobytes()] for value in x.reshape(-1)]
        return np.array(codes, np.uint8).reshape(x.shape)
    return x.view(f"u{x.dtype.itemsize}")


def _eight_bits(kind: str) -> str:
    """Return the name of an 8-bit format; raise ShapeError for one whose bits are not read."""
    if not kind.startswith("float8") or kind == "float8e8m0":
        raise ShapeError.at("", "cannot read the bits of such elements", found=kind)
    return kind


@standard("Dropout")
def dropout(
    x: Array,
    rate: Array | None,
    training: Array | None,
    *,
    ratio: float = 0.5,
    seed: int | None = None,
    is_test: int = 1,
    site: NodeContext,
) -> tuple[Array, ...]:
    """Return the data unchanged and the mask: all kept, or all zeros below opset 12.

    Below opset 10 the mask has the type of the data. In training, elements are left out with the
    probability ``rate`` and the others made larger, as the standard has it since opset 12.
    """
    if training is None or not training:
        mask = np.full(x.shape, site.opset >= 12)
        return x.copy(), mask if site.opset >= 10 else mask.astype(x.dtype)
    drop = ratio if rate is None else float(rate)
    kept = np.random.default_rng(seed).random(x.shape) >= drop
    return (x * kept / (1 - drop)).astype(x.dtype), kept

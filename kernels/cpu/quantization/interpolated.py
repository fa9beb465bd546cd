"""Functions of 16-bit codes as TensorFlow Lite computes them: between the entries of a table.

The sigmoid and the hyperbolic tangent share one table, exp and 1 / (1 + x) of a softmax have one
of 513 entries each.

Source: https://github.com/tensorflow/tflite-micro (tensorflow/lite/kernels/internal)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.fixed_point import multiplier_of, rescaled

F = np.float32


@cache
def sigmoid_table() -> Array:
    """Return the sigmoid at 0, 1/24, 2/24 …, as fractions of 65536.

    Each entry is raised by half of what a line to the next one is too low in its middle.

    Examples
    --------
    >>> sigmoid_table()[:3].tolist()
    [32768, 33451, 34133]
    """
    half = 65536 / (1 + np.exp(-np.arange(513) / 48))
    here, middle, following = half[:-1:2], half[1::2], half[2::2]
    entries = np.floor(here + (middle - (here + following) / 2) / 2 + 0.5).astype(np.uint16)
    entries[-1] = 65535
    return entries


def curve_factor(scale: float, shifts: tuple[int, ...]) -> tuple[int, int]:
    """Return the factor and the shift that turn codes into places of the table.

    Scales 2^-12 times a power of two of ``shifts`` are exact.
    """
    logarithm = F(F(math.log(F(scale))) * F(F(1) / F(math.log(F(2)))))
    whole = math.floor(abs(logarithm) + 0.5) * (1 if logarithm >= 0 else -1)
    if abs(logarithm - whole) < 1e-3 and whole + 12 in shifts:
        return 3 << (whole + 12), 0
    multiplier, shift = float(scale) * 4096 * 3, 0
    while multiplier <= 32767 / 2 and shift <= 30:
        multiplier, shift = multiplier * 2, shift + 1
    return int(multiplier), shift


def _places(x: Array, factor: tuple[int, int]) -> Array:
    multiplier, shift = factor
    half = 1 << (shift - 1) if shift else 0
    return np.asarray((x.astype(np.int64) * multiplier + half) >> shift)


def _between(size: Array, bits: int) -> Array:
    table = sigmoid_table().astype(np.int64)
    entry = np.minimum(size >> bits, 254)
    low, high = table[entry], table[entry + 1]
    return np.asarray((low << bits) + (size & ((1 << bits) - 1)) * (high - low))


def sigmoid_of_16_bits(x: Array, factor: tuple[int, int]) -> Array:
    """Return 1 / (1 + exp(-x)) of codes, as fractions of 32768."""
    place = _places(x, factor)
    size = np.abs(place)
    found = np.where(size >> 9 >= 255, 0x7FFF << 10, _between(size, 9))
    mirrored = np.where(place >= 0, found + (1 << 9), (1 << 25) - found + (1 << 9) - 1)
    return np.asarray((mirrored >> 10).astype(np.int16))


def tangent_of_16_bits(x: Array, factor: tuple[int, int]) -> Array:
    """Return tanh(x) of codes, as fractions of 32768."""
    place = _places(x, factor)
    size = np.abs(place)
    found = np.where(size >> 8 >= 255, 0xFFFF << 8, _between(size, 8)) - (1 << 23)
    signed = np.where(place >= 0, found + (1 << 7), -found + (1 << 7) - 1)
    return np.asarray((signed >> 8).astype(np.int16))


def _away(x: Array) -> Array:
    return np.asarray(np.copysign(np.floor(np.abs(x) + F(0.5)), x), F)


def _table(function: Callable[[Array], Array], first: F, last: F) -> Array:
    """Return 513 entries of a function whose results are fractions of 32768, in float32.

    Each is moved by half of the error in the middle up to the next.
    """
    step = F((last - first) / F(512))
    starts = np.arange(512).astype(F) * step
    here, half = function(first + starts), function(first + starts + F(step / F(2)))
    following = function(first + np.arange(1, 513).astype(F) * step)
    unit = F(F(2) / F(65535))
    by = F(F(65536) / (unit * F(32767) - unit * F(-32768)))
    middle = _away((following * by + _away(here * by)) / F(2)) - _away(half * by)
    ends = _away(function(np.asarray([last], F)) * by)
    whole = np.concatenate([_away(here * by) - _away(middle / F(2)), ends])
    return np.asarray(np.clip(whole, -32768, 32767).astype(np.int16))


def _rounded_exp(x: Array) -> Array:
    return np.asarray(np.exp(x.astype(np.float64)).astype(F))


@cache
def softmax_tables() -> Array:
    """Return the tables of exp on [-10, 0] and of 1 / (1 + x) on [0, 1], 513 entries each."""
    step = F(F(10) / F(65535))
    powers = _table(_rounded_exp, F(step * F(-65535)), F(0))
    shares = _table(lambda x: np.asarray(F(1) / (F(1) + x), F), F(0), F(F(1) / F(65535) * F(65535)))
    return np.concatenate([powers, shares])


def looked_up(x: Array, table: Array) -> Array:
    """Return values between the entries of a table of 513 for codes of 16 bits."""
    entry = 256 + (x >> 7)
    low, high = table[entry].astype(np.int64), table[entry + 1].astype(np.int64)
    return np.asarray(low + (((high - low) * (x & 127) + 64) >> 7))


def softmax_factor(scale: float, beta: float) -> tuple[int, int]:
    """Return the factor that makes 65535 of a difference of 10."""
    return multiplier_of(scale * beta / (10 / 65535))


def softmax_of_16_bits(x: Array, scale: float, beta: float) -> Array:
    """Return the softmax along the last axis, as fractions of 32768."""
    tables = softmax_tables()
    differences = x.astype(np.int64) - x.max(-1, keepdims=True)
    places = rescaled(differences, *softmax_factor(scale, beta)) + 32767
    powers = looked_up(np.clip(places, -32768, 32767), tables[:513])
    total = powers.sum(-1, keepdims=True)
    length = np.frexp(total.astype(np.float64))[1].astype(np.int64)
    upper = ((total << (31 - length)) + (1 << 13)) >> 14
    shares = looked_up(np.clip(upper - (2**15 + 2**16), -32768, 32767), tables[513:])
    places_behind = length - 1
    result = (powers * shares + (np.int64(1) << (places_behind - 1))) >> places_behind
    return np.asarray(np.clip(result, 0, 32767).astype(np.int16))

"""Activations of several steps, one block at a time (:mod:`~aidge_nb.kernels.cpu.common.blocks`).

Each writes its result last, which may go where the data lie.
"""

from __future__ import annotations

import math

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.erf import erf_of_block


def sigmoid_of_block(x: Array, out: Array) -> None:
    """Return 1 / (1 + exp(-x)); where exp overflows, that is 0."""
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    np.divide(1, out, out=out)


def swish_of_block(alpha: float, x: Array, out: Array, spare: Array) -> None:
    """Return x / (1 + exp(-``alpha`` x))."""
    np.multiply(x, alpha, out=spare)
    sigmoid_of_block(spare, spare)
    np.multiply(spare, x, out=out)


def hard_sigmoid_of_block(alpha: float, beta: float, x: Array, out: Array) -> None:
    """Return ``alpha`` x + ``beta``, kept between 0 and 1."""
    np.multiply(x, alpha, out=out)
    np.add(out, beta, out=out)
    np.clip(out, 0, 1, out=out)


def hard_swish_of_block(alpha: float, beta: float, x: Array, out: Array, spare: Array) -> None:
    """Return x times HardSigmoid of x."""
    hard_sigmoid_of_block(alpha, beta, x, spare)
    np.multiply(spare, x, out=out)


def leaky_relu_of_block(slope: float, x: Array, out: Array, spare: Array) -> None:
    """Return the larger of x and ``slope`` x, with a slope between 0 and 1."""
    np.multiply(x, slope, out=spare)
    np.maximum(x, spare, out=out)


def gelu_of_block(x: Array, out: Array, inner: Array, square: Array, value: Array) -> None:
    """Return x times the normal distribution function of x."""
    np.multiply(x, math.sqrt(0.5), out=inner)
    erf_of_block(inner, inner, square, value)
    _half_of_product(x, inner, out)


def tanh_gelu_of_block(x: Array, out: Array, inner: Array) -> None:
    """Return an approximation of Gelu."""
    np.multiply(x, x, out=inner)
    np.multiply(inner, 0.044715, out=inner)
    np.add(inner, 1, out=inner)
    np.multiply(inner, x, out=inner)
    np.multiply(inner, math.sqrt(2 / math.pi), out=inner)
    np.tanh(inner, out=inner)
    _half_of_product(x, inner, out)


def _half_of_product(x: Array, inner: Array, out: Array) -> None:
    np.add(inner, 1, out=inner)
    np.multiply(inner, x, out=inner)
    np.multiply(inner, 0.5, out=out)

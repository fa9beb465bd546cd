"""Functions of recurrent layers, their slopes, and the parameters that ONNX gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array

_FUNCTIONS: dict[str, Callable[[Array, float, float], Array]] = {
    "relu": lambda x, a, b: np.maximum(x, 0),
    "tanh": lambda x, a, b: np.tanh(x),
    "sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "thresholdedrelu": lambda x, a, b: np.where(x > a, x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "softplus": lambda x, a, b: np.logaddexp(0, x),
}
_SLOPES: dict[str, Callable[[Array, Array, float, float], Array]] = {
    "relu": lambda x, y, a, b: x > 0,
    "tanh": lambda x, y, a, b: 1 - y * y,
    "sigmoid": lambda x, y, a, b: y * (1 - y),
    "affine": lambda x, y, a, b: np.full_like(x, a),
    "leakyrelu": lambda x, y, a, b: np.where(x < 0, a, 1),
    "thresholdedrelu": lambda x, y, a, b: x > a,
    "scaledtanh": lambda x, y, a, b: a * b * (1 - np.tanh(b * x) ** 2),
    "hardsigmoid": lambda x, y, a, b: a * ((y > 0) & (y < 1)),
    "elu": lambda x, y, a, b: np.where(x < 0, a * np.exp(np.minimum(x, 0)), 1),
    "softsign": lambda x, y, a, b: 1 / (1 + np.abs(x)) ** 2,
    "softplus": lambda x, y, a, b: 1 / (1 + np.exp(-x)),
}
"""Slope of each function, from its input, its result, alpha and beta."""

_ALPHAS = {
    "affine": 1.0,
    "leakyrelu": 0.01,
    "thresholdedrelu": 1.0,
    "scaledtanh": 1.0,
    "hardsigmoid": 0.2,
    "elu": 1.0,
}
_BETAS = {"affine": 0.0, "scaledtanh": 1.0, "hardsigmoid": 0.5}


@dataclass(frozen=True)
class Activation:
    """A function, its parameters, and the limit to which its input is clipped (0: none)."""

    name: str
    alpha: float
    beta: float
    clip: float

    def _clipped(self, x: Array) -> Array:
        return np.asarray(np.clip(x, -self.clip, self.clip)) if self.clip else x

    def __call__(self, x: Array) -> Array:
        """Return the value of the function."""
        return np.asarray(_FUNCTIONS[self.name](self._clipped(x), self.alpha, self.beta))

    def slope(self, x: Array) -> Array:
        """Return the slope of the function; 0 where the input is clipped."""
        inside = self._clipped(x)
        slope = np.asarray(_SLOPES[self.name](inside, self(x), self.alpha, self.beta), x.dtype)
        return np.where(inside == x, slope, 0)


def activations_of(
    names: Sequence[str],
    usual: Sequence[str],
    directions: int,
    alphas: Sequence[float],
    betas: Sequence[float],
    clip: float,
) -> list[list[Activation]]:
    """Return the functions of each direction; alphas and betas go to those that take them.

    Inputs of gates are clipped; that of the cell of an LSTM is not, as in ONNX Runtime. Raise
    ShapeError when there are too few functions, or one is unknown.
    """
    wanted = [name.lower() for name in names or list(usual) * directions]
    count = len(usual)
    if len(wanted) != count * directions:
        expected = count * directions
        raise ShapeError.at("", "too few activations", expected=expected, found=len(wanted))
    left, right = iter(alphas), iter(betas)
    functions: list[Activation] = []
    for name in wanted:
        if name not in _FUNCTIONS:
            raise ShapeError.at("", "unknown activation", found=name)
        a = next(left, _ALPHAS[name]) if name in _ALPHAS else 0.0
        b = next(right, _BETAS[name]) if name in _BETAS else 0.0
        of_cell = len(functions) % count == 2
        functions.append(Activation(name, a, b, 0.0 if of_cell else clip))
    return [functions[i * count : (i + 1) * count] for i in range(directions)]

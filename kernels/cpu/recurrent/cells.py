"""Cells of recurrent layers: one step forward, and back through it.

Source: S. Hochreiter and J. Schmidhuber, Long Short-Term Memory, 1997; K. Cho and others, Learning
Phrase Representations using RNN Encoder-Decoder, 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.recurrent.activations import Activation

Arrays = list[Array]


@dataclass
class Cell:
    """One direction of a layer: its weights, and their gradients as they add up."""

    usual: ClassVar[tuple[str, ...]]  # names of the activations of this kind of cell
    nb_states: ClassVar[int] = 1

    r: Array  # weights of the state
    bias: Array  # those of the data, then those of the state
    functions: Sequence[Activation]
    peep: Array | None = None  # weights of the peepholes of an LSTM
    variant: bool = False  # linear_before_reset of a GRU, input_forget of an LSTM
    to_r: Array = field(init=False)
    to_bias: Array = field(init=False)
    to_peep: Array = field(init=False)

    def __post_init__(self) -> None:
        self.to_r, self.to_bias = np.zeros_like(self.r), np.zeros_like(self.bias)
        self.to_peep = np.zeros(3 * self.hidden, self.r.dtype)

    @property
    def hidden(self) -> int:
        """Size of the state."""
        return int(self.r.shape[1])

    def of_data(self, x: Array, w: Array) -> Array:
        """Return W x of all steps at once."""
        return np.asarray(x @ w.T)

    def of_state(self, h: Array) -> Array:
        """Return R h."""
        return np.asarray(h @ self.r.T)

    def there(self, seen: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """Return the next states and what the backward pass needs; ``seen`` is W x."""
        raise NotImplementedError

    def back(self, grads: Arrays, states: Arrays, kept: Arrays) -> tuple[Array, Arrays]:
        """Return the gradients of ``seen`` and of the previous states."""
        raise NotImplementedError


@dataclass
class SimpleCell(Cell):
    """Compute h' = f(W x + R h + biases)."""

    usual = ("tanh",)

    def there(self, seen: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """Take one step."""
        both = self.bias[: self.hidden] + self.bias[self.hidden :]
        inner = np.asarray(seen + self.of_state(states[0]) + both)
        return [self.functions[0](inner)], [inner]

    def back(self, grads: Arrays, states: Arrays, kept: Arrays) -> tuple[Array, Arrays]:
        """Go back through one step."""
        inner = np.asarray(grads[0] * self.functions[0].slope(kept[0]))
        self.to_r += inner.T @ states[0]
        self.to_bias += np.tile(inner.sum(axis=0), 2)
        return inner, [inner @ self.r]


@dataclass
class GatedCell(Cell):
    """Compute h' = (1 - z) ⊙ g(...) + z ⊙ h, with gates z and r."""

    usual = ("sigmoid", "tanh")

    def there(self, seen: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """Take one step."""
        (h,), size = states, self.hidden
        f, g = self.functions
        own, other = self.bias[: 3 * size], self.bias[3 * size :]
        seen = seen + own
        gates = np.asarray(seen[:, : 2 * size] + h @ self.r[: 2 * size].T + other[: 2 * size])
        update, reset = np.split(f(gates), 2, 1)
        last, added = self.r[2 * size :], other[2 * size :]
        inner = h @ last.T + added if self.variant else h
        past = reset * inner if self.variant else (reset * h) @ last.T + added
        candidate = np.asarray(seen[:, 2 * size :] + past)
        new = g(candidate)
        return [(1 - update) * new + update * h], [gates, update, reset, inner, candidate, new]

    def back(self, grads: Arrays, states: Arrays, kept: Arrays) -> tuple[Array, Arrays]:
        """Go back through one step."""
        (dy,), (h,), size = grads, states, self.hidden
        gates, update, reset, inner, candidate, new = kept
        f, g = self.functions
        rows, last = slice(2 * size), slice(2 * size, None)
        to_candidate = np.asarray(dy * (1 - update) * g.slope(candidate))
        if self.variant:
            to_product, before = to_candidate * reset, h
            to_reset = to_candidate * inner
            to_h = to_product @ self.r[last]
        else:
            to_product, before = to_candidate, reset * h
            through = to_candidate @ self.r[last]
            to_reset, to_h = through * h, through * reset
        self.to_r[last] += to_product.T @ before
        both = np.concatenate([dy * (h - new), to_reset], axis=1) * f.slope(gates)
        self.to_r[rows] += both.T @ h
        seen = np.concatenate([both, to_candidate], axis=1)
        other = np.concatenate([both, to_product], axis=1)
        self.to_bias += np.concatenate([seen.sum(axis=0), other.sum(axis=0)])
        return seen, [dy * update + to_h + both @ self.r[rows]]


@dataclass
class LongCell(Cell):
    """Compute c' = f ⊙ c + i ⊙ g(...), h' = o ⊙ h(c'), with gates i, o, f that may peep at c."""

    usual = ("sigmoid", "tanh", "tanh")
    nb_states = 2

    def _peeps(self) -> Arrays:
        if self.peep is None:
            return [np.zeros((), self.r.dtype)] * 3
        return np.split(self.peep, 3)

    def there(self, seen: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """Take one step."""
        h, c = states
        f, g, out = self.functions
        peep_i, peep_o, peep_f = self._peeps()
        added = self.bias[: 4 * self.hidden] + self.bias[4 * self.hidden :]
        i, o, forget, candidate = np.split(seen + self.of_state(h) + added, 4, 1)
        i = np.asarray(i + peep_i * c)
        forget = np.asarray(forget + peep_f * c)
        let_in = f(i)
        keep = 1 - let_in if self.variant else f(forget)
        memory = np.asarray(keep * c + let_in * g(candidate))
        o = np.asarray(o + peep_o * memory)
        return [f(o) * out(memory), memory], [i, o, forget, candidate, memory]

    def back(self, grads: Arrays, states: Arrays, kept: Arrays) -> tuple[Array, Arrays]:
        """Go back through one step."""
        (to_h, to_memory), (h, c) = grads, states
        i, o, forget, candidate, memory = kept
        f, g, out = self.functions
        peep_i, peep_o, peep_f = self._peeps()
        to_o = np.asarray(to_h * out(memory) * f.slope(o))
        total = to_memory + to_h * f(o) * out.slope(memory) + to_o * peep_o
        let_in = f(i)
        keep = 1 - let_in if self.variant else f(forget)
        to_keep, to_let_in = total * c, total * g(candidate)
        if self.variant:
            to_let_in, to_forget = to_let_in - to_keep, np.zeros_like(to_keep)
        else:
            to_forget = np.asarray(to_keep * f.slope(forget))
        to_i = np.asarray(to_let_in * f.slope(i))
        to_candidate = total * let_in * g.slope(candidate)
        parts = (to_i * c, to_o * memory, to_forget * c)
        self.to_peep += np.concatenate([part.sum(axis=0) for part in parts])
        seen = np.concatenate([to_i, to_o, to_forget, to_candidate], axis=1)
        self.to_r += seen.T @ h
        self.to_bias += np.tile(seen.sum(axis=0), 2)
        return seen, [seen @ self.r, total * keep + to_i * peep_i + to_forget * peep_f]

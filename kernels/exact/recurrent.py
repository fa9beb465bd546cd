"""Recurrent layers of ONNX, step after step.

What a gate adds up starts at the sum of its two biases; then come the products of the data, then
those of the state. The usual activations alone have an exact arithmetic; all sequences of a batch
are of full length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.exponential import sigmoid, tanh
from aidge_nb.kernels.exact.functions.floats import F, float32
from aidge_nb.kernels.exact.linear import multiplied

Step = Callable[[Array, int, list[Array]], list[Array]]

_USUAL = {"RNN": ("tanh",), "GRU": ("sigmoid", "tanh"), "LSTM": ("sigmoid", "tanh", "tanh")}


def usual(kind: str, lengths: object, attributes: Mapping[str, Any]) -> bool:
    """Return whether a layer is one that the exact arithmetic has; for RNN also with ReLU."""
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    names = attributes.get("activations", ())
    wanted = tuple(name.lower() for name in names) or _USUAL[kind] * directions
    known = [_USUAL[kind] * directions]
    if kind == "RNN":
        known.append(("relu",) * directions)
    unusual = any(attributes.get(name) for name in ("clip", "layout", "input_forget"))
    return wanted in known and not unusual and lengths is None


def _check(kind: str, lengths: object, attributes: Mapping[str, Any]) -> None:
    if not usual(kind, lengths, attributes):
        raise ShapeError(
            explain(
                kind,
                "this variant has no exact arithmetic",
                expected=f"{', '.join(_USUAL[kind])}, no clip, layout 0, sequences of full length",
                cure='Run it on backend "cpu".',
            )
        )


def _followed(
    x: Array,
    attributes: Mapping[str, Any],
    hidden: int,
    firsts: Sequence[Array | None],
    step: Step,
) -> tuple[Array, ...]:
    """Follow all sequences in each direction; give all results and the last states."""
    steps, batch = x.shape[:2]
    direction = attributes.get("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    result = np.zeros((steps, count, batch, hidden), F)
    lasts = [np.zeros((count, batch, hidden), F) for _ in firsts]
    for index in range(count):
        states = [np.zeros((batch, hidden), F) if s is None else float32(s[index]) for s in firsts]
        turns = range(steps)
        for turn in reversed(turns) if direction == "reverse" or index else turns:
            states = step(x[turn], index, states)
            result[turn, index] = states[0]
        for last, state in zip(lasts, states, strict=True):
            last[index] = state
    return (result, *lasts)


def _biases(b: Array | None, index: int, size: int) -> tuple[Array, Array]:
    """Return the biases of the data and of the state."""
    if b is None:
        return np.zeros(size, F), np.zeros(size, F)
    both = float32(b[index])
    return both[:size], both[size:]


def rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    **attributes: Any,
) -> tuple[Array, ...]:
    """Run h' = f(W x + R h + biases)."""
    _check("RNN", lengths, attributes)
    hidden = r.shape[2]
    is_relu = [*attributes.get("activations", ()), ""][0].lower() == "relu"

    def step(seen: Array, index: int, states: list[Array]) -> list[Array]:
        data, state = _biases(b, index, hidden)
        total = multiplied(seen, float32(w[index]).T, data + state)
        total = multiplied(states[0], float32(r[index]).T, total)
        return [np.where(total < 0, F(0), total) if is_relu else tanh(total)]

    return _followed(float32(x), attributes, hidden, [initial_h], step)


def gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    **attributes: Any,
) -> tuple[Array, ...]:
    """Run h' = (1 - z) ⊙ tanh(...) + z ⊙ h, with gates z and r."""
    _check("GRU", lengths, attributes)
    hidden = r.shape[2]
    gates, rest = slice(2 * hidden), slice(2 * hidden, None)

    def step(seen: Array, index: int, states: list[Array]) -> list[Array]:
        (h,) = states
        of_data, of_state = float32(w[index]), float32(r[index])
        data, state = _biases(b, index, 3 * hidden)
        total = multiplied(seen, of_data[gates].T, data[gates] + state[gates])
        both = sigmoid(multiplied(h, of_state[gates].T, total))
        update, reset = both[:, :hidden], both[:, hidden:]
        if attributes.get("linear_before_reset"):
            fresh = multiplied(seen, of_data[rest].T, data[rest])
            total = fresh + reset * multiplied(h, of_state[rest].T, state[rest])
        else:
            total = multiplied(seen, of_data[rest].T, data[rest] + state[rest])
            total = multiplied(reset * h, of_state[rest].T, total)
        return [np.asarray((F(1) - update) * tanh(total) + update * h)]

    return _followed(float32(x), attributes, hidden, [initial_h], step)


def lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    p: Array | None,
    **attributes: Any,
) -> tuple[Array, ...]:
    """Run c' = f ⊙ c + i ⊙ tanh(...), h' = o ⊙ tanh(c'), with gates i, o, f."""
    _check("LSTM", lengths, attributes)
    hidden = r.shape[2]

    def step(seen: Array, index: int, states: list[Array]) -> list[Array]:
        h, c = states
        data, state = _biases(b, index, 4 * hidden)
        total = multiplied(seen, float32(w[index]).T, data + state)
        total = multiplied(h, float32(r[index]).T, total)
        let_in, let_out, keep, candidate = np.split(total, 4, 1)
        if p is not None:
            peep_in, peep_out, peep_keep = np.split(float32(p[index]), 3)
            let_in, keep = let_in + peep_in * c, keep + peep_keep * c
        memory = np.asarray(sigmoid(keep) * c + sigmoid(let_in) * tanh(candidate))
        if p is not None:
            let_out = let_out + peep_out * memory
        return [np.asarray(sigmoid(let_out) * tanh(memory)), memory]

    return _followed(float32(x), attributes, hidden, [initial_h, initial_c], step)

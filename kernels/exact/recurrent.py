"""Recurrent layers of ONNX, step after step.

What a gate adds up starts at the sum of its two biases; then come the products of the data, then
those of the state. The usual activations alone have an exact arithmetic; all sequences of a batch
are of full length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.microsoft import dynamic_quantize_mat_mul
from aidge_nb.kernels.exact.functions.exponential import sigmoid, tanh
from aidge_nb.kernels.exact.functions.floats import F, float32
from aidge_nb.kernels.exact.linear import multiplied

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


@dataclass(frozen=True, eq=False)
class _Cell:
    """One direction of a layer: its weights as matrices to multiply by, and its biases."""

    of_data: Array  # [inputs, gates × hidden]
    of_state: Array  # [hidden, gates × hidden]
    data: Array  # added to the product of the data
    state: Array  # added to the product of the state
    peeps: Sequence[Array]  # weights of the peepholes at the gates i, o and f; empty without
    variant: bool  # ReLU in place of tanh for an RNN, linear_before_reset for a GRU

    def sums(self, seen: Array, h: Array, gates: slice = slice(None)) -> Array:
        """Return biases, W x and R h, added up in this order."""
        total = multiplied(seen, self.of_data[:, gates], self.data[gates] + self.state[gates])
        return multiplied(h, self.of_state[:, gates], total)


def _simple(cell: _Cell, seen: Array, states: list[Array]) -> list[Array]:
    """Return h' = f(W x + R h + biases)."""
    total = cell.sums(seen, states[0])
    return [np.where(total < 0, F(0), total) if cell.variant else tanh(total)]


def _gated(cell: _Cell, seen: Array, states: list[Array]) -> list[Array]:
    """Return h' = (1 - z) ⊙ tanh(...) + z ⊙ h, with gates z and r."""
    (h,) = states
    hidden = h.shape[1]
    rest = slice(2 * hidden, None)
    both = sigmoid(cell.sums(seen, h, slice(2 * hidden)))
    update, reset = both[:, :hidden], both[:, hidden:]
    if cell.variant:
        fresh = multiplied(seen, cell.of_data[:, rest], cell.data[rest])
        total = fresh + reset * multiplied(h, cell.of_state[:, rest], cell.state[rest])
    else:
        total = cell.sums(seen, reset * h, rest)
    return [np.asarray((F(1) - update) * tanh(total) + update * h)]


def _long(cell: _Cell, seen: Array, states: list[Array]) -> list[Array]:
    """Return h' = o ⊙ tanh(c') and c' = f ⊙ c + i ⊙ tanh(...), with gates i, o, f."""
    return _remembered(cell.peeps, cell.sums(seen, states[0]), states[1])


def _remembered(peeps: Sequence[Array], sums: Array, c: Array) -> list[Array]:
    """Return both states of an LSTM after the sums of its gates."""
    let_in, let_out, keep, candidate = np.split(sums, 4, 1)
    if peeps:
        peep_in, peep_out, peep_keep = peeps
        let_in, keep = let_in + peep_in * c, keep + peep_keep * c
    memory = np.asarray(sigmoid(keep) * c + sigmoid(let_in) * tanh(candidate))
    if peeps:
        let_out = let_out + peep_out * memory
    return [np.asarray(sigmoid(let_out) * tanh(memory)), memory]


_STEPS = {"RNN": _simple, "GRU": _gated, "LSTM": _long}


def _cells(
    w: Array, r: Array, b: Array | None, p: Array | None, attributes: Mapping[str, Any]
) -> Iterator[_Cell]:
    """Return the cell of each direction."""
    is_relu = [*attributes.get("activations", ()), ""][0].lower() == "relu"
    variant = is_relu or bool(attributes.get("linear_before_reset"))
    size = r.shape[1]
    for index in range(len(w)):
        both = np.zeros(2 * size, F) if b is None else float32(b[index])
        peeps = () if p is None else np.split(float32(p[index]), 3)
        of_data, of_state = float32(w[index]).T, float32(r[index]).T
        yield _Cell(of_data, of_state, both[:size], both[size:], peeps, variant)


def _check_usual(kind: str, lengths: object, attributes: Mapping[str, Any]) -> None:
    if not usual(kind, lengths, attributes):
        raise ShapeError.at(
            kind,
            "this variant has no exact arithmetic",
            expected=f"{', '.join(_USUAL[kind])}, no clip, layout 0, sequences of full length",
            cure='Run it on backend "cpu".',
        )


def recurrent(
    kind: str,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    initial_c: Array | None = None,
    p: Array | None = None,
    **attributes: Any,
) -> tuple[Array, ...]:
    """Run a layer of the given kind: an RNN, GRU or LSTM."""
    _check_usual(kind, lengths, attributes)
    x = float32(x)
    firsts = [initial_h, initial_c] if kind == "LSTM" else [initial_h]
    steps = [partial(_step_of, kind, x, cell) for cell in _cells(w, r, b, p, attributes)]
    return _run(steps, (*x.shape[:2], r.shape[2]), firsts, attributes)


Step = Callable[[int, list[Array]], list[Array]]
"""A function of the number of a turn and the old states; it returns the new ones."""


def _step_of(kind: str, x: Array, cell: _Cell, turn: int, states: list[Array]) -> list[Array]:
    return _STEPS[kind](cell, x[turn], states)


def _run(
    steps: Sequence[Step],
    sizes: tuple[int, int, int],
    firsts: Sequence[Array | None],
    attributes: Mapping[str, Any],
) -> tuple[Array, ...]:
    """Run the directions of a layer; ``sizes`` are turns, batch and hidden."""
    turns, batch, hidden = sizes
    result = np.zeros((turns, len(steps), batch, hidden), F)
    lasts = [np.zeros((len(steps), batch, hidden), F) for _ in firsts]
    for index, step in enumerate(steps):
        states = [np.zeros((batch, hidden), F) if s is None else float32(s[index]) for s in firsts]
        backwards = attributes.get("direction") == "reverse" or index == 1
        for turn in reversed(range(turns)) if backwards else range(turns):
            states = step(turn, states)
            result[turn, index] = states[0]
        for last, state in zip(lasts, states, strict=True):
            last[index] = state
    return (result, *lasts)


def dynamic_quantize_lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    p: Array | None,
    w_scale: Array,
    w_zero: Array,
    r_scale: Array,
    r_zero: Array,
    **attributes: Any,
) -> tuple[Array, ...]:
    """Run an LSTM with weights of 8 bits, whose data and states are quantized as they come."""
    _check_usual("LSTM", lengths, attributes)
    x, hidden = float32(x), r.shape[1]

    def step_of(index: int) -> Step:
        peeps = () if p is None else np.split(float32(p[index]), 3)
        both = np.zeros(8 * hidden, F) if b is None else float32(b[index])
        added = both[: 4 * hidden] + both[4 * hidden :]
        seen = dynamic_quantize_mat_mul(x, w[index], w_scale[index], w_zero[index], None)

        def step(turn: int, states: list[Array]) -> list[Array]:
            h, c = states
            fed = dynamic_quantize_mat_mul(h, r[index], r_scale[index], r_zero[index], None)
            return _remembered(peeps, seen[turn] + fed + added, c)

        return step

    steps = [step_of(index) for index in range(len(w))]
    return _run(steps, (*x.shape[:2], hidden), [initial_h, initial_c], attributes)

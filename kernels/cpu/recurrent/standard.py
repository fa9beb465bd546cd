"""Recurrent layers with everything that ONNX permits: directions, lengths, peepholes, layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.recurrent.activations import activations_of
from aidge_nb.kernels.cpu.recurrent.cells import Cell, GatedCell, LongCell, SimpleCell
from aidge_nb.kernels.standard import standard


@dataclass(frozen=True)
class RecurrentOptions:
    """Attributes of all recurrent layers of ONNX."""

    activation_alpha: Sequence[float] = ()
    activation_beta: Sequence[float] = ()
    activations: Sequence[str] = ()
    clip: float = 0.0
    direction: str = "forward"
    hidden_size: int = 0
    layout: int = 0

    @property
    def directions(self) -> int:
        """Number of directions."""
        return 2 if self.direction == "bidirectional" else 1

    def cells(
        self, kind: type[Cell], r: Array, b: Array | None, p: Array | None, *, variant: bool = False
    ) -> list[Cell]:
        """Return the cell of each direction, with its part of the weights."""
        alphas, betas = self.activation_alpha, self.activation_beta
        functions = activations_of(
            self.activations, kind.usual, self.directions, alphas, betas, self.clip
        )
        biases = np.zeros((len(r), 2 * r.shape[1]), r.dtype) if b is None else b
        peeps = [None] * len(r) if p is None else p
        parts = zip(r, biases, functions, peeps, strict=True)
        return [kind(*part, variant=variant) for part in parts]


@dataclass(frozen=True)
class Layer:
    """Sequences of a recurrent layer, their lengths (None: all are full), and its attributes."""

    x: Array
    lengths: Array | None
    options: RecurrentOptions

    def data(self) -> Array:
        """Return the sequences, time first."""
        return self.x.swapaxes(0, 1) if self.options.layout else self.x

    def state(self, given: Array | None, index: int, hidden: int) -> Array:
        """Return an initial state of a direction: ``[batch, hidden]``."""
        if given is None:
            return np.zeros((self.data().shape[1], hidden), self.x.dtype)
        return given[:, index] if self.options.layout else given[index]

    def all_lengths(self) -> Array:
        """Return the length of each sequence.

        Raise ShapeError when those given are not one for each sequence, or longer than the data.
        """
        total, batch = self.data().shape[:2]
        if self.lengths is None:
            return np.full(batch, total)
        lengths = self.lengths.astype(int)
        fits = lengths.min(initial=0) >= 0 and lengths.max(initial=0) <= total
        if lengths.shape != (batch,) or not fits:
            raise ShapeError.at(
                "input#4",
                "these cannot be the lengths of the sequences",
                expected=f"{batch} numbers from 0 to {total}",
                found=self.lengths.tolist(),
            )
        return lengths

    def places(self, index: int) -> Array:
        """Return the place that each entry of the batch reads at each turn of a direction."""
        lengths, turns = self.all_lengths(), np.arange(len(self.data()))[:, None]
        backwards = self.options.direction == "reverse" or index == 1
        return np.where(turns < lengths, lengths - 1 - turns if backwards else turns, 0)

    def run(self, w: Array, cells: Sequence[Cell], *given: Array | None) -> tuple[Array, ...]:
        """Run each direction from the given states; return all results and the last states."""
        data = self.data()
        total, batch = data.shape[:2]
        lengths = self.all_lengths()
        results, finals = [], []
        for index, cell in enumerate(cells):
            first = [self.state(state, index, cell.hidden) for state in given]
            seen = cell.of_data(data.reshape(total * batch, data.shape[2]), w[index])
            seen = seen.reshape(total, batch, w.shape[1])
            result, final = _followed(seen, cell, first, self.places(index), lengths)
            results.append(result)
            finals.append(final)
        whole = np.stack(results, 1)
        last = [np.stack(parts) for parts in zip(*finals, strict=True)]
        if self.options.layout:
            whole = whole.transpose(2, 0, 1, 3)
            last = [state.swapaxes(0, 1) for state in last]
        return (whole, *last)


def _followed(
    seen: Array, cell: Cell, first: list[Array], places: Array, lengths: Array
) -> tuple[Array, list[Array]]:
    """Follow a sequence; entries of the batch that have ended keep their state.

    The last state of those that have not even begun is zero: the standard does not say, and ONNX
    Runtime gives that.
    """
    total, batch = seen.shape[:2]
    rows = np.arange(batch)
    states = first
    result = np.zeros((total, batch, first[0].shape[1]), seen.dtype)
    for turn, place in enumerate(places):
        fresh, _ = cell.there(seen[place, rows], states)
        live = turn < lengths
        if live.all():
            states = fresh
            result[place, rows] = states[0]
            continue
        states = [np.where(live[:, None], new, old) for new, old in zip(fresh, states, strict=True)]
        result[place[live], rows[live]] = states[0][live]
    return result, [np.where(lengths[:, None] > 0, state, 0) for state in states]


@standard("RNN", options=RecurrentOptions)
def rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    *,
    options: RecurrentOptions,
) -> tuple[Array, ...]:
    """Run a simple layer."""
    cells = options.cells(SimpleCell, r, b, None)
    return Layer(x, lengths, options).run(w, cells, initial_h)


@standard("GRU", options=RecurrentOptions)
def gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    *,
    options: RecurrentOptions,
    linear_before_reset: int = 0,
) -> tuple[Array, ...]:
    """Run gated recurrent units."""
    cells = options.cells(GatedCell, r, b, None, variant=bool(linear_before_reset))
    return Layer(x, lengths, options).run(w, cells, initial_h)


@standard("LSTM", options=RecurrentOptions)
def lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    p: Array | None,
    *,
    options: RecurrentOptions,
    input_forget: int = 0,
) -> tuple[Array, ...]:
    """Run long short-term memory."""
    cells = options.cells(LongCell, r, b, p, variant=bool(input_forget))
    return Layer(x, lengths, options).run(w, cells, initial_h, initial_c)

"""Gradients of recurrent layers: back through time.

The forward pass runs once more, turn by turn, and keeps what each cell computed; then the turns
are gone over in reverse order. Entries of the batch that have ended pass their states on.

Source: P. Werbos, Backpropagation Through Time, 1990.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.recurrent.cells import Cell, GatedCell, LongCell, SimpleCell
from aidge_nb.kernels.cpu.recurrent.standard import Layer, RecurrentOptions
from aidge_nb.kernels.gradients import Recorded, standard_gradient


def _go_back(
    run: Recorded, layer: Layer, cells: Sequence[Cell], nb_states: int
) -> tuple[Array, Array, list[Array]]:
    """Go through all turns of all directions; give gradients of data, W and initial states."""
    data, w = layer.data(), run.input(1)
    grads = [_time_first(grad, layer, first=not i) for i, grad in enumerate(run.grads)]
    to_data, to_w = np.zeros_like(data), np.zeros_like(w)
    to_states: list[list[Array]] = []
    for index, cell in enumerate(cells):
        first = [layer.state(run.optional(5 + i), index, cell.hidden) for i in range(nb_states)]
        results = grads[0][:, index] if grads and grads[0] is not None else None
        last = [grads[i] if i < len(grads) else None for i in range(1, nb_states + 1)]
        ends = [
            np.zeros_like(s) if g is None else g[index] for g, s in zip(last, first, strict=True)
        ]
        places = layer.places(index)
        seen, begin = _turns(cell, data, w[index], first, ends, results, places, layer)
        for place, grad in zip(places, seen, strict=True):
            rows = np.arange(data.shape[1])
            to_w[index] += grad.T @ data[place, rows]
            np.add.at(to_data, (place, rows), grad @ w[index])
        to_states.append(begin)
    stacked = [np.stack(each) for each in zip(*to_states, strict=True)]
    if layer.options.layout:
        return to_data.swapaxes(0, 1), to_w, [state.swapaxes(0, 1) for state in stacked]
    return to_data, to_w, stacked


def _time_first(grad: Array | None, layer: Layer, *, first: bool) -> Array | None:
    """Bring the gradient of results, or of last states, to the layout with time first."""
    if grad is None or not layer.options.layout:
        return grad
    return grad.transpose(1, 2, 0, 3) if first else grad.swapaxes(0, 1)


def _turns(
    cell: Cell,
    data: Array,
    w: Array,
    first: list[Array],
    ends: list[Array],
    results: Array | None,
    places: Array,
    layer: Layer,
) -> tuple[list[Array], list[Array]]:
    """Go there and back; give the gradient of what each turn saw, and of the first states."""
    rows, lengths = np.arange(data.shape[1]), layer.all_lengths()
    states, history = first, []
    for turn, place in enumerate(places):
        fresh, kept = cell.there(data[place, rows] @ w.T, states)
        history.append((states, kept))
        live = (turn < lengths)[:, None]
        states = [np.where(live, new, old) for new, old in zip(fresh, states, strict=True)]
    found: list[Array] = []
    grads = [np.where(lengths[:, None] > 0, end, 0) for end in ends]
    for turn in reversed(range(len(places))):
        live = turn < lengths
        if results is not None:
            grads[0][live] += results[places[turn][live], rows[live]]
        fresh_grads = [grad * live[:, None] for grad in grads]
        before, kept = history[turn]
        seen, back = cell.back(fresh_grads, before, kept)
        found.append(seen)
        grads = [b + grad * ~live[:, None] for b, grad in zip(back, grads, strict=True)]
    return found[::-1], grads


def _gradients(
    run: Recorded, kind: type[Cell], options: RecurrentOptions, *, variant: bool = False
) -> tuple[Array | None, ...]:
    """Return the gradients in the order of the inputs; None for those that are not there."""
    cells = options.cells(kind, run.input(2), run.optional(3), run.optional(7), variant=variant)
    layer = Layer(run.x, run.optional(4), options)
    to_data, to_w, to_states = _go_back(run, layer, cells, kind.nb_states)
    found = {
        0: to_data,
        1: to_w,
        2: np.stack([cell.to_r for cell in cells]),
        3: np.stack([cell.to_bias for cell in cells]),
        **dict(enumerate(to_states, 5)),
        7: np.stack([cell.to_peep for cell in cells]),
    }
    return tuple(found.get(i) if run.optional(i) is not None else None for i in range(8))


_READ = (0, 1, 2, 3, 4, 5, 6, 7)


@standard_gradient("RNN", inputs=_READ, options=RecurrentOptions)
def rnn(run: Recorded, *, options: RecurrentOptions) -> tuple[Array | None, ...]:
    """Go back through a simple layer."""
    return _gradients(run, SimpleCell, options)


@standard_gradient("GRU", inputs=_READ, options=RecurrentOptions)
def gru(
    run: Recorded, *, options: RecurrentOptions, linear_before_reset: int = 0
) -> tuple[Array | None, ...]:
    """Go back through gated recurrent units."""
    return _gradients(run, GatedCell, options, variant=bool(linear_before_reset))


@standard_gradient("LSTM", inputs=_READ, options=RecurrentOptions)
def lstm(
    run: Recorded, *, options: RecurrentOptions, input_forget: int = 0
) -> tuple[Array | None, ...]:
    """Go back through long short-term memory."""
    return _gradients(run, LongCell, options, variant=bool(input_forget))

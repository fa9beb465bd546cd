"""Gradients of recurrent layers: back through time.

The way forward is gone once more, turn by turn, and what each cell computed is kept; then the
turns are gone over in reverse order. Entries of the batch that have ended pass their states on.

Source: P. Werbos, Backpropagation Through Time, 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.recurrent.standard import Activation, Layer, activations_of
from aidge_nb.kernels.gradients import Recorded, standard_gradient

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
"""Slope of each function, from what it was given, what it gave, alpha and beta."""


def _slope(of: Activation, x: Array) -> Array:
    given = of.clipped(x)
    slope = np.asarray(_SLOPES[of.name](given, of(x), of.alpha, of.beta), x.dtype)
    return np.where(given == x, slope, 0)


@dataclass
class _Cell:
    """One direction of a layer: its weights, and their gradients as they add up."""

    r: Array
    bias: Array
    functions: Sequence[Activation]
    to_r: Array = field(init=False)
    to_bias: Array = field(init=False)

    def __post_init__(self) -> None:
        self.to_r, self.to_bias = np.zeros_like(self.r), np.zeros_like(self.bias)

    @property
    def hidden(self) -> int:
        return int(self.r.shape[1])

    def there(self, seen: Array, states: list[Array]) -> tuple[list[Array], list[Array]]:
        """Return the next states and what the backward pass needs."""
        raise NotImplementedError

    def back(
        self, grads: list[Array], states: list[Array], kept: list[Array]
    ) -> tuple[Array, list[Array]]:
        """Return the gradients of the inputs and of the previous states."""
        raise NotImplementedError


@dataclass
class _Simple(_Cell):
    """Go back through h' = f(W x + R h + biases)."""

    def there(self, seen: Array, states: list[Array]) -> tuple[list[Array], list[Array]]:
        both = self.bias[: self.hidden] + self.bias[self.hidden :]
        inner = np.asarray(seen + states[0] @ self.r.T + both)
        return [self.functions[0](inner)], [inner]

    def back(
        self, grads: list[Array], states: list[Array], kept: list[Array]
    ) -> tuple[Array, list[Array]]:
        inner = np.asarray(grads[0] * _slope(self.functions[0], kept[0]))
        self.to_r += inner.T @ states[0]
        self.to_bias += np.tile(inner.sum(axis=0), 2)
        return inner, [inner @ self.r]


@dataclass
class _Gated(_Cell):
    """Go back through h' = (1 - z) ⊙ g(...) + z ⊙ h."""

    linear_before_reset: bool = False

    def there(self, seen: Array, states: list[Array]) -> tuple[list[Array], list[Array]]:
        (h,), size = states, self.hidden
        f, g = self.functions
        own, other = self.bias[: 3 * size], self.bias[3 * size :]
        seen = seen + own
        gates = np.asarray(seen[:, : 2 * size] + h @ self.r[: 2 * size].T + other[: 2 * size])
        update, reset = np.split(f(gates), 2, 1)
        last, added = self.r[2 * size :], other[2 * size :]
        inner = h @ last.T + added if self.linear_before_reset else h
        past = reset * inner if self.linear_before_reset else (reset * h) @ last.T + added
        candidate = np.asarray(seen[:, 2 * size :] + past)
        new = g(candidate)
        return [(1 - update) * new + update * h], [gates, update, reset, inner, candidate, new]

    def back(
        self, grads: list[Array], states: list[Array], kept: list[Array]
    ) -> tuple[Array, list[Array]]:
        (dy,), (h,), size = grads, states, self.hidden
        gates, update, reset, inner, candidate, new = kept
        f, g = self.functions
        rows, last = slice(2 * size), slice(2 * size, None)
        to_candidate = np.asarray(dy * (1 - update) * _slope(g, candidate))
        if self.linear_before_reset:
            to_product, before = to_candidate * reset, h
            to_reset = to_candidate * inner
            to_h = to_product @ self.r[last]
        else:
            to_product, before = to_candidate, reset * h
            through = to_candidate @ self.r[last]
            to_reset, to_h = through * h, through * reset
        self.to_r[last] += to_product.T @ before
        both = np.concatenate([dy * (h - new), to_reset], axis=1) * _slope(f, gates)
        self.to_r[rows] += both.T @ h
        seen = np.concatenate([both, to_candidate], axis=1)
        other = np.concatenate([both, to_product], axis=1)
        self.to_bias += np.concatenate([seen.sum(axis=0), other.sum(axis=0)])
        return seen, [dy * update + to_h + both @ self.r[rows]]


@dataclass
class _Long(_Cell):
    """Go back through c' = f ⊙ c + i ⊙ g(...), h' = o ⊙ h(c')."""

    peep: Array | None = None
    input_forget: bool = False
    to_peep: Array = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.to_peep = np.zeros(3 * self.hidden, self.r.dtype)

    def _peeps(self) -> list[Array]:
        if self.peep is None:
            return [np.zeros((), self.r.dtype)] * 3
        return np.split(self.peep, 3)

    def there(self, seen: Array, states: list[Array]) -> tuple[list[Array], list[Array]]:
        h, c = states
        f, g, out = self.functions
        peep_i, peep_o, peep_f = self._peeps()
        added = self.bias[: 4 * self.hidden] + self.bias[4 * self.hidden :]
        i, o, forget, candidate = np.split(seen + h @ self.r.T + added, 4, 1)
        i = np.asarray(i + peep_i * c)
        forget = np.asarray(forget + peep_f * c)
        let_in = f(i)
        keep = 1 - let_in if self.input_forget else f(forget)
        memory = np.asarray(keep * c + let_in * g(candidate))
        o = np.asarray(o + peep_o * memory)
        return [f(o) * out(memory), memory], [i, o, forget, candidate, memory]

    def back(
        self, grads: list[Array], states: list[Array], kept: list[Array]
    ) -> tuple[Array, list[Array]]:
        (to_h, to_memory), (h, c) = grads, states
        i, o, forget, candidate, memory = kept
        f, g, out = self.functions
        peep_i, peep_o, peep_f = self._peeps()
        to_o = np.asarray(to_h * out(memory) * _slope(f, o))
        total = to_memory + to_h * f(o) * _slope(out, memory) + to_o * peep_o
        let_in = f(i)
        keep = 1 - let_in if self.input_forget else f(forget)
        to_keep, to_let_in = total * c, total * g(candidate)
        if self.input_forget:
            to_let_in, to_forget = to_let_in - to_keep, np.zeros_like(to_keep)
        else:
            to_forget = np.asarray(to_keep * _slope(f, forget))
        to_i = np.asarray(to_let_in * _slope(f, i))
        to_candidate = total * let_in * _slope(g, candidate)
        parts = (to_i * c, to_o * memory, to_forget * c)
        self.to_peep += np.concatenate([part.sum(axis=0) for part in parts])
        seen = np.concatenate([to_i, to_o, to_forget, to_candidate], axis=1)
        self.to_r += seen.T @ h
        self.to_bias += np.tile(seen.sum(axis=0), 2)
        return seen, [seen @ self.r, total * keep + to_i * peep_i + to_forget * peep_f]


def _go_back(
    run: Recorded, layer: Layer, cells: Sequence[_Cell], nb_states: int
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
    if layer.layout:
        return to_data.swapaxes(0, 1), to_w, [state.swapaxes(0, 1) for state in stacked]
    return to_data, to_w, stacked


def _time_first(grad: Array | None, layer: Layer, *, first: bool) -> Array | None:
    """Bring the gradient of results, or of last states, to the layout with time first."""
    if grad is None or not layer.layout:
        return grad
    return grad.transpose(1, 2, 0, 3) if first else grad.swapaxes(0, 1)


def _turns(
    cell: _Cell,
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


def _biases(run: Recorded, index: int, size: int) -> Array:
    b = run.optional(3)
    return np.zeros(size, run.x.dtype) if b is None else b[index]


def _given(run: Recorded, index: int, grad: Array) -> Array | None:
    return None if run.optional(index) is None else grad


_READ = (0, 1, 2, 3, 4, 5, 6, 7)


@standard_gradient("RNN", inputs=_READ)
def rnn(
    run: Recorded,
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    layout: int = 0,
) -> tuple[Array | None, ...]:
    """Go back through a simple layer."""
    layer, r = Layer(run.x, run.optional(4), direction, layout), run.input(2)
    functions = activations_of(
        activations, ("tanh",), layer.directions, activation_alpha, activation_beta, clip
    )
    size = 2 * r.shape[2]
    cells = [_Simple(r[i], _biases(run, i, size), f) for i, f in enumerate(functions)]
    return _gathered(run, cells, *_go_back(run, layer, cells, 1))


@standard_gradient("GRU", inputs=_READ)
def gru(
    run: Recorded,
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Array | None, ...]:
    """Go back through gated recurrent units."""
    layer, r = Layer(run.x, run.optional(4), direction, layout), run.input(2)
    functions = activations_of(
        activations, ("sigmoid", "tanh"), layer.directions, activation_alpha, activation_beta, clip
    )
    size, linear = 6 * r.shape[2], bool(linear_before_reset)
    cells = [_Gated(r[i], _biases(run, i, size), f, linear) for i, f in enumerate(functions)]
    return _gathered(run, cells, *_go_back(run, layer, cells, 1))


@standard_gradient("LSTM", inputs=_READ)
def lstm(
    run: Recorded,
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Array | None, ...]:
    """Go back through long short-term memory."""
    layer, r, p = Layer(run.x, run.optional(4), direction, layout), run.input(2), run.optional(7)
    usual = ("sigmoid", "tanh", "tanh")
    functions = activations_of(
        activations, usual, layer.directions, activation_alpha, activation_beta, clip
    )
    size, coupled = 8 * r.shape[2], bool(input_forget)
    cells = [
        _Long(r[i], _biases(run, i, size), f, None if p is None else p[i], coupled)
        for i, f in enumerate(functions)
    ]
    found = _gathered(run, cells, *_go_back(run, layer, cells, 2))
    peeps = None if p is None else np.stack([cell.to_peep for cell in cells])
    return (*found, peeps)


def _gathered(
    run: Recorded, cells: Sequence[_Cell], to_data: Array, to_w: Array, to_states: list[Array]
) -> tuple[Array | None, ...]:
    """Put the gradients in the order of the inputs."""
    return (
        to_data,
        to_w,
        np.stack([cell.to_r for cell in cells]),
        _given(run, 3, np.stack([cell.to_bias for cell in cells])),
        None,
        *(_given(run, 5 + index, state) for index, state in enumerate(to_states)),
    )

"""Recurrent layers with everything that ONNX permits: directions, lengths, peepholes, layouts.

Source: S. Hochreiter and J. Schmidhuber, Long Short-Term Memory, 1997; K. Cho and others, Learning
Phrase Representations using RNN Encoder-Decoder, 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard

Step = Callable[[Array, list[Array]], list[Array]]


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


_FUNCTIONS: dict[str, Callable[[Array, float, float], Array]] = {
    "relu": lambda x, a, b: np.maximum(x, 0),
    "tanh": lambda x, a, b: np.tanh(x),
    "sigmoid": lambda x, a, b: _sigmoid(x),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, b: np.where(x < 0, a * x, x),
    "thresholdedrelu": lambda x, a, b: np.where(x > a, x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a, b: np.where(x < 0, a * np.expm1(x), x),
    "softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "softplus": lambda x, a, b: np.logaddexp(0, x),
}
_ALPHAS = {
    "affine": 1.0,
    "leakyrelu": 0.01,
    "thresholdedrelu": 1.0,
    "scaledtanh": 1.0,
    "hardsigmoid": 0.2,
    "elu": 1.0,
}
_BETAS = {"affine": 0.0, "scaledtanh": 1.0, "hardsigmoid": 0.5}
_TAKES_ALPHA, _TAKES_BETA = frozenset(_ALPHAS), frozenset(_BETAS)


@dataclass(frozen=True)
class Activation:
    """A function, its parameters, and where what it is given is clipped (0: nowhere)."""

    name: str
    alpha: float
    beta: float
    clip: float

    def clipped(self, x: Array) -> Array:
        """Clip what the function is given."""
        return np.asarray(np.clip(x, -self.clip, self.clip)) if self.clip else x

    def __call__(self, x: Array) -> Array:
        """Return the value of the function."""
        return np.asarray(_FUNCTIONS[self.name](self.clipped(x), self.alpha, self.beta))


def activations_of(
    names: Sequence[str],
    usual: Sequence[str],
    directions: int,
    alphas: Sequence[float],
    betas: Sequence[float],
    clip: float,
) -> list[list[Activation]]:
    """Return the functions of each direction; alphas and betas go to those that take them.

    What the gates say is clipped; the cell of an LSTM is not, as in ONNX Runtime.

    Raises
    ------
    ShapeError
        When there are too few of them, or one is unknown.
    """
    wanted = [name.lower() for name in names or list(usual) * directions]
    if len(wanted) != len(usual) * directions:
        raise ShapeError(
            explain("", "too few activations", expected=len(usual) * directions, found=len(wanted))
        )
    left, right = iter(alphas), iter(betas)
    functions: list[Activation] = []
    for name in wanted:
        if name not in _FUNCTIONS:
            raise ShapeError(explain("", "unknown activation", found=name))
        a = next(left, _ALPHAS[name]) if name in _TAKES_ALPHA else 0.0
        b = next(right, _BETAS[name]) if name in _TAKES_BETA else 0.0
        of_cell = len(functions) % len(usual) == 2
        functions.append(Activation(name, a, b, 0.0 if of_cell else clip))
    count = len(usual)
    return [functions[i * count : (i + 1) * count] for i in range(directions)]


@dataclass(frozen=True)
class Layer:
    """Sequences, directions and states of a recurrent layer.

    Attributes
    ----------
    x
        The sequences.
    lengths
        How long each of the batch is; None where all are of full length.
    direction, layout
        The attributes of ONNX.
    """

    x: Array
    lengths: Array | None
    direction: str
    layout: int

    @property
    def directions(self) -> int:
        """Number of directions."""
        return 2 if self.direction == "bidirectional" else 1

    def data(self) -> Array:
        """Return the sequences, time first."""
        return self.x.swapaxes(0, 1) if self.layout else self.x

    def state(self, given: Array | None, index: int, hidden: int) -> Array:
        """Return an initial state of a direction: ``[batch, hidden]``."""
        if given is None:
            return np.zeros((self.data().shape[1], hidden), self.x.dtype)
        return given[:, index] if self.layout else given[index]

    def all_lengths(self) -> Array:
        """Return the length of each sequence.

        Raises
        ------
        ShapeError
            When those given are not one for each sequence, or longer than the data.
        """
        total, batch = self.data().shape[:2]
        if self.lengths is None:
            return np.full(batch, total)
        lengths = self.lengths.astype(int)
        if (
            lengths.shape != (batch,)
            or lengths.min(initial=0) < 0
            or lengths.max(initial=0) > total
        ):
            raise ShapeError(
                explain(
                    "input#4",
                    "these are no lengths of the sequences",
                    expected=f"{batch} numbers from 0 to {total}",
                    found=self.lengths.tolist(),
                )
            )
        return lengths

    def places(self, index: int) -> Array:
        """Return the place that each entry of the batch reads at each turn of a direction."""
        backwards = self.direction == "reverse" or index == 1
        return _places(len(self.data()), self.all_lengths(), backwards)

    def run(
        self, w: Array, steps: Sequence[Step], states: Sequence[list[Array]]
    ) -> tuple[Array, ...]:
        """Run each direction; give all results and the last states, as ONNX lays them out."""
        data = self.data()
        total, batch = data.shape[:2]
        lengths = self.all_lengths()
        results, finals = [], []
        for index, (step, first) in enumerate(zip(steps, states, strict=True)):
            places = self.places(index)
            seen = data.reshape(total * batch, data.shape[2]) @ w[index].T  # of all steps at once
            result, final = _followed(
                seen.reshape(total, batch, w.shape[1]), step, first, places, lengths
            )
            results.append(result)
            finals.append(final)
        whole = np.stack(results, 1)
        last = [np.stack(parts) for parts in zip(*finals, strict=True)]
        if self.layout:
            whole = whole.transpose(2, 0, 1, 3)
            last = [state.swapaxes(0, 1) for state in last]
        return (whole, *last)


def _places(total: int, lengths: Array, backwards: bool) -> Array:
    """Return the place in the sequence that each entry of the batch reads at each turn."""
    turns = np.arange(total)[:, None]
    return np.where(turns < lengths, lengths - 1 - turns if backwards else turns, 0)


def _followed(
    seen: Array, step: Step, first: list[Array], places: Array, lengths: Array
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
        fresh = step(seen[place, rows], states)
        live = turn < lengths
        if live.all():
            states = fresh
            result[place, rows] = states[0]
            continue
        states = [np.where(live[:, None], new, old) for new, old in zip(fresh, states, strict=True)]
        result[place[live], rows[live]] = states[0][live]
    return result, [np.where(lengths[:, None] > 0, state, 0) for state in states]


def _biases(
    b: Array | None, index: int, gates: int, hidden: int, dtype: np.dtype[np.generic]
) -> Array:
    return np.zeros(2 * gates * hidden, dtype) if b is None else b[index]


@standard("RNN")
def rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    hidden_size: int = 0,
    layout: int = 0,
) -> tuple[Array, ...]:
    """Run h' = f(W x + R h + biases)."""
    layer = Layer(x, lengths, direction, layout)
    hidden = r.shape[2]
    functions = activations_of(
        activations, ("tanh",), layer.directions, activation_alpha, activation_beta, clip
    )

    def make(index: int) -> Step:
        bias = _biases(b, index, 1, hidden, x.dtype)
        added = bias[:hidden] + bias[hidden:]
        (f,) = functions[index]
        return lambda seen, states: [f(seen + states[0] @ r[index].T + added)]

    each = range(layer.directions)
    return layer.run(w, [*map(make, each)], [[layer.state(initial_h, i, hidden)] for i in each])


@standard("GRU")
def gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    initial_h: Array | None,
    *,
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    hidden_size: int = 0,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> tuple[Array, ...]:
    """Run h' = (1 - z) ⊙ g(...) + z ⊙ h, with gates z and r."""
    layer = Layer(x, lengths, direction, layout)
    hidden = r.shape[2]
    functions = activations_of(
        activations, ("sigmoid", "tanh"), layer.directions, activation_alpha, activation_beta, clip
    )

    def make(index: int) -> Step:
        bias = _biases(b, index, 3, hidden, x.dtype)
        wb, rb = bias[: 3 * hidden], bias[3 * hidden :]
        f, g = functions[index]
        gate, rest = slice(2 * hidden), slice(2 * hidden, None)

        def step(seen: Array, states: list[Array]) -> list[Array]:
            (h,) = states
            seen = seen + wb
            update, reset = np.split(f(seen[:, gate] + h @ r[index][gate].T + rb[gate]), 2, 1)
            if linear_before_reset:
                past = reset * (h @ r[index][rest].T + rb[rest])
            else:
                past = (reset * h) @ r[index][rest].T + rb[rest]
            return [(1 - update) * g(seen[:, rest] + past) + update * h]

        return step

    each = range(layer.directions)
    return layer.run(w, [*map(make, each)], [[layer.state(initial_h, i, hidden)] for i in each])


@standard("LSTM")
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
    activation_alpha: Sequence[float] = (),
    activation_beta: Sequence[float] = (),
    activations: Sequence[str] = (),
    clip: float = 0.0,
    direction: str = "forward",
    hidden_size: int = 0,
    input_forget: int = 0,
    layout: int = 0,
) -> tuple[Array, ...]:
    """Run c' = f ⊙ c + i ⊙ g(...), h' = o ⊙ h(c'), with gates i, o, f that may peep at c."""
    layer = Layer(x, lengths, direction, layout)
    hidden = r.shape[2]
    functions = activations_of(
        activations,
        ("sigmoid", "tanh", "tanh"),
        layer.directions,
        activation_alpha,
        activation_beta,
        clip,
    )

    def make(index: int) -> Step:
        bias = _biases(b, index, 4, hidden, x.dtype)
        added = bias[: 4 * hidden] + bias[4 * hidden :]
        peep_i, peep_o, peep_f = np.split(p[index], 3) if p is not None else (x.dtype.type(0),) * 3
        f, g, out = functions[index]

        def step(seen: Array, states: list[Array]) -> list[Array]:
            h, c = states
            i, o, forget, candidate = np.split(seen + h @ r[index].T + added, 4, 1)
            let_in = f(i + peep_i * c)
            keep = 1 - let_in if input_forget else f(forget + peep_f * c)
            memory = keep * c + let_in * g(candidate)
            return [f(o + peep_o * memory) * out(memory), memory]

        return step

    each = range(layer.directions)
    first = [[layer.state(initial_h, i, hidden), layer.state(initial_c, i, hidden)] for i in each]
    return layer.run(w, [*map(make, each)], first)

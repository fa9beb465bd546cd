"""A step that runs a long short-term memory over a whole sequence.

What the gates see of the data is one product for many time steps; what they see of the state is
one product each. All four gates take one call of tanh, for sigmoid(x) is (1 + tanh(x / 2)) / 2.

Source: S. Hochreiter and J. Schmidhuber, Long Short-Term Memory, 1997.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.fixed import Step
from aidge_nb.kernels.workspace import Workspace

_AHEAD = 1 << 16  # bytes of what gates see of the data, computed ahead


@dataclass(frozen=True, slots=True, eq=False)
class LstmArrays:
    """Arrays that an LSTM layer reads and writes; gates in the order i, o, f and cell."""

    x: Array  # the sequence: [steps, batch, inputs]
    weights: Sequence[Array]  # for each gate [hidden, inputs]
    recurrence: Sequence[Array]  # for each gate [hidden, hidden]
    biases: Sequence[Array]  # two for each gate, [hidden], those of the data first; may be empty
    states: tuple[Array, Array]  # the initial h and c: [batch, hidden]
    # All h [steps, batch, hidden], and the last h and c; None for what nobody reads.
    results: tuple[Array | None, Array | None, Array | None]


def lstm_step(arrays: LstmArrays, workspace: Workspace) -> Step:
    """Prepare a run over the sequence.

    Examples
    --------
    >>> x, y = np.ones((2, 1, 1), np.float32), np.empty((2, 1, 1), np.float32)
    >>> eye, zero = [np.ones((1, 1), np.float32)] * 4, np.zeros((1, 1), np.float32)
    >>> layer = LstmArrays(x, eye, eye, (), (zero, zero), (y, None, None))
    >>> lstm_step(layer, Workspace())()
    >>> [f"{value:.2f}" for value in y.ravel()]
    ['0.37', '0.65']
    """
    _, batch, _ = arrays.x.shape
    hidden, dtype = len(arrays.recurrence[0]), arrays.x.dtype
    ahead = max(1, min(len(arrays.x), _AHEAD // (4 * batch * hidden * dtype.itemsize)))
    return partial(
        _run,
        arrays,
        [matrix.T for matrix in arrays.weights],
        [matrix.T for matrix in arrays.recurrence],
        workspace.array((4, hidden), dtype),
        workspace.array((4, ahead, batch, hidden), dtype),
        workspace.array((4, batch, hidden), dtype),
        [workspace.array((batch, hidden), dtype) for _ in range(3)],
    )


def _run(
    arrays: LstmArrays,
    weights: Sequence[Array],
    recurrence: Sequence[Array],
    bias: Array,
    seen: Array,
    gates: Array,
    spare: Sequence[Array],
) -> None:
    h, c, squashed = spare
    every, last_h, last_c = arrays.results
    np.copyto(h, arrays.states[0])
    np.copyto(c, arrays.states[1])
    for gate, one in enumerate(arrays.biases[:4]):
        np.add(one, arrays.biases[4 + gate], out=bias[gate])
    parts = [*zip(recurrence, gates, strict=True)]
    first_three = gates[:3]
    let_in, let_out, keep, candidate = gates
    for start in range(0, len(arrays.x), seen.shape[1]):
        data = arrays.x[start : start + seen.shape[1]]
        _look_ahead(data, weights, bias if arrays.biases else None, seen)
        for step in range(len(data)):
            for matrix, gate in parts:
                np.matmul(h, matrix, out=gate)
            np.add(gates, seen[:, step], out=gates)
            np.multiply(first_three, 0.5, out=first_three)
            np.tanh(gates, out=gates)
            np.multiply(first_three, 0.5, out=first_three)
            np.add(first_three, 0.5, out=first_three)
            np.multiply(keep, c, out=c)
            np.multiply(let_in, candidate, out=candidate)
            np.add(c, candidate, out=c)
            np.tanh(c, out=squashed)
            if every is not None:
                h = every[start + step]
            np.multiply(let_out, squashed, out=h)
    if last_h is not None:
        np.copyto(last_h, h)
    if last_c is not None:
        np.copyto(last_c, c)


def _look_ahead(data: Array, weights: Sequence[Array], bias: Array | None, seen: Array) -> None:
    """Compute what the gates see of some time steps."""
    rows = data.reshape(-1, data.shape[2])
    for gate, matrix in enumerate(weights):
        result = seen[gate, : len(data)].reshape(len(rows), -1)
        np.matmul(rows, matrix, out=result)
        if bias is not None:
            np.add(result, bias[gate], out=result)

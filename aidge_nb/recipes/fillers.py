"""Fillers: initial values of a tensor, and of all parameters of a graph.

The names and the distributions are Aidge's. Every filler is seeded: the same tensor gets the same
values on every machine, and so do two tensors of the same dimensions unless they get other seeds;
:func:`init_weights` gives each parameter a stream of its own.

The *fan* of weights ``[outputs, inputs, *kernel]`` is how many numbers meet in a result (fan in,
``inputs × kernel``) or depend on a value (fan out, ``outputs × kernel``).
"""

from __future__ import annotations

from enum import Enum
from math import sqrt
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.core.tensor import Tensor

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

    Seed = int | np.random.Generator  # not at run time: importing numpy.random takes its time


class Filler(Protocol):
    """A function that fills a tensor: ``he_filler``, or ``functools.partial`` of one."""

    def __call__(self, tensor: Tensor, *, seed: Seed) -> None: ...  # noqa: D102


class VarianceNorm(Enum):
    """The fan of the weights that divides the variance."""

    FanIn = 0
    """Number of inputs that one output depends on."""
    Average = 1
    """Mean of both."""
    FanOut = 2
    """Number of outputs that depend on one input."""


def constant_filler(tensor: Tensor, value: float, *, seed: Seed = 0) -> None:
    """Fill a tensor with one value.

    Raises
    ------
    ShapeError
        When the dimensions of the tensor are unknown.

    Examples
    --------
    >>> tensor = Tensor.of_dims([3])
    >>> constant_filler(tensor, 0.5)
    >>> tensor.array.tolist()
    [0.5, 0.5, 0.5]
    """
    del seed
    _fill(tensor, np.full(_dims(tensor), value))


def normal_filler(
    tensor: Tensor, mean: float = 0.0, stdDev: float = 1.0, *, seed: Seed = 0
) -> None:
    """Fill a tensor from a normal distribution of the given mean and standard deviation.

    Raises
    ------
    ShapeError
        When the dimensions of the tensor are unknown.
    """
    _fill(tensor, np.random.default_rng(seed).normal(mean, stdDev, _dims(tensor)))


def uniform_filler(tensor: Tensor, min: float, max: float, *, seed: Seed = 0) -> None:
    """Fill a tensor with uniform values from ``min`` (included) to ``max`` (excluded).

    Raises
    ------
    AidgeError
        When ``max`` is below ``min``.
    ShapeError
        When the dimensions of the tensor are unknown.
    """
    if max < min:
        raise AidgeError.at("uniform_filler", "max is below min", found=f"{min} and {max}")
    _fill(tensor, np.random.default_rng(seed).uniform(min, max, _dims(tensor)))


def he_filler(
    tensor: Tensor,
    varianceNorm: VarianceNorm = VarianceNorm.FanIn,
    meanNorm: float = 0.0,
    scaling: float = 1.0,
    *,
    seed: Seed = 0,
) -> None:
    """Fill weights from a normal distribution of standard deviation ``scaling · √(2 / fan)``.

    It keeps the variance of what flows through layers that a ReLU follows (He et al. 2015).

    Parameters
    ----------
    tensor
        The weights; at least two dimensions.
    varianceNorm
        Which fan.
    meanNorm
        Mean of the distribution.
    scaling
        Factor of the standard deviation.
    seed
        Seed, or the generator to draw from.

    Raises
    ------
    ShapeError
        When the tensor has fewer than two dimensions, or none are known.

    Examples
    --------
    >>> weights = Tensor.of_dims([64, 50])
    >>> he_filler(weights)
    >>> round(float(weights.array.std()), 2)  # √(2 / 50) is 0.2
    0.2
    """
    deviation = scaling * sqrt(2 / _fan(tensor, varianceNorm))
    normal_filler(tensor, meanNorm, deviation, seed=seed)


def xavier_normal_filler(
    tensor: Tensor,
    scaling: float = 1.0,
    varianceNorm: VarianceNorm = VarianceNorm.FanIn,
    *,
    seed: Seed = 0,
) -> None:
    """Fill weights from a normal distribution of standard deviation ``scaling · √(1 / fan)``.

    With the average fan it is the one of Glorot and Bengio (2010). Errors are those of
    :func:`he_filler`.
    """
    normal_filler(tensor, 0.0, scaling * sqrt(1 / _fan(tensor, varianceNorm)), seed=seed)


def xavier_uniform_filler(
    tensor: Tensor,
    scaling: float = 1.0,
    varianceNorm: VarianceNorm = VarianceNorm.FanIn,
    *,
    seed: Seed = 0,
) -> None:
    """Fill weights with values from ``-b`` to ``b``, with ``b = scaling · √(3 / fan)``.

    Its variance is that of :func:`xavier_normal_filler`. Errors are those of :func:`he_filler`.
    """
    bound = scaling * sqrt(3 / _fan(tensor, varianceNorm))
    uniform_filler(tensor, -bound, bound, seed=seed)


CONSTANTS = {"scale": 1.0, "variance": 1.0, "shift": 0.0, "bias": 0.0, "mean": 0.0, "slope": 0.25}
"""First values of parameters that are no weights, by the name of the input that reads them."""


def init_weights(
    view: GraphView, seed: int = 0, weights: Filler = he_filler, *, overwrite: bool = False
) -> tuple[str, ...]:
    """Fill the parameters of a graph that have no values.

    Weights are drawn by ``weights``; scales and variances become 1, biases, shifts and means 0,
    slopes 0.25. Each is drawn from a stream of its own, which depends on the seed and on its place
    in the graph alone.

    Parameters
    ----------
    view
        The graph; its Producers are changed.
    seed
        Seed of all streams.
    weights
        Filler of the weights, such as :func:`xavier_uniform_filler`.
    overwrite
        Whether parameters that have values get new ones.

    Returns
    -------
    tuple of str
        Names of the Producers that were filled.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc"), aidge_nb.ReLU()])
    >>> aidge_nb.init_weights(model, seed=1)
    ('fc_w', 'fc_b')
    >>> model.set_backend("cpu")
    >>> data = aidge_nb.Tensor([[1.0, 2.0, 3.0, 4.0]], "float32")
    >>> aidge_nb.SequentialScheduler(model).forward(data=[data])[0].dims
    [1, 2]
    """
    filled = []
    for position, producer in enumerate(_producers(view)):
        tensor = producer.get_operator().get_output(0)
        role = _role(producer)
        if tensor.undefined() or not tensor.dtype.is_float or (tensor.has_data and not overwrite):
            continue
        if role in CONSTANTS:
            constant_filler(tensor, CONSTANTS[role])
        elif role == "weight" and tensor.ndim >= 2:
            weights(tensor, seed=np.random.default_rng([seed, position]))
        else:
            continue
        filled.append(producer.name() or producer.label)
    return tuple(filled)


def _producers(view: GraphView) -> list[Node]:
    """List the Producers of a graph, including those inside meta-operators."""
    found: dict[Node, None] = {}
    for node in view.topological_order():
        for parent in node.get_parents():
            if parent is not None and parent.type() == "Producer":
                found.setdefault(parent)
        micro = node.get_operator().micro_graph
        for inner in _producers(micro) if micro is not None else ():
            found.setdefault(inner)
    return list(found)


def _role(producer: Node) -> str:
    """Return the name of the first parameter that a Producer feeds; empty if none."""
    for node, index in producer.output(0):
        name = node.input_name(index)
        if name in CONSTANTS or not node.input_category(index).is_data:
            return name
    return ""


def _dims(tensor: Tensor) -> tuple[int, ...]:
    if tensor.undefined():
        raise ShapeError.at(repr(tensor), "cannot be filled: its dimensions are unknown")
    return tuple(tensor.dims)


def _fan(tensor: Tensor, norm: VarianceNorm) -> float:
    dims = _dims(tensor)
    if len(dims) < 2 or not tensor.size:
        raise ShapeError.at(
            repr(tensor),
            "has no fan",
            expected="weights [outputs, inputs, *kernel]",
            cure="Fill it with constant_filler, normal_filler or uniform_filler.",
        )
    fan_in, fan_out = tensor.size / dims[0], tensor.size / dims[1]
    fans = {
        VarianceNorm.FanIn: fan_in,
        VarianceNorm.FanOut: fan_out,
        VarianceNorm.Average: (fan_in + fan_out) / 2,
    }
    return fans[norm]


def _fill(tensor: Tensor, values: NDArray[np.float64]) -> None:
    tensor.set_array(values.astype(tensor.dtype.numpy))

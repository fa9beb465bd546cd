"""Change parameters by their gradients.

References: B. Polyak, Some methods of speeding up the convergence of iteration methods, 1964 (SGD
with momentum); D. Kingma and J. Ba, Adam, 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, GraphError, SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.node import Node
from aidge_nb.learning.given import number_of
from aidge_nb.learning.rates import LRScheduler

Array = NDArray[Any]


class Optimizer:
    """Base class of optimizers, which change Producers; see :class:`SGD` and :class:`Adam`."""

    attr: Attributes
    """Settings that the optimizer was made with, to read and to change."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._rates: LRScheduler | None = None

    def set_parameters(self, parameters: Sequence[Any]) -> None:
        """Choose the Producers to change, such as those of :func:`aidge_nb.producers`.

        Raises
        ------
        GraphError
            When ``parameters`` is not a list of different Producers of floating-point numbers.
        """
        if not isinstance(parameters, Iterable):
            cure = "Pass aidge_nb.producers(model)."
            found = type(parameters).__name__
            raise GraphError.at("set_parameters", "is not a list", found=found, cure=cure)
        seen: set[int] = set()
        for node in parameters:
            if not isinstance(node, Node) or node.type() != "Producer":
                found = node.label if isinstance(node, Node) else repr(node)
                cure = "Pass aidge_nb.producers(model)."
                raise GraphError.at(
                    "set_parameters", "expects Producers only", found=found, cure=cure
                )
            tensor = node.get_operator().get_output(0)
            if not tensor.dtype.is_float:
                problem = "integers cannot be trained"
                cure = "Leave it out, or mark it as a constant."
                raise GraphError.at(node.label, problem, found=tensor, cure=cure)
            if id(tensor) in seen:
                raise GraphError.at("set_parameters", f"{node.label} is listed twice")
            seen.add(id(tensor))
        self._nodes = list(parameters)
        self._forget()

    def parameters(self) -> list[Node]:
        """Return the Producers."""
        return list(self._nodes)

    def set_learning_rate_scheduler(self, scheduler: LRScheduler) -> None:
        """Choose the learning rates.

        Raises
        ------
        AidgeError
            When ``scheduler`` is not an :class:`LRScheduler`.
        """
        if not isinstance(scheduler, LRScheduler):
            cure = "Pass one, such as constant_lr(0.01)."
            found = type(scheduler).__name__
            raise AidgeError.at(
                "optimizer", "is not a learning rate scheduler", found=found, cure=cure
            )
        self._rates = scheduler

    def learning_rate_scheduler(self) -> LRScheduler:
        """Return the learning rates.

        Raises
        ------
        AidgeError
            When none were chosen yet.
        """
        if self._rates is None:
            cure = "Call set_learning_rate_scheduler(constant_lr(0.01)) first."
            raise AidgeError.at("optimizer", "has no learning rate", cure=cure)
        return self._rates

    def learning_rate(self) -> float:
        """Return the learning rate of the present step."""
        return self.learning_rate_scheduler().learning_rate()

    def reset_grad(self) -> None:
        """Drop the gradients of the parameters, which add up from pass to pass otherwise."""
        for tensor in self._tensors():
            tensor.grad = None

    def update(self) -> None:
        """Take a step: change the parameters that have a gradient, and advance the rate.

        Raises
        ------
        SchedulingError
            When no parameter has a gradient.
        """
        rates = self.learning_rate_scheduler()
        found = [(i, tensor, tensor.held_grad) for i, tensor in enumerate(self._tensors())]
        if not any(grad is not None for _, _, grad in found):
            raise SchedulingError.at(
                "optimizer",
                "no parameter has a gradient",
                found=f"{len(self._nodes)} parameters",
                cure="Call set_parameters(), and backward() before update().",
            )
        rate = rates.learning_rate()
        for index, tensor, grad in found:
            if grad is not None:
                change = self._change(index, tensor.array, grad.array, rate)
                # A new array, as a tape may still hold the former one.
                tensor.set_array(np.asarray(tensor.array - change, tensor.dtype.numpy))
        rates.update()

    def _tensors(self) -> list[Tensor]:
        return [node.get_operator().get_output(0) for node in self._nodes]

    def _forget(self) -> None:
        """Drop the state of earlier steps."""

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        """Return what is subtracted from parameter ``index``."""
        raise NotImplementedError


class SGD(Optimizer):
    """Stochastic gradient descent: w ← w - rate · v, with v ← momentum · v + (1 - dampening) · g.

    The first v is g itself. With ``weight_decay``, g is the gradient plus that much of w.

    Raises
    ------
    AidgeError
        When momentum, dampening or decay is not between 0 and 1.

    Examples
    --------
    >>> import aidge_nb
    >>> w = aidge_nb.Producer(Tensor([1.0]), name="w")
    >>> optimizer = SGD()
    >>> optimizer.set_parameters([w])
    >>> optimizer.set_learning_rate_scheduler(aidge_nb.learning.constant_lr(0.5))
    >>> w.get_operator().get_output(0).grad = Tensor([0.5])
    >>> optimizer.update()
    >>> w.get_operator().get_output(0).array.tolist()
    [0.75]
    """

    def __init__(
        self, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0
    ) -> None:
        super().__init__()
        self.attr = Attributes(
            momentum=_share("SGD, momentum", momentum),
            dampening=_share("SGD, dampening", dampening),
            weight_decay=_share("SGD, weight_decay", weight_decay),
        )
        self._velocity: dict[int, Array] = {}

    def _forget(self) -> None:
        self._velocity = {}

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        attr = self.attr
        if attr.weight_decay:
            grad = grad + attr.weight_decay * values
        if attr.momentum:
            before = self._velocity.get(index)
            if before is not None:
                grad = attr.momentum * before + (1 - attr.dampening) * grad
            self._velocity[index] = grad
        return np.asarray(rate * grad)


class Adam(Optimizer):
    """Adam: w ← w - rate · m̂ / (√v̂ + epsilon), m and v being running means of g and of g².

    m̂ and v̂ are m and v, corrected for their start at 0.

    Raises
    ------
    AidgeError
        When a beta is not from 0 to below 1, or epsilon is negative.
    """

    def __init__(self, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        super().__init__()
        self.attr = Attributes(
            beta1=_share("Adam, beta1", beta1, below=True),
            beta2=_share("Adam, beta2", beta2, below=True),
            epsilon=number_of("Adam, epsilon", epsilon, "0 or more", lambda value: value >= 0),
        )
        self._means: dict[int, tuple[Array, Array, int]] = {}

    def _forget(self) -> None:
        self._means = {}

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        one, two = self.attr.beta1, self.attr.beta2
        zeros = np.zeros_like(grad)
        first, second, count = self._means.get(index, (zeros, zeros, 0))
        first = one * first + (1 - one) * grad
        second = two * second + (1 - two) * grad * grad
        count += 1
        self._means[index] = (first, second, count)
        mean = first / (1 - one**count)
        square = second / (1 - two**count)
        return np.asarray(rate * mean / (np.sqrt(square) + self.attr.epsilon))


def _share(where: str, value: float, *, below: bool = False) -> float:
    expected = f"0 to {'below ' if below else ''}1"
    return number_of(where, value, expected, lambda x: 0 <= x < 1 or (x == 1 and not below))

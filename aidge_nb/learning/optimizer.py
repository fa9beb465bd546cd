"""Optimizers: how parameters follow their gradients.

Sources: B. Polyak, Some methods of speeding up the convergence of iteration methods, 1964 (SGD with
momentum); D. Kingma and J. Ba, Adam, 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, GraphError, SchedulingError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.learning.given import number_of
from aidge_nb.learning.rates import LRScheduler

Array = NDArray[Any]


class Optimizer:
    """Changes the values of Producers by their gradients; see :class:`SGD` and :class:`Adam`."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._rates: LRScheduler | None = None

    def set_parameters(self, parameters: Sequence[Any]) -> None:
        """Choose the Producers to change, such as those of :func:`aidge_nb.producers`.

        Raises
        ------
        GraphError
            For what is no list of Producers of floating-point numbers, or one twice.
        """
        if not isinstance(parameters, Iterable):
            cure = "Pass aidge_nb.producers(model)."
            found = type(parameters).__name__
            raise GraphError(explain("set_parameters", "is no list", found=found, cure=cure))
        seen: set[int] = set()
        for node in parameters:
            if not isinstance(node, Node) or node.type() != "Producer":
                found = node.label if isinstance(node, Node) else repr(node)
                cure = "Pass aidge_nb.producers(model)."
                raise GraphError(explain("set_parameters", "no Producer", found=found, cure=cure))
            tensor = node.get_operator().get_output(0)
            if not tensor.dtype.is_float:
                problem = "whole numbers do not follow a gradient"
                cure = "Leave it out, or mark it as a constant."
                raise GraphError(explain(node.label, problem, found=tensor, cure=cure))
            if id(tensor) in seen:
                raise GraphError(explain("set_parameters", f"{node.label} is there twice"))
            seen.add(id(tensor))
        self._nodes = list(parameters)
        self._forget()

    def parameters(self) -> list[Node]:
        """Give the Producers."""
        return list(self._nodes)

    def set_learning_rate_scheduler(self, scheduler: LRScheduler) -> None:
        """Choose the learning rate, step by step.

        Raises
        ------
        AidgeError
            For what is no :class:`LRScheduler`.
        """
        if not isinstance(scheduler, LRScheduler):
            cure = "Pass such as constant_lr(0.01)."
            found = type(scheduler).__name__
            raise AidgeError(explain("optimizer", "is no learning rate", found=found, cure=cure))
        self._rates = scheduler

    def learning_rate_scheduler(self) -> LRScheduler:
        """Give what was chosen.

        Raises
        ------
        AidgeError
            When nothing was chosen yet.
        """
        if self._rates is None:
            cure = "Call set_learning_rate_scheduler(constant_lr(0.01)) first."
            raise AidgeError(explain("optimizer", "has no learning rate", cure=cure))
        return self._rates

    def learning_rate(self) -> float:
        """Give the learning rate of the present step."""
        return self.learning_rate_scheduler().learning_rate()

    def reset_grad(self) -> None:
        """Forget the gradients of the parameters: they add up from pass to pass otherwise."""
        for tensor in self._tensors():
            tensor.grad = None

    def update(self) -> None:
        """Take a step: change the parameters that have a gradient, and go on to the next rate.

        Raises
        ------
        SchedulingError
            When no parameter has a gradient.
        """
        rates = self.learning_rate_scheduler()
        found = [(i, tensor, tensor.grad) for i, tensor in enumerate(self._tensors())]
        if not any(grad is not None for _, _, grad in found):
            raise SchedulingError(
                explain(
                    "optimizer",
                    "no parameter has a gradient",
                    found=f"{len(self._nodes)} parameters",
                    cure="Call set_parameters(), and backward() before update().",
                )
            )
        rate = rates.learning_rate()
        for index, tensor, grad in found:
            if grad is not None:
                change = self._change(index, tensor.array, grad.array, rate)
                # A new array: a tape may still hold the one that the pass was run with.
                tensor.set_array(np.asarray(tensor.array - change, tensor.dtype.numpy))
        rates.update()

    def _tensors(self) -> list[Tensor]:
        return [node.get_operator().get_output(0) for node in self._nodes]

    def _forget(self) -> None:
        """Forget what was gathered in earlier steps."""

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        """Give what is taken off parameter ``index``."""
        raise NotImplementedError


class SGD(Optimizer):
    """Stochastic gradient descent: w ← w - rate · v, with v ← momentum · v + (1 - dampening) · g.

    The first v is g itself. With ``weight_decay``, g is the gradient plus that much of w.

    Raises
    ------
    AidgeError
        For a momentum, dampening or decay that is no share.

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
        self._momentum = _share("SGD, momentum", momentum)
        self._dampening = _share("SGD, dampening", dampening)
        self._decay = _share("SGD, weight_decay", weight_decay)
        self._velocity: dict[int, Array] = {}

    def _forget(self) -> None:
        self._velocity = {}

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        if self._decay:
            grad = grad + self._decay * values
        if self._momentum:
            before = self._velocity.get(index)
            if before is not None:
                grad = self._momentum * before + (1 - self._dampening) * grad
            self._velocity[index] = grad
        return np.asarray(rate * grad)


class Adam(Optimizer):
    """Adam: w ← w - rate · m̂ / (√v̂ + epsilon), m and v being running means of g and of g².

    m̂ and v̂ are m and v divided by what of them does not stem from their beginning at 0.

    Raises
    ------
    AidgeError
        For a beta that is no share below 1, or an epsilon below 0.
    """

    def __init__(self, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        super().__init__()
        self._beta1 = _share("Adam, beta1", beta1, below=True)
        self._beta2 = _share("Adam, beta2", beta2, below=True)
        self._epsilon = number_of(
            "Adam, epsilon", epsilon, "below 0", "0 or more", lambda value: value >= 0
        )
        self._means: dict[int, tuple[Array, Array, int]] = {}

    def _forget(self) -> None:
        self._means = {}

    def _change(self, index: int, values: Array, grad: Array, rate: float) -> Array:
        zeros = np.zeros_like(grad)
        first, second, count = self._means.get(index, (zeros, zeros, 0))
        first = self._beta1 * first + (1 - self._beta1) * grad
        second = self._beta2 * second + (1 - self._beta2) * grad * grad
        count += 1
        self._means[index] = (first, second, count)
        mean = first / (1 - self._beta1**count)
        square = second / (1 - self._beta2**count)
        return np.asarray(rate * mean / (np.sqrt(square) + self._epsilon))


def _share(where: str, value: float, *, below: bool = False) -> float:
    def fits(share: float) -> bool:
        return 0 <= share < 1 or (share == 1 and not below)

    return number_of(where, value, "is no share", f"0 to {'below ' if below else ''}1", fits)
